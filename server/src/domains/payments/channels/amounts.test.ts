import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, makeChannel } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { minimumAmounts } from '../../../../tests/support/simulators/stripe-rules.ts';
import { abilitiesOf } from '../providers/abilities.ts';
import { chargeRefusal } from './amounts.ts';

/** No simulator runs: a call would reach nobody. */
let db: TestDatabase;
let florin: TestFlorin;
let as: string;
const ids: Record<string, number> = {};

beforeAll(async () => {
  db = await databaseFromTemplate();
  const nowhere = 'http://127.0.0.1:9';
  florin = await florinOn(db, { APP_PROVIDER_STRIPE_URL: nowhere, APP_PROVIDER_MOLLIE_URL: nowhere });
  as = await administratorOf(florin);
  const facts = { livemode: false, currency: 'EUR,JPY,KWD,MGA,TND' };
  ids.stripe = await makeChannel(florin, as, { ...facts, provider: 'stripe', apiKey: 'sk_test_1' });
  ids.mollie = await makeChannel(florin, as, { ...facts, provider: 'mollie', apiKey: 'test_1' });
  ids.fallback = await makeChannel(florin, as, { ...facts, provider: 'sandbox', fallbackChannelIds: [ids.stripe] });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

test.each([
  ['stripe', 49, 'EUR', 'amount', { ability: 'amount:minimum', minimum: 50 }],
  ['stripe', 49, 'JPY', 'amount', { ability: 'amount:minimum', minimum: 50 }],
  ['stripe', 5124, 'KWD', 'amount', { ability: 'amount:decimals' }],
  ['stripe', 201, 'MGA', 'amount', { ability: 'amount:decimals' }],
  ['mollie', 5000, 'TND', 'currency', { ability: 'currency:TND' }],
])('%s takes no payment of %i %s: it is refused before a call, with provider and ability', async (...one) => {
  const [provider, amount, currency, field, details] = one;
  const refused = {
    status: 409,
    body: { error: { type: 'channel_cannot', field, details: { provider, ...details } } },
  };
  const payment = { amount, currency, channelId: ids[provider] };
  expect(await florin.post('/api/transaction/create', payment, as)).toMatchObject(refused);
  const link = { amount, currency, channelIds: [ids[provider]] };
  expect(await florin.post('/api/checkout/create', link, as)).toMatchObject(refused);
  expect(await db.query('select from provider_operation')).toEqual([]);
});

test('a fallback channel whose provider cannot take the amount is skipped', async () => {
  const payment = {
    amount: 49,
    currency: 'EUR',
    channelId: ids.fallback,
    paymentMethod: 'sandbox:decline:processing_error',
  };
  const { id } = dataOf(await florin.post('/api/transaction/create', payment, as));
  await eventually(
    'it has failed',
    async () => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, as)).status === 'FAILED',
  );
  expect(await db.query('select channel_id from provider_operation')).toEqual([{ channel_id: ids.fallback }]);
});

test('the minimums are those that the simulator of Stripe demands', () => {
  const lowerCase = Object.fromEntries(
    Object.entries(abilitiesOf('stripe').minimumAmounts).map(([code, amount]) => [code.toLowerCase(), amount]),
  );
  expect(lowerCase).toEqual(minimumAmounts);
  expect(chargeRefusal('stripe', { amount: 50, currency: 'EUR' })).toBeUndefined();
  expect(chargeRefusal(null, { amount: 1, currency: 'TND' })).toBeUndefined();
});
