import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  arrangeSubscribers,
  brokenClaims,
  deleteSubscriptions,
  subscriptionsNode,
} from '../../../../../tests/support/billing/subscriptions.ts';
import { principalOf } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { dayMs } from '../../../../core/clock.ts';
import type { Database, Transaction } from '../../../../platform/postgres/database.ts';
import { statement } from '../../../../platform/postgres/statement.ts';
import type { SettledPayment } from '../../invoices/settlement/followers.ts';
import { collectDue } from '../collections/collect.ts';
import { followPayments } from '../collections/follow.ts';
import { renewDue } from '../renewal/renew.ts';
import { timeOf } from '../rules.ts';

/** The batch size of renewing and of collecting. */
const batch = 500;
const start = Date.UTC(2027, 0, 31, 9, 30);

let db: TestDatabase;
let node: Awaited<ReturnType<typeof subscriptionsNode>>;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeSubscribers(db);
  await db.query(`insert into customer (tenant_id, id, name, default_channel_id, created_at)
                  select 1, n, 'Customer ' || n, 11, now() from generate_series(1000, 2999) n`);
  node = await subscriptionsNode(db, start);
});

beforeEach(async () => {
  node.setTime(start);
  await deleteSubscriptions(db);
});

afterAll(async () => {
  await node.stop();
  await db.drop();
});

/** Creates monthly subscriptions, each of another customer, whose trials end at `start`. */
async function createTrials(count: number): Promise<void> {
  await db.query(
    `with made as (
       insert into subscription (tenant_id, customer_id, plan_id, quantity, unit_amount, currency, time_zone, user_id,
                                 clock_id, state, anchor_at, next_number, period_start, period_end, trial_end, due_at,
                                 created_at, updated_at)
       select 1, 999 + n, 1, 1, 3100, 'USD', 'UTC', 1, 0, 'TRIALING', $2, 0, $3, $2, $2, $2, $3, $3
         from generate_series(1, $1::int) n
       returning tenant_id, id, period_start, period_end
     )
     insert into subscription_period (tenant_id, subscription_id, start_at, end_at, kind)
     select tenant_id, id, period_start, period_end, 'TRIAL' from made`,
    [count, timeOf(start), timeOf(start - dayMs)],
  );
}

/** Alternates batches as the worker does, until nothing is due. Returns the number of rounds. */
async function processDue(): Promise<number> {
  let rounds = 0;
  while ((await node.renew()) + (await node.collect()) > 0) rounds++;
  return rounds;
}

const timesRun = (name: string) => node.statements.filter((run) => run === name).length;
const counted = async (what: string) => (await db.query<{ n: number }>(`select count(*)::int as n from ${what}`))[0]?.n;

test('the number of statements grows with the batches of 500, not with the subscriptions', async () => {
  const due = 1_100;
  await createTrials(due);
  node.statements.length = 0;
  expect(await processDue()).toBe(3);
  const batches = Math.ceil(due / batch);
  for (const name of [
    'subscriptions.find_pending_lines',
    'invoices.advance_counters',
    'invoices.insert_many',
    'subscriptions.save',
    'invoices.lock',
    'transactions.create_batch',
    'invoices.insert_payments',
    'subscriptions.lock_ids',
    'subscriptions.mark_collections_tried',
  ]) {
    expect(timesRun(name), name).toBe(batches);
  }
  // Once for the invoices and once for the subscriptions.
  expect(timesRun('events.insert_many')).toBe(2 * batches);
  // 22 for a batch, and polls that find nothing.
  expect(node.statements.length).toBeLessThanOrEqual(batches * 22 + 3);
  expect(await counted('invoice')).toBe(due);
  expect(await counted('transaction')).toBe(due);
  expect(await brokenClaims(db)).toEqual([]);
});

