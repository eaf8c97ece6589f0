import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../testing/database.ts';
import { Database } from './database.ts';
import { statement } from './statement.ts';

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
