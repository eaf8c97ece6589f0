import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { offendersOf } from '../../../platform/postgres/check.ts';
import { migrate } from '../../../platform/postgres/migrate.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../testing/database.ts';
import { arrangeChannels, principalOf } from '../../../testing/payments.ts';
import { transactionChecks } from '../transactions/integrity.ts';
import { balancesOf } from './balance.ts';
import { entriesOf } from './entries.ts';
import { ledgerChecks } from './integrity.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await databaseFromTemplate('template0');
  await db.query(await readFile(new URL('../../../../migrations/0001_foundation.sql', import.meta.url), 'utf8'));
  await db.query('create table schema_migration (id serial primary key, name varchar(255), run_on timestamp)');
  await db.query(`insert into schema_migration (name, run_on) values ('0001_foundation', now())`);
  await arrangeChannels(db);
  await db.query(`
    insert into transaction (tenant_id, id, amount, currency, status, channel_id, user_id, created_at, updated_at)
    select 1, gen_random_uuid(), number, 'USD', case number % 3 when 0 then 'PENDING' else 'SUCCESS' end, 11, 7,
           '2026-01-30T12:00:00Z', '2026-02-05T12:00:00Z'
      from generate_series(1, 9) as number`);
  await db.query(`
    insert into event (tenant_id, id, type, object_id, created_at, body)
    select tenant_id, gen_random_uuid(), 'transaction.succeeded', 'txn_' || replace(id::text, '-', ''),
           '2026-01-31T12:00:00Z', '{}'
      from transaction where status = 'SUCCESS' and amount > 1`);
});
afterAll(() => db.drop());

test('an upgrade books payments that have succeeded before, on the day of their event', async () => {
  await migrate(db.connection, () => {});
  const booked = transactionChecks.filter(({ claim }) => claim.includes('is booked once'));
  for (const check of [...ledgerChecks, ...booked]) expect(await offendersOf(db.database, check, 11)).toEqual([]);

  const caller = principalOf(1, 7);
  const receivable = async (date: string) => (await balancesOf(db.database, { date }, caller))[0]?.balance;
  expect(await receivable('2026-01-30')).toBeUndefined();
  expect(await receivable('2026-01-31')).toBe('26');
  // A payment without an event: booked at the last known time.
  expect(await receivable('2026-02-05')).toBe('27');
  expect((await entriesOf(db.database, {}, caller)).pagination.total).toBe(12);
});
