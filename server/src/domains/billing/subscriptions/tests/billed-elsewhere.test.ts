import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePayingCustomer } from '../../../../../tests/support/billing/invoices.ts';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let planId: number;
let customer: { clockId: number; customerId: number };

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await administratorOf(florin);
  const defaultChannelId = await makeChannel(florin, as, { provider: 'sandbox' });
  const plan = { name: 'Gold', currency: 'USD', amount: 3100, interval: 'month', livemode: false, state: true };
  planId = (await post('plan/modify', { ...plan, trialDays: 14 })).id;
  const { id: clockId } = await post('clock/create', { name: 'Moved', nowTime: '2030-02-10T12:00:00Z' });
  const customerId = await makePayingCustomer(florin, as, { clockId, livemode: false, defaultChannelId });
  customer = { clockId, customerId };
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await db.drop();
});

const post = async (path: string, body: unknown) => dataOf(await florin.post(`/api/${path}`, body, as));
const get = async (path: string) => dataOf(await florin.get(`/api/${path}`, as));
const create = (input: object) =>
  florin.post('/api/subscription/create', { customerId: customer.customerId, planId, ...input }, as);
const begun = { startTime: '2029-10-31T09:30:00Z', billedUntil: '2030-02-28T09:30:00Z' };

test('a period that a former system billed is neither a trial nor invoiced, and the 31st stays the 31st', async () => {
  const { id, ...subscription } = dataOf(await create({ ...begun, externalId: 'sub_A' }));
  expect(subscription).toMatchObject({
    state: 'ACTIVE',
    externalId: 'sub_A',
    trialEnd: null,
    periodStart: '2030-01-31T09:30:00.000Z',
    periodEnd: '2030-02-28T09:30:00.000Z',
  });
  const invoices = () => get(`invoice/list?customerId=${customer.customerId}&livemode=false`);
  expect(await invoices()).toEqual([]);
  expect(await db.query('select from invoice_mail')).toEqual([]);
  expect(await get('subscription/list?externalId=sub_A&livemode=false')).toMatchObject([{ id }]);

  await post('clock/advance', { id: customer.clockId, toTime: '2030-04-15T00:00:00Z' });
  await eventually(
    'the clock has arrived',
    async () => (await get(`clock/detail?id=${customer.clockId}`)).state === 'READY',
    30_000,
  );
  const periods = (await invoices()).map(({ periodStart, periodEnd }: Record<string, string>) => [
    periodStart,
    periodEnd,
  ]);
  expect(periods.toReversed()).toEqual([
    ['2030-02-28T09:30:00.000Z', '2030-03-31T09:30:00.000Z'],
    ['2030-03-31T09:30:00.000Z', '2030-04-30T09:30:00.000Z'],
  ]);
});

test('an external id names one subscription of a mode', async () => {
  const next = { billedUntil: '2030-05-10T00:00:00Z' };
  dataOf(await create({ ...next, externalId: 'sub_B' }));
  const again = await create({ ...next, externalId: 'sub_B' });
  expect(again).toMatchObject({ status: 409, body: { error: { type: 'external_id_taken', field: 'externalId' } } });
});

test.each([
  ['startTime without billedUntil', { startTime: '2029-10-31T09:30:00Z' }, 'startTime'],
  ['a trial beside it', { billedUntil: '2030-05-10T00:00:00Z', trialDays: 3 }, 'billedUntil'],
  ['a time that has passed', { billedUntil: '2030-01-10T00:00:00Z' }, 'billedUntil'],
  ['a period that has not begun', { billedUntil: '2030-07-10T00:00:00Z' }, 'billedUntil'],
  ['the middle of a period', { startTime: '2029-10-31T09:30:00Z', billedUntil: '2030-05-10T09:30:00Z' }, 'billedUntil'],
  ['a start after the end', { startTime: '2031-10-31T09:30:00Z', billedUntil: '2030-05-10T09:30:00Z' }, 'billedUntil'],
])('%s is refused', async (_what, input, field) => {
  expect(await create(input)).toMatchObject({ status: 400, body: { error: { type: 'invalid_request', field } } });
});
