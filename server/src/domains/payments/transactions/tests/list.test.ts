import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { campaign, cases } from '../../../../../tests/support/campaign.ts';
import {
  arrangeChannels,
  listTransactions,
  paymentsNode,
  principalOf,
} from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { dayMs } from '../../../../core/clock.ts';
import { publicId } from '../../../../core/id.ts';
import type { Principal } from '../../../../core/principal.ts';
import type { ListDeps } from '../../../../platform/lists/list.ts';
import { rollUpTransactionTotals, rowsPerBucket } from '../totals/rollup.ts';

let db: TestDatabase;
let deps: ListDeps;
let node: Awaited<ReturnType<typeof paymentsNode>>;
let nowMs = Date.parse('2026-01-30T22:00:00Z');
const merchants = [principalOf(1, 7), principalOf(1, 8), principalOf(2, 9)];
const administrator = principalOf(0, 1, 'PLATFORM_ADMIN');

beforeAll(async () => {
  db = await databaseFromTemplate();
  deps = { database: db.database, listDatabase: db.database };
  await arrangeChannels(db);
  node = await paymentsNode(db, () => nowMs);
  // Five days of payments by three users in two tenants, some of them updated, half of the totals rolled up into
  // buckets.
  for (let day = 0; day < 5; day++) {
    for (let i = 0; i < 60; i++) {
      nowMs += dayMs / 60;
      const caller = merchants[i % 3] as Principal;
      const channelId = caller.tenantId === 2 ? 12 : i % 2 === 0 ? 11 : 21;
      const { answer } = await node.create({ amount: 100 + i, currency: 'USD', channelId }, caller);
      const { id } = answer;
      if (i % 4 === 1) await node.update({ id, status: 'SUCCESS' }, caller);
      if (i % 7 === 2 && i % 4 !== 1) await node.update({ id, status: 'FAILED' }, caller);
    }
    if (day === 2) await rollUpTransactionTotals(db.database, 5);
  }
});

afterAll(async () => {
  await node.stop();
  await db.drop();
});

const days = ['2026-01-29', '2026-01-30', '2026-01-31', '2026-02-01', '2026-02-02', '2026-02-04', '2026-02-09'];

const queries = fc.record(
  {
    page: fc.integer({ min: 1, max: 40 }),
    pageSize: fc.constantFrom(1, 3, 7, 20, 100),
    status: fc.constantFrom('PENDING', 'SUCCESS', 'FAILED', 'CANCELLED'),
    channelId: fc.constantFrom(10, 11, 12, 21, 999),
    userId: fc.constantFrom(7, 8, 9, 999),
    startDate: fc.constantFrom(...days),
    endDate: fc.constantFrom(...days),
  },
  { requiredKeys: [] },
);

/** The real size, and one so small that nearly every page is located in buckets. */
const bucketSizes = fc.constantFrom(rowsPerBucket, 3);

test('every page under every filter has exactly the rows, order and total of a recount', campaign, async () => {
  await fc.assert(
    fc.asyncProperty(
      queries,
      fc.constantFrom(...merchants, administrator),
      bucketSizes,
      async (query, caller, bucketSize) => {
        fc.pre(query.startDate === undefined || query.endDate === undefined || query.startDate <= query.endDate);
        const expected = await counted(query as never, caller);
        const { data, pagination } = await listTransactions(deps, query as never, caller, bucketSize);
        expect(data.map((row) => row.id)).toEqual(expected.ids);
        expect(pagination.total).toBe(expected.total);
        expect(pagination.totalPages).toBe(Math.ceil(expected.total / (query.pageSize ?? 20)));
      },
    ),
    { numRuns: cases(250) },
  );
});

async function counted(query: Record<string, string | number>, caller: Principal) {
  const where = [
    caller.userType === 'PLATFORM_ADMIN' ? 'true' : `tenant_id = ${caller.tenantId}`,
    query.status === undefined ? 'true' : `status = '${query.status}'`,
    query.channelId === undefined ? 'true' : `channel_id = ${query.channelId}`,
    query.userId === undefined ? 'true' : `user_id = ${query.userId}`,
    query.startDate === undefined ? 'true' : `(created_at at time zone 'UTC')::date >= '${query.startDate}'`,
    query.endDate === undefined ? 'true' : `(created_at at time zone 'UTC')::date <= '${query.endDate}'`,
  ].join(' and ');
  const rows = await db.query<{ id: string }>(`select id from transaction where ${where} order by id desc`);
  const pageSize = Number(query.pageSize ?? 20);
  const from = (Number(query.page ?? 1) - 1) * pageSize;
  return { total: rows.length, ids: rows.slice(from, from + pageSize).map((row) => publicId('txn', row.id)) };
}

test('totals stay exact during concurrent creates, updates and rollups', async () => {
  const [caller] = merchants as [Principal];
  const before = (await listTransactions(deps, {}, caller)).pagination.total as number;
  let acknowledged = 0;
  let done = false;
  const writing = Promise.all(
    Array.from({ length: 20 }, async (_, worker) => {
      for (let i = 0; i < 20; i++) {
        const { answer } = await node.create({ amount: 1, currency: 'USD', channelId: 11 }, caller);
        acknowledged++;
        if ((i + worker) % 3 === 0) await node.update({ id: answer.id, status: 'SUCCESS' }, caller);
      }
    }),
  ).finally(() => {
    done = true;
  });
  const rollingUp = Promise.all(
    [0, 1, 2].map(async () => {
      while (!done) await rollUpTransactionTotals(db.database);
    }),
  );
  while (!done) {
    const atLeast = before + acknowledged;
    const { pagination } = await listTransactions(deps, {}, caller);
    expect(pagination.total).toBeGreaterThanOrEqual(atLeast);
    expect(pagination.total).toBeLessThanOrEqual(before + 400);
  }
  await Promise.all([writing, rollingUp]);
  const { pagination } = await listTransactions(deps, {}, caller);
  expect(pagination.total).toBe(before + 400);
});

test('rolled-up totals equal a recount in all their combinations', async () => {
  await rollUpTransactionTotals(db.database);
  const differing = await db.query(`
    with recount as (
      select tenant_id, coalesce(channel_id, 0) as channel_id, coalesce(user_id, 0) as user_id,
             coalesce(status, '*') as status, (created_at at time zone 'UTC')::date as day, currency,
             count(*) as count, sum(amount) as amount
        from transaction
       group by tenant_id, (created_at at time zone 'UTC')::date, currency, cube (channel_id, user_id, status)
    )
    select * from recount full join (select * from transaction_total where count <> 0) as kept
     using (tenant_id, channel_id, user_id, status, day, currency)
     where recount.count is distinct from kept.count or recount.amount is distinct from kept.amount`);
  expect(differing).toEqual([]);
  expect(await db.query('select 1 from transaction_total_delta')).toEqual([]);
});
