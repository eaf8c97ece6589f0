import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../src/core/clock.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { MollieSimulator, type SimulatedCallback } from '../support/simulators/mollie.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/**
 * A channel whose provider was changed: what the former provider charged is never brought to the new one, nor the other
 * way.
 */
let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let stripe: StripeSimulator;
let mollie: MollieSimulator;
let skewMs = 0;

beforeAll(async () => {
  db = await databaseFromTemplate();
  const clock = () => Date.now() + skewMs;
  stripe = await startStripeSimulator({ webhookSecret: channelSecret, clock });
  mollie = await MollieSimulator.start({ now: clock });
  const urls = { APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROVIDER_MOLLIE_URL: mollie.url };
  florin = await florinOn(db, urls, clock);
  admin = await administratorOf(florin);
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await mollie.close();
  await stripe.close();
  await db.drop();
});

const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
const comesTo = (id: string, status: string) =>
  eventually(`it is ${status}`, async () => (await payment(id)).status === status);
const atStripe = { provider: 'stripe', livemode: false, apiKey: simulatedApiKey, webhookSecret: channelSecret };
const atMollie = { provider: 'mollie', apiKey: 'test_simulated' };
const change = async (channel: object) => dataOf(await florin.post('/api/channel/modify', channel, admin));

test('a payment is not refunded at another provider than the one that charged it, and says which', async () => {
  const channelId = await makeChannel(florin, admin, atStripe);
  const id = await makePayment(florin, admin, channelId, { paymentMethod: 'pm_card_visa' });
  await comesTo(id, 'SUCCESS');
  await change({ id: channelId, ...atMollie });
  const [asked, sent] = [mollie.requests.length, stripe.requests.length];
  const refused = await florin.post('/api/refund/create', { transactionId: id, amount: 500 }, admin);
  expect(refused).toMatchObject({
    status: 409,
    body: {
      message: expect.stringContaining('stripe'),
      error: {
        type: 'not_refundable',
        field: 'transactionId',
        details: { status: 'SUCCESS', provider: 'stripe', channelProvider: 'mollie' },
      },
    },
  });
  await change({ id: channelId, provider: null });
  const withoutProvider = await florin.post('/api/refund/create', { transactionId: id, amount: 500 }, admin);
  expect(withoutProvider.body.error.details).toMatchObject({ provider: 'stripe', channelProvider: null });
  expect(dataOf(await florin.get(`/api/refund/list?transactionId=${id}`, admin))).toEqual([]);
  expect([mollie.requests.length, stripe.requests.length]).toEqual([asked, sent]);

  await change({ id: channelId, ...atStripe });
  dataOf(await florin.post('/api/refund/create', { transactionId: id }, admin));
  await comesTo(id, 'REFUNDED');
});

test('the key of the new provider is not sent to the former one, whatever is still looked up there', async () => {
  const channelId = await makeChannel(florin, admin, { ...atMollie, livemode: false, webhookSecret: channelSecret });
  const id = await makePayment(florin, admin, channelId);
  const reference = await eventually(
    'the payer is sent to Mollie',
    async () => (await payment(id)).providerReference ?? undefined,
  );
  const post = ({ url, headers, body }: SimulatedCallback) =>
    florin.call('POST', new URL(url).pathname + new URL(url).search, { headers, body });
  mollie.cancelByPayer(reference);
  await post(mollie.callbacks.at(-1) as SimulatedCallback);
  await comesTo(id, 'CANCELLED');
  mollie.pay(reference);
  await post(mollie.callbacks.at(-1) as SimulatedCallback);
  const discrepancy = async () => dataOf(await florin.get(`/api/discrepancy/list?transactionId=${id}`, admin))[0];
  await eventually('the books disagree', async () => (await discrepancy())?.state === 'DISAGREES');
  await change({ id: channelId, ...atStripe });
  const asked = mollie.requests.length;
  const { lookUps } = await discrepancy();
  skewMs += dayMs + hourMs;
  admin = await administratorOf(florin);
  await eventually('its look-up was due', async () => (await discrepancy()).lookUps > lookUps);
  expect(mollie.requests).toHaveLength(asked);
  expect(stripe.requests.filter(({ method }) => method === 'GET')).toEqual([]);
  expect(await discrepancy()).toMatchObject({ state: 'DISAGREES' });
});
