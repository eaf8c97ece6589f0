import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayMs, secondMs } from '../../../../core/clock.ts';
import { migrate } from '../../../../platform/postgres/migrate.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../testing/database.ts';
import { arrangeChannels, paymentsNode, principalOf } from '../../../../testing/payments.ts';
import { listTransactions } from '../list.ts';
import { rollUpTransactionTotals } from '../rollup.ts';

const caller = principalOf(1, 7);
/** A time in 2026, as in the ids below. */
const startMs = 0x019c0eb50000;
const cell = 'tenant_id, channel_id, user_id, status, day, currency, count, amount';

let db: TestDatabase;
beforeAll(async () => {
  db = await databaseFromTemplate('template0');
  await db.query(await readFile(new URL('../../../../../migrations/0001_foundation.sql', import.meta.url), 'utf8'));
  await db.query('create table schema_migration (id serial primary key, name varchar(255), run_on timestamp)');
  await db.query(`insert into schema_migration (name, run_on) values ('0001_foundation', now())`);
  await arrangeChannels(db);
  // Forty payments on one day: half of them in the totals, half as deltas.
  await db.query(`
    insert into transaction (tenant_id, id, amount, currency, status, channel_id, user_id, created_at, updated_at)
    select 1, overlay(gen_random_uuid()::text placing '019c0eb5-0000-7' from 1 for 15)::uuid, 100 + number, 'USD',
           case number % 3 when 0 then 'SUCCESS' else 'PENDING' end, case number % 2 when 0 then 11 else 21 end, 7,
           to_timestamp(${startMs} / 1000.0), to_timestamp(${startMs} / 1000.0)
      from generate_series(1, 40) as number`);
  await db.query(`
    insert into transaction_total (${cell})
    select tenant_id, coalesce(channel_id, 0), coalesce(user_id, 0), coalesce(status, '*'), created_at::date, currency,
           count(*), sum(amount)
      from transaction where amount <= 120
     group by tenant_id, created_at::date, currency, cube (channel_id, user_id, status)`);
  await db.query(`
    insert into transaction_total_delta (${cell})
    select tenant_id, channel_id, user_id, status, created_at::date, currency, 1, amount
      from transaction where amount > 120`);
});
afterAll(() => db.drop());

test('an upgrade keeps totals and deltas exact, and existing days stay one bucket', async () => {
  await migrate(db.connection, () => {});
  expect((await listTransactions(db.database, {}, caller)).pagination.total).toBe(40);
  expect(await differingTotals()).toEqual([]);

  let nowMs = startMs;
  const dayStartMs = startMs - (startMs % dayMs);
  const node = await paymentsNode(db, () => nowMs);
  for (const untilMs of [dayStartMs + dayMs - secondMs, dayStartMs + 2 * dayMs - secondMs]) {
    const stepMs = (untilMs - nowMs) / 20;
    for (let i = 0; i < 20; i++) {
      nowMs = Math.floor(nowMs + stepMs);
      await node.creator.create({ amount: 500, currency: 'USD', channelId: 11 }, caller);
    }
    await rollUpTransactionTotals(db.database, 3);
  }
  await node.stop();
  expect(await differingTotals()).toEqual([]);
  const slices = await db.query<{ slices: number }>(
    'select count(*) as slices from transaction_slice group by started_at::date order by started_at::date',
  );
  expect(slices).toHaveLength(2);
  expect(slices[0]?.slices).toBe(1);
  expect(slices[1]?.slices).toBeGreaterThan(4);

  const rows = await db.query<{ id: string }>('select id from transaction order by id desc');
  const ids = rows.map((row) => `txn_${row.id.replaceAll('-', '')}`);
  for (let page = 1; page <= 12; page++) {
    const { data } = await listTransactions(db.database, { page, pageSize: 7 }, caller, 3);
    expect(data.map((row) => row.id)).toEqual(ids.slice((page - 1) * 7, page * 7));
  }
});

async function differingTotals() {
  return db.query(`
    with recount as (
      select tenant_id, coalesce(channel_id, 0) as channel_id, coalesce(user_id, 0) as user_id,
             coalesce(status, '*') as status, created_at::date as day, currency, count(*) as count, sum(amount) as amount
        from transaction
       group by tenant_id, created_at::date, currency, cube (channel_id, user_id, status)
    )
    select * from recount full join (select * from transaction_total where count <> 0) as kept
     using (tenant_id, channel_id, user_id, status, day, currency)
     where recount.count is distinct from kept.count or recount.amount is distinct from kept.amount`);
}
