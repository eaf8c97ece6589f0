import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer } from '../support/billing/invoices.ts';
import { administratorOf, channelInput, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';

/** What no longer begins, while what exists goes on: withdrawn currencies, and other providers of a channel in use. */
let db: TestDatabase;
let florin: TestFlorin;
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const refused = { status: 400, body: { error: { type: 'invalid_request', field: 'currency' } } };

/** A channel that listed these currencies before they were withdrawn. */
async function oldChannel(changes: Record<string, unknown> = {}): Promise<number> {
  const id = await makeChannel(florin, admin, changes);
  await db.query(`update channel set currencies = '{USD,HRK,BGN}' where id = $1`, [id]);
  dataOf(await florin.post('/api/channel/modify', { id, name: 'Old' }, admin));
  return id;
}

test.each(['HRK', 'ANG', 'SLL', 'CUC', 'BGN'])('%s is refused where a channel adds it', async (code) => {
  expect(await florin.post('/api/channel/modify', channelInput({ currency: `USD,${code}` }), admin)).toMatchObject(
    refused,
  );
  const id = await makeChannel(florin, admin);
  expect(await florin.post('/api/channel/modify', { id, currency: `USD,${code}` }, admin)).toMatchObject(refused);
});

test('a channel that lists a withdrawn currency already can be saved, and takes no new payments in it', async () => {
  const channelId = await oldChannel();
  const saved = await florin.post('/api/channel/modify', { id: channelId, currency: 'USD,HRK', state: true }, admin);
  expect(dataOf(saved).currency).toBe('USD,HRK');
  const payment = { amount: 1999, currency: 'HRK', channelId };
  expect(await florin.post('/api/transaction/create', payment, admin)).toMatchObject(refused);
  expect((await florin.post('/api/transaction/create', { ...payment, currency: 'USD' }, admin)).status).toBe(200);
});

test('invoices, plans and payment links in a withdrawn currency are refused', async () => {
  const channelId = await oldChannel();
  const customerId = await makeCustomer(florin, admin);
  const lines = [{ description: 'Work', quantity: 1, unitAmount: 500 }];
  expect(await florin.post('/api/invoice/create', { customerId, currency: 'HRK', lines }, admin)).toMatchObject(
    refused,
  );
  const plan = { name: 'Old', currency: 'HRK', amount: 500, interval: 'month', state: true };
  expect(await florin.post('/api/plan/modify', plan, admin)).toMatchObject(refused);
  const link = { amount: 500, currency: 'HRK', channelIds: [channelId] };
  expect(await florin.post('/api/checkout/create', link, admin)).toMatchObject(refused);
});

test('what exists in a withdrawn currency is paid, shown and refunded', async () => {
  const channelId = await oldChannel();
  const customerId = await makeCustomer(florin, admin);
  const lines = [{ description: 'Work', quantity: 1, unitAmount: 500 }];
  const invoice = dataOf(await florin.post('/api/invoice/create', { customerId, currency: 'EUR', lines }, admin));
  await db.query(`update invoice set currency = 'HRK' where id = $1`, [invoice.id]);
  dataOf(await florin.post('/api/invoice/finalize', { id: invoice.id }, admin));
  const id = await makePayment(florin, admin, channelId, { amount: 500, currency: 'HRK', invoiceId: invoice.id });
  dataOf(await florin.post('/api/transaction/update', { id, status: 'SUCCESS' }, admin));
  dataOf(await florin.post('/api/refund/create', { transactionId: id, amount: 100 }, admin));
  const listed = dataOf(await florin.get('/api/transaction/list?currency=HRK', admin));
  expect(listed).toMatchObject([{ id, currency: 'HRK', amountRefunded: 100 }]);
});

test('the provider of a channel cannot be changed while payments are under way, and can be afterwards', async () => {
  const id = await makeChannel(florin, admin, { provider: 'sandbox' });
  const payments = [];
  for (let i = 0; i < 3; i++) payments.push(await makePayment(florin, admin, id, { metadata: { sandbox: 'pending' } }));
  const change = { id, provider: 'stripe', apiKey: 'sk_test_1' };
  const inUse = { type: 'channel_in_use', field: 'provider', details: { open: 3 } };
  expect(await florin.post('/api/channel/modify', change, admin)).toMatchObject({
    status: 409,
    body: { error: inUse },
  });
  expect((await florin.post('/api/channel/modify', { id, provider: null }, admin)).status).toBe(409);
  expect((await florin.post('/api/channel/modify', { id, provider: 'sandbox', name: 'Same' }, admin)).status).toBe(200);
  for (const payment of payments) {
    dataOf(await florin.post('/api/transaction/update', { id: payment, status: 'CANCELLED' }, admin));
    await eventually('it has ended', async () => {
      const { status } = dataOf(await florin.get(`/api/transaction/detail?id=${payment}`, admin));
      return status === 'CANCELLED';
    });
  }
  expect((await florin.post('/api/channel/modify', change, admin)).status).toBe(200);
});
