import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { MollieSimulator } from '../support/simulators/mollie.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/**
 * Bursts of payments at providers that take few requests a second, over HTTP. All are accepted, by a node that calls no
 * provider, before another node sends the first: however slow the machine is, they arrive as a burst.
 */
let db: TestDatabase;
let florin: TestFlorin;
let environment: Record<string, string>;
let admin: string;
let stripe: StripeSimulator;
let mollie: MollieSimulator;

beforeAll(async () => {
  db = await databaseFromTemplate();
  stripe = await startStripeSimulator({ requestsPerSecond: 25 });
  mollie = await MollieSimulator.start({ requestsPerSecond: 10 });
  environment = { APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROVIDER_MOLLIE_URL: mollie.url };
  florin = await florinOn(db, { ...environment, APP_ROLE: 'api' });
  admin = await administratorOf(florin);
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await mollie.close();
  await stripe.close();
  await db.drop();
});

/** Sends these payments, waits until none of them waits for its provider any more, and returns how they are. */
async function afterwards(ids: readonly string[]) {
  const sender = await florinOn(db, { ...environment, APP_ROLE: 'worker' });
  const payments = await eventually(
    'every payment was taken by its provider',
    async () => {
      const payments = await Promise.all(
        ids.map(async (id) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin))),
      );
      return (
        payments.every(
          ({ status, nextAction }) => nextAction !== null || !['PENDING', 'PROCESSING'].includes(status),
        ) && payments
      );
    },
    60_000,
  );
  await sender.stop();
  return payments;
}

test('120 payments at once, at a Stripe that takes 25 requests a second, all succeed, each charged once', async () => {
  const channelId = await makeChannel(florin, admin, { provider: 'stripe', livemode: false, apiKey: simulatedApiKey });
  const ids = await Promise.all(
    Array.from({ length: 120 }, () => makePayment(florin, admin, channelId, { paymentMethod: 'pm_card_visa' })),
  );
  const payments = await afterwards(ids);
  expect(payments.map(({ status }) => status)).toEqual(Array(120).fill('SUCCESS'));
  expect(stripe.limit.refused).toBeGreaterThan(0);
  expect(stripe.charges).toHaveLength(120);
  expect(new Set(stripe.charges.map(({ metadata }) => metadata.florin_key)).size).toBe(120);
});

test('40 payments at once, at a Mollie that takes 10 requests a second, all get their page', async () => {
  const channelId = await makeChannel(florin, admin, { provider: 'mollie', livemode: false, apiKey: 'test_simulated' });
  const ids = await Promise.all(Array.from({ length: 40 }, () => makePayment(florin, admin, channelId)));
  const payments = await afterwards(ids);
  expect(payments.map(({ status }) => status)).toEqual(Array(40).fill('PROCESSING'));
  expect(mollie.limit.refused).toBeGreaterThan(0);
  expect(mollie.payments).toHaveLength(40);
});
