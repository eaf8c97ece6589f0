import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCustomer } from '../support/billing/invoices.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { MollieSimulator } from '../support/simulators/mollie.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/**
 * Subscriptions at the simulators of Stripe and Mollie: the payer pays once, and nobody is there for the renewals. The
 * tests run at the same time, because each waits for its clock and its customer only.
 */
let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let stripe: StripeSimulator;
let mollie: MollieSimulator;
let stripeId: number;
let mollieId: number;
let planId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  stripe = await startStripeSimulator({ webhookSecret: channelSecret });
  mollie = await MollieSimulator.start();
  florin = await florinOn(db, { APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROVIDER_MOLLIE_URL: mollie.url });
  as = await administratorOf(florin);
  const facts = { livemode: false, currency: 'EUR,USD', webhookSecret: channelSecret };
  stripeId = await makeChannel(florin, as, { ...facts, provider: 'stripe', apiKey: simulatedApiKey });
  mollieId = await makeChannel(florin, as, { ...facts, provider: 'mollie', apiKey: 'test_simulated' });
  const plan = { name: 'Gold', currency: 'EUR', amount: 1000, interval: 'month', livemode: false, state: true };
  planId = (await post('plan/modify', plan)).id;
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await mollie.close();
  await stripe.close();
  await db.drop();
});

const post = async (path: string, body: unknown) => dataOf(await florin.post(`/api/${path}`, body, as));
const get = async (path: string) => dataOf(await florin.get(`/api/${path}`, as));
const payment = (id: string) => get(`transaction/detail?id=${id}`);
const stateOf = async (id: number) => (await get(`subscription/detail?id=${id}`)).state;
const consent = { ipAddress: '192.0.2.1', userAgent: 'Browser', acceptedTime: '2026-11-27T10:00:00.000Z' };

async function subscriber() {
  const { id: clockId } = await post('clock/create', { name: 'A year', nowTime: '2027-01-01T00:00:00Z' });
  const facts = { name: 'Ada Lovelace', email: 'ada@example.org', clockId, livemode: false };
  return { clockId, customerId: await makeCustomer(florin, as, facts) };
}

async function advance(id: number, toTime: string): Promise<void> {
  await post('clock/advance', { id, toTime });
  await eventually('the clock has arrived', async () => (await get(`clock/detail?id=${id}`)).state === 'READY', 30_000);
}

/** Open charges are looked up now instead of by their schedule. */
const lookUpNow = () => db.query(`update provider_operation set due_at = now() where state = 'WAITING'`);

/** The first payment, with the payer. `act` does at the provider what the payer or the bank does. */
async function pays(customerId: number, facts: object, act: (reference: string) => void): Promise<string> {
  const first = { amount: 500, currency: 'EUR', customerId, saveMethod: true, consent, ...facts };
  const { id } = await post('transaction/create', first);
  const reference = await eventually(
    'the provider has it',
    async () => (await payment(id)).providerReference ?? atProvider(id),
  );
  act(reference);
  const { methodId } = await eventually('the first payment has succeeded', async () => {
    await lookUpNow();
    const found = await payment(id);
    if (found.status === 'FAILED') throw new Error(`It failed: ${found.failureCode}`);
    return found.status === 'SUCCESS' && found;
  });
  return methodId;
}

/** The provider's id of a charge that has not ended; undefined: it has none yet. */
async function atProvider(id: string): Promise<string | undefined> {
  const [row] = await db.query<{ provider_reference: string | null }>(
    `select provider_reference from provider_operation where 'txn_' || replace(transaction_id::text, '-', '') = $1`,
    [id],
  );
  return row?.provider_reference ?? undefined;
}

const invoicesOf = async (customerId: number) =>
  (await get(`invoice/list?customerId=${customerId}&pageSize=100`)).toReversed();

/** The newest renewal, once the provider has it. */
async function newestCharge(customerId: number, periods: number): Promise<string> {
  return eventually(`period ${periods} is charged`, async () => {
    const invoice = (await invoicesOf(customerId))[periods - 1];
    if (invoice === undefined) return undefined;
    const [last] = (await get(`invoice/detail?id=${invoice.id}`)).payments;
    return last?.transactionId ? atProvider(last.transactionId) : undefined;
  });
}

const isPaid = (customerId: number, periods: number) =>
  eventually(`${periods} periods are paid`, async () => {
    await lookUpNow();
    const invoices = await invoicesOf(customerId);
    return invoices.length === periods && invoices.every(({ status }: { status: string }) => status === 'PAID');
  });

