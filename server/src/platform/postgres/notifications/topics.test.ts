import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { Database, type Queryable } from '../database.ts';
import { statement } from '../statement.ts';
import { Notifications } from './notifications.ts';
import { byNotify, TopicRelay } from './topic-relay.ts';
import { type Topic, Topics } from './topics.ts';

test('publishing wakes every subscriber of the topic and no other', () => {
  const topics = new Topics();
  const woken: string[] = [];
  topics.subscribe('a', () => woken.push('first'));
  topics.subscribe('a', () => woken.push('second'));
  topics.subscribe('b', () => woken.push('other'));
  topics.publish(['a', 'unknown']);
  expect(woken).toEqual(['first', 'second']);
});

test('published topics are relayed, delivered ones are not', () => {
  const topics = new Topics();
  const woken: number[] = [];
  const relayed: Topic[][] = [];
  topics.subscribe('a', () => woken.push(1));
  topics.relayTo((published) => relayed.push([...published]));
  topics.publish(['a', 'b']);
  topics.deliver(['a']);
  expect({ woken: woken.length, relayed }).toEqual({ woken: 2, relayed: [['a', 'b']] });
});

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

describe('the relay', () => {
  interface Node {
    topics: Topics;
    woken: Topic[];
    stop: () => Promise<void>;
  }

  let nodes: Node[] = [];

  async function startNode(minIntervalMs?: number): Promise<Node> {
    const topics = new Topics();
    const woken: Topic[] = [];
    for (const topic of ['deliveries', 'operations']) topics.subscribe(topic, () => woken.push(topic));
    const notifications = new Notifications(db.connection, () => {});
    const relay = new TopicRelay({
      topics,
      transport: byNotify(notifications, db.database),
      ...(minIntervalMs !== undefined && { minIntervalMs }),
    });
    relay.start();
    await notifications.start();
    const stop = async () => {
      await relay.stop();
      await notifications.stop();
    };
    const node = { topics, woken, stop };
    nodes.push(node);
    return node;
  }

  /** Payloads of NOTIFY that the relays have sent, in order. */
  async function listen() {
    const payloads: string[] = [];
    const listener = new Notifications(db.connection, () => {});
    listener.on('work', { changed: (key) => payloads.push(key.split(' ').slice(1).join(' ')) });
    await listener.start();
    nodes.push({ topics: new Topics(), woken: [], stop: () => listener.stop() });
    return payloads;
  }

  beforeEach(async () => {
    for (const node of nodes) await node.stop();
    nodes = [];
  });

  afterAll(async () => {
    for (const node of nodes) await node.stop();
  });

  test('wakes the other nodes, and the publishing node only once', async () => {
    const [here, there] = [await startNode(), await startNode()];
    here.topics.publish(['deliveries', 'operations']);
    expect(here.woken).toEqual(['deliveries', 'operations']);
    await eventually('the other node is woken', () => there.woken.length === 2);
    expect(there.woken).toEqual(['deliveries', 'operations']);
    there.topics.publish(['operations']);
    await eventually('and back', () => here.woken.length === 3);
    // Whatever had been echoed would have arrived before this.
    expect(here.woken).toEqual(['deliveries', 'operations', 'operations']);
    expect(there.woken).toEqual(['deliveries', 'operations', 'operations']);
  });

  test('sends the first publication at once, and those that follow within the interval as one', async () => {
    const payloads = await listen();
    const here = await startNode(300);
    const startMs = performance.now();
    for (let i = 0; i < 100; i++) here.topics.publish(['deliveries']);
    await eventually('the first is sent', () => payloads.length === 1);
    expect(performance.now() - startMs).toBeLessThan(300);
    await eventually('the others follow', () => payloads.length === 2);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(290);
    here.topics.publish(['operations']);
    await eventually('another topic is sent at once', () => payloads.length === 3);
    expect(payloads).toEqual(['deliveries', 'deliveries', 'operations']);
  });

  test('sends the topics of one commit in one notification', async () => {
    const payloads = await listen();
    const here = await startNode();
    here.topics.publish(['deliveries', 'operations', 'rollups']);
    await eventually('it is sent', () => payloads.length > 0);
    expect(payloads).toEqual(['deliveries operations rollups']);
  });

  test('notifies the other nodes of a commit, and nobody of a rollback', async () => {
    const [here, there] = [await startNode(), await startNode()];
    const insert = statement('test.insert_relayed', 'insert into item values ($1)', {
      wakes: [{ topic: 'deliveries' }],
    });
    const database = new Database({
      connection: db.connection,
      connections: 1,
      name: 'test',
      onCommitted: (topics) => here.topics.publish(topics),
    });
    const rolledBack = database.transaction(async (transaction) => {
      await transaction.run(insert, [50]);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    here.topics.publish(['operations']);
    await eventually('the later topic arrives', () => there.woken.includes('operations'));
    expect(there.woken).toEqual(['operations']);
    await database.transaction((transaction) => transaction.run(insert, [51]));
    await eventually('the commit arrives', () => there.woken.includes('deliveries'));
    await database.close();
  });

  test('a notification that cannot be sent is dropped, and the next one is sent', async () => {
    const there = await startNode();
    let isAway = true;
    const database: Queryable = {
      run: async (notify, values) => {
        if (isAway) throw new Error('away');
        return db.database.run(notify, values);
      },
    };
    const topics = new Topics();
    const relay = new TopicRelay({
      topics,
      transport: byNotify(new Notifications(db.connection, () => {}), database),
      minIntervalMs: 1,
    });
    relay.start();
    topics.publish(['deliveries']);
    await setTimeout(5);
    isAway = false;
    topics.publish(['operations']);
    await eventually('it arrives', () => there.woken.includes('operations'));
    expect(there.woken).toEqual(['operations']);
    await relay.stop();
  });

  test('sends nothing after it was stopped', async () => {
    const payloads = await listen();
    const here = await startNode(20);
    here.topics.publish(['deliveries']);
    here.topics.publish(['deliveries']);
    await here.stop();
    here.topics.publish(['operations']);
    const next = await startNode();
    next.topics.publish(['rollups']);
    await eventually('the notification of another node arrives', () => payloads.includes('rollups'));
    expect(payloads).toEqual(['deliveries', 'rollups']);
  });
});
