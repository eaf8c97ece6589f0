import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin, untilTaken } from '../support/service/florin.ts';
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

/** How the payments at each provider are, when none of them waits for it any more. Both are called at the same time. */
let payments: { stripe: Payment[]; mollie: Payment[] };

interface Payment {
  status: string;
  nextAction: object | null;
}

beforeAll(async () => {
  const facts = { livemode: false };
  const stripeId = await makeChannel(florin, admin, { ...facts, provider: 'stripe', apiKey: simulatedApiKey });
  const mollieId = await makeChannel(florin, admin, { ...facts, provider: 'mollie', apiKey: 'test_simulated' });
  const makeMany = (count: number, channelId: number, input: Record<string, unknown> = {}) =>
    Promise.all(Array.from({ length: count }, () => makePayment(florin, admin, channelId, input)));
  const ofStripe = await makeMany(120, stripeId, { paymentMethod: 'pm_card_visa' });
  const ofMollie = await makeMany(40, mollieId);
  const sender = await florinOn(db, { ...environment, APP_ROLE: 'worker' });
  payments = { stripe: await taken(ofStripe), mollie: await taken(ofMollie) };
  await sender.stop();
}, 180_000);

const taken = (ids: readonly string[]) =>
  eventually(
    'every payment was taken by its provider',
    async () => {
      const found: Payment[] = await Promise.all(
        ids.map(async (id) => dataOf(await untilTaken(() => florin.get(`/api/transaction/detail?id=${id}`, admin)))),
      );
      return (
        found.every(({ status, nextAction }) => nextAction !== null || !['PENDING', 'PROCESSING'].includes(status)) &&
        found
      );
    },
    60_000,
  );

test('120 payments at once, at a Stripe that takes 25 requests a second, all succeed, each charged once', () => {
  expect(payments.stripe.map(({ status }) => status)).toEqual(Array(120).fill('SUCCESS'));
  expect(stripe.limit.refused).toBeGreaterThan(0);
  expect(stripe.charges).toHaveLength(120);
  expect(new Set(stripe.charges.map(({ metadata }) => metadata.florin_key)).size).toBe(120);
});

test('40 payments at once, at a Mollie that takes 10 requests a second, all get their page', () => {
  expect(payments.mollie.map(({ status }) => status)).toEqual(Array(40).fill('PROCESSING'));
  expect(mollie.limit.refused).toBeGreaterThan(0);
  expect(mollie.payments).toHaveLength(40);
});
