import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { offendersOf } from '../../../platform/postgres/check.ts';
import { migrate } from '../../../platform/postgres/migrate.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../testing/database.ts';
import { arrangeChannels } from '../../../testing/payments.ts';
import { refundChecks } from './integrity.ts';

const migrations = new URL('../../../../migrations/', import.meta.url);
let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate('template0');
  await db.query('create table schema_migration (id serial primary key, name varchar(255), run_on timestamp)');
  for (const file of (await readdir(migrations)).filter((name) => name < '0013').sort()) {
    await db.query(await readFile(new URL(file, migrations), 'utf8'));
    await db.query('insert into schema_migration (name, run_on) values ($1, now())', [file.replace('.sql', '')]);
  }
  await arrangeChannels(db);
  await db.query(`
    with payment as (
      insert into transaction (tenant_id, id, amount, currency, status, channel_id, user_id, created_at, updated_at)
      values (1, gen_random_uuid(), 100, 'USD', 'SUCCESS', 11, 7, now(), now())
      returning *
    )
    insert into refund (tenant_id, id, transaction_id, channel_id, amount, currency, status, user_id, created_at, updated_at)
    select tenant_id, gen_random_uuid(), id, channel_id, amount, currency, 'FAILED', user_id, now(), now() from payment`);
});

afterAll(() => db.drop());

test('after an upgrade, only refunds that fail from then on must have a refund.failed event', async () => {
  await migrate(db.connection, () => {});
  for (const check of refundChecks) expect(await offendersOf(db.database, check, 10), check.claim).toEqual([]);
  const [failed] = await db.query<{ id: string }>(`
    insert into refund (tenant_id, id, transaction_id, channel_id, amount, currency, status, user_id, created_at, updated_at)
    select tenant_id, gen_random_uuid(), transaction_id, channel_id, amount, currency, status, user_id, now(), now()
      from refund
    returning 'ref_' || replace(id::text, '-', '') as id`);
  const eventChecks = refundChecks.filter(({ claim }) => claim.includes('refund.failed'));
  expect(eventChecks).toHaveLength(1);
  for (const check of eventChecks) expect(await offendersOf(db.database, check, 10)).toEqual([failed?.id]);
});
