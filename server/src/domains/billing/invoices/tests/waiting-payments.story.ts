import { afterAll, beforeAll, expect, test } from 'vitest';
import { pagesOf, pathOf } from '../../../../../tests/support/billing/checkouts.ts';
import { makeCustomer, makeInvoice, paymentEventsOfInvoice } from '../../../../../tests/support/billing/invoices.ts';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel } from '../../../../../tests/support/factories.ts';
import { sandboxTime } from '../../../../../tests/support/payments/sandbox.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

const time = sandboxTime();

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let transferId: number;
let sandboxId: number;
let customerId: number;
let planId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, time.settings, time.clock);
  admin = await administratorOf(florin);
  transferId = await makeChannel(florin, admin, { type: 'OFFLINE', livemode: false });
  sandboxId = await makeChannel(florin, admin, { provider: 'sandbox' });
  customerId = await makeCustomer(florin, admin, { defaultChannelId: transferId });
  const plan = { name: 'Gold', currency: 'USD', amount: 1000, interval: 'month', livemode: false, state: true };
  planId = dataOf(await florin.post('/api/plan/modify', plan, admin)).id;
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

// Runs before the one above.
afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
});

const invoiceOf = async (id: number) => dataOf(await florin.get(`/api/invoice/detail?id=${id}`, admin));
const paymentOf = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
const subscriptionOf = async (id: number) => dataOf(await florin.get(`/api/subscription/detail?id=${id}`, admin));
const update = (id: string, status: string) => florin.post('/api/transaction/update', { id, status }, admin);
const received = async (id: string) => dataOf(await update(id, 'SUCCESS'));
const pay = async (id: number, changes: object = {}): Promise<string> =>
  dataOf(await florin.post('/api/invoice/pay', { id, ...changes }, admin)).transactionId;
const payByCard = (id: number, paymentMethod = 'sandbox:succeed') => pay(id, { channelId: sandboxId, paymentMethod });
const refundsOf = async (transactionId: string) =>
  (await florin.get(`/api/refund/list?transactionId=${transactionId}`, admin)).body.data;
const isPaid = (id: number) =>
  eventually('the invoice is paid', async () => {
    const invoice = await invoiceOf(id);
    return invoice.status === 'PAID' && invoice;
  });

/** A subscription whose first invoice waits for a bank transfer. */
async function billed() {
  const subscription = dataOf(await florin.post('/api/subscription/create', { customerId, planId }, admin));
  const invoice = await eventually('the transfer is awaited', async () => {
    const [row] = (await florin.get(`/api/invoice/list?subscriptionId=${subscription.id}`, admin)).body.data;
    const found = row && (await invoiceOf(row.id));
    return found?.payments.length > 0 && found;
  });
  return { subscriptionId: subscription.id, invoiceId: invoice.id, transfer: invoice.payments[0].transactionId };
}

/** What the ledger has of money of a payment that pays nothing, oldest first. */
async function unappliedOf(transactionId: string): Promise<string[]> {
  const rows = await db.query<{ debit: string; credit: string; amount: number }>(
    `select debit, credit, amount from ledger_transfer
      where 'txn_' || replace(transaction_id::text, '-', '') = $1 and 'UNAPPLIED' in (debit, credit)
      order by created_at, leg`,
    [transactionId],
  );
  return rows.map(({ debit, credit, amount }) => `${debit}→${credit} ${amount}`);
}

/** A payment of the invoice that waits for its payer at the provider. */
async function sentToProvider(id: number) {
  const transactionId = await payByCard(id, 'sandbox:payer');
  const { nextAction } = await eventually('the payer is awaited', async () => {
    const payment = await paymentOf(transactionId);
    return payment.nextAction !== null && payment;
  });
  const answer = async (decision: string) => {
    await pagesOf(florin).submit(pathOf(nextAction.url), { decision });
    // Looked up now instead of after 5 s.
    await db.query(`update provider_operation set due_at = now() where state = 'WAITING'`);
  };
  return { transactionId, answer };
}

