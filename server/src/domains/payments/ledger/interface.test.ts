import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeMember,
  makePaid,
  makePayment,
  makeTenant,
} from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { aRefusal, aTime } from '../../../../tests/support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let as: string;
let channelId: number;
let paid: string;
let refund: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  as = await aMerchant();
  channelId = await makeChannel(florin, as, { currency: 'USD,JPY' });
  paid = await makePaid(florin, as, channelId);
  refund = dataOf(await florin.post('/api/refund/create', { transactionId: paid, amount: 499 }, as)).id;
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

async function aMerchant(): Promise<string> {
  const tenantId = await makeTenant(florin, admin);
  return (await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId })).as;
}

const balance = async (query = '', who = as) => florin.get(`/api/ledger/balance?${query}`, who);
const entries = async (query = '', who = as) => florin.get(`/api/ledger/entries?${query}`, who);

describe('balance', () => {
  test('has the debits and credits of every account as digits', async () => {
    expect((await balance()).body).toEqual({
      code: 200,
      data: [
        { account: 'PROVIDER_RECEIVABLE', debit: '1999', credit: '499', balance: '1500' },
        { account: 'MERCHANT_PAYABLE', debit: '0', credit: '1999', balance: '-1999' },
        { account: 'REFUNDS', debit: '499', credit: '0', balance: '499' },
        { account: 'PROVIDER_FEES', debit: '0', credit: '0', balance: '0' },
        { account: 'DISPUTED', debit: '0', credit: '0', balance: '0' },
        { account: 'UNAPPLIED', debit: '0', credit: '0', balance: '0' },
      ].map((row) => ({ livemode: true, currency: 'USD', ...row })),
    });
  });

  test('is empty for another currency and for a day before the first entry', async () => {
    expect((await balance('currency=JPY')).body).toEqual({ code: 200, data: [] });
    expect((await balance('date=2020-01-01')).body).toEqual({ code: 200, data: [] });
    expect(dataOf(await balance('currency=USD&date=9999-12-31'))).toHaveLength(6);
  });

  test('stays exact beyond the range of JSON numbers', async () => {
    const merchant = await aMerchant();
    const channel = await makeChannel(florin, merchant);
    for (let i = 0; i < 3; i++) await makePaid(florin, merchant, channel, { amount: Number.MAX_SAFE_INTEGER });
    const [receivable] = dataOf(await balance('', merchant));
    expect(receivable).toMatchObject({ debit: '27021597764222973', balance: '27021597764222973' });
  });

  test("covers the caller's tenant, or all tenants for a platform administrator", async () => {
    const merchant = await aMerchant();
    expect(dataOf(await balance('', merchant))).toEqual([]);
    await makePaid(florin, merchant, await makeChannel(florin, merchant, { currency: 'JPY' }), {
      amount: 7,
      currency: 'JPY',
    });
    expect(dataOf(await balance('currency=JPY', merchant))[0]).toMatchObject({ debit: '7' });
    expect(dataOf(await balance('currency=JPY'))).toEqual([]);
    expect(dataOf(await balance('currency=JPY', admin))[0]).toMatchObject({ debit: '7' });
    expect((await entries('currency=JPY', admin)).body.pagination.total).toBe(2);
  });
});

