import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePayingCustomer } from '../../../../../tests/support/billing/invoices.ts';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeMember,
  makeTenant,
} from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let customerId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await administratorOf(florin);
  const defaultChannelId = await makeChannel(florin, as, { provider: 'sandbox', currency: 'USD,EUR' });
  customerId = await makePayingCustomer(florin, as, { livemode: false, defaultChannelId });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const post = async (path: string, body: unknown) => dataOf(await florin.post(`/api/${path}`, body, as));

async function subscribe(plan: Record<string, unknown>, quantity = 1, input: Record<string, unknown> = {}) {
  const common = { name: 'Gold', currency: 'USD', livemode: false, state: true };
  const { id: planId } = await post('plan/modify', { ...common, ...plan });
  return (await post('subscription/create', { customerId, planId, quantity, ...input })).id as number;
}

test('the monthly cost of subscriptions is summed by currency; those that began or ended are counted', async () => {
  await subscribe({ amount: 1000, interval: 'month' }, 2);
  await subscribe({ amount: 12_000, interval: 'year' });
  await subscribe({ amount: 700, interval: 'week' });
  await subscribe({ amount: 500, interval: 'month', currency: 'EUR', intervalCount: 2 });
  // A trial costs nothing yet.
  await subscribe({ amount: 9_900, interval: 'month' }, 1, { trialDays: 7 });
  await post('subscription/cancel', { id: await subscribe({ amount: 300, interval: 'month' }) });
  const summary = async (query: string) =>
    dataOf(await florin.get(`/api/subscription/summary?livemode=false${query}`, as));
  const { currencies, startDate, endDate } = await summary('');
  expect((Date.parse(endDate) - Date.parse(startDate)) / 86_400_000).toBe(29);
  // 2 × 10 + 120 ÷ 12 + 7 × 365.25 ÷ 84
  expect(currencies).toEqual([
    { currency: 'USD', active: 3, begun: 5, ended: 1, monthlyAmount: '6044' },
    { currency: 'EUR', active: 1, begun: 1, ended: 0, monthlyAmount: '250' },
  ]);
  expect((await summary(`&customerId=${customerId}`)).currencies).toEqual(currencies);
  expect((await summary('&customerId=999')).currencies).toEqual([]);
  expect((await summary('&startDate=2020-01-01&endDate=2020-12-31')).currencies[0]).toMatchObject({
    begun: 0,
    ended: 0,
  });
  expect(dataOf(await florin.get('/api/subscription/summary', as)).currencies).toEqual([]);
});

test('another tenant sees nothing of them, and a first day after the last one is refused', async () => {
  const tenantId = await makeTenant(florin, as);
  const member = await makeMember(florin, as, { tenantId, userType: 'MERCHANT_ADMIN' });
  expect(dataOf(await florin.get('/api/subscription/summary?livemode=false', member.as)).currencies).toEqual([]);
  const refused = await florin.get('/api/subscription/summary?startDate=2026-02-01&endDate=2026-01-01', as);
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { field: 'startDate', details: { rule: 'not_after' } } },
  });
});