test('a bill that waits for a transfer is paid by card, and the later transfer stands to be given back', async () => {
  const { subscriptionId, invoiceId, transfer } = await billed();
  await payByCard(invoiceId);
  expect(await isPaid(invoiceId)).toMatchObject({ amountPaid: 1000, amountToReturn: 0 });

  expect(await received(transfer)).toMatchObject({ status: 'SUCCESS' });
  const invoice = await invoiceOf(invoiceId);
  expect(invoice).toMatchObject({ status: 'PAID', amountPaid: 1000, amountToReturn: 1000, amountRefunded: 0 });
  expect(invoice.payments[1]).toMatchObject({ transactionId: transfer, state: 'SUCCEEDED', amountExcess: 1000 });
  const listed = (await florin.get('/api/invoice/list?toReturn=true&livemode=false', admin)).body.data;
  expect(listed.map(({ id }: { id: number }) => id)).toEqual([invoiceId]);
  expect(await refundsOf(transfer)).toEqual([]);
  expect(await unappliedOf(transfer)).toEqual(['MERCHANT_PAYABLE→UNAPPLIED 1000']);

  dataOf(await florin.post('/api/refund/create', { transactionId: transfer, amount: 400 }, admin));
  expect(await invoiceOf(invoiceId)).toMatchObject({ amountToReturn: 600 });
  dataOf(await florin.post('/api/refund/create', { transactionId: transfer }, admin));
  expect(await unappliedOf(transfer)).toEqual([
    'MERCHANT_PAYABLE→UNAPPLIED 1000',
    'UNAPPLIED→MERCHANT_PAYABLE 400',
    'UNAPPLIED→MERCHANT_PAYABLE 600',
  ]);
  expect(await invoiceOf(invoiceId)).toMatchObject({ status: 'PAID', amountToReturn: 0, amountRefunded: 0 });
  expect((await florin.get('/api/invoice/list?toReturn=true&livemode=false', admin)).body.data).toEqual([]);
  expect(await subscriptionOf(subscriptionId)).toMatchObject({ state: 'ACTIVE' });
  expect(await paymentEventsOfInvoice(db, invoiceId)).toEqual(['invoice.paid']);
});

test('a card payment that succeeds after the transfer has come is refunded at once, as a duplicate', async () => {
  const { invoiceId, transfer } = await billed();
  const card = await payByCard(invoiceId, 'sandbox:late');
  await received(transfer);
  expect(await invoiceOf(invoiceId)).toMatchObject({ status: 'PAID', amountPaid: 1000 });
  await time.pass(db);
  await eventually('it is refunded', async () => (await paymentOf(card)).status === 'REFUNDED');
  expect(await refundsOf(card)).toMatchObject([{ amount: 1000, reason: 'duplicate', status: 'SUCCESS' }]);
  expect(await unappliedOf(card)).toEqual(['MERCHANT_PAYABLE→UNAPPLIED 1000', 'UNAPPLIED→MERCHANT_PAYABLE 1000']);
  expect(await invoiceOf(invoiceId)).toMatchObject({ amountPaid: 1000, amountToReturn: 0, amountRefunded: 0 });
  expect(await paymentEventsOfInvoice(db, invoiceId)).toEqual(['invoice.paid']);
});

test('money whose refund fails stays UNAPPLIED, and an operator sees it', async () => {
  // A refund of this amount is refused.
  const unitAmount = 7_319_070;
  const id = await makeInvoice(florin, admin, customerId, { lines: [{ description: 'x', quantity: 1, unitAmount }] });
  const transfer = await pay(id);
  const card = await payByCard(id, 'sandbox:late');
  await received(transfer);
  await time.pass(db);
  await eventually('the refund is refused', async () => (await refundsOf(card))[0]?.status === 'FAILED');
  expect(await invoiceOf(id)).toMatchObject({ status: 'PAID', amountPaid: unitAmount, amountToReturn: unitAmount });
  expect(await unappliedOf(card)).toEqual([`MERCHANT_PAYABLE→UNAPPLIED ${unitAmount}`]);
  const balances = dataOf(await florin.get('/api/ledger/balance?currency=USD&livemode=false', admin));
  const unapplied = balances.find(({ account }: { account: string }) => account === 'UNAPPLIED');
  expect(Number(unapplied.balance)).toBeLessThanOrEqual(-unitAmount);
});

