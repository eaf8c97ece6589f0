import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeInvoice } from '../support/billing/invoices.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { MollieSimulator, type SimulatedCallback } from '../support/simulators/mollie.ts';

/** The details of a purchase that Mollie gets, and payers who change their mind on its page. */
let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let mollie: MollieSimulator;
let channelId: number;
let customerId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  mollie = await MollieSimulator.start();
  florin = await florinOn(db, { APP_PROVIDER_MOLLIE_URL: mollie.url });
  admin = await administratorOf(florin);
  const facts = { provider: 'mollie', livemode: false, apiKey: 'test_simulated', webhookSecret: channelSecret };
  channelId = await makeChannel(florin, admin, { ...facts, currency: 'EUR' });
  customerId = await makeCustomer(florin, admin, { defaultChannelId: channelId, ...payer });
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await mollie.close();
  await db.drop();
});

const named = { name: 'Ada Lovelace', email: 'ada@example.org' };
const address = { line1: 'Keizersgracht 126', postalCode: '1015 CW', city: 'Amsterdam', country: 'NL' };
const payer = { ...named, address };
const lines = [
  { description: 'Violin', quantity: 1, unitAmount: 1000, taxRate: 1900 },
  { description: 'Strings', quantity: 2, unitAmount: 250 },
];
const euros = (value: string) => ({ currency: 'EUR', value });

const create = (facts: object) =>
  florin.post('/api/transaction/create', { amount: 1690, currency: 'EUR', channelId, ...facts }, admin);
const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
const invoiceOf = async (id: number) => dataOf(await florin.get(`/api/invoice/detail?id=${id}`, admin));
const comesTo = (id: string, status: string) =>
  eventually(`it is ${status}`, async () => {
    const found = await payment(id);
    return found.status === status && found;
  });

/** The payment at Mollie, once it is there. */
const atMollie = (id: string) =>
  eventually('Mollie has the payment', async () => {
    const { providerReference } = await payment(id);
    return providerReference !== null && mollie.payment(providerReference as string);
  });

function deliver({ url, headers, body }: SimulatedCallback) {
  return florin.call('POST', new URL(url).pathname + new URL(url).search, { headers, body });
}

/** The payer pays, and Mollie's callback arrives. */
async function paid(reference: string, method?: string): Promise<void> {
  mollie.pay(reference, method);
  expect((await deliver(mollie.callbacks.at(-1) as SimulatedCallback)).status).toBe(200);
}

test('the lines and the address of a payment are sent to a method that needs them, and are not shown', async () => {
  const created = dataOf(await create({ paymentMethod: 'klarna', lines, billingAddress: { ...address, ...named } }));
  expect(JSON.stringify(created)).not.toContain('Keizersgracht');
  const { id, lines: sent, billingAddress } = await atMollie(created.id);
  expect(sent).toMatchObject([
    { description: 'Violin', quantity: 1, unitPrice: euros('11.90'), vatRate: '19.00', vatAmount: euros('1.90') },
    { description: 'Strings', quantity: 2, unitPrice: euros('2.50'), totalAmount: euros('5.00') },
  ]);
  expect(billingAddress).toMatchObject({ givenName: 'Ada', familyName: 'Lovelace', streetAndNumber: address.line1 });
  await paid(id);
  await comesTo(created.id, 'SUCCESS');
});

test('lines that do not add up to the amount with their taxes are refused', async () => {
  const { status, body } = await create({ amount: 1500, lines });
  expect([status, body.error]).toEqual([400, expect.objectContaining({ type: 'invalid_request', field: 'lines' })]);
});

test('by default the lines are those of the invoice, and the address that of the customer', async () => {
  const id = await makeInvoice(florin, admin, customerId, { currency: 'EUR', lines });
  const pay = { id, channelId, paymentMethod: 'riverty' };
  const { transactionId } = dataOf(await florin.post('/api/invoice/pay', pay, admin));
  const { id: reference, lines: sent, billingAddress, captureMode } = await atMollie(transactionId);
  expect(sent).toHaveLength(2);
  expect(billingAddress).toMatchObject({ email: payer.email, city: 'Amsterdam' });

  // Riverty only authorizes: the payment is captured at once.
  expect(captureMode).toBe('manual');
  mollie.authorize(reference);
  await deliver(mollie.callbacks.at(-1) as SimulatedCallback);
  await eventually('it is captured', async () => mollie.payment(reference).captures.length === 1);
  mollie.capture(reference);
  await deliver(mollie.callbacks.at(-1) as SimulatedCallback);
  await comesTo(transactionId, 'SUCCESS');
  expect(await invoiceOf(id)).toMatchObject({ status: 'PAID', amountPaid: 1690 });
});

test('a part of an invoice has no lines, so a method that needs them is not taken', async () => {
  const id = await makeInvoice(florin, admin, customerId, { currency: 'EUR', lines });
  const pay = { id, channelId, paymentMethod: 'klarna', amount: 1000 };
  const { transactionId } = dataOf(await florin.post('/api/invoice/pay', pay, admin));
  expect(await comesTo(transactionId, 'FAILED')).toMatchObject({ failureCode: 'not_supported' });
});

test('a customer of another system has no address here', async () => {
  const created = dataOf(await create({ customerId: 999_999, paymentMethod: 'klarna', lines }));
  expect(await comesTo(created.id, 'FAILED')).toMatchObject({ failureCode: 'not_supported' });
});

test('a payer who changes their mind pays another payment beside the first, which cannot be cancelled', async () => {
  const id = await makeInvoice(florin, admin, customerId, { currency: 'EUR', lines });
  const open = async () => dataOf(await florin.post('/api/invoice/pay', { id, channelId }, admin)).transactionId;
  const first = await open();
  const abandoned = await atMollie(first);
  const looks = () =>
    mollie.requests.filter(({ method, path }) => method === 'GET' && path === `/v2/payments/${abandoned.id}`).length;
  const before = looks();
  const second = await open();
  expect(looks()).toBe(before + 1);
  const chosen = await atMollie(second);
  expect(chosen.id).not.toBe(abandoned.id);
  await paid(chosen.id);
  await comesTo(second, 'SUCCESS');
  expect(await invoiceOf(id)).toMatchObject({ status: 'PAID', amountPaid: 1690 });
  expect(mollie.payment(abandoned.id).status).toBe('open');
  expect(await payment(first)).toMatchObject({ status: 'PROCESSING' });

  // The payer pays the first one as well: it is a success, and Florin gives its money back, once.
  await paid(abandoned.id);
  await comesTo(first, 'SUCCESS');
  await eventually('the money is given back', async () => mollie.payment(abandoned.id).refunds.length === 1);
  const [refund] = (await florin.get(`/api/refund/list?transactionId=${first}`, admin)).body.data;
  expect(refund).toMatchObject({ amount: 1690, reason: 'duplicate' });
  expect(mollie.payment(chosen.id).refunds).toEqual([]);
});