/** Every renewal was charged with the method, without the payer, and once. */
async function wereCharged(customerId: number, methodId: string, count: number): Promise<void> {
  const renewals = (await get(`transaction/list?customerId=${customerId}&pageSize=100`)).filter(
    ({ invoiceId }: { invoiceId: number | null }) => invoiceId !== null,
  );
  expect(renewals).toHaveLength(count);
  for (const { id } of renewals) {
    expect(await payment(id)).toMatchObject({ status: 'SUCCESS', methodId, initiator: 'MERCHANT' });
  }
}

describe.concurrent('at Stripe', { timeout: 180_000 }, () => {
  test('a saved card pays periods 1 to 14', async () => {
    const { clockId, customerId } = await subscriber();
    const methodId = await pays(customerId, { channelId: stripeId, paymentMethod: 'pm_card_visa' }, () => {});
    await post('subscription/create', { customerId, planId });
    await advance(clockId, '2028-02-02T00:00:00Z');
    await isPaid(customerId, 14);
    await wereCharged(customerId, methodId, 14);
  });

  test('a saved debit pays periods 1 to 14, each of which waits for the bank', async () => {
    const { clockId, customerId } = await subscriber();
    const debit = { channelId: stripeId, paymentMethod: 'pm_usBankAccount_success', currency: 'USD' };
    const usd = { name: 'Silver', currency: 'USD', amount: 1000, interval: 'month', livemode: false, state: true };
    const methodId = await pays(customerId, debit, (id) => stripe.account.settle(id, true));
    await post('subscription/create', { customerId, planId: (await post('plan/modify', usd)).id });
    for (let period = 1; period <= 13; period++) {
      stripe.account.settle(await newestCharge(customerId, period), true);
      await isPaid(customerId, period);
      await advance(clockId, new Date(Date.UTC(2027, period, 2)).toISOString());
    }
    stripe.account.settle(await newestCharge(customerId, 14), true);
    await isPaid(customerId, 14);
    await wereCharged(customerId, methodId, 14);
  });
});

describe.concurrent('at Mollie', { timeout: 180_000 }, () => {
  test.each([
    ['a saved card', 'creditcard', 'card'],
    ['the SEPA debit of a first payment by iDEAL', 'ideal', 'sepa_debit'],
    ['PayPal', 'paypal', 'paypal'],
  ])('%s pays the renewals', async (_, method, type) => {
    const { clockId, customerId } = await subscriber();
    const methodId = await pays(customerId, { channelId: mollieId, paymentMethod: method }, (id) =>
      mollie.pay(id, method),
    );
    expect(await get(`payment-method/detail?id=${methodId}`)).toMatchObject({ type, status: 'ACTIVE' });
    const id = await post('subscription/create', { customerId, planId }).then((found) => found.id);
    // A debit is announced a day before it is sent; the others are sent at once.
    if (type === 'sepa_debit') await advance(clockId, '2027-01-02T00:00:00Z');
    for (let period = 1; period <= 14; period++) {
      const reference = await newestCharge(customerId, period);
      if (mollie.payment(reference).status !== 'paid') mollie.pay(reference, method);
      await isPaid(customerId, period);
      await advance(clockId, new Date(Date.UTC(2027, period, 2)).toISOString());
    }
    await newestCharge(customerId, 15).then((reference) => {
      if (mollie.payment(reference).status !== 'paid') mollie.pay(reference, method);
    });
    await isPaid(customerId, 15);
    await wereCharged(customerId, methodId, 15);
    expect(await stateOf(id)).toBe('ACTIVE');
  });

  test('a revoked mandate is not charged: the subscription is PAST_DUE; a new method is charged at once', async () => {
    const { clockId, customerId } = await subscriber();
    const card = { channelId: mollieId, paymentMethod: 'creditcard' };
    const methodId = await pays(customerId, card, (id) => mollie.pay(id, 'creditcard'));
    const { id } = await post('subscription/create', { customerId, planId });
    await isPaid(customerId, 1);
    const [{ id: invoiceId }] = await invoicesOf(customerId);
    const [{ transactionId }] = (await get(`invoice/detail?id=${invoiceId}`)).payments;
    mollie.revokeMandate(mollie.payment((await payment(transactionId)).providerReference).mandateId as string);
    await advance(clockId, '2027-02-02T00:00:00Z');
    await eventually('it is PAST_DUE', async () => (await stateOf(id)) === 'PAST_DUE');
    expect((await get(`payment-method/detail?id=${methodId}`)).status).toBe('REVOKED');
    await pays(customerId, card, (reference) => mollie.pay(reference, 'creditcard'));
    await eventually('it is ACTIVE', async () => (await stateOf(id)) === 'ACTIVE');
  });
});