test('after three missed periods, many subscriptions catch up in batches, each period once and in order', async () => {
  const due = 260;
  const periods = 4;
  await createTrials(due);
  node.setTime(start + 89 * dayMs);
  node.statements.length = 0;
  await processDue();
  expect(timesRun('invoices.insert_many')).toBeLessThanOrEqual(Math.ceil((due * periods) / batch) + periods);
  const orders = await db.query<{ days: string[]; subscriptions: number }>(
    `select days, count(*)::int as subscriptions
       from (select array_agg((period_start at time zone 'UTC')::date::text order by number) as days
               from invoice group by subscription_id) as each group by days`,
  );
  expect(orders).toEqual([{ days: ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30'], subscriptions: due }]);
  expect(await counted('transaction')).toBe(due * periods);
  expect(await brokenClaims(db)).toEqual([]);
});

/** Rows read from tables in the current transaction, including those that a filter discarded. */
const rowsRead = statement<{ rows: number }>(
  'test.rows_read',
  'select (sum(seq_tup_read) + sum(idx_tup_fetch))::int as rows from pg_stat_xact_user_tables',
);

/** The same database; adds the number of rows that each transaction reads to `reads`. */
function countingReads(database: Database, reads: number[]): Database {
  return Object.assign(Object.create(database) as Database, {
    run: database.run.bind(database),
    transaction: <Result>(work: (transaction: Transaction) => Promise<Result>) =>
      database.transaction(async (transaction) => {
        const before = await transaction.run(rowsRead);
        const result = await work(transaction);
        const after = await transaction.run(rowsRead);
        reads.push((after[0]?.rows ?? Number.NaN) - (before[0]?.rows ?? 0));
        return result;
      }),
  });
}

test('a batch reads rows in proportion to its size, not to the size of the tables', async () => {
  await createTrials(1_000);
  await processDue();
  // Each was changed twenty times; the last change is not invoiced yet.
  await db.query(`insert into subscription_line (tenant_id, subscription_id, description, amount, created_at,
      invoice_id)
                  select tenant_id, id, 'More seats', 100, now(), case when n < 20 then 1 end
                    from subscription cross join generate_series(1, 20) n`);
  const few = 10;
  // All others are not due.
  await db.query(
    'update subscription set due_at = null where id not in (select id from subscription order by id limit $1)',
    [few],
  );
  // Autovacuum would run this within a minute, possibly in the middle of the test.
  await db.query('analyze');
  const reads: number[] = [];
  const deps = { ...node.deps, database: countingReads(node.deps.database, reads) };
  const nowMs = start + 30 * dayMs;
  expect(await renewDue(0, nowMs, deps)).toBe(few);
  expect(await collectDue(0, nowMs, deps)).toBe(few);
  const open = await db.query<{ tenant_id: number; id: number; subscription_id: number }>(
    `select tenant_id, id, subscription_id from invoice order by id desc limit ${few}`,
  );
  const failed = open.map(
    ({ tenant_id, id, subscription_id }): SettledPayment => ({
      tenantId: tenant_id,
      invoiceId: id,
      customerId: 0,
      subscriptionId: subscription_id,
      invoiceStatus: 'OPEN',
      state: 'FAILED',
      automatic: true,
      failureCode: 'card_declined',
      failureMessage: null,
      methodId: null,
      atMs: nowMs,
    }),
  );
  await deps.database.transaction((transaction) => followPayments(transaction, failed, deps));
  expect(await counted(`subscription where state = 'PAST_DUE'`)).toBe(few);
  expect(reads).toHaveLength(3);
  expect(Math.max(...reads), `rows read: ${reads}`).toBeLessThan(few * 20);
});

test('outcomes of customers with different test clocks are written by the same few statements', async () => {
  await db.query(`insert into clock (tenant_id, id, name, now_at, created_at)
                  values (1, 1, 'One', now(), now()), (2, 2, 'Two', now(), now()) on conflict do nothing`);
  const merchants = [principalOf(2, 1), principalOf(1, 1)] as const;
  const records = [
    await node.subscribe({ customerId: 3, planId: 4 }, merchants[0]),
    await node.subscribe({ customerId: 1, planId: 1 }, merchants[1]),
  ];
  await db.query('update subscription set clock_id = 3 - tenant_id');
  // Pending charges are invoiced when the subscriptions end, which takes a number of each tenant.
  await db.query(`insert into subscription_line (tenant_id, subscription_id, description, amount, created_at)
                  select tenant_id, id, 'More seats', 100, now() from subscription`);
  await db.query('update invoice_collection set failures = 2');
  const invoices = await db.query<{ tenant_id: number; id: number; subscription_id: number }>(
    'select tenant_id, id, subscription_id from invoice order by id',
  );
  const times = [start + 3 * dayMs, start + 9 * dayMs];
  node.statements.length = 0;
  await node.deps.database.transaction((transaction) =>
    followPayments(
      transaction,
      invoices.map(({ tenant_id, id, subscription_id }, i) => ({
        tenantId: tenant_id,
        invoiceId: id,
        customerId: 0,
        subscriptionId: subscription_id,
        invoiceStatus: 'OPEN',
        state: 'FAILED',
        automatic: true,
        failureCode: null,
        failureMessage: null,
        methodId: null,
        atMs: times[i] as number,
      })),
      node.deps,
    ),
  );
  expect(timesRun('invoices.advance_counters')).toBe(1);
  const ended = await db.query<{ id: number; ended_at: string; raised: string }>(
    `select s.id, s.ended_at, i.created_at as raised
       from subscription s join invoice i on i.subscription_id = s.id and i.period_start is null order by s.id`,
  );
  expect(ended.map(({ id, ended_at, raised }) => [id, ended_at, raised])).toEqual(
    records.map(({ id }, i) => [id, timeOf(times[i] as number), timeOf(times[i] as number)]),
  );
});
