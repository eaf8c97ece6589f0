import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, makeChannel, makePayment } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { aRefusal, aText, aTime } from '../../../../tests/support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let cards: number;
let wire: number;
let paid: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  // Noon, so that the test does not cross midnight.
  const aheadMs = Date.parse('2026-06-15T12:00:00Z') - Date.now();
  florin = await florinOn(db, {}, () => Date.now() + aheadMs);
  admin = await administratorOf(florin);
  cards = await makeChannel(florin, admin, { name: 'Cards', provider: 'sandbox' });
  wire = await makeChannel(florin, admin, { name: 'Wire', type: 'OFFLINE' });
  paid = await makePayment(florin, admin, cards);
  await makePayment(florin, admin, wire, { amount: Number.MAX_SAFE_INTEGER, currency: 'EUR' });
  await makePayment(florin, admin, wire, { amount: Number.MAX_SAFE_INTEGER, currency: 'EUR' });
  await eventually('the sandbox takes the money', async () => {
    return dataOf(await florin.get(`/api/transaction/detail?id=${paid}`, admin)).status === 'SUCCESS';
  });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const usd = { currency: 'USD', count: 1, amount: '1999' };
const eur = { currency: 'EUR', count: 2, amount: '18014398509481982' };
const tried = { charges: { succeeded: 1, failed: 0, cancelled: 0 }, successRate: 1 };
const nothingTried = { charges: { succeeded: 0, failed: 0, cancelled: 0 }, successRate: null };
const unknown = { charges: null, successRate: null };

test('the timeline shows every step in order', async () => {
  const { userId } = (await florin.get('/api/user/info', admin)).body.data;
  const { status, body } = await florin.get(`/api/transaction/timeline?id=${paid}`, admin);
  const money = { amount: 1999, currency: 'USD' };
  const called = { channelId: cards, channelName: 'Cards', operation: 1, provider: 'sandbox' };
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      code: 200,
      data: [
        {
          time: aTime,
          type: 'created',
          message: `User ${userId} created the payment of 19.99 USD.`,
          status: 'PENDING',
          channelId: cards,
          channelName: 'Cards',
          provider: 'sandbox',
          detail: { userId, ...money },
        },
        {
          time: aTime,
          type: 'charge_called',
          message: 'The charge of 19.99 USD was sent to sandbox.',
          status: 'PROCESSING',
          ...called,
          detail: money,
        },
        {
          time: aTime,
          type: 'charge_succeeded',
          message: 'sandbox took 19.99 USD.',
          status: 'SUCCESS',
          ...called,
          reference: aText,
          detail: { ...money, settledBy: 'answer', calls: 1, lookUps: 0 },
        },
      ],
    },
  });
});

test('the timeline of a payment that does not exist is not found', async () => {
  const { status, body } = await florin.get('/api/transaction/timeline?id=txn_0198a5b87c1f7000800000000000dead', admin);
  expect({ status, body }).toEqual({ status: 404, body: aRefusal(404, { type: 'record_not_found', field: 'id' }) });
});

test('the summary sums payments in total, by status and by channel, exactly even beyond 2^53', async () => {
  const { status, body } = await florin.get('/api/statistics/summary', admin);
  const days = { startDate: '2026-05-17', endDate: '2026-06-15' };
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      code: 200,
      data: {
        livemode: true,
        ...days,
        ...{ count: 2, amounts: [eur], ...nothingTried, disputes: 0, disputeRate: null },
        statuses: [{ status: 'PENDING', count: 2, amounts: [eur] }],
        channels: [
          {
            ...{ channelId: wire, channelName: 'Wire', count: 2, amounts: [eur], ...nothingTried },
            ...{ disputes: 0, disputeRate: null },
          },
        ],
      },
    },
  });
  const undisputed = { disputes: 0, disputeRate: 0 };
  const ofTests = {
    livemode: false,
    ...days,
    ...{ count: 1, amounts: [usd], ...tried, ...undisputed },
    statuses: [{ status: 'SUCCESS', count: 1, amounts: [usd] }],
    channels: [{ channelId: cards, channelName: 'Cards', count: 1, amounts: [usd], ...tried, ...undisputed }],
  };
  expect(dataOf(await florin.get('/api/statistics/summary?livemode=false', admin))).toEqual(ofTests);
  expect(dataOf(await florin.get(`/api/statistics/summary?channelId=${cards}`, admin))).toEqual(ofTests);
});

