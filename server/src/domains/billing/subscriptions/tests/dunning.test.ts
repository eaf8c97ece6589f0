import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  arrangeSubscribers,
  brokenClaims,
  deleteSubscriptions,
  subscriptionsNode,
} from '../../../../../tests/support/billing/subscriptions.ts';
import { principalOf } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { dayMs } from '../../../../core/clock.ts';
import { findInvoice } from '../../invoices/statements.ts';
import { findSubscription } from '../statements.ts';

const start = Date.UTC(2027, 0, 31, 9, 30);
const merchant = principalOf(1, 1);

let db: TestDatabase;
let node: Awaited<ReturnType<typeof subscriptionsNode>>;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeSubscribers(db);
  node = await subscriptionsNode(db, start);
});

beforeEach(async () => {
  node.setTime(start);
  await deleteSubscriptions(db);
});

afterEach(async () => {
  expect(await brokenClaims(db)).toEqual([]);
});

afterAll(async () => {
  await node.stop();
  await db.drop();
});

const after = (days: number) => start + days * dayMs;

/** Ends the payment in progress. */
async function end(status: 'SUCCESS' | 'FAILED' | 'CANCELLED'): Promise<void> {
  const [{ id }] = (await db.query<{ id: string }>(
    `select 'txn_' || replace(id::text, '-', '') as id from transaction where status = 'PENDING'`,
  )) as [{ id: string }];
  await node.update({ id, status, ...(status === 'FAILED' && { failureCode: 'insufficient_funds' }) }, merchant);
}

async function failNow(): Promise<void> {
  await node.collect();
  await end('FAILED');
}

async function stateOf(id: number): Promise<string | undefined> {
  const [row] = await db.query<{ state: string }>('select state from subscription where id = $1', [id]);
  return row?.state;
}

/** How many days after `start` the collection is due again. */
async function dueDays(): Promise<number | null> {
  const [row] = await db.query<{ due_at: string | null }>('select due_at from invoice_collection');
  return row?.due_at ? (Date.parse(row.due_at) - start) / dayMs : null;
}

const manualPayment = async (): Promise<{ amount: number; currency: string; channelId: number; invoiceId: number }> => {
  const [{ id }] = (await db.query<{ id: number }>('select id from invoice')) as [{ id: number }];
  return { amount: 3100, currency: 'USD', channelId: 11, invoiceId: id };
};

test('a failed payment is retried after each interval, and the last failure cancels the subscription', async () => {
  const { id } = await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  await failNow();
  expect([await stateOf(id), await dueDays()]).toEqual(['PAST_DUE', 2]);
  node.setTime(after(2));
  await failNow();
  expect([await stateOf(id), await dueDays()]).toEqual(['PAST_DUE', 7]);
  node.setTime(after(7));
  await failNow();
  expect([await stateOf(id), await dueDays()]).toEqual(['CANCELLED', null]);
  node.setTime(after(100));
  await node.renewAll();
  expect(await node.collect()).toBe(0);
  expect(await db.query('select 1 from invoice')).toHaveLength(1);
  const events = await db.query<{ type: string }>(`select type from event where object_id = $1 order by id`, [
    `sub_${id}`,
  ]);
  expect(events.map(({ type }) => type)).toEqual([
    'subscription.created',
    'subscription.updated',
    'subscription.cancelled',
  ]);
});

/** The next retry in the last event of a type, as a number of days after `start`. */
async function nextTryInEvent(type: string): Promise<number | null> {
  const [row] = await db.query<{ body: string }>('select body from event where type = $1 order by id desc limit 1', [
    type,
  ]);
  const at = JSON.parse(row?.body ?? '').data.object.nextPaymentAttempt;
  return at === null ? null : (Date.parse(at) - start) / dayMs;
}

/** The next retry that the records of the subscription and its invoice show. */
async function nextTries(id: number) {
  const [subscription] = await db.database.run(findSubscription, [[1], id]);
  const [found] = await db.query<{ id: number }>('select id from invoice');
  const [invoice] = await db.database.run(findInvoice, [[1], found?.id ?? 0]);
  return [subscription?.next_payment_attempt, invoice?.next_payment_attempt].map((at) =>
    at ? (Date.parse(at) - start) / dayMs : null,
  );
}

