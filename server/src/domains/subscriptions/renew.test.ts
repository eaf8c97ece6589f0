import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { offendersOf } from '../../platform/postgres/check.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../testing/database.ts';
import { arrangeChannels, principalOf } from '../../testing/payments.ts';
import { subscriptionsNode } from '../../testing/subscriptions.ts';
import { dayMs } from '../../vocabulary/clock.ts';
import { invoiceChecks } from '../invoices/verify.ts';
import { subscriptionChecks } from './verify.ts';

const start = Date.UTC(2027, 0, 31, 9, 30);
const merchant = principalOf(1, 1);

let db: TestDatabase;
let node: Awaited<ReturnType<typeof subscriptionsNode>>;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  await db.query(`insert into customer (tenant_id, id, name, default_channel_id, created_at)
                  values (1, 1, 'Ada', 11, now()), (1, 2, 'Bob', 11, now()), (2, 3, 'Cyd', 12, now())`);
  await db.query(`insert into plan (tenant_id, id, name, currency, amount, interval_unit, interval_count, trial_days, state, created_at)
                  values (1, 1, 'Gold', 'USD', 3100, 'month', 1, 0, true, now()),
                         (1, 2, 'Daily', 'USD', 100, 'day', 1, 0, true, now()),
                         (1, 3, 'Huge', 'USD', 5000000000000000, 'month', 1, 0, true, now()),
                         (2, 4, 'Theirs', 'USD', 100, 'month', 1, 0, true, now())`);
  node = await subscriptionsNode(db, start);
});

beforeEach(async () => {
  node.moveTo(start);
  await db.query(`truncate subscription, subscription_period, subscription_line, subscription_charge, invoice, invoice_line,
                    invoice_payment, invoice_counter, event, delivery, transaction cascade`);
});

afterAll(async () => {
  await node.stop();
  await db.drop();
});

const after = (days: number) => start + days * dayMs;

async function broken(): Promise<string[]> {
  const found = [];
  for (const check of [...subscriptionChecks, ...invoiceChecks]) {
    const offenders = await offendersOf(db.database, check, 5);
    if (offenders.length > 0) found.push(`${check.claim}: ${offenders}`);
  }
  return found;
}

const periods = () =>
  db.query<{ day: string; number: number }>(
    `select (period_start at time zone 'UTC')::date::text as day, number from invoice order by number`,
  );

test('a service that was off for three periods invoices them in order, each once', async () => {
  await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  node.moveTo(after(100));
  await node.renewAll();
  expect(await periods()).toEqual([
    { day: '2027-01-31', number: 1 },
    { day: '2027-02-28', number: 2 },
    { day: '2027-03-31', number: 3 },
    { day: '2027-04-30', number: 4 },
  ]);
  await node.renewAll();
  expect(await periods()).toHaveLength(4);
  expect(await broken()).toEqual([]);
});

test('workers that race invoice each period once, and open one payment of each invoice', async () => {
  const other = await subscriptionsNode(db, after(5));
  for (let i = 0; i < 40; i++) await node.subscribe({ customerId: 1 + (i % 2), planId: 2 }, merchant);
  node.moveTo(after(5));
  await Promise.all([node.renewAll(), other.renewAll(), node.renewAll(), other.renewAll()]);
  // Those that a worker passed over while another held them are due still.
  await node.renewAll();
  await Promise.all([node.collect(), other.collect(), node.collect()]);
  const [made] = await db.query(
    `select count(*)::int as invoices, count(distinct (subscription_id, period_start))::int as periods from invoice`,
  );
  expect(made).toEqual({ invoices: 240, periods: 240 });
  const [paid] = await db.query(
    `select count(*)::int as payments, count(distinct invoice_id)::int as invoices from transaction`,
  );
  expect(paid).toEqual({ payments: 240, invoices: 240 });
  expect([...node.troubles, ...other.troubles]).toEqual([]);
  expect(await broken()).toEqual([]);
  await other.stop();
});

test('five hundred due subscriptions are renewed in the same few statements as one', async () => {
  await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  await db.query(
    `insert into subscription select (json_populate_record(s, json_build_object('id', s.id + n))).* from subscription s, generate_series(1, 499) n`,
  );
  node.moveTo(after(30));
  node.statements.length = 0;
  expect(await node.renew()).toBe(500);
  expect(node.statements).toEqual([
    'begin',
    'subscriptions.claim_due',
    'subscriptions.pending_lines',
    'invoices.count_on',
    'invoices.insert_many',
    'subscriptions.save',
    'events.record_many',
  ]);
  expect(await node.renew()).toBe(0);
  node.statements.length = 0;
  await node.collect();
  expect(node.statements.length).toBeLessThan(12);
});