test('a payment that finds only a part left pays that part, and the rest is refunded', async () => {
  const id = await makeInvoice(florin, admin, customerId);
  const { transactionId, answer } = await sentToProvider(id);
  await received(await pay(id, { amount: 700 }));
  await answer('pay');
  await eventually('the rest is refunded', async () => (await paymentOf(transactionId)).amountRefunded === 700);
  expect(await invoiceOf(id)).toMatchObject({ status: 'PAID', amountPaid: 1000, amountRefunded: 0 });
  expect(await paymentEventsOfInvoice(db, id)).toEqual(['invoice.paid']);
});

test('of two payments that succeed at the same time one pays the invoice, whichever it is', async () => {
  for (let round = 0; round < 6; round++) {
    const id = await makeInvoice(florin, admin, customerId);
    const transfers = [await pay(id), await pay(id)];
    const { transactionId, answer } = await sentToProvider(id);
    await Promise.all([...transfers.map(received), answer('pay')]);
    await eventually('all have ended', async () => (await paymentOf(transactionId)).status !== 'PROCESSING');
    const invoice = await isPaid(id);
    const excess = invoice.payments.map(({ amountExcess }: { amountExcess: number }) => amountExcess);
    expect(excess.toSorted((a: number, b: number) => a - b)).toEqual([0, 1000, 1000]);
    expect(await paymentEventsOfInvoice(db, id)).toEqual(['invoice.paid']);
    const isDuplicate = invoice.payments[0].amountExcess > 0;
    expect(await refundsOf(transactionId)).toHaveLength(isDuplicate ? 1 : 0);
    expect(invoice.amountToReturn).toBe(isDuplicate ? 1000 : 2000);
  }
});

test('a payment that waits at a provider is looked up before another begins', async () => {
  const id = await makeInvoice(florin, admin, customerId);
  const first = await sentToProvider(id);
  const second = await sentToProvider(id);
  await db.query(`update sandbox_operation set state = 'SUCCEEDED' where key like $1 || '%'`, [first.transactionId]);
  const refused = await florin.post('/api/invoice/pay', { id, channelId: sandboxId }, admin);
  expect(refused.body).toMatchObject({
    code: 409,
    error: { type: 'invoice_not_payable', details: { status: 'PAID' } },
  });
  expect(await paymentOf(first.transactionId)).toMatchObject({ status: 'SUCCESS' });
  await second.answer('pay');
  await eventually('it is refunded', async () => (await paymentOf(second.transactionId)).status === 'REFUNDED');
});

test('cancelling the awaited transfer is no failure: the subscription stays ACTIVE', async () => {
  const { subscriptionId, invoiceId, transfer } = await billed();
  dataOf(await update(transfer, 'CANCELLED'));
  expect(await subscriptionOf(subscriptionId)).toMatchObject({ state: 'ACTIVE', nextPaymentAttempt: null });
  const invoice = await invoiceOf(invoiceId);
  expect(invoice).toMatchObject({ status: 'OPEN', amountRemaining: 1000 });
  expect(invoice.payments).toMatchObject([{ state: 'CANCELLED' }]);
  expect(await paymentEventsOfInvoice(db, invoiceId)).toEqual([]);
  await payByCard(invoiceId);
  await isPaid(invoiceId);
});

test('no read shows a payment that succeeded beside an invoice that it has not paid', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => makeInvoice(florin, admin, customerId)));
  const watch = async (id: number): Promise<void> => {
    const transactionId = (await invoiceOf(id)).payments[0]?.transactionId;
    const status = transactionId && (await paymentOf(transactionId)).status;
    const invoice = await invoiceOf(id);
    const succeeded = invoice.payments.filter(({ state }: { state: string }) => state === 'SUCCEEDED');
    const taken = succeeded.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0);
    expect(invoice).toMatchObject({ amountPaid: taken, status: taken === 1000 ? 'PAID' : 'OPEN' });
    if (status === 'SUCCESS') expect(invoice.status).toBe('PAID');
    else await watch(id);
  };
  const payAll = ids.map(async (id, i) => (i % 2 === 0 ? payByCard(id) : received(await pay(id))));
  await Promise.all([...payAll, ...ids.map(watch)]);
});