test('a summary filtered by user or status has no charges', async () => {
  for (const filter of ['userId=1', 'status=SUCCESS']) {
    expect(dataOf(await florin.get(`/api/statistics/summary?${filter}`, admin))).toMatchObject(unknown);
  }
});

test('the series has a row for every day, or for each group on its days', async () => {
  const { status, body } = await florin.get('/api/statistics/series', admin);
  expect(status).toBe(200);
  expect(body.data).toHaveLength(30);
  expect(body.data[0]).toEqual({ day: '2026-05-17', count: 0, amounts: [], ...nothingTried });
  const day = '2026-06-15';
  expect(body.data.at(-1)).toEqual({ day, count: 2, amounts: [eur], ...nothingTried });
  const by = async (group: string) => [
    ...dataOf(await florin.get(`/api/statistics/series?groupBy=${group}&livemode=true`, admin)),
    ...dataOf(await florin.get(`/api/statistics/series?groupBy=${group}&livemode=false`, admin)),
  ];
  expect(await by('channel')).toEqual([
    { day, channelId: wire, channelName: 'Wire', count: 2, amounts: [eur], ...nothingTried },
    { day, channelId: cards, channelName: 'Cards', count: 1, amounts: [usd], ...tried },
  ]);
  expect(await by('status')).toEqual([
    { day, status: 'PENDING', count: 2, amounts: [eur], ...unknown },
    { day, status: 'SUCCESS', count: 1, amounts: [usd], ...unknown },
  ]);
  expect(await by('currency')).toEqual([
    { day, currency: 'EUR', count: 2, amounts: [eur], ...nothingTried },
    { day, currency: 'USD', count: 1, amounts: [usd], ...tried },
  ]);
});

test('the charges of the last 24 hours stand beside those of the week before, by channel', async () => {
  const data = dataOf(await florin.get('/api/statistics/recent?livemode=false', admin));
  expect(data).toEqual([{ channelId: cards, channelName: 'Cards', recent: tried, before: nothingTried }]);
  // No charge is made on the live channel: it has no provider.
  expect(dataOf(await florin.get('/api/statistics/recent', admin))).toEqual([]);
});

test('the metrics count payments and money, and time the calls to providers', async () => {
  const refund = await florin.post('/api/refund/create', { transactionId: paid, amount: 500 }, admin);
  expect(refund.status).toBe(200);
  await eventually('the sandbox gives the money back', async () => {
    return dataOf(await florin.get(`/api/transaction/detail?id=${paid}`, admin)).amountRefunded === 500;
  });
  const { body } = await florin.get('/metrics');
  const lines = (body as string)
    .split('\n')
    .filter((line) => /^florin_(payments_|payment_|provider_call).*[^0] /.test(line));
  const shown = lines.filter((line) => !line.includes('_bucket') && !line.includes('_sum')).sort();
  expect(shown).toEqual([
    'florin_payment_money_total{kind="paid",currency="USD",livemode="false"} 1999',
    'florin_payment_money_total{kind="refunded",currency="USD",livemode="false"} 500',
    `florin_payments_total{status="PENDING",channel="${cards}",livemode="false"} 1`,
    `florin_payments_total{status="PENDING",channel="${wire}",livemode="true"} 2`,
    `florin_payments_total{status="PROCESSING",channel="${cards}",livemode="false"} 1`,
    `florin_payments_total{status="REFUNDED",channel="${cards}",livemode="false"} 1`,
    `florin_payments_total{status="SUCCESS",channel="${cards}",livemode="false"} 1`,
    'florin_provider_call_seconds_count{provider="sandbox",verb="charge",outcome="succeeded"} 1',
    'florin_provider_call_seconds_count{provider="sandbox",verb="refund",outcome="succeeded"} 1',
  ]);
  const again = (await florin.get('/metrics')).body as string;
  for (const line of shown) expect(again).toContain(line);
});
