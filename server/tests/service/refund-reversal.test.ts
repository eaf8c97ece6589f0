import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeInvoice, paymentEventsOfInvoice, settledInvoice } from '../support/billing/invoices.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makeKey, makePayment } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { sandboxDelayMs } from '../support/payments/sandbox.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { MollieSimulator, type SimulatedCallback } from '../support/simulators/mollie.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';
import type { SignedCallback } from '../support/simulators/stripe-records.ts';
import { type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

/** Refunds that fail after they had succeeded, from a provider's callback to the webhook, over HTTP. */
let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let stripe: StripeSimulator;
let mollie: MollieSimulator;
let receiver: Receiver;
let skewMs = 0;

beforeAll(async () => {
  db = await databaseFromTemplate();
  stripe = await startStripeSimulator({ webhookSecret: channelSecret });
  mollie = await MollieSimulator.start();
  receiver = await startReceiver();
  const urls = { APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROVIDER_MOLLIE_URL: mollie.url };
  florin = await florinOn(db, urls, () => Date.now() + skewMs);
  admin = await administratorOf(florin);
  const hook = { url: receiver.url, events: ['refund.*'], secret: 'our shared secret' };
  for (const livemode of [true, false]) {
    dataOf(await florin.post('/api/webhook/register', { ...hook, livemode }, admin));
  }
});

afterAll(async () => {
  await florin.stop();
  await receiver.close();
  await mollie.close();
  await stripe.close();
  await db.drop();
});

// Runs before the one above.
afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
});

const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
const refund = async (id: string) => dataOf(await florin.get(`/api/refund/detail?id=${id}`, admin));
const comesTo = (status: string, what: () => Promise<{ status: string }>) =>
  eventually(`it is ${status}`, async () => (await what()).status === status);

async function refundOf(transactionId: string): Promise<string> {
  await comesTo('SUCCESS', () => payment(transactionId));
  return dataOf(await florin.post('/api/refund/create', { transactionId }, admin)).id;
}

/** The events about the failure of a refund that the webhook received, one for each delivery. */
const failuresReported = (id: string) => {
  const bodies = new Map(
    receiver.received.map(({ headers, body }) => [headers['x-service-delivery'], JSON.parse(body.toString())]),
  );
  return [...bodies.values()].filter(({ type, data }) => type === 'refund.failed' && data.object.id === id);
};

async function expectReversed(transactionId: string, id: string): Promise<void> {
  await comesTo('FAILED', () => refund(id));
  expect(await payment(transactionId)).toMatchObject({ status: 'SUCCESS', amountRefunded: 0 });
  await eventually('the webhook receives it', () => failuresReported(id).length > 0);
  expect(failuresReported(id)).toMatchObject([{ type: 'refund.failed', data: { object: await refund(id) } }]);
}

test('Stripe: refund.failed after succeeded, in three ways, is reversed once, and refundable again', async () => {
  const channelId = await makeChannel(florin, admin, {
    provider: 'stripe',
    livemode: false,
    apiKey: simulatedApiKey,
    webhookSecret: channelSecret,
  });
  const transactionId = await makePayment(florin, admin, channelId, { paymentMethod: 'pm_card_visa' });
  const id = await refundOf(transactionId);
  await comesTo('SUCCESS', () => refund(id));
  const post = ({ headers, body }: SignedCallback) =>
    florin.call('POST', `/api/callback/${channelId}`, { headers, body: body.toString() });
  const reference = (await refund(id)).providerReference;
  stripe.account.settleRefund(reference, 'failed');
  const notices = ['refund.failed', 'refund.updated', 'charge.refund.updated'].map((type) =>
    stripe.callback(type, reference),
  );
  const replies = await Promise.all([...notices, ...notices].map(post));
  expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(200));
  await expectReversed(transactionId, id);
  expect(await refund(id)).toMatchObject({ failureCode: 'refund_refused', providerReference: reference });
  const again = await refundOf(transactionId);
  await comesTo('SUCCESS', () => refund(again));
  expect(await payment(transactionId)).toMatchObject({ status: 'REFUNDED', amountRefunded: 1999 });
});

