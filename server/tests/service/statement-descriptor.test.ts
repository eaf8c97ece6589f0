import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { MollieSimulator } from '../support/simulators/mollie.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/** What payers read on their statements: where it comes from, and where it is sent. */
let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let stripe: StripeSimulator;
let mollie: MollieSimulator;
const channels: Record<string, number> = {};

beforeAll(async () => {
  db = await databaseFromTemplate();
  stripe = await startStripeSimulator();
  mollie = await MollieSimulator.start();
  florin = await florinOn(db, { APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROVIDER_MOLLIE_URL: mollie.url });
  admin = await administratorOf(florin);
  for (const [provider, apiKey] of [
    ['stripe', simulatedApiKey],
    ['mollie', 'test_simulated'],
    ['sandbox', 'any'],
  ] as const) {
    const facts = { provider, livemode: false, apiKey, currency: 'EUR,USD' };
    channels[provider] = await makeChannel(florin, admin, { ...facts, statementDescriptor: 'FLORIN SHOP' });
  }
});

afterAll(async () => {
  await florin.stop();
  await mollie.close();
  await stripe.close();
  await db.drop();
});

const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
const pay = (provider: string, changes = {}) =>
  makePayment(florin, admin, channels[provider] as number, { currency: 'EUR', ...changes });
const comesTo = (id: string, status: string) =>
  eventually(`it is ${status}`, async () => (await payment(id)).status === status);
const intentOf = (id: string) =>
  [...stripe.account.intents.values()].find(({ metadata }) => metadata.florin_transaction === id);

test('a payment has its own, or else that of its channel', async () => {
  expect(await payment(await pay('sandbox'))).toMatchObject({ statementDescriptor: 'FLORIN SHOP' });
  const own = await payment(await pay('sandbox', { statementDescriptor: 'FLORIN BOOKS' }));
  expect(own).toMatchObject({ statementDescriptor: 'FLORIN BOOKS' });
});

test('a renewal has that of its plan', async () => {
  const customer = { name: 'Ada Lovelace', livemode: false };
  const { id: customerId } = dataOf(await florin.post('/api/customer/modify', customer, admin));
  const setup = { customerId, channelId: channels.sandbox, token: 'tok_visa' };
  const { id: methodId } = dataOf(await florin.post('/api/payment-method/setup', setup, admin));
  await eventually('it can be charged', async () => {
    const found = dataOf(await florin.get(`/api/payment-method/detail?id=${methodId}`, admin));
    return found.status === 'ACTIVE';
  });
  const plan = { name: 'Basic', currency: 'EUR', amount: 900, interval: 'month', state: true, livemode: false };
  const input = { ...plan, statementDescriptor: 'FLORIN CLUB' };
  const { id: planId } = dataOf(await florin.post('/api/plan/modify', input, admin));
  dataOf(await florin.post('/api/subscription/create', { customerId, planId }, admin));
  const found = await eventually('it is paid', async () => {
    const [paid] = dataOf(await florin.get(`/api/transaction/list?customerId=${customerId}&status=SUCCESS`, admin));
    return paid;
  });
  expect(await payment(found.id)).toMatchObject({ amount: 900, statementDescriptor: 'FLORIN CLUB' });
});

test.each([
  ['channel', () => ({ id: channels.sandbox })],
  ['plan', async () => ({ id: await newPlan() })],
] as const)('a %s keeps its own where an update says nothing, and null clears it', async (record, idOf) => {
  const { id } = await idOf();
  const modify = async (changes: object) =>
    dataOf(await florin.post(`/api/${record}/modify`, { id, ...changes }, admin)).statementDescriptor;
  expect(await modify({ statementDescriptor: 'FLORIN SHOP' })).toBe('FLORIN SHOP');
  expect(await modify({ name: 'Renamed' })).toBe('FLORIN SHOP');
  expect(await modify({ statementDescriptor: null })).toBeNull();
  expect(await modify({ statementDescriptor: 'FLORIN SHOP' })).toBe('FLORIN SHOP');
});

