import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer } from '../../../../tests/support/billing/invoices.ts';
import { administratorOf, dataOf, makeChannel, makeMember, makeTenant } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { uuidOfPublicId } from '../../../core/id.ts';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let channelId: number;
let customerId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await administratorOf(florin);
  channelId = await makeChannel(florin, as, { provider: 'sandbox', livemode: false, currency: 'USD,JPY' });
  customerId = await makeCustomer(florin, as, { livemode: false });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const summaryFor = (caller: string) => florin.get(`/api/customer/summary?id=${customerId}`, caller);

async function pay(facts: Record<string, unknown>, end: string): Promise<string> {
  const body = { channelId, customerId, ...facts };
  const { id } = dataOf(await florin.post('/api/transaction/create', body, as));
  await becomes(id, end);
  return id;
}

async function becomes(id: string, end: string): Promise<void> {
  await eventually(
    `the payment is ${end}`,
    async () => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, as)).status === end,
  );
}

test('what a customer has paid is summed over all payments, by currency, without those that failed', async () => {
  expect(dataOf(await summaryFor(as)).currencies).toEqual([]);
  const id = await pay({ amount: 1000, currency: 'USD' }, 'SUCCESS');
  await pay({ amount: 500, currency: 'JPY' }, 'SUCCESS');
  await pay({ amount: 70, currency: 'USD', metadata: { sandbox: 'decline:card_declined' } }, 'FAILED');
  // More than a page of a list has.
  await db.query(
    `insert into transaction
     select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
       from transaction t, generate_series(1, 150) where t.id = $1`,
    [uuidOfPublicId('txn', id)],
  );
  dataOf(await florin.post('/api/refund/create', { transactionId: id, amount: 400 }, as));
  await becomes(id, 'REFUNDED');
  expect(dataOf(await summaryFor(as))).toEqual({
    id: customerId,
    livemode: false,
    currencies: [
      { currency: 'USD', payments: 151, amountCaptured: '151000', amountRefunded: '400', amountDisputed: '0' },
      { currency: 'JPY', payments: 1, amountCaptured: '500', amountRefunded: '0', amountDisputed: '0' },
    ],
  });
});

test('what is left to pay of open invoices is summed by currency, and those of a customer alone', async () => {
  const summary = async (query: string) =>
    dataOf(await florin.get(`/api/invoice/summary?livemode=false${query}`, as)).currencies;
  expect(await summary('')).toEqual([]);
  const invoice = async (facts: Record<string, unknown>) => {
    const lines = [{ description: 'Bread', quantity: 1, unitAmount: 700 }];
    const draft = { customerId, currency: 'USD', lines, ...facts };
    const { id } = dataOf(await florin.post('/api/invoice/create', draft, as));
    dataOf(await florin.post('/api/invoice/finalize', { id }, as));
  };
  await invoice({ dueDate: '2099-01-31' });
  await invoice({ dueDate: '2020-01-31' });
  const usd = { currency: 'USD', open: 2, overdue: 1, amountRemaining: '1400', amountOverdue: '700' };
  expect(await summary('')).toEqual([usd]);
  expect(await summary(`&customerId=${customerId}`)).toEqual([usd]);
  expect(await summary(`&customerId=${await makeCustomer(florin, as, { livemode: false })}`)).toEqual([]);
});

test("another tenant's customer is not found, and its invoices are not counted", async () => {
  const tenantId = await makeTenant(florin, as);
  const member = await makeMember(florin, as, { tenantId, userType: 'MERCHANT_ADMIN' });
  expect((await summaryFor(member.as)).status).toBe(404);
  expect(dataOf(await florin.get('/api/invoice/summary?livemode=false', member.as)).currencies).toEqual([]);
});