test('a batch that is rolled back leaves everything due, and no number is lost', async () => {
  await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  await node.subscribe({ customerId: 2, planId: 1 }, merchant);
  node.moveTo(after(30));
  await db.query('alter table subscription_charge add constraint drill check (invoice_id < 0) not valid');
  expect(await node.renew()).toBe(2);
  expect(node.troubles.splice(0)).toHaveLength(2);
  await db.query('alter table subscription_charge drop constraint drill');
  expect(await periods()).toHaveLength(2);
  node.moveTo(after(31));
  await node.renewAll();
  expect((await periods()).map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(await broken()).toEqual([]);
});

test('one that cannot be renewed is set aside, and the others of its batch are renewed', async () => {
  const good = await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  const bad = await node.subscribe({ customerId: 2, planId: 3 }, merchant);
  await db.query('update subscription set quantity = 2 where id = $1', [bad.id]);
  node.moveTo(after(30));
  await node.renewAll();
  expect(node.troubles.splice(0)).toHaveLength(1);
  const ends = await db.query<{ id: number; day: string }>(
    `select id, (period_end at time zone 'UTC')::date::text as day from subscription order by id`,
  );
  expect(ends).toEqual([
    { id: good.id, day: '2027-03-31' },
    { id: bad.id, day: '2027-02-28' },
  ]);
});

/** Invoices, and subscriptions with them, have followed every payment that has ended. */
async function settled(): Promise<void> {
  node.settler.start();
  node.settler.wake();
  await eventually('payments are settled', async () => {
    const waiting = await db.query(`select 1 from invoice_payment where state <> 'OPEN' and applied_at is null`);
    return waiting.length === 0;
  });
}

test('a payment that fails is tried again after each wait, and the last failure cancels', async () => {
  const { id } = await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  const state = async () =>
    (await db.query<{ state: string; version: number }>('select state from subscription where id = $1', [id]))[0]
      ?.state;
  const dueDays = async () => {
    const [row] = await db.query<{ due_at: string | null }>('select due_at from subscription_charge');
    return row?.due_at ? (Date.parse(row.due_at) - start) / dayMs : null;
  };
  const failNow = async () => {
    await node.collect();
    const [{ id: payment }] = (await db.query<{ id: string }>(
      `select 'txn_' || replace(id::text, '-', '') as id from transaction where status = 'PENDING'`,
    )) as [{ id: string }];
    // Payments live in real time, subscriptions in the customer's.
    await node.update({ id: payment, status: 'FAILED', failureCode: 'insufficient_funds' }, merchant);
    await db.query(`update invoice_payment set finished_at = $1 where state = 'FAILED' and applied_at is null`, [
      new Date(node.deps.clock()),
    ]);
    await settled();
  };
  await failNow();
  expect([await state(), await dueDays()]).toEqual(['PAST_DUE', 2]);
  node.moveTo(after(2));
  await failNow();
  expect([await state(), await dueDays()]).toEqual(['PAST_DUE', 7]);
  node.moveTo(after(7));
  await failNow();
  expect([await state(), await dueDays()]).toEqual(['CANCELLED', null]);
  node.moveTo(after(100));
  await node.renewAll();
  expect(await node.collect()).toBe(0);
  expect(await periods()).toHaveLength(1);
  expect(await broken()).toEqual([]);
  const told = await db.query<{ type: string }>(`select type from event where object_id = $1 order by id`, [
    `sub_${id}`,
  ]);
  expect(told.map(({ type }) => type)).toEqual([
    'subscription.created',
    'subscription.updated',
    'subscription.cancelled',
  ]);
});

test('one whose payment cannot be opened is set aside, and the others of its batch are paid', async () => {
  await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  await node.subscribe({ customerId: 2, planId: 1 }, merchant);
  await db.query(
    'alter table invoice_payment add constraint drill check (invoice_id <> (' +
      `${(await db.query<{ id: number }>('select min(id) as id from invoice'))[0]?.id})) not valid`,
  );
  expect(await node.collect()).toBe(2);
  await db.query('alter table invoice_payment drop constraint drill');
  expect(node.troubles.splice(0)).toHaveLength(1);
  expect(await db.query('select 1 from transaction')).toHaveLength(1);
  expect(await node.collect()).toBe(0);
  node.moveTo(start + dayMs / 12);
  await node.collect();
  expect(await db.query('select 1 from transaction')).toHaveLength(2);
});

test('a payment by someone else that was in the way of a try, and fails, has it tried at once', async () => {
  await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  const [{ id: invoiceId }] = (await db.query<{ id: number }>('select id from invoice')) as [{ id: number }];
  const byHand = { amount: 3100, currency: 'USD', channelId: 11, invoiceId };
  const { id: payment } = JSON.parse((await node.creator.create(byHand, merchant)).json);
  await node.collect();
  expect(await db.query('select 1 from transaction')).toHaveLength(1);
  await node.update({ id: payment, status: 'FAILED' }, merchant);
  await settled();
  node.moveTo(Date.now());
  await node.collect();
  expect(await db.query('select 1 from transaction')).toHaveLength(2);
  expect(await db.query(`select state, failures from subscription_charge`)).toEqual([{ state: 'DUE', failures: 0 }]);
});

test("another tenant's customers and plans are none", async () => {
  await expect(node.subscribe({ customerId: 3, planId: 1 }, merchant)).rejects.toThrow('There is no customer 3.');
  await expect(node.subscribe({ customerId: 1, planId: 4 }, merchant)).rejects.toThrow('There is no plan 4.');
});
