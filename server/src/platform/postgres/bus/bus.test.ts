import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { Refusal } from '../../../core/errors.ts';
import { Database, type Queryable } from '../database.ts';
import { statement, type Topic } from '../statement.ts';
import { Bus } from './bus.ts';
import { Notifications } from './notifications.ts';
import type { Carrier } from './payload.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await db.query('create table item (id int primary key)');
  await db.query('create table part (item_id int references item deferrable initially deferred)');
});

afterAll(() => db.drop());

describe('the wakes of a statement are published', () => {
  const insert = statement<{ id: number }>('test.insert_item', 'insert into item values ($1) returning id', {
    wakes: [{ topic: 'items' }, { topic: 'large-items', when: (rows) => rows.some(({ id }) => id >= 1_000) }],
  });
  const insertPart = statement('test.insert_part', 'insert into part values ($1)', { wakes: [{ topic: 'parts' }] });

  let published: Topic[][];
  let onCommitted: (topics: readonly Topic[]) => void;
  let database: Database;

  beforeAll(() => {
    database = new Database({
      connection: db.connection,
      connections: 2,
      name: 'test',
      onCommitted: (topics) => onCommitted(topics),
    });
  });

  beforeEach(() => {
    published = [];
    onCommitted = (topics) => published.push([...topics]);
  });

  afterAll(() => database.close());

  test('after a statement on its own has committed', async () => {
    let isCommitted: Promise<unknown[]> | undefined;
    onCommitted = () => {
      isCommitted = db.query('select id from item where id = 1');
    };
    await database.run(insert, [1]);
    expect(await isCommitted).toEqual([{ id: 1 }]);
  });

  test('only those whose condition the rows meet', async () => {
    await database.run(insert, [2]);
    await database.run(insert, [1_002]);
    expect(published).toEqual([['items'], ['items', 'large-items']]);
  });

  test('never when the statement fails', async () => {
    await database.run(insert, [3]);
    published = [];
    await expect(database.run(insert, [3])).rejects.toThrow('duplicate key');
    expect(published).toEqual([]);
  });

  test('once for a transaction, after its commit and not before', async () => {
    let isCommitted: Promise<unknown[]> | undefined;
    onCommitted = (topics) => {
      published.push([...topics]);
      isCommitted = db.query('select id from item where id in (10, 11)');
    };
    await database.transaction(async (transaction) => {
      await transaction.run(insert, [10]);
      await transaction.run(insert, [11]);
      await transaction.run(insertPart, [10]);
      expect(published).toEqual([]);
    });
    expect(published).toEqual([['items', 'parts']]);
    expect(await isCommitted).toHaveLength(2);
  });

  test('never for a transaction that was rolled back', async () => {
    const rolledBack = database.transaction(async (transaction) => {
      await transaction.run(insert, [20]);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(published).toEqual([]);
  });

  test('never for a transaction that fails at its commit', async () => {
    const work = database.transaction((transaction) => transaction.run(insertPart, [999]));
    await expect(work).rejects.toThrow('foreign key');
    expect(published).toEqual([]);
  });

  test('never for a transaction whose commit turns into a rollback after an ignored failure', async () => {
    const work = database.transaction(async (transaction) => {
      await transaction.run(insert, [30]);
      await transaction.run(insert, [30]).catch(() => {});
    });
    await expect(work).rejects.toThrow('rolled back at commit');
    expect(published).toEqual([]);
  });

  test('each with its own commit, when one transaction runs inside another on the same pool', async () => {
    const outer = database.transaction(async (transaction) => {
      await transaction.run(insert, [40]);
      await database.transaction((inner) => inner.run(insert, [1_040]));
      await database.run(insert, [41]);
      expect(published).toEqual([['items', 'large-items'], ['items']]);
      throw new Error('the outer transaction is rolled back');
    });
    await expect(outer).rejects.toThrow('rolled back');
    expect(published).toHaveLength(2);
    expect(await db.query('select id from item where id in (40, 41, 1040) order by id')).toEqual([
      { id: 41 },
      { id: 1_040 },
    ]);
  });
});

/** Notifications that are not started; the bus under test uses another carrier. */
const silent = () => new Notifications({ connection: db.connection, publisher: db.database, onLost: () => {} });

describe('within a process', () => {
  test('a commit wakes every subscriber of its topics and no other, and drops what it has changed', () => {
    const bus = new Bus({ notifications: silent() });
    const events: string[] = [];
    bus.subscribe('a', () => events.push('first'));
    bus.subscribe('a', () => events.push('second'));
    bus.subscribe('b', () => events.push('other'));
    bus.onChange('channels', { changed: (key) => events.push(`channel ${key}`) });
    bus.committed(['a', 'unknown'], [{ cache: 'channels', key: 7 }]);
    expect(events).toEqual(['channel 7', 'first', 'second']);
  });

  test('what has become due here only is not sent to others', () => {
    const sent: string[] = [];
    const send = async (payload: string) => {
      sent.push(payload);
    };
    const carrier: Carrier = { send, listen: () => {} };
    const bus = new Bus({ notifications: silent(), carrier });
    let woken = 0;
    bus.subscribe('a', () => woken++);
    bus.wake(['a']);
    expect({ woken, sent }).toEqual({ woken: 1, sent: [] });
  });
});

describe('between processes', () => {
  interface Node {
    bus: Bus;
    woken: Topic[];
    told: string[];
  }

  let nodes: Bus[] = [];

  async function startNode(minIntervalMs?: number): Promise<Node> {
    const notifications = silent();
    const bus = new Bus({
      notifications,
      carrier: notifications,
      ...(minIntervalMs !== undefined && { minIntervalMs }),
    });
    const [woken, told]: [Topic[], string[]] = [[], []];
    for (const topic of ['deliveries', 'operations']) bus.subscribe(topic, () => woken.push(topic));
    bus.onMessage('greeting', (text) => told.push(text));
    await bus.start();
    nodes.push(bus);
    return { bus, woken, told };
  }

  /** The topics in each message that is sent, in order. */
  async function listen() {
    const sent: string[] = [];
    const bus = new Bus({ notifications: silent() });
    bus.onMessage('wake', (topics) => sent.push(topics));
    await bus.start();
    nodes.push(bus);
    return sent;
  }

  beforeEach(async () => {
    for (const bus of nodes) await bus.stop();
    nodes = [];
  });

  afterAll(async () => {
    for (const bus of nodes) await bus.stop();
  });

  test('a commit wakes the other nodes, and its own node only once', async () => {
    const [here, there] = [await startNode(), await startNode()];
    here.bus.committed(['deliveries', 'operations'], []);
    expect(here.woken).toEqual(['deliveries', 'operations']);
    await eventually('the other node is woken', () => there.woken.length === 2);
    expect(there.woken).toEqual(['deliveries', 'operations']);
    there.bus.committed(['operations'], []);
    await eventually('and back', () => here.woken.length === 3);
    // Whatever had been echoed would have arrived before this.
    expect(here.woken).toEqual(['deliveries', 'operations', 'operations']);
    expect(there.woken).toEqual(['deliveries', 'operations', 'operations']);
  });

  test('a message reaches the others as it is, and not its sender', async () => {
    const [here, there] = [await startNode(), await startNode()];
    here.bus.send('greeting', 'two words: ü');
    there.bus.send('greeting', 'back');
    await eventually('both arrive', () => here.told.length === 1 && there.told.length === 1);
    expect({ here: here.told, there: there.told }).toEqual({ here: ['back'], there: ['two words: ü'] });
  });

  test('the first publication is sent at once, and those that follow within the interval as one', async () => {
    const sent = await listen();
    const { bus } = await startNode(300);
    const startMs = performance.now();
    for (let i = 0; i < 100; i++) bus.committed(['deliveries'], []);
    await eventually('the first is sent', () => sent.length === 1);
    expect(performance.now() - startMs).toBeLessThan(300);
    await eventually('the others follow', () => sent.length === 2);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(290);
    bus.committed(['operations'], []);
    await eventually('another topic is sent at once', () => sent.length === 3);
    expect(sent).toEqual(['deliveries', 'deliveries', 'operations']);
  });

  test('the topics of one commit are sent in one message', async () => {
    const sent = await listen();
    const { bus } = await startNode();
    bus.committed(['deliveries', 'operations', 'rollups'], []);
    await eventually('it is sent', () => sent.length > 0);
    expect(sent).toEqual(['deliveries operations rollups']);
  });

  test('other nodes learn of a commit, and nobody of a rollback', async () => {
    const [here, there] = [await startNode(), await startNode()];
    const insert = statement('test.insert_relayed', 'insert into item values ($1)', {
      wakes: [{ topic: 'deliveries' }],
    });
    const { connection } = db;
    const database = new Database({ connection, connections: 1, name: 'test', onCommitted: here.bus.committed });
    const rolledBack = database.transaction(async (transaction) => {
      await transaction.run(insert, [50]);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    here.bus.committed(['operations'], []);
    await eventually('the later topic arrives', () => there.woken.includes('operations'));
    expect(there.woken).toEqual(['operations']);
    await database.transaction((transaction) => transaction.run(insert, [51]));
    await eventually('the commit arrives', () => there.woken.includes('deliveries'));
    await database.close();
  });

  test('a message that cannot be sent is dropped, and the next one is sent; only a defect is reported', async () => {
    const there = await startNode();
    const failures: Error[] = [new Refusal('database_unavailable', 'Away.'), new TypeError('a defect')];
    const reported: unknown[] = [];
    const publisher: Queryable = {
      run: async (notify, values) => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return db.database.run(notify, values);
      },
    };
    const { connection } = db;
    const notifications = new Notifications({ connection, publisher, onLost: () => {} });
    const onError = (error: unknown) => reported.push(error);
    const bus = new Bus({ notifications, carrier: notifications, onError, minIntervalMs: 1 });
    bus.committed(['deliveries'], []);
    bus.send('greeting', 'lost as well');
    await eventually('the defect is reported', () => reported.length === 1);
    bus.committed(['operations'], []);
    await eventually('it arrives', () => there.woken.includes('operations'));
    expect({ woken: there.woken, told: there.told, reported }).toEqual({
      woken: ['operations'],
      told: [],
      reported: [expect.any(TypeError)],
    });
    await bus.stop();
  });

  test('nothing is sent after the stop', async () => {
    const sent = await listen();
    const { bus } = await startNode(20);
    bus.committed(['deliveries'], []);
    bus.committed(['deliveries'], []);
    await bus.stop();
    bus.committed(['operations'], []);
    const next = await startNode();
    next.bus.committed(['rollups'], []);
    await eventually('the message of another node arrives', () => sent.includes('rollups'));
    expect(sent).toEqual(['deliveries', 'rollups']);
  });
});
