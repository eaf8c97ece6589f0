import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeInvoice, paymentEventsOfInvoice } from '../../../../../tests/support/billing/invoices.ts';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let channelId: number;
let customerId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await administratorOf(florin);
  channelId = await makeChannel(florin, as, { provider: 'sandbox', capture: 'MULTIPLE' });
  customerId = await makeCustomer(florin, as, { defaultChannelId: channelId });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

// Runs before the one above.
afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
});

const invoiceOf = async (id: number) => dataOf(await florin.get(`/api/invoice/detail?id=${id}`, as));
const pay = (invoiceId: number, amount = 1000) =>
  florin.post('/api/transaction/create', { amount, currency: 'USD', channelId, invoiceId }, as);
const capture = async (id: string, input: Record<string, unknown> = {}) =>
  dataOf(await florin.post('/api/transaction/capture', { id, ...input }, as));

/** A payment of 1000 that is authorized for an invoice over 1000. */
async function authorized(): Promise<{ invoiceId: number; id: string }> {
  const invoiceId = await makeInvoice(florin, as, customerId);
  const id = await makePayment(florin, as, channelId, { amount: 1000, invoiceId, captureMethod: 'MANUAL' });
  await untilPayment(id, ({ amountCapturable }) => amountCapturable === 1000);
  return { invoiceId, id };
}

const untilPayment = (id: string, holds: (payment: Record<string, unknown>) => boolean) =>
  eventually('the payment is there', async () =>
    holds(dataOf(await florin.get(`/api/transaction/detail?id=${id}`, as))),
  );

test('an authorized payment reserves its amount on its invoice, and a capture pays it', async () => {
  const { invoiceId, id } = await authorized();
  expect(await invoiceOf(invoiceId)).toMatchObject({ status: 'OPEN', amountPaid: 0 });
  expect(await pay(invoiceId, 1)).toMatchObject({ status: 409, body: { error: { type: 'payment_exceeds_invoice' } } });
  await capture(id);
  await untilPayment(id, ({ status }) => status === 'SUCCESS');
  expect(await invoiceOf(invoiceId)).toMatchObject({ status: 'PAID', amountPaid: 1000 });
  expect(await paymentEventsOfInvoice(db, invoiceId)).toEqual(['invoice.paid']);
});

test('each capture pays its part, and a release frees the rest', async () => {
  const { invoiceId, id } = await authorized();
  await capture(id, { amount: 300, final: false });
  await untilPayment(id, ({ amountCaptured }) => amountCaptured === 300);
  expect(await invoiceOf(invoiceId)).toMatchObject({ status: 'OPEN', amountPaid: 300 });
  expect((await pay(invoiceId, 1)).status).toBe(409);
  dataOf(await florin.post('/api/transaction/release', { id }, as));
  await untilPayment(id, ({ status }) => status === 'SUCCESS');
  expect(await invoiceOf(invoiceId)).toMatchObject({ status: 'OPEN', amountPaid: 300 });
  const rest = dataOf(await pay(invoiceId, 700)).id;
  await untilPayment(rest, ({ status }) => status === 'SUCCESS');
  expect(await invoiceOf(invoiceId)).toMatchObject({ status: 'PAID', amountPaid: 1000 });
  expect(await paymentEventsOfInvoice(db, invoiceId)).toEqual(['invoice.paid']);
});

test('a final capture of a part leaves the invoice open for what is missing', async () => {
  const { invoiceId, id } = await authorized();
  await capture(id, { amount: 400 });
  await untilPayment(id, ({ status }) => status === 'SUCCESS');
  expect(await invoiceOf(invoiceId)).toMatchObject({ status: 'OPEN', amountPaid: 400 });
  expect((await pay(invoiceId, 600)).status).toBe(200);
});

test('a payment that is cancelled before its capture frees its amount, without a failed payment', async () => {
  const { invoiceId, id } = await authorized();
  dataOf(await florin.post('/api/transaction/update', { id, status: 'CANCELLED' }, as));
  await untilPayment(id, ({ status }) => status === 'CANCELLED');
  expect(await invoiceOf(invoiceId)).toMatchObject({ status: 'OPEN', amountPaid: 0 });
  expect(await paymentEventsOfInvoice(db, invoiceId)).toEqual([]);
  expect((await pay(invoiceId)).status).toBe(200);
});