async function refundedAtMollie() {
  const channelId = await makeChannel(florin, admin, {
    provider: 'mollie',
    livemode: false,
    apiKey: 'test_simulated',
    webhookSecret: channelSecret,
  });
  const transactionId = await makePayment(florin, admin, channelId);
  const waiting = await eventually('the payer is sent to Mollie', async () => {
    const { nextAction, providerReference } = await payment(transactionId);
    return nextAction !== null && (providerReference as string);
  });
  const post = ({ url, headers, body }: SimulatedCallback) =>
    florin.call('POST', url === '' ? `/api/callback/${channelId}` : new URL(url).pathname + new URL(url).search, {
      headers,
      body,
    });
  const tellLast = () => post(mollie.callbacks.at(-1) as SimulatedCallback);
  mollie.pay(waiting);
  await tellLast();
  const id = await refundOf(transactionId);
  const reference = await eventually('Mollie has the refund', () => mollie.payment(waiting).refunds[0]?.id);
  await eventually('it waits', async () => {
    const rows = await db.query(`select from provider_operation where kind = 'REFUND' and state = 'WAITING'`);
    return rows.length === 1;
  });
  mollie.progressRefund(reference, 'refunded');
  await tellLast();
  await comesTo('SUCCESS', () => refund(id));
  return { transactionId, id, reference, post, tellLast };
}

test('Mollie: a notice of the payment causes a new lookup of a refund that had succeeded', async () => {
  const { transactionId, id, reference, tellLast } = await refundedAtMollie();
  mollie.progressRefund(reference, 'failed');
  await Promise.all([tellLast(), tellLast()]);
  await expectReversed(transactionId, id);
});

test('Mollie: so does a signed notice of the refund, and again when Mollie did not answer', async () => {
  const { transactionId, id, reference, post } = await refundedAtMollie();
  mollie.progressRefund(reference, 'failed');
  const struck = mollie.fault({ method: 'GET', when: 'before', how: 503 });
  const notice = mollie.signedCallback(reference, channelSecret);
  expect((await post(notice)).status).toBe(200);
  await struck;
  expect((await refund(id)).status).toBe('SUCCESS');
  skewMs += 6_000;
  await expectReversed(transactionId, id);
});

test('the sandbox reports that a refund succeeded, and later that it failed; its invoice stays paid', async () => {
  const channelId = await makeChannel(florin, admin, { provider: 'sandbox', webhookSecret: channelSecret });
  const customerId = await makeCustomer(florin, admin, { defaultChannelId: channelId });
  const invoiceId = await makeInvoice(florin, admin, customerId, { metadata: { sandbox: 'refund:returned' } });
  const { transactionId } = dataOf(await florin.post('/api/invoice/pay', { id: invoiceId }, admin));
  await comesTo('SUCCESS', () => payment(transactionId));
  const before = await settledInvoice(florin, admin, invoiceId, db);
  const id = await refundOf(transactionId);
  await comesTo('SUCCESS', () => refund(id));
  skewMs += sandboxDelayMs;
  await expectReversed(transactionId, id);
  expect(await settledInvoice(florin, admin, invoiceId, db)).toEqual(before);
  expect(await paymentEventsOfInvoice(db, invoiceId)).toEqual(['invoice.paid']);
});

test('subscribing to refund.failed needs the read scope of refunds, and lists it under the refund', async () => {
  const [sent] = receiver.received.map(({ body }) => JSON.parse(body.toString()).data.object.id);
  const { body } = await florin.get(`/api/event/list?objectId=${sent}`, admin);
  expect(body.data).toMatchObject(
    ['refund.failed', 'refund.succeeded', 'refund.created'].map((type) => ({ type, objectId: sent })),
  );
  const register = (as: string, type: string) =>
    florin.post('/api/webhook/register', { url: receiver.url, events: [type], secret: 'our shared secret' }, as);
  const without = await makeKey(florin, admin, 'invoice_read,webhook_write');
  const within = await makeKey(florin, admin, 'transaction_read,webhook_write');
  for (const type of ['refund.failed', 'refund.*']) {
    expect((await register(without.as, type)).status).toBe(403);
    expect((await register(within.as, type)).status).toBe(200);
  }
});
