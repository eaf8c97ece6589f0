import { afterAll, beforeAll, expect, test } from 'vitest';
import { neededEvents } from '../../src/domains/payments/providers/stripe/webhook-endpoints.ts';
import { makeShop, pagesOf, pathOf, type Shop } from '../support/billing/checkouts.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';
import { newEndpoint } from '../support/simulators/stripe-endpoints.ts';
import type { SignedCallback } from '../support/simulators/stripe-records.ts';

/** Payers on pages of Stripe: sent there by a payment or a payer's page, with Stripe's events. */
let db: TestDatabase;
let florin: TestFlorin;
let stripe: StripeSimulator;
let shop: Shop;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  // What a lost callback would change is what the tests wait for.
  const onEvent = (callback: SignedCallback) => {
    receive(callback).catch(() => {});
  };
  stripe = await startStripeSimulator({ webhookSecret: channelSecret, onEvent });
  florin = await florinOn(db, { APP_PROVIDER_STRIPE_URL: stripe.url });
  shop = await makeShop(florin, await administratorOf(florin));
  const credentials = { provider: 'stripe', livemode: false, apiKey: simulatedApiKey, webhookSecret: channelSecret };
  channelId = await makeChannel(florin, shop.as, { name: 'Stripe', currency: 'EUR,USD', ...credentials });
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await stripe.close();
  await db.drop();
});

const receive = ({ headers, body }: SignedCallback) =>
  florin.call('POST', `/api/callback/${channelId}`, { headers, body: body.toString() });
const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, shop.as));
const comesTo = (id: string, status: string) =>
  eventually(`it is ${status}`, async () => (await payment(id)).status === status);
const nextActionOf = (id: string) =>
  eventually('the payer has a step to take', async () => (await payment(id)).nextAction ?? undefined);

/** Submits Stripe's page in a browser. Resolves to where the payer is sent; null: they stay there. */
async function submitAtStripe(url: string, method: string) {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ method }), redirect: 'manual' });
  return answer.headers.get('location');
}

test('a payment without a token is paid on a page of Stripe, and refunded', async () => {
  const returnUrl = 'https://shop.example.com/thanks';
  const id = await makePayment(florin, shop.as, channelId, { returnUrl });
  const { type, url } = await nextActionOf(id);
  expect({ type, url }).toEqual({ type: 'redirect', url: expect.stringContaining(`${stripe.url}/c/pay/cs_`) });
  expect(await submitAtStripe(url, 'pm_card_chargeDeclined')).toBeNull();
  expect((await payment(id)).status).toBe('PROCESSING');
  expect(await submitAtStripe(url, 'pm_card_visa')).toMatch(/\/r\/[\w-]{66}$/);
  await comesTo(id, 'SUCCESS');
  expect(await payment(id)).toMatchObject({ providerReference: expect.stringMatching(/^pi_/), nextAction: null });
  dataOf(await florin.post('/api/refund/create', { transactionId: id }, shop.as));
  await comesTo(id, 'REFUNDED');
  expect(stripe.refunds).toHaveLength(1);
});

test("a payment that asks for EMBEDDED continues in the merchant's page, with Stripe's script", async () => {
  const id = await makePayment(florin, shop.as, channelId, { payerFlow: 'EMBEDDED' });
  const { type, clientSecret } = await nextActionOf(id);
  expect({ type, clientSecret }).toEqual({ type: 'confirm', clientSecret: expect.stringMatching(/^pi_.*_secret_/) });
  const [intent] = clientSecret.split('_secret_');
  stripe.account.confirmIntent(intent, { payment_method: 'pm_card_visa' });
  await comesTo(id, 'SUCCESS');
  const unknown = { amount: 100, currency: 'USD', channelId, payerFlow: 'SOMEWHERE' };
  const refused = await florin.post('/api/transaction/create', unknown, shop.as);
  expect([refused.status, refused.body.error.field]).toEqual([400, 'payerFlow']);
});

test('a payment that is cancelled closes its page, so that nobody pays it afterwards', async () => {
  const id = await makePayment(florin, shop.as, channelId);
  const { url } = await nextActionOf(id);
  await florin.post('/api/transaction/update', { id, status: 'CANCELLED' }, shop.as);
  await comesTo(id, 'CANCELLED');
  const charges = stripe.charges.length;
  expect(await submitAtStripe(url, 'pm_card_visa')).toBeNull();
  expect(stripe.charges).toHaveLength(charges);
});

test('a debit of a page is on its way for days, and then succeeds or fails', async () => {
  for (const [result, status] of [
    [true, 'SUCCESS'],
    ['insufficient_funds', 'FAILED'],
  ] as const) {
    const id = await makePayment(florin, shop.as, channelId);
    const { url } = await nextActionOf(id);
    await submitAtStripe(url, 'pm_usBankAccount_success');
    await eventually('it waits for Stripe', async () => (await payment(id)).waitingFor === 'PROVIDER');
    const session = [...stripe.account.sessions.all.values()].at(-1);
    stripe.account.settle(session?.payment_intent as string, result);
    await comesTo(id, status);
  }
});

test("a payer's page leads to Stripe's, which takes a second card after a decline, and shows it as paid", async () => {
  const pages = pagesOf(florin);
  const input = { amount: 1999, currency: 'EUR', channelIds: [channelId, shop.bank] };
  const checkout = dataOf(await florin.post('/api/checkout/create', input, shop.as));
  const path = pathOf(checkout.url);
  expect((await pages.open(path)).body).toContain('Stripe');
  await pages.submit(path, { channel: channelId });
  const detail = async () => dataOf(await florin.get(`/api/checkout/detail?id=${checkout.id}`, shop.as));
  const { transactionId } = await detail();
  const { url } = await nextActionOf(transactionId);
  expect((await pages.open(path)).headers.get('location') ?? (await pages.open(path)).body).toContain(url);
  expect(await submitAtStripe(url, 'pm_card_chargeDeclinedInsufficientFunds')).toBeNull();
  const back = (await submitAtStripe(url, 'pm_card_visa')) as string;
  await comesTo(transactionId, 'SUCCESS');
  expect((await detail()).status).toBe('PAID');
  // Through Florin, which has looked the payment up, to the page of this payment, and on to that of the purchase.
  const onwards = (await pages.open(pathOf(back))).headers.get('location') ?? '';
  const location = (await pages.open(pathOf(onwards))).headers.get('location') ?? '';
  expect(new URL(location, onwards).pathname).toBe(path);
  expect((await pages.open(path)).status).toBe(200);
});

test('the check of a channel tells who may change it which events its endpoint at Stripe does not send', async () => {
  const check = async (as: string, id = channelId) => florin.get(`/api/channel/check?id=${id}`, as);
  const { callbackUrl } = dataOf(await florin.get(`/api/channel/detail?id=${channelId}`, shop.as));
  const enabled = neededEvents.filter((type) => !type.startsWith('checkout.'));
  stripe.account.endpoints.push(newEndpoint({ url: callbackUrl, enabled_events: enabled }));
  expect(dataOf(await check(shop.as))).toEqual({
    id: channelId,
    unsentEvents: neededEvents.filter((type) => type.startsWith('checkout.')),
  });
  expect(dataOf(await check(shop.as, shop.bank))).toEqual({ id: shop.bank, unsentEvents: null });
  stripe.mayNotReadEndpoints = true;
  expect(dataOf(await check(shop.as)).unsentEvents).toBeNull();
  const stranger = await makeShop(florin, await administratorOf(florin), 'Stranger');
  expect((await check(stranger.as)).status).toBe(404);
});
