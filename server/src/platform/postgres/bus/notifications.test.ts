import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { transactionPooler } from '../../../../tests/support/postgres/transaction-pooler.ts';
import { Database, type Queryable } from '../database.ts';
import { statement } from '../statement.ts';
import { Bus } from './bus.ts';
import { Notifications, type NotificationsOptions } from './notifications.ts';

let db: TestDatabase;
let here: Node;
let there: Node;

interface Node {
  bus: Bus;
  /** Tells its notifications what its transactions have changed. */
  database: Database;
  /** Received keys of the topic `things`. */
  received: string[];
  /** Every report of whether it is disconnected. */
  states: boolean[];
  lost: Error[];
}

beforeAll(async () => {
  db = await databaseFromTemplate();
});

beforeEach(async () => {
  here = await startNode();
  there = await startNode();
});

afterEach(async () => {
  await stop(here);
  await stop(there);
});

async function stop({ bus, database }: Node): Promise<void> {
  await bus.stop();
  await database.close();
}

/** A statement that changes what every node may have cached under the key, its only value. */
const changing = (cache: string) =>
  statement<{ key: string }>(`test.change_${cache}`, 'select $1::text as key', {
    invalidates: { cache, key: ({ key }) => key },
  });
const changeThing = changing('things');
const changeOther = changing('others');

const change = (key: string, what = changeThing) =>
  here.database.transaction((transaction) => transaction.run(what, [key]));

afterAll(() => db.drop());

async function startNode(connection: pg.ClientConfig = db.connection): Promise<Node> {
  const lost: Error[] = [];
  const bus = busOn(connection, (error) => lost.push(error));
  const database = new Database({
    connection: db.connection,
    connections: 2,
    name: 'test node',
    onCommitted: bus.committed,
  });
  const node: Node = { bus, database, received: [], states: [], lost };
  bus.onChange('things', {
    changed: (key) => node.received.push(key),
    disconnected: (disconnected) => node.states.push(disconnected),
  });
  await bus.start();
  return node;
}

function busOn(
  connection: pg.ClientConfig,
  onLost: (error: Error) => void = () => {},
  options: Partial<NotificationsOptions> = {},
): Bus {
  return new Bus({ notifications: new Notifications({ connection, publisher: db.database, onLost, ...options }) });
}