test('the next retry is shown by subscription, invoice and events, until it is made or cancelled', async () => {
  const { id } = await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  expect(await nextTries(id)).toEqual([null, null]);
  await failNow();
  expect(await nextTries(id)).toEqual([2, 2]);
  expect(await nextTryInEvent('invoice.payment_failed')).toBe(2);
  expect(await nextTryInEvent('subscription.updated')).toBe(2);
  node.setTime(after(2));
  await node.collect();
  expect(await nextTries(id)).toEqual([null, null]);
  await end('FAILED');
  expect(await nextTryInEvent('invoice.payment_failed')).toBe(7);
  node.setTime(after(7));
  await failNow();
  expect(await nextTries(id)).toEqual([null, null]);
  expect(await nextTryInEvent('invoice.payment_failed')).toBeNull();
  expect(await nextTryInEvent('subscription.cancelled')).toBeNull();
});

test('the event of a payment that could not be created also shows the next retry', async () => {
  const { id } = await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  await db.query('update invoice set channel_id = 987654');
  await node.collect();
  expect(await nextTries(id)).toEqual([2, 2]);
  expect(await nextTryInEvent('invoice.payment_failed')).toBe(2);
});

test('the unpaid invoice of a subscription cancelled by dunning stays OPEN and can still be paid', async () => {
  const { id } = await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  for (const days of [0, 2, 7]) {
    node.setTime(after(days));
    await failNow();
  }
  expect(await db.query('select status, amount_paid from invoice')).toEqual([{ status: 'OPEN', amount_paid: 0 }]);
  await node.create(await manualPayment(), merchant);
  await end('SUCCESS');
  expect(await db.query('select status from invoice')).toEqual([{ status: 'PAID' }]);
  expect(await db.query('select state from invoice_collection')).toEqual([{ state: 'SETTLED' }]);
  expect(await stateOf(id)).toBe('CANCELLED');
});

test('on a channel without a provider, open payments do not stop renewals until one is set to FAILED', async () => {
  const { id } = await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  await node.collect();
  node.setTime(after(60));
  await node.renewAll();
  await node.collect();
  expect(await stateOf(id)).toBe('ACTIVE');
  expect(await db.query('select status from invoice')).toEqual(Array(3).fill({ status: 'OPEN' }));
  const payments = await db.query<{ id: string }>(
    `select 'txn_' || replace(id::text, '-', '') as id from transaction order by invoice_id`,
  );
  await node.update({ id: payments[0]?.id ?? '', status: 'FAILED' }, merchant);
  expect(await stateOf(id)).toBe('PAST_DUE');
  node.setTime(after(90));
  await node.renewAll();
  expect(await db.query('select 1 from invoice')).toHaveLength(3);
});

test('a failed payment by a user makes the collection that waited for it due at once', async () => {
  await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  const { id: payment } = (await node.create(await manualPayment(), merchant)).answer;
  // A provider charges it.
  await db.query(`update transaction set provider = 'sandbox'`);
  await node.collect();
  expect(await db.query('select 1 from transaction')).toHaveLength(1);
  await db.query('update transaction set provider = null');
  await node.update({ id: payment, status: 'FAILED' }, merchant);
  await node.collect();
  expect(await db.query('select 1 from transaction')).toHaveLength(2);
  expect(await db.query(`select state, failures from invoice_collection`)).toEqual([{ state: 'DUE', failures: 0 }]);
});

test('a cancelled payment is not counted as failed, and the next attempt comes by the schedule', async () => {
  const { id } = await node.subscribe({ customerId: 1, planId: 1 }, merchant);
  await node.collect();
  await end('CANCELLED');
  expect(await stateOf(id)).toBe('ACTIVE');
  expect(await dueDays()).toBe(2);
  expect(await db.query('select state, failures from invoice_collection')).toEqual([{ state: 'DUE', failures: 0 }]);
  expect(await db.query(`select 1 from event where type = 'invoice.payment_failed'`)).toEqual([]);
  node.setTime(after(2));
  await failNow();
  expect(await stateOf(id)).toBe('PAST_DUE');
  expect(await dueDays()).toBe(4);
});
