import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeInvoice } from '../../../../../tests/support/billing/invoices.ts';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel } from '../../../../../tests/support/factories.ts';
import { sandboxTime } from '../../../../../tests/support/payments/sandbox.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

const time = sandboxTime();

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let bank: number;
let cards: number;
let customerId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { ...time.settings, APP_INVOICE_REFUND_EXCESS: 'false' }, time.clock);
  as = await administratorOf(florin);
  bank = await makeChannel(florin, as, { type: 'OFFLINE', livemode: false });
  cards = await makeChannel(florin, as, { provider: 'sandbox' });
  customerId = await makeCustomer(florin, as, { livemode: false });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const get = async (path: string) => dataOf(await florin.get(`/api/${path}`, as));
const post = async (path: string, body: object) => dataOf(await florin.post(`/api/${path}`, body, as));

test('where app.invoice.refund-excess is false, what is paid twice stays UNAPPLIED, and is counted', async () => {
  const id = await makeInvoice(florin, as, customerId);
  const { transactionId: transfer } = await post('invoice/pay', { id, channelId: bank });
  const late = { id, channelId: cards, paymentMethod: 'sandbox:late' };
  const { transactionId: card } = await post('invoice/pay', late);
  await post('transaction/update', { id: transfer, status: 'SUCCESS' });
  await time.pass(db);
  const invoice = await eventually('the card has paid as well', async () => {
    const found = await get(`invoice/detail?id=${id}`);
    return found.amountToReturn > 0 && found;
  });
  expect(invoice).toMatchObject({ status: 'PAID', amountPaid: 1000, amountToReturn: 1000 });
  expect(await get(`transaction/detail?id=${card}`)).toMatchObject({ status: 'SUCCESS', amountRefunded: 0 });
  expect(await get(`refund/list?transactionId=${card}`)).toEqual([]);
  expect(await get('ledger/balance?livemode=false')).toContainEqual(
    expect.objectContaining({ account: 'UNAPPLIED', balance: '-1000' }),
  );
  const { body: metrics } = await florin.get('/metrics');
  expect(metrics).toMatch(/^florin_excess_payments_total\{result="to_return"\} 1$/m);

  await post('refund/create', { transactionId: card });
  await eventually('it is given back', async () => (await get(`invoice/detail?id=${id}`)).amountToReturn === 0);
  await eventually('the refund is booked', async () => {
    const balances: { account: string; balance: string }[] = await get('ledger/balance?livemode=false');
    return balances.some(({ account, balance }) => account === 'UNAPPLIED' && balance === '0');
  });
  expect(await brokenClaims(db.database)).toEqual([]);
});

test('what a capture takes of an invoice that was paid meanwhile is UNAPPLIED', async () => {
  const invoiceId = await makeInvoice(florin, as, customerId);
  const { transactionId: transfer } = await post('invoice/pay', { id: invoiceId, channelId: bank });
  const manual = { amount: 1000, currency: 'USD', channelId: cards, invoiceId, captureMethod: 'MANUAL' };
  const { id } = await post('transaction/create', { ...manual, paymentMethod: 'sandbox:authorize' });
  const payment = () => get(`transaction/detail?id=${id}`);
  await eventually('it is authorized', async () => (await payment()).amountCapturable === 1000);
  await post('transaction/update', { id: transfer, status: 'SUCCESS' });
  await eventually(
    'the transfer has paid',
    async () => (await get(`invoice/detail?id=${invoiceId}`)).status === 'PAID',
  );
  await post('transaction/capture', { id });
  await eventually('it is captured', async () => (await payment()).status === 'SUCCESS');
  expect(await get(`invoice/detail?id=${invoiceId}`)).toMatchObject({ amountPaid: 1000, amountToReturn: 1000 });
  expect(await get('ledger/balance?livemode=false')).toContainEqual(
    expect.objectContaining({ account: 'UNAPPLIED', balance: '-1000' }),
  );
  expect(await brokenClaims(db.database)).toEqual([]);
});
