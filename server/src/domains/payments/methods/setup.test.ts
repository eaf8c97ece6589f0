import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer } from '../../../../tests/support/billing/invoices.ts';
import { administratorOf, makeChannel } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';

/** No simulator runs: a call would reach nobody. */
let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let channels: Record<string, number>;

beforeAll(async () => {
  db = await databaseFromTemplate();
  const nowhere = 'http://127.0.0.1:9';
  florin = await florinOn(db, { APP_PROVIDER_STRIPE_URL: nowhere, APP_PROVIDER_MOLLIE_URL: nowhere });
  as = await administratorOf(florin);
  const facts = { livemode: false, currency: 'EUR' };
  channels = {
    stripe: await makeChannel(florin, as, { ...facts, provider: 'stripe', apiKey: 'sk_test_1' }),
    mollie: await makeChannel(florin, as, { ...facts, provider: 'mollie', apiKey: 'test_1' }),
  };
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const consent = { ipAddress: '192.0.2.7', userAgent: 'A browser', acceptedTime: '2027-01-31T10:00:00.000Z' };
const bankAccount = { holder: 'Grace Hopper', iban: 'DE89370400440532013000' };

test.each([
  ['mollie', { type: 'bacs_debit', token: 'tok_1', consent }, 'methods:bacs_debit'],
  ['mollie', { type: 'other' }, 'methods:other'],
  ['stripe', { bankAccount, consent }, 'methods:bankAccount'],
])('%s keeps no method of %o: it is refused before a call, with provider and ability', async (...one) => {
  const [provider, input, ability] = one;
  const customerId = await makeCustomer(florin, as, { livemode: false });
  const setup = { customerId, channelId: channels[provider], ...input };
  const refused = await florin.post('/api/payment-method/setup', setup, as);
  expect(refused).toMatchObject({
    status: 409,
    body: { error: { type: 'channel_cannot', field: 'channelId', details: { provider, ability } } },
  });
  expect(await db.query('select from payment_method')).toEqual([]);
});