describe('entries', () => {
  test('show each transfer as its debit and its credit, newest first', async () => {
    const common = { livemode: true, transactionId: paid, currency: 'USD', channelId, createdTime: aTime };
    const ofRefund = { ...common, refundId: refund, captureId: null, disputeId: null, amount: 499 };
    const ofPayment = { ...common, refundId: null, captureId: null, disputeId: null, amount: 1999 };
    const [receivable, payable] = ['PROVIDER_RECEIVABLE', 'MERCHANT_PAYABLE'];
    expect((await entries()).body).toEqual({
      code: 200,
      data: [
        { ...ofRefund, account: 'REFUNDS', side: 'DEBIT', counterAccount: receivable },
        { ...ofRefund, account: receivable, side: 'CREDIT', counterAccount: 'REFUNDS' },
        { ...ofPayment, account: receivable, side: 'DEBIT', counterAccount: payable },
        { ...ofPayment, account: payable, side: 'CREDIT', counterAccount: receivable },
      ],
      pagination: { page: 1, pageSize: 20, total: 4, totalPages: 1 },
    });
  });

  test('can be filtered with the exact total; a page may begin within a transfer', async () => {
    const merchant = await aMerchant();
    const channel = await makeChannel(florin, merchant);
    const payments: string[] = [];
    for (let i = 0; i < 3; i++) payments.push(await makePaid(florin, merchant, channel, { amount: 100 + i }));
    const read = async (query: string) => {
      const { body } = await entries(query, merchant);
      const lines = body.data.map(({ amount, side }: { amount: number; side: string }) => `${amount} ${side}`);
      return { lines, total: body.pagination.total };
    };
    expect(await read('page=2&pageSize=3')).toEqual({ lines: ['101 CREDIT', '100 DEBIT', '100 CREDIT'], total: 6 });
    expect(await read('page=2&pageSize=1')).toEqual({ lines: ['102 CREDIT'], total: 6 });
    expect(await read('page=3')).toEqual({ lines: [], total: 6 });
    expect(await read('account=MERCHANT_PAYABLE&pageSize=2')).toEqual({
      lines: ['102 CREDIT', '101 CREDIT'],
      total: 3,
    });
    expect(await read('account=REFUNDS')).toEqual({ lines: [], total: 0 });
    expect(await read(`transactionId=${payments[1]}&page=2&pageSize=1`)).toEqual({ lines: ['101 CREDIT'], total: 2 });
    expect(await read(`transactionId=${payments[1]}&account=PROVIDER_RECEIVABLE`)).toMatchObject({ total: 1 });
    expect(await read(`transactionId=${paid}`)).toEqual({ lines: [], total: 0 });
    expect(await read(`transactionId=${payments[1]}&endDate=2020-01-01`)).toEqual({ lines: [], total: 0 });
    expect(await read('endDate=2020-01-01')).toEqual({ lines: [], total: 0 });
    expect(await read('currency=EUR')).toEqual({ lines: [], total: 0 });
  });

  test('of a fee are listed with those of its payment', async () => {
    const merchant = await aMerchant();
    const channel = await makeChannel(florin, merchant, { provider: 'sandbox' });
    const id = await makePayment(florin, merchant, channel, { metadata: { sandbox: 'fee:59' } });
    const booked = await eventually('the payment is booked', async () => {
      const found = dataOf(await entries(`transactionId=${id}`, merchant));
      return found.length === 4 && found;
    });
    expect(booked.slice(2)).toMatchObject([
      { account: 'PROVIDER_FEES', side: 'DEBIT', amount: 59 },
      { account: 'PROVIDER_RECEIVABLE', side: 'CREDIT', amount: 59 },
    ]);
    const ofTests = { livemode: false, debit: '1999', credit: '59', balance: '1940' };
    expect(dataOf(await balance('livemode=false', merchant))[0]).toMatchObject(ofTests);
    expect(dataOf(await balance('', merchant))).toEqual([]);
  });
});

test.each([
  ['balance', 'currency', 'currency=usd'],
  ['balance', 'currency', 'currency=EURO'],
  ['balance', 'date', 'date=2026-02-30'],
  ['balance', 'date', 'date=now'],
  ['entries', 'account', 'account=CASH'],
  ['entries', 'transactionId', 'transactionId=5'],
  ['entries', 'pageSize', 'pageSize=101'],
  ['entries', 'page', 'page=0'],
  ['entries', 'startDate', 'startDate=2026-02-02&endDate=2026-02-01'],
  ['entries', 'currency', 'currency=%00'],
])('%s refuses a bad %s: %s', async (what, field, query) => {
  expect((await florin.get(`/api/ledger/${what}?${query}`, as)).body).toEqual(
    aRefusal(400, { type: 'invalid_request', field }),
  );
});