/** A proxy to the database that can fall silent: it forwards nothing and closes no connection. */
async function startLine({ host = '', port = 5432, ...others }: pg.ClientConfig) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => line.silent || to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const line = {
    silent: false,
    connection: { ...others, host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
  return line;
}

const cutListeners = () =>
  db.query(`select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and application_name = 'florin listener'`);

test('a change is received at once on its own node, and soon on every other', async () => {
  await change('17');
  // Its own notification may have returned already: receiving a change twice is harmless.
  expect(new Set(here.received)).toEqual(new Set(['17']));
  await eventually('the other node receives it', () => there.received.includes('17'));
});

test('keys arrive unchanged, and may be empty', async () => {
  const keys = ['', 'a:b', 'with space', 'ü☕', "it's", '+/='];
  for (const key of keys) await change(key);
  await eventually('all arrive', () => there.received.length === keys.length);
  expect(there.received).toEqual(keys);
});

test('listeners receive only their topics', async () => {
  await change('1', changeOther);
  await change('2');
  await eventually('the second arrives', () => there.received.length > 0);
  expect(there.received).toEqual(['2']);
});

test('every listener of a topic on a node receives it', async () => {
  const also: string[] = [];
  there.bus.onChange('things', { changed: (key) => also.push(key) });
  await change('3');
  await eventually('both receive it', () => there.received.includes('3') && also.includes('3'));
});

describe('inside a transaction', () => {
  test('all nodes are notified when it commits, and not before', async () => {
    await here.database.transaction(async (transaction) => {
      await transaction.run(changeThing, ['committed']);
      await change('meanwhile');
      await eventually('the other change arrives', () => there.received.includes('meanwhile'));
      expect([...here.received, ...there.received]).not.toContain('committed');
    });
    // The own node at once, and again when its own notification returns.
    expect(here.received).toContain('committed');
    await eventually('the commit arrives', () => there.received.includes('committed'));
  });

  test('no other node is notified after a rollback', async () => {
    const rolledBack = here.database.transaction(async (transaction) => {
      await transaction.run(changeThing, ['undone']);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    await change('next');
    await eventually('the next arrives', () => there.received.includes('next'));
    expect(there.received).toEqual(['next']);
  });
});

describe('a node whose notifications are disconnected', () => {
  test('is disconnected until it has started', async () => {
    expect(here.states).toEqual([true, false]);
  });

  test('detects that its connection was cut, and reconnects by itself', async () => {
    await cutListeners();
    await eventually('it is disconnected', () => there.states[2] === true);
    expect(there.lost.length).toBeGreaterThan(0);
    await eventually('it is connected again', () => there.states.at(-1) === false);
    await change('afterwards');
    await eventually('the change arrives', () => there.received.includes('afterwards'));
  });

  test('reports a listener that fails when it is connected again, and goes on', async () => {
    let fails = true;
    there.bus.onChange('fragile', {
      changed: () => {},
      disconnected: (disconnected) => {
        if (disconnected || !fails) return;
        fails = false;
        throw new Error('a defect of the listener');
      },
    });
    await cutListeners();
    await eventually('the defect is reported', () => there.lost.at(-1)?.message === 'a defect of the listener');
    await eventually('it is connected again', () => there.states.at(-1) === false);
    await change('after the defect');
    await eventually('the change arrives', () => there.received.includes('after the defect'));
  });

  test('detects that its connection is silent', async () => {
    const line = await startLine(db.connection);
    const node = await startNode(line.connection);
    expect(node.states).toEqual([true, false]);
    line.silent = true;
    await eventually('it is disconnected', () => node.states[2] === true);
    line.silent = false;
    await eventually('it is connected again', () => node.states.at(-1) === false);
    await change('afterwards');
    await eventually('the change arrives', () => node.received.includes('afterwards'));
    await stop(node);
    await line.close();
  });

  test('starts while the database is unavailable, keeps trying, and reports it once', async () => {
    const states: boolean[] = [];
    const lost: Error[] = [];
    let tries = 0;
    const server = createServer((socket) => {
      tries++;
      socket.on('error', () => {}).destroy();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const connection = { ...db.connection, host: '127.0.0.1', port };
    const bus = busOn(connection, (error) => lost.push(error));
    bus.onChange('things', { changed: () => {}, disconnected: (disconnected) => states.push(disconnected) });
    await bus.start();
    expect(lost).toHaveLength(1);
    expect(states).toEqual([true]);
    await eventually('it keeps trying', () => tries >= 3);
    expect(lost).toHaveLength(1);
    await bus.stop();
    await new Promise((closed) => server.close(closed));
  });
});

describe('on a connection that leads straight to PostgreSQL', () => {
  test('changes arrive, and nothing is published to check that', async () => {
    const published: string[] = [];
    const publisher: Queryable = {
      run: async ({ name }) => {
        published.push(name);
        return [];
      },
    };
    const received: string[] = [];
    const bus = busOn(db.connection, () => {}, { publisher, isDirect: true });
    bus.onChange('things', { changed: (key) => received.push(key) });
    await bus.start();
    await change('direct');
    await eventually('it arrives', () => received.includes('direct'));
    expect(published).toEqual([]);
    await bus.stop();
  });

  test('a node detects that it is silent', async () => {
    const line = await startLine(db.connection);
    const states: boolean[] = [];
    const bus = busOn(line.connection, () => {}, { isDirect: true });
    bus.onChange('things', { changed: () => {}, disconnected: (disconnected) => states.push(disconnected) });
    await bus.start();
    line.silent = true;
    await eventually('it is disconnected', () => states[2] === true);
    await bus.stop();
    await line.close();
  });
});

describe('behind a pooler in transaction mode', () => {
  test('a node counts as disconnected, and reports the likely cause', async () => {
    const pooler = await transactionPooler(db.connection);
    const node = await startNode(pooler.connection);
    expect(node.states).toEqual([true]);
    expect(node.lost.map(({ message }) => message)).toEqual([expect.stringContaining('app.database.direct-url')]);
    await stop(node);
    await pooler.close();
  });

  test('a node with a direct connection receives what is published through the pooler', async () => {
    const pooler = await transactionPooler(db.connection);
    const through = new Database({ connection: pooler.connection, connections: 2, name: 'test pooled' });
    const received: string[] = [];
    const states: boolean[] = [];
    const bus = busOn(db.connection, () => {}, { publisher: through });
    bus.onChange('things', {
      changed: (key) => received.push(key),
      disconnected: (disconnected) => states.push(disconnected),
    });
    await bus.start();
    expect(states).toEqual([true, false]);
    await db.query(`select pg_notify('florin', 'things:9')`);
    await eventually('it arrives', () => received.includes('9'));
    await bus.stop();
    await through.close();
    await pooler.close();
  });

  test('a direct connection to another database is detected', async () => {
    const other = await databaseFromTemplate();
    const lost: Error[] = [];
    const bus = busOn(other.connection, (error) => lost.push(error));
    await bus.start();
    expect(lost).toHaveLength(1);
    await bus.stop();
    await other.drop();
  });
});

test('after its stop a node receives nothing, reports nothing, and does not reconnect', async () => {
  await there.bus.stop();
  await there.bus.stop();
  await change('too late');
  const [others] = await db.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name = 'florin listener'`,
  );
  expect(others?.count).toBe(1);
  expect(there.received).toEqual([]);
  expect(there.lost).toEqual([]);
});
