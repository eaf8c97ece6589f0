import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeInvoice } from '../../../../tests/support/billing/invoices.ts';
import { administratorOf, dataOf, makeChannel } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';

/** No simulator runs: a call would reach nobody. */
let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let channels: Record<string, number>;
let customerId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_PROVIDER_MOLLIE_URL: 'http://127.0.0.1:9' });
  as = await administratorOf(florin);
  channels = {
    mollie: await makeChannel(florin, as, { provider: 'mollie', livemode: false, apiKey: 'test_1' }),
    sandbox: await makeChannel(florin, as, { provider: 'sandbox' }),
  };
  customerId = await makeCustomer(florin, as, { livemode: false });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

test.each([
  ['mollie', 'ideal', 'ideal', {}],
  ['mollie', 'banktransfer', 'banktransfer', {}],
  ['sandbox', 'sandbox:debit:late', 'sepa_debit', {}],
  ['sandbox', 'tok_visa', 'sepa_debit', { sandbox: 'debit:returned' }],
])('a payment at %s that names %s cannot be authorized first: it is refused before a call', async (...one) => {
  const [provider, paymentMethod, type, metadata] = one;
  const input = { channelId: channels[provider], paymentMethod, captureMethod: 'MANUAL' };
  const error = {
    type: 'channel_cannot',
    field: 'captureMethod',
    details: { provider, ability: `capture:${type}` },
  };
  const payment = { amount: 1000, currency: 'EUR', metadata, ...input };
  expect(await florin.post('/api/transaction/create', payment, as)).toMatchObject({ status: 409, body: { error } });
  const id = await makeInvoice(florin, as, customerId, { currency: 'EUR', metadata });
  expect(await florin.post('/api/invoice/pay', { id, ...input }, as)).toMatchObject({ status: 409, body: { error } });
  expect(await db.query('select from provider_operation')).toEqual([]);
});

test.each(['creditcard', 'klarna', 'tok_of_another_provider'])(
  'a payment at Mollie that names %s can be authorized first',
  async (paymentMethod) => {
    const input = { amount: 1000, currency: 'EUR', channelId: channels.mollie, paymentMethod, captureMethod: 'MANUAL' };
    dataOf(await florin.post('/api/transaction/create', input, as));
  },
);
