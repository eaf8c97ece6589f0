import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  administerDatabase,
  databaseFromTemplate,
  type TestDatabase,
} from '../../../../tests/support/postgres/database.ts';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../../../../tests/support/postgres/pgbouncer.ts';
import { Database } from '../database.ts';

/** The settings of the sessions, and the session itself. */
const session = {
  name: 'test.session',
  text: `select pg_backend_pid() as pid, current_setting('timezone') as zone, current_setting('jit') as jit,
                current_setting('statement_timeout') as timeout, current_setting('enable_seqscan') as scans,
                current_setting('plan_cache_mode') as plans, current_setting('application_name') as name,
                '2026-01-31 09:30:00+00'::timestamptz as time`,
};

describe.skipIf(!hasPgbouncer)('through pgbouncer in transaction mode', () => {
  let db: TestDatabase;
  let pooler: Pgbouncer;

  beforeAll(async () => {
    db = await databaseFromTemplate('template0');
    await db.query('create table written (id int primary key)');
    await administerDatabase(db, `alter database ${db.connection.database} set timezone = 'Asia/Tokyo'`);
    await administerDatabase(db, `alter database ${db.connection.database} set statement_timeout = '59s'`);
  });

  afterAll(() => db.drop());

  describe.each([
    ['as it is installed', {}],
    ['with options ignored', { ignore_startup_parameters: 'options' }],
  ])('%s', (_, settings) => {
    beforeAll(async () => {
      pooler = await startPgbouncer(db.connection, { settings, serverConnections: 3 });
    });

    afterAll(() => pooler.stop());

    test('each pool has its own settings in every statement and transaction, whatever session it gets', async () => {
      const connection = { ...pooler.connection, hasPooler: true };
      const requests = new Database({ connection, connections: 4, name: 'test one' });
      const workers = new Database({
        connection,
        connections: 4,
        name: 'test other',
        plans: 'indexed-kept',
        statementTimeoutMs: 7_000,
      });
      const ofRequests = { zone: 'UTC', jit: 'off', timeout: '10s', scans: 'on', plans: 'force_custom_plan' };
      const ofWorkers = { zone: 'UTC', jit: 'off', timeout: '7s', scans: 'off', plans: 'force_generic_plan' };
      const time = '2026-01-31T09:30:00.000Z';
      const pids = new Set<unknown>();
      for (let round = 0; round < 10; round++) {
        const [one, other, inside] = await Promise.all([
          requests.run(session),
          workers.run(session),
          workers.transaction(async (transaction) => {
            const [first] = await transaction.run(session);
            expect(await transaction.run(session)).toEqual([first]);
            return [first];
          }),
        ]);
        expect(one).toMatchObject([{ ...ofRequests, time, name: 'florin test one' }]);
        for (const rows of [other, inside]) {
          expect(rows).toMatchObject([{ ...ofWorkers, time, name: 'florin test other' }]);
        }
        for (const rows of [one, other, inside])
          for (const { pid } of rows as never as { pid: unknown }[]) pids.add(pid);
      }
      expect(pids.size).toBeGreaterThan(1);
      await requests.close();
      await workers.close();
    });
  });
});
