import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeInvoice, makePayingCustomer } from '../../../../../tests/support/billing/invoices.ts';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../../../../../tests/support/factories.ts';
import { sandboxTime } from '../../../../../tests/support/payments/sandbox.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

const time = sandboxTime();
const passes = () => time.pass(db);

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, time.settings, time.clock);
  as = await administratorOf(florin);
  channelId = await makeChannel(florin, as, { provider: 'sandbox', webhookSecret: 'a secret between two' });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

// Runs before the one above.
afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
});

const policy = async (reopenInvoices: string) =>
  dataOf(await florin.post('/api/tenant/modify', { id: 0, reopenInvoices }, as));
const invoiceOf = async (id: number) => dataOf(await florin.get(`/api/invoice/detail?id=${id}`, as));
const paymentOf = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, as));

/** Pays an invoice with a payment of this word, and waits until it is paid. */
async function paid(word: string): Promise<{ id: number; transactionId: string }> {
  const customerId = await makeCustomer(florin, as, { livemode: false });
  const id = await makeInvoice(florin, as, customerId, { metadata: { sandbox: word } });
  const { transactionId } = dataOf(await florin.post('/api/invoice/pay', { id, channelId }, as));
  await eventually('it is paid', async () => (await paymentOf(transactionId)).status === 'SUCCESS');
  return { id, transactionId };
}

const statusOf = (id: number, status: string) =>
  eventually(`the invoice is ${status}`, async () => {
    const invoice = await invoiceOf(id);
    return invoice.status === status && invoice;
  });

/** What the sandbox does late has happened, and Florin knows it. */
async function disputed(transactionId: string, status: string) {
  await passes();
  return eventually(`the dispute is ${status}`, async () => {
    const [dispute] = dataOf(await florin.get(`/api/dispute/list?transactionId=${transactionId}`, as));
    return dispute?.status === status && dispute;
  });
}

const eventsOf = async (id: number) => {
  const rows = await db.query<{ type: string; body: string }>(
    `select type, body from event where object_id = $1 and type in ('invoice.paid', 'invoice.reopened') order by id`,
    [`inv_${id}`],
  );
  return rows.map(({ type, body }) => ({ type, ...JSON.parse(body).data.object }));
};

/** The provider changes its mind: its reading says so. */
async function comesAgain(transactionId: string, disputeId: string): Promise<void> {
  await db.query(
    `update sandbox_operation set behaviour = 'dispute:won', disputed_at = disputed_at - interval '1 minute'
      where key = $1`,
    [`${transactionId}-1`],
  );
  await db.query(`update dispute set read_due_at = now() where 'dsp_' || replace(id::text, '-', '') = $1`, [disputeId]);
}

const refundsOf = async (transactionId: string) =>
  dataOf(await florin.get(`/api/refund/list?transactionId=${transactionId}`, as));

test('money that comes back reopens the invoice that it had paid, and pays it when it comes again', async () => {
  const { id, transactionId } = await paid('debit:returned');
  const { id: disputeId } = await disputed(transactionId, 'LOST');
  expect(await statusOf(id, 'OPEN')).toMatchObject({ amountPaid: 0, total: 1000 });
  await comesAgain(transactionId, disputeId);
  expect(await statusOf(id, 'PAID')).toMatchObject({ amountPaid: 1000 });
  const events = await eventsOf(id);
  expect(events.map(({ type }) => type)).toEqual(['invoice.paid', 'invoice.reopened', 'invoice.paid']);
  expect(events[2].version).toBeGreaterThan(events[0].version);
  expect(events[2].transactionId).toBe(transactionId);
});

test('a dispute that is lost reopens the invoice only if the tenant wants that', async () => {
  const kept = await paid('dispute:lost');
  await disputed(kept.transactionId, 'OPEN');
  await disputed(kept.transactionId, 'LOST');
  expect(await invoiceOf(kept.id)).toMatchObject({ status: 'PAID', amountPaid: 1000 });
  expect(await policy('ALWAYS')).toMatchObject({ reopenInvoices: 'ALWAYS' });
  const reopened = await paid('dispute:lost');
  await disputed(reopened.transactionId, 'OPEN');
  await disputed(reopened.transactionId, 'LOST');
  expect(await invoiceOf(reopened.id)).toMatchObject({ status: 'OPEN', amountPaid: 0 });
  await policy('NEVER');
  const never = await paid('debit:returned');
  await disputed(never.transactionId, 'LOST');
  expect(await invoiceOf(never.id)).toMatchObject({ status: 'PAID', amountPaid: 1000 });
  await policy('RETURNED');
});

