import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, makeChannel, makePayment } from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/** Bursts of payments at two nodes and one Stripe that takes few requests a second, over HTTP. */
let db: TestDatabase;
let nodes: { florin: TestFlorin; admin: string }[];
let stripe: StripeSimulator;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  stripe = await startStripeSimulator({ requestsPerSecond: 25 });
  const environment = { APP_PROVIDER_STRIPE_URL: stripe.url };
  nodes = [];
  for (let i = 0; i < 2; i++) {
    const florin = await florinOn(db, environment);
    nodes.push({ florin, admin: await administratorOf(florin) });
  }
  const [{ florin, admin }] = nodes as [(typeof nodes)[0]];
  channelId = await makeChannel(florin, admin, { provider: 'stripe', livemode: false, apiKey: simulatedApiKey });
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  for (const { florin } of nodes) await florin.stop();
  await stripe.close();
  await db.drop();
});

/** Makes so many payments at once, half at each node, and returns how they end. */
async function burst(count: number): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, (_, i) => pay(nodes[i % 2] as (typeof nodes)[0])));
  return eventually(
    'every payment has ended',
    async () => {
      const rows = await db.query<{ status: string }>('select status from transaction where id = any ($1::uuid[])', [
        ids.map((id) => id.slice('txn_'.length)),
      ]);
      return (
        rows.every(({ status }) => !['PENDING', 'PROCESSING'].includes(status)) && rows.map(({ status }) => status)
      );
    },
    60_000,
  );
}

const pay = ({ florin, admin }: (typeof nodes)[0]) =>
  makePayment(florin, admin, channelId, { paymentMethod: 'pm_card_visa' });

test('two bursts of 120 payments at two nodes are charged once each, with few refusals', async () => {
  const first = await burst(120);
  const second = await burst(120);
  expect([...first, ...second]).toEqual(Array(240).fill('SUCCESS'));
  expect(stripe.charges).toHaveLength(240);
  expect(new Set(stripe.charges.map(({ metadata }) => metadata.florin_key)).size).toBe(240);
  expect(stripe.limit.refused).toBeLessThan(240);
}, 120_000);
