import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../testing/database.ts';
import { transactionPooler } from '../../testing/transaction-pooler.ts';
import { Database } from './database.ts';
import { Notifications } from './notifications.ts';

let db: TestDatabase;
let here: Node;
let there: Node;

interface Node {
  notifications: Notifications;
  /** What it was told: keys of the topic `things`. */
  heard: string[];
  /** Whether it believes that it hears, change by change. */
  deafness: boolean[];
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
  await here.notifications.stop();
  await there.notifications.stop();
});

afterAll(() => db.drop());

async function startNode(connection: pg.ClientConfig = db.connection): Promise<Node> {
  const lost: Error[] = [];
  const notifications = new Notifications(connection, (error) => lost.push(error));
  const node: Node = { notifications, heard: [], deafness: [], lost };
  notifications.on('things', {
    changed: (key) => node.heard.push(key),
    disconnected: (deaf) => node.deafness.push(deaf),
  });
  await notifications.start();
  return node;
}

/** A way to the database that can fall silent: what is sent stays unanswered, and no connection is closed. */
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

test('a change is heard at once where it is made, and soon on every other node', async () => {
  await here.notifications.publish(db.database, 'things', 17);
  // Its own notification may have come back already: hearing of a change twice is harmless.
  expect(new Set(here.heard)).toEqual(new Set(['17']));
  await eventually('the other node hears', () => there.heard.includes('17'));
});

test('keys come through letter by letter; a change may name no key', async () => {
  const keys = ['', 'a:b', 'with space', 'ü☕', "it's", '+/='];
  for (const key of keys) await here.notifications.publish(db.database, 'things', key);
  await eventually('all are heard', () => there.heard.length === keys.length);
  expect(there.heard).toEqual(keys);
});

test('nobody hears of a topic they did not ask for', async () => {
  await here.notifications.publish(db.database, 'other things', 1);
  await here.notifications.publish(db.database, 'things', 2);
  await eventually('the second is heard', () => there.heard.length > 0);
  expect(there.heard).toEqual(['2']);
});

test('everyone on a node who asked for a topic hears', async () => {
  const also: string[] = [];
  there.notifications.on('things', { changed: (key) => also.push(key) });
  await here.notifications.publish(db.database, 'things', 3);
  await eventually('both hear', () => there.heard.includes('3') && also.includes('3'));
});

describe('inside a transaction', () => {
  test('other nodes hear when it commits, and not before', async () => {
    await db.database.transaction(async (transaction) => {
      await here.notifications.publish(transaction, 'things', 'committed');
      await here.notifications.publish(db.database, 'things', 'meanwhile');
      await eventually('the other change is heard', () => there.heard.includes('meanwhile'));
      expect(there.heard).not.toContain('committed');
    });
    here.notifications.applied('things', 'committed');
    await eventually('the commit is heard', () => there.heard.includes('committed'));
    // Before the commit, so that nothing old is kept, and after it, because something old may have been read meanwhile.
    expect(here.heard.filter((key) => key === 'committed').length).toBeGreaterThanOrEqual(2);
  });

  test('nobody else hears of one that was rolled back', async () => {
    const rolledBack = db.database.transaction(async (transaction) => {
      await here.notifications.publish(transaction, 'things', 'undone');
      throw new Error('never mind');
    });
    await expect(rolledBack).rejects.toThrow('never mind');
    await here.notifications.publish(db.database, 'things', 'next');
    await eventually('the next is heard', () => there.heard.includes('next'));
    expect(there.heard).toEqual(['next']);
  });
});

describe('a node that cannot hear', () => {
  test('knows it before it has started, and when it has', async () => {
    expect(here.deafness).toEqual([true, false]);
  });

  test('knows when its connection is cut, and hears again by itself', async () => {
    await cutListeners();
    await eventually('it knows', () => there.deafness[2] === true);
    expect(there.lost.length).toBeGreaterThan(0);
    await eventually('it hears again', () => there.deafness.at(-1) === false);
    await here.notifications.publish(db.database, 'things', 'afterwards');
    await eventually('the change is heard', () => there.heard.includes('afterwards'));
  });

  test('knows when its connection is only silent', async () => {
    const line = await startLine(db.connection);
    const node = await startNode(line.connection);
    expect(node.deafness).toEqual([true, false]);
    line.silent = true;
    await eventually('it knows', () => node.deafness[2] === true);
    line.silent = false;
    await eventually('it hears again', () => node.deafness.at(-1) === false);
    await here.notifications.publish(db.database, 'things', 'afterwards');
    await eventually('the change is heard', () => node.heard.includes('afterwards'));
    await node.notifications.stop();
    await line.close();
  });

  test('starts all the same when the database is away, goes on trying, and says so once', async () => {
    const deafness: boolean[] = [];
    const lost: Error[] = [];
    let tries = 0;
    const server = createServer((socket) => {
      tries++;
      socket.on('error', () => {}).destroy();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const connection = { ...db.connection, host: '127.0.0.1', port };
    const notifications = new Notifications(connection, (error) => lost.push(error));
    notifications.on('things', { changed: () => {}, disconnected: (deaf) => deafness.push(deaf) });
    await notifications.start();
    expect(lost).toHaveLength(1);
    expect(deafness).toEqual([true]);
    await eventually('it goes on trying', () => tries >= 3);
    expect(lost).toHaveLength(1);
    await notifications.stop();
    await new Promise((closed) => server.close(closed));
  });
});

describe('behind a pooler that hands out connections by transaction', () => {
  test('a node counts as disconnected, and says what is likely', async () => {
    const pooler = await transactionPooler(db.connection);
    const node = await startNode(pooler.connection);
    expect(node.deafness).toEqual([true]);
    expect(node.lost.map(({ message }) => message)).toEqual([expect.stringContaining('app.database.direct-url')]);
    await node.notifications.stop();
    await pooler.close();
  });

  test('it hears by a direct connection what is published through the pooler', async () => {
    const pooler = await transactionPooler(db.connection);
    const through = new Database({ connection: pooler.connection, connections: 2, name: 'test pooled' });
    const heard: string[] = [];
    const deafness: boolean[] = [];
    const notifications = new Notifications(db.connection, () => {}, { publisher: through });
    notifications.on('things', { changed: (key) => heard.push(key), disconnected: (deaf) => deafness.push(deaf) });
    await notifications.start();
    expect(deafness).toEqual([true, false]);
    await db.query(`select pg_notify('florin', 'things:9')`);
    await eventually('it is heard', () => heard.includes('9'));
    await notifications.stop();
    await through.close();
    await pooler.close();
  });

  test('a direct connection to another database is found out', async () => {
    const other = await databaseFromTemplate();
    const lost: Error[] = [];
    const notifications = new Notifications(other.connection, (error) => lost.push(error), { publisher: db.database });
    await notifications.start();
    expect(lost).toHaveLength(1);
    await notifications.stop();
    await other.drop();
  });
});

test('after its stop a node hears nothing, says nothing, and tries nothing', async () => {
  await there.notifications.stop();
  await there.notifications.stop();
  await here.notifications.publish(db.database, 'things', 'too late');
  const [left] = await db.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name = 'florin listener'`,
  );
  expect(left?.count).toBe(1);
  expect(there.heard).toEqual([]);
  expect(there.lost).toEqual([]);
});
