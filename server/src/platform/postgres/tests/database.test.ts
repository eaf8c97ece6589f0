import { execFile } from 'node:child_process';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { blockThread } from '../../../../tests/support/faults/block-thread.ts';
import { startCutLine } from '../../../../tests/support/faults/cut-line.ts';
import { startLine } from '../../../../tests/support/faults/line.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { Database } from '../database.ts';
import { type Invalidation, statement } from '../statement.ts';

let db: TestDatabase;
let database: Database;

beforeAll(async () => {
  db = await databaseFromTemplate();
  database = new Database({ connection: db.connection, connections: 2, name: 'test' });
});

afterAll(async () => {
  await database.close();
  await db.drop();
});

const ownPid = statement<{ pid: number }>('test.own_pid', 'select pg_backend_pid() as pid');

test('statements are never JIT-compiled, whatever the server is set to', async () => {
  const jit = statement<{ setting: string; source: string }>(
    'test.jit',
    `select setting, source from pg_settings where name = 'jit'`,
  );
  expect(await database.run(jit)).toEqual([{ setting: 'off', source: 'client' }]);
});

test.each(['transaction', 'snapshot'] as const)(
  'a connection that breaks during a %s fails that, not the process',
  async (kind) => {
    const uncaught: unknown[] = [];
    const onUncaught = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', onUncaught);
    const work = database[kind](async (within) => {
      const [{ pid } = { pid: 0 }] = await within.run(ownPid);
      await db.query('select pg_terminate_backend($1)', [pid]);
      await eventually('its backend is gone', async () => {
        const left = await db.query('select 1 from pg_stat_activity where pid = $1', [pid]);
        return left.length === 0;
      });
      // Reads the last message of the server before anything is written.
      await setImmediate();
      await within.run(ownPid);
    });
    await expect(work).rejects.toMatchObject({ type: 'database_unavailable' });
    expect(await database.run(ownPid)).toHaveLength(1);
    process.off('uncaughtException', onUncaught);
    expect(uncaught).toEqual([]);
  },
);

test('a server that dies with its last answer fails the waiting transaction, not the process', async () => {
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', onUncaught);
  const server = await dyingServer();
  const { port } = server.address() as AddressInfo;
  const one = new Database({ connection: { host: '127.0.0.1', port, user: 'x' }, connections: 1, name: 'test dying' });
  const answered = one.run({ name: '', text: 'select 1' });
  const waiting = one.transaction(async () => {});
  expect(await answered).toEqual([]);
  await expect(waiting).rejects.toMatchObject({ type: 'database_unavailable' });
  await setImmediate();
  process.off('uncaughtException', onUncaught);
  expect(uncaught).toEqual([]);
  await one.close();
  await new Promise((resolve) => server.close(resolve));
});

/** Speaks the protocol as far as one statement, and sends the end of the server in the same packet as the answer. */
async function dyingServer(): Promise<Server> {
  const message = (type: string, body = '') => {
    const bytes = Buffer.from(`${type}0000${body}`, 'latin1');
    bytes.writeInt32BE(bytes.length - 1, 1);
    return bytes;
  };
  const ready = message('Z', 'I');
  const named = message('S', 'application_name\0florin test dying\0');
  const answer = ['1', '2', 'n'].map((type) => message(type));
  const death = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0');
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', '\0\0\0\0'), named, ready]));
      socket.once('data', () => {
        socket.end(Buffer.concat([...answer, message('C', 'SELECT 0\0'), ready, death]));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

test('an answered statement is garbage of the young generation', async () => {
  const program = fileURLToPath(new URL('../fixture/statements-garbage.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(db.connection)]);
  expect(stdout).toMatch(/^[0-9.]+$/);
  // 120 bytes of each statement; 1,300 when sent as a promise with a timeout.
  expect(Number(stdout)).toBeLessThan(500);
});

test('a statement without an answer fails, and costs its connection; one that is read late does not', async () => {
  const line = await startLine(db.connection);
  const options = { connection: line.connection, connections: 2, name: 'silent', statementTimeoutMs: 0 };
  const behindLine = new Database(options);
  const slow = statement<{ pid: number }>('test.slow', 'select pg_backend_pid() as pid, pg_sleep(0.5)');
  const [answered] = await Promise.all([
    behindLine.run(slow),
    new Promise<void>((resolve) => {
      setTimeout(() => resolve(blockThread(2_600)), 300);
    }),
  ]);
  expect(answered).toHaveLength(1);
  line.failOverTo(db.connection);
  await expect(behindLine.run(ownPid)).rejects.toMatchObject({ type: 'database_unavailable' });
  expect(await behindLine.run(ownPid)).toHaveLength(1);
  await behindLine.close();
  await line.close();
});

describe('the effects of a transaction', () => {
  const change = statement<{ id: number }>('test.change_record', 'select $1::int as id where $1::int > 0', {
    invalidates: { cache: 'records', key: ({ id }) => id },
  });
  let committed: Invalidation[][];
  let effects: string[];

  beforeEach(() => {
    committed = [];
    effects = [];
  });

  const databaseOn = (connection: TestDatabase['connection'], name: string) =>
    new Database({
      connection,
      connections: 1,
      name,
      onCommitted: (_topics, invalidations) => committed.push([...invalidations]),
    });

  const changeAndCount = (on: Database, ids: readonly number[]) =>
    on.transaction(async (transaction) => {
      for (const id of ids) await transaction.run(change, [id]);
      const before = effects.length;
      transaction.afterCommit(() => effects.push('counted'));
      expect(effects).toHaveLength(before);
    });

  test('a changed value is dropped once, after the commit; a statement that changes no row drops nothing', async () => {
    const own = databaseOn(db.connection, 'test effects');
    await changeAndCount(own, [1, 2, 1, 0]);
    await changeAndCount(own, [0]);
    const dropped = [1, 2].map((key) => ({ cache: 'records', key }));
    expect([committed, effects]).toEqual([[dropped], ['counted', 'counted']]);
    await own.close();
  });

  test('nothing happens after a rollback', async () => {
    const own = databaseOn(db.connection, 'test effects');
    const rolledBack = own.transaction(async (transaction) => {
      await transaction.run(change, [1]);
      transaction.afterCommit(() => effects.push('counted'));
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect([committed, effects]).toEqual([[], []]);
    await own.close();
  });

  test('a commit whose answer is lost drops what it may have changed, and counts nothing', async () => {
    const line = await startCutLine(db.connection);
    const own = databaseOn(line.connection, 'lossy');
    line.cutAfter('begin, change, notify, commit'.split(',').length, 'lossy');
    await expect(changeAndCount(own, [7])).rejects.toMatchObject({ type: 'database_unavailable' });
    expect([committed, effects]).toEqual([[[{ cache: 'records', key: 7 }]], []]);
    await own.close();
    await line.close();
  });

  test('a statement that invalidates is refused outside a transaction: its notification could be lost', async () => {
    await expect(database.run(change, [1])).rejects.toThrow('run it in a transaction');
  });
});
