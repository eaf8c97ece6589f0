import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer } from '../support/billing/invoices.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { MollieSimulator } from '../support/simulators/mollie.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/** Payment methods that payments keep which are authorized first. */
let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let stripe: StripeSimulator;
let mollie: MollieSimulator;

beforeAll(async () => {
  db = await databaseFromTemplate();
  stripe = await startStripeSimulator({ webhookSecret: channelSecret });
  mollie = await MollieSimulator.start();
  florin = await florinOn(db, { APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROVIDER_MOLLIE_URL: mollie.url });
  as = await administratorOf(florin);
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await mollie.close();
  await stripe.close();
  await db.drop();
});

const post = async (path: string, body: object) => dataOf(await florin.post(`/api/${path}`, body, as));
const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, as));
/** The issuer releases what it was asked to, and open operations are looked up now instead of by their schedule. */
async function goOn(): Promise<void> {
  for (const { id, status, isReleasing } of mollie.payments) {
    if (isReleasing && status === 'authorized') mollie.release(id);
  }
  await db.query(`update provider_operation set due_at = now() where state = 'WAITING'`);
}
const until = (id: string, what: string, holds: (found: Record<string, unknown>) => boolean) =>
  eventually(what, async () => {
    await goOn();
    const found = await payment(id);
    return holds(found) && found;
  });

/** The payer pays at the provider, where a token alone does not. */
async function payerAuthorizes(id: string): Promise<void> {
  const found = await eventually('Mollie has the payment', () =>
    mollie.payments.find(({ metadata }) => (metadata as Record<string, unknown>).florin_transaction === id),
  );
  mollie.authorize(found.id);
}

test.each([
  ['sandbox', { provider: 'sandbox' }, 'sandbox:authorize', async () => {}],
  ['Stripe', { provider: 'stripe', apiKey: simulatedApiKey }, 'pm_card_visa', async () => {}],
  ['Mollie', { provider: 'mollie', apiKey: 'test_simulated' }, 'creditcard', payerAuthorizes],
])('at %s a method is ACTIVE with the authorization, and stays when the payment is cancelled', async (...one) => {
  const [, facts, paymentMethod, act] = one;
  const shared = { livemode: false, currency: 'EUR', webhookSecret: channelSecret };
  const channelId = await makeChannel(florin, as, { ...facts, ...shared });
  const customerId = await makeCustomer(florin, as, { name: 'Ada', email: 'ada@example.org', livemode: false });
  const first = { amount: 1000, currency: 'EUR', channelId, customerId, paymentMethod };
  const { id } = await post('transaction/create', { ...first, saveMethod: true, captureMethod: 'MANUAL' });
  await act(id);
  const { methodId, amountCaptured } = await until(id, 'it is authorized', (one) => one.amountAuthorized === 1000);
  expect(amountCaptured).toBe(0);
  const method = dataOf(await florin.get(`/api/payment-method/detail?id=${methodId}`, as));
  expect(method).toMatchObject({ status: 'ACTIVE', type: 'card', isDefault: true, customerId, channelId });

  const again = { amount: 500, currency: 'EUR', channelId, methodId, initiator: 'MERCHANT' };
  const { id: renewal } = await post('transaction/create', again);
  await until(renewal, 'it is charged before the first capture', (one) => one.status === 'SUCCESS');
  await post('transaction/update', { id, status: 'CANCELLED' });
  await until(id, 'it is cancelled', (one) => one.status === 'CANCELLED');
  expect(dataOf(await florin.get(`/api/payment-method/detail?id=${methodId}`, as)).status).toBe('ACTIVE');
  const events = await db.query<{ type: string }>('select type from event where object_id = $1', [methodId]);
  expect(events.map(({ type }) => type)).toEqual(['payment_method.attached']);
});

test('an authorization that fails keeps no method, and tells of none', async () => {
  const channelId = await makeChannel(florin, as, { provider: 'sandbox' });
  const customerId = await makeCustomer(florin, as, { livemode: false });
  const paymentMethod = 'sandbox:decline:insufficient_funds';
  const first = { amount: 1000, currency: 'USD', channelId, customerId, paymentMethod };
  const { id } = await post('transaction/create', { ...first, saveMethod: true, captureMethod: 'MANUAL' });
  expect(await until(id, 'it has failed', (one) => one.status === 'FAILED')).toMatchObject({ methodId: null });
  expect(dataOf(await florin.get(`/api/payment-method/list?customerId=${customerId}&livemode=false`, as))).toEqual([]);
  expect(await db.query(`select from event where type = 'payment_method.failed'`)).toEqual([]);
});