const newPlan = async (): Promise<number> => {
  const plan = { name: 'Other', currency: 'EUR', amount: 900, interval: 'month', state: true };
  return dataOf(await florin.post('/api/plan/modify', plan, admin)).id;
};

test.each([
  'ABCD',
  'A'.repeat(23),
  '12345',
  'FLORIN*SHOP',
  'FLORIN <SHOP>',
  "FLORIN'S",
  'FLORIN "A"',
  'A\\BCDE',
  'CAFÉ BAR',
])('%s is refused, because networks do not take it', async (statementDescriptor) => {
  for (const [path, body] of [
    ['transaction/create', { amount: 100, currency: 'EUR', channelId: channels.sandbox }],
    ['channel/modify', { id: channels.sandbox }],
    ['plan/modify', { name: 'Plan', currency: 'EUR', amount: 100, interval: 'month', state: true }],
  ] as const) {
    const { status, body: refused } = await florin.post(`/api/${path}`, { ...body, statementDescriptor }, admin);
    expect([path, status, refused.error?.field]).toEqual([path, 400, 'statementDescriptor']);
  }
});

test('Stripe gets it as the suffix where a card can pay, by token or page, and whole for a kept debit', async () => {
  const id = await pay('stripe', { paymentMethod: 'pm_card_visa' });
  await comesTo(id, 'SUCCESS');
  expect(intentOf(id)).toMatchObject({ statement_descriptor: null, statement_descriptor_suffix: 'FLORIN SHOP' });

  const onPage = await pay('stripe');
  const { url } = await eventually('it has a page', async () => (await payment(onPage)).nextAction ?? false);
  await fetch(url, { method: 'POST', body: new URLSearchParams({ method: 'pm_card_visa' }), redirect: 'manual' });
  expect(intentOf(onPage)).toMatchObject({ statement_descriptor: null, statement_descriptor_suffix: 'FLORIN SHOP' });

  const customer = { name: 'Ada Lovelace', livemode: false };
  const { id: customerId } = dataOf(await florin.post('/api/customer/modify', customer, admin));
  const consent = { ipAddress: '192.0.2.1', userAgent: 'Browser', acceptedTime: '2026-11-27T10:00:00.000Z' };
  const setup = { customerId, channelId: channels.stripe, token: 'pm_success_de', consent };
  const { id: methodId } = dataOf(await florin.post('/api/payment-method/setup', setup, admin));
  await eventually('it can be charged', async () => {
    const found = dataOf(await florin.get(`/api/payment-method/detail?id=${methodId}`, admin));
    return found.status === 'ACTIVE';
  });
  const debit = await pay('stripe', { methodId, initiator: 'MERCHANT' });
  const intent = await eventually('Stripe has it', () => intentOf(debit));
  expect(intent).toMatchObject({
    statement_descriptor: 'FLORIN SHOP',
    statement_descriptor_suffix: null,
    allowed_payment_method_types: ['sepa_debit'],
  });
});

test('Mollie gets it as the description, which it shows on statements', async () => {
  const id = await pay('mollie', { description: 'Order 66' });
  const found = await eventually('Mollie has it', () =>
    mollie.payments.find(({ metadata }) => (metadata as Record<string, string>).florin_transaction === id),
  );
  expect(found.description).toBe('FLORIN SHOP');
});

test("the sandbox's page shows it", async () => {
  const id = await pay('sandbox', { metadata: { sandbox: 'payer' }, statementDescriptor: 'FLORIN & SONS' });
  const { url } = await eventually('the payer is asked', async () => (await payment(id)).nextAction ?? false);
  const page = await (await fetch(florin.address + new URL(url).pathname)).text();
  expect(page).toContain('On the statement: FLORIN &amp; SONS');
});