test('a reopened invoice can be paid by another payment, and a refund is taken from nobody twice', async () => {
  const { id, transactionId } = await paid('debit:returned');
  await disputed(transactionId, 'LOST');
  await statusOf(id, 'OPEN');
  const other = await makePayment(florin, as, channelId, { amount: 1000, invoiceId: id });
  await statusOf(id, 'PAID');
  expect(await paymentOf(other)).toMatchObject({ status: 'SUCCESS', amountRefunded: 0 });
  const refund = await florin.post('/api/refund/create', { transactionId }, as);
  expect(refund).toMatchObject({ status: 409, body: { error: { type: 'payment_disputed' } } });
});

test('money that comes again after another payment has paid the invoice is refunded once', async () => {
  const { id, transactionId } = await paid('debit:returned');
  const { id: disputeId } = await disputed(transactionId, 'LOST');
  await statusOf(id, 'OPEN');
  const other = await makePayment(florin, as, channelId, { amount: 1000, invoiceId: id });
  await statusOf(id, 'PAID');
  await comesAgain(transactionId, disputeId);
  await eventually('it is refunded', async () => (await paymentOf(transactionId)).status === 'REFUNDED');
  expect(await refundsOf(transactionId)).toMatchObject([{ amount: 1000, reason: 'duplicate', status: 'SUCCESS' }]);
  expect(await refundsOf(other)).toEqual([]);
  expect(await invoiceOf(id)).toMatchObject({ status: 'PAID', amountPaid: 1000, amountToReturn: 0 });
  expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['invoice.paid', 'invoice.reopened', 'invoice.paid']);
});

test('another payment that ends after the money has come again is the one that pays nothing', async () => {
  const { id, transactionId } = await paid('debit:returned');
  const { id: disputeId } = await disputed(transactionId, 'LOST');
  await statusOf(id, 'OPEN');
  const input = { amount: 1000, currency: 'USD', channelId, invoiceId: id, metadata: { sandbox: 'pending:1' } };
  const { id: other } = dataOf(await florin.post('/api/transaction/create', input, as));
  await comesAgain(transactionId, disputeId);
  await statusOf(id, 'PAID');
  // Its look-up is due.
  await passes();
  await eventually('the other is refunded', async () => (await paymentOf(other)).status === 'REFUNDED');
  expect(await refundsOf(other)).toMatchObject([{ amount: 1000, reason: 'duplicate' }]);
  expect(await paymentOf(transactionId)).toMatchObject({ status: 'SUCCESS', amountRefunded: 0, amountDisputed: 0 });
  expect(await invoiceOf(id)).toMatchObject({ status: 'PAID', amountPaid: 1000, amountToReturn: 0 });
});

test('a subscription whose payment comes back is PAST_DUE, and its schedule begins again', async () => {
  const customerId = await makePayingCustomer(florin, as, {
    ...{ livemode: false, paymentMethod: 'sandbox:debit:returned', defaultChannelId: channelId },
  });
  const plan = { name: 'Gold', currency: 'USD', amount: 1000, interval: 'month', livemode: false, state: true };
  const { id: planId } = dataOf(await florin.post('/api/plan/modify', plan, as));
  const { id } = dataOf(await florin.post('/api/subscription/create', { customerId, planId }, as));
  // A debit is announced a day before it is collected.
  await eventually('it is announced', async () => {
    const due = await db.query(
      'update invoice_collection set due_at = now() where announced_method_id is not null returning 1',
    );
    return due.length > 0;
  });
  const invoiced = async () => dataOf(await florin.get(`/api/invoice/list?subscriptionId=${id}`, as));
  await eventually('it is collected', async () => (await invoiced())[0].status === 'PAID');
  await passes();
  const pastDue = await eventually('it is PAST_DUE', async () => {
    const subscription = dataOf(await florin.get(`/api/subscription/detail?id=${id}`, as));
    return subscription.state === 'PAST_DUE' && subscription;
  });
  expect(pastDue.nextPaymentAttempt).toMatch(/^\d{4}-/);
  const [invoice] = await invoiced();
  expect(invoice).toMatchObject({ status: 'OPEN', amountPaid: 0 });
  const events = await eventsOf(invoice.id);
  expect(events.map(({ type }) => type)).toEqual(['invoice.paid', 'invoice.reopened']);
});
