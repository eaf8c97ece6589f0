import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCustomer, makePayingCustomer, replaceMethod } from '../../../../../tests/support/billing/invoices.ts';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeMember,
  makeTenant,
} from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { aRefusal } from '../../../../../tests/support/shapes.ts';
import { checks } from '../../../../app/integrity.ts';
import { offendersOf } from '../../../../platform/postgres/check.ts';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let sandbox: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await administratorOf(florin);
  sandbox = await makeChannel(florin, as, { provider: 'sandbox' });
});

afterAll(async () => {
  const broken: string[] = [];
  for (const check of checks) {
    const offenders = await offendersOf(db.database, check, 5);
    if (offenders.length > 0) broken.push(`${check.claim}: ${offenders}`);
  }
  await florin.stop();
  await db.drop();
  expect(broken).toEqual([]);
});

const post = async (path: string, body: unknown) => dataOf(await florin.post(`/api/${path}`, body, as));
const get = async (path: string) => dataOf(await florin.get(`/api/${path}`, as));
const advance = async (id: number, toTime: string) => {
  await post('clock/advance', { id, toTime });
  await eventually('the clock has arrived', async () => (await get(`clock/detail?id=${id}`)).state === 'READY', 30_000);
};

async function aCustomer(nowTime: string, changes: Record<string, unknown> = {}) {
  const { id: clockId } = await post('clock/create', { name: 'A year', nowTime });
  const customerId = await makePayingCustomer(florin, as, {
    clockId,
    livemode: false,
    defaultChannelId: sandbox,
    ...changes,
  });
  return { clockId, customerId };
}

const aPlan = async (changes: Record<string, unknown> = {}): Promise<number> =>
  (
    await post('plan/modify', {
      name: 'Gold',
      currency: 'USD',
      amount: 3100,
      interval: 'month',
      livemode: false,
      state: true,
      ...changes,
    })
  ).id;

const invoicesOf = async (customerId: number) =>
  (await get(`invoice/list?customerId=${customerId}&pageSize=100`)).toReversed();

const aSubscription = async (input: Record<string, unknown>): Promise<number> =>
  (await post('subscription/create', input)).id;
const detail = (id: number) => get(`subscription/detail?id=${id}`);
const linesOf = async (invoiceId: number) =>
  (await get(`invoice/detail?id=${invoiceId}`)).lines.map(
    ({ description, quantity, amount }: { description: string; quantity: number; amount: number }) =>
      `${quantity} ${description} ${amount}`,
  );
const settled = (clockId: number) =>
  eventually('no work is in progress', async () => {
    const [row] = await db.query(
      `select exists (select from invoice_collection where clock_id = $1
           and due_at <= (select now_at from clock where id = $1))
           or exists (select from invoice_payment where state <> 'OPEN' and applied_at is null)
           or exists (select from provider_operation where finished_at is null) as busy`,
      [clockId],
    );
    return row?.busy === false;
  });
const day = (time: string | null) => time?.slice(0, 10);

describe('a year on a test clock', () => {
  test('issues and pays an invoice for each period, and the periods are contiguous from a month end on', async () => {
    const { clockId, customerId } = await aCustomer('2027-01-31T09:30:00Z');
    const id = await aSubscription({ customerId, planId: await aPlan() });
    await advance(clockId, '2028-01-30T00:00:00Z');
    const invoices = await invoicesOf(customerId);
    expect(invoices.map(({ periodStart }: { periodStart: string }) => day(periodStart)?.slice(5))).toEqual(
      '01-31 02-28 03-31 04-30 05-31 06-30 07-31 08-31 09-30 10-31 11-30 12-31'.split(' '),
    );
    for (const invoice of invoices)
      expect(invoice).toMatchObject({ status: 'PAID', amountPaid: 3100, subscriptionId: id });
    expect(await detail(id)).toMatchObject({ state: 'ACTIVE', periodEnd: '2028-01-31T09:30:00.000Z', version: 12 });
    const events = await get(`event/list?objectId=sub_${id}&pageSize=100`);
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      ...Array(11).fill('subscription.updated'),
      'subscription.created',
    ]);
  });

  test('with a failing card, retries after 2, 5, 7 and 7 days, then cancels', async () => {
    const { clockId, customerId } = await aCustomer('2027-01-01T00:00:00Z');
    const id = await aSubscription({ customerId, planId: await aPlan() });
    await settled(clockId);
    await replaceMethod(florin, as, customerId, 'sandbox:decline:insufficient_funds');
    const paymentsBy = async (toTime: string) => {
      await advance(clockId, toTime);
      const [, second] = await invoicesOf(customerId);
      const { payments } = await get(`invoice/detail?id=${second.id}`);
      return [payments.length, (await detail(id)).state];
    };
    expect(await paymentsBy('2027-02-01T00:00:00Z')).toEqual([1, 'PAST_DUE']);
    expect(await paymentsBy('2027-02-02T23:00:00Z')).toEqual([1, 'PAST_DUE']);
    expect(await paymentsBy('2027-02-03T00:00:00Z')).toEqual([2, 'PAST_DUE']);
    expect(await paymentsBy('2027-02-08T00:00:00Z')).toEqual([3, 'PAST_DUE']);
    expect(await paymentsBy('2027-02-15T00:00:00Z')).toEqual([4, 'PAST_DUE']);
    expect(await paymentsBy('2027-02-21T00:00:00Z')).toEqual([4, 'PAST_DUE']);
    expect(await paymentsBy('2027-02-22T00:00:00Z')).toEqual([5, 'CANCELLED']);
    expect(await paymentsBy('2028-01-01T00:00:00Z')).toEqual([5, 'CANCELLED']);
    expect(await invoicesOf(customerId)).toHaveLength(2);
  });

  test('with a card that is replaced in time, becomes ACTIVE again and bills the missed periods', async () => {
    const { clockId, customerId } = await aCustomer('2027-01-01T00:00:00Z', {
      paymentMethod: 'sandbox:decline:card_declined',
    });
    const id = await aSubscription({ customerId, planId: await aPlan({ interval: 'week' }) });
    await advance(clockId, '2027-01-09T00:00:00Z');
    expect(await detail(id)).toMatchObject({ state: 'PAST_DUE', periodEnd: '2027-01-08T00:00:00.000Z' });
    await replaceMethod(florin, as, customerId, 'sandbox:succeed');
    await advance(clockId, '2027-01-16T00:00:00Z');
    expect(await detail(id)).toMatchObject({ state: 'ACTIVE', periodEnd: '2027-01-22T00:00:00.000Z' });
    const invoices = await invoicesOf(customerId);
    expect(invoices.map(({ status }: { status: string }) => status)).toEqual(['PAID', 'PAID', 'PAID']);
  });

  test('becomes ACTIVE again when an unpaid invoice is voided', async () => {
    const { clockId, customerId } = await aCustomer('2027-01-01T00:00:00Z', {
      paymentMethod: 'sandbox:decline:card_declined',
    });
    const id = await aSubscription({ customerId, planId: await aPlan() });
    await settled(clockId);
    expect(await detail(id)).toMatchObject({ state: 'PAST_DUE' });
    const [{ id: invoiceId }] = await invoicesOf(customerId);
    await post('invoice/void', { id: invoiceId });
    expect(await detail(id)).toMatchObject({ state: 'ACTIVE' });
  });
});

describe('a trial', () => {
  test('charges nothing until it ends, and periods are counted from there', async () => {
    const { clockId, customerId } = await aCustomer('2027-01-17T12:00:00Z');
    const id = await aSubscription({ customerId, planId: await aPlan({ trialDays: 14 }) });
    expect(await detail(id)).toMatchObject({ state: 'TRIALING', trialEnd: '2027-01-31T12:00:00.000Z' });
    expect(await invoicesOf(customerId)).toEqual([]);
    await advance(clockId, '2027-03-01T00:00:00Z');
    expect(await detail(id)).toMatchObject({ state: 'ACTIVE', periodEnd: '2027-03-31T12:00:00.000Z' });
    expect(await invoicesOf(customerId)).toHaveLength(2);
  });

  test('with trialEnd makes periods begin on that day, in wall-clock time', async () => {
    const { clockId, customerId } = await aCustomer('2027-03-10T00:00:00Z');
    const planId = await aPlan();
    const id = await aSubscription({
      customerId,
      planId,
      trialEnd: '2027-03-15T08:00:00+01:00',
      timeZone: 'Europe/Zurich',
    });
    await advance(clockId, '2027-04-01T00:00:00Z');
    expect(await detail(id)).toMatchObject({
      periodStart: '2027-03-15T07:00:00.000Z',
      periodEnd: '2027-04-15T06:00:00.000Z',
    });
  });

  test('changes its terms without proration', async () => {
    const { clockId, customerId } = await aCustomer('2027-01-01T00:00:00Z');
    const id = await aSubscription({ customerId, planId: await aPlan(), trialDays: 10 });
    await post('subscription/update', { id, planId: await aPlan({ amount: 700, name: 'Tin' }), quantity: 3 });
    await advance(clockId, '2027-01-11T00:00:00Z');
    const [invoice] = await invoicesOf(customerId);
    expect(await linesOf(invoice.id)).toEqual(['3 Tin 2100']);
  });
});

describe('a change in the middle of a period', () => {
  const halfway = async () => {
    const { clockId, customerId } = await aCustomer('2027-04-01T00:00:00Z');
    const id = await aSubscription({ customerId, planId: await aPlan({ amount: 3001 }) });
    await advance(clockId, '2027-04-16T00:00:00Z');
    return { clockId, customerId, id };
  };

  test('is credited and charged on the next invoice, as previewed', async () => {
    const { clockId, customerId, id } = await halfway();
    const dear = await aPlan({ name: 'Platinum', amount: 9000 });
    const previewed = await get(`subscription/preview?id=${id}&planId=${dear}`);
    expect(previewed).toMatchObject({ total: 9000 + 4500 - 1500, invoiceTime: '2027-05-01T00:00:00.000Z', carried: 0 });
    expect(await detail(id)).toMatchObject({ version: 1, unitAmount: 3001 });
    await post('subscription/update', { id, planId: dear });
    expect(await get(`subscription/preview?id=${id}`)).toEqual(previewed);
    await advance(clockId, '2027-05-01T00:00:00Z');
    const [, invoice] = await invoicesOf(customerId);
    expect(invoice).toMatchObject({ total: 12_000, status: 'PAID' });
    expect(await linesOf(invoice.id)).toEqual([
      '1 Platinum 9000',
      '1 Unused time of 1 × Gold -1500',
      '1 Remaining time of 1 × Platinum 4500',
    ]);
  });

  test('is invoiced at once with invoiceNow', async () => {
    const { clockId, customerId, id } = await halfway();
    expect(await get(`subscription/preview?id=${id}&quantity=3&invoiceNow=true`)).toMatchObject({
      total: 3001,
      periodStart: null,
      invoiceTime: '2027-04-16T00:00:00.000Z',
    });
    await post('subscription/update', { id, quantity: 3, invoiceNow: true });
    await settled(clockId);
    const [, invoice] = await invoicesOf(customerId);
    expect(invoice).toMatchObject({ total: 3001, status: 'PAID', subscriptionId: id, periodStart: null });
    await advance(clockId, '2027-05-01T00:00:00Z');
    expect((await invoicesOf(customerId))[2]).toMatchObject({ total: 9003 });
  });

  test('with a credit above the next invoice carries the rest to the invoice after it', async () => {
    const { clockId, customerId, id } = await halfway();
    await post('subscription/update', { id, planId: await aPlan({ name: 'Tin', amount: 100 }) });
    await advance(clockId, '2027-05-01T00:00:00Z');
    const [, second] = await invoicesOf(customerId);
    expect(second).toMatchObject({ total: 0, status: 'PAID' });
    expect(await linesOf(second.id)).toEqual([
      '1 Tin 100',
      '1 Unused time of 1 × Gold -1500',
      '1 Remaining time of 1 × Tin 50',
      '1 Credit carried to the next invoice 1350',
    ]);
    expect(await get(`subscription/preview?id=${id}`)).toMatchObject({ total: 0, carried: -1250 });
  });

  test('with a credit above the invoice of the last period promises no further invoice', async () => {
    const { clockId, customerId, id } = await halfway();
    const tin = await aPlan({ name: 'Tin', amount: 100 });
    await post('subscription/update', { id, planId: tin, endTime: '2027-06-01T00:00:00Z' });
    await advance(clockId, '2027-05-01T00:00:00Z');
    const [, second] = await invoicesOf(customerId);
    expect((await linesOf(second.id)).at(-1)).toBe('1 Credit left when the subscription ends 1350');
    await advance(clockId, '2027-06-01T00:00:00Z');
    expect(await detail(id)).toMatchObject({ state: 'EXPIRED' });
    expect(await invoicesOf(customerId)).toHaveLength(2);
  });

  test('without proration, at the period end, or to another interval charges nothing now', async () => {
    const { clockId, customerId, id } = await halfway();
    await post('subscription/update', { id, quantity: 2, prorate: false });
    await post('subscription/update', { id, quantity: 5, atPeriodEnd: true });
    const yearly = await aPlan({ name: 'Gold, a year', amount: 30_000, interval: 'year' });
    const changed = await post('subscription/update', { id, planId: yearly });
    expect(changed).toMatchObject({ quantity: 2, nextQuantity: 5, nextPlanId: yearly });
    await advance(clockId, '2027-05-01T00:00:00Z');
    const [, invoice] = await invoicesOf(customerId);
    expect(await linesOf(invoice.id)).toEqual(['5 Gold, a year 150000']);
    expect(await detail(id)).toMatchObject({
      planId: yearly,
      quantity: 5,
      nextPlanId: null,
      periodEnd: '2028-05-01T00:00:00.000Z',
    });
  });

  test('that has not been invoiced yet is invoiced when the subscription is cancelled', async () => {
    const { clockId, customerId, id } = await halfway();
    await post('subscription/update', { id, quantity: 2 });
    expect(await post('subscription/cancel', { id })).toMatchObject({
      state: 'CANCELLED',
      endedTime: '2027-04-16T00:00:00.000Z',
    });
    await settled(clockId);
    expect((await invoicesOf(customerId))[1]).toMatchObject({ total: 1501, status: 'PAID' });
  });

  test("applies a plan's new amount from the next period on", async () => {
    const { clockId, customerId } = await aCustomer('2027-04-01T00:00:00Z');
    const planId = await aPlan();
    const id = await aSubscription({ customerId, planId });
    const plan = { id: planId, name: 'Gold', currency: 'USD', interval: 'month', state: true };
    await post('plan/modify', { ...plan, amount: 5000 });
    expect(await detail(id)).toMatchObject({ unitAmount: 3100 });
    await advance(clockId, '2027-05-01T00:00:00Z');
    expect((await invoicesOf(customerId)).map(({ total }: { total: number }) => total)).toEqual([3100, 5000]);
    const refused = await florin.post('/api/plan/modify', { ...plan, amount: 5000, interval: 'year' }, as);
    expect(refused.body).toEqual(aRefusal(409, { type: 'plan_in_use', field: 'interval' }));
  });

  test("of a plan's price applies to a period that began before and is invoiced after it", async () => {
    const { clockId, customerId } = await aCustomer('2027-01-01T00:00:00Z');
    const planId = await aPlan({ interval: 'week' });
    const id = await aSubscription({ customerId, planId });
    await settled(clockId);
    await replaceMethod(florin, as, customerId, 'sandbox:decline:insufficient_funds');
    // The week of 8 January is not paid, so that of 15 January is not invoiced yet.
    await advance(clockId, '2027-01-16T00:00:00Z');
    await post('plan/modify', {
      id: planId,
      name: 'Gold',
      currency: 'USD',
      interval: 'week',
      state: true,
      amount: 5000,
    });
    const previewed = await get(`subscription/preview?id=${id}`);
    expect(previewed).toMatchObject({ total: 5000, periodStart: '2027-01-15T00:00:00.000Z' });
    const [, unpaid] = await invoicesOf(customerId);
    await post('invoice/pay', { id: unpaid.id, channelId: sandbox, paymentMethod: 'sandbox:succeed' });
    await eventually('the late week is invoiced', async () => (await invoicesOf(customerId)).length === 3);
    expect((await invoicesOf(customerId))[2]).toMatchObject({ total: 5000, periodStart: previewed.periodStart });
  });

  test('that takes effect at once keeps a scheduled change, unless it names the same field', async () => {
    const { clockId, customerId } = await aCustomer('2027-04-01T00:00:00Z');
    const [planId, dearer, huge] = [
      await aPlan(),
      await aPlan({ amount: 6200 }),
      await aPlan({ amount: 9_007_199_254_740_991 }),
    ];
    const id = await aSubscription({ customerId, planId });
    await post('subscription/update', { id, quantity: 5, atPeriodEnd: true });
    const { body } = await florin.post('/api/subscription/update', { id, planId: huge, atPeriodEnd: true }, as);
    expect(body).toEqual(aRefusal(400, { type: 'invalid_request', field: 'quantity' }));
    expect(await post('subscription/update', { id, planId: dearer, prorate: false })).toMatchObject({
      planId: dearer,
      quantity: 1,
      nextQuantity: 5,
    });
    expect(await get(`subscription/preview?id=${id}`)).toMatchObject({ total: 5 * 6200 });
    await advance(clockId, '2027-05-01T00:00:00Z');
    expect((await invoicesOf(customerId))[1]).toMatchObject({ total: 5 * 6200 });
    await post('subscription/update', { id, quantity: 7, atPeriodEnd: true });
    expect(await post('subscription/update', { id, quantity: 2 })).toMatchObject({ quantity: 2, nextQuantity: null });
  });
});

describe('tax', () => {
  const taxesOf = async (customerId: number) =>
    (await invoicesOf(customerId)).map(({ subtotal, tax, total }: Record<string, number>) => [subtotal, tax, total]);

  test('of a plan is on every invoice; a change credits the old rate and charges the new one', async () => {
    const { clockId, customerId } = await aCustomer('2027-04-01T00:00:00Z');
    const small = await aPlan({ name: 'Small', amount: 3000, taxRate: 700 });
    const large = await aPlan({ name: 'Large', amount: 9001, taxRate: 1900 });
    const id = await aSubscription({ customerId, planId: small });
    expect(await taxesOf(customerId)).toEqual([[3000, 210, 3210]]);
    await advance(clockId, '2027-04-16T00:00:00Z');
    expect(await post('subscription/update', { id, planId: large })).toMatchObject({ taxRate: 1900 });
    const previewed = await get(`subscription/preview?id=${id}`);
    await advance(clockId, '2027-05-01T00:00:01Z');
    // Half of April: 1500 back at 7 %, 4500 at 19 %, and May at 19 %. 13501 × 0.19 = 2565.19, less 105.
    expect((await taxesOf(customerId))[1]).toEqual([9001 + 4500 - 1500, 2565 - 105, 12_001 + 2460]);
    expect(previewed).toMatchObject({ subtotal: 12_001, tax: 2460, total: 14_461, carried: 0 });
    const [, second] = await invoicesOf(customerId);
    expect((await get(`invoice/detail?id=${second.id}`)).lines).toEqual(previewed.lines);
  });

  test('of a credit is returned at its rate: it pays other rates, and only its rest is carried', async () => {
    const { clockId, customerId } = await aCustomer('2027-04-01T00:00:00Z');
    const id = await aSubscription({ customerId, planId: await aPlan({ amount: 6200, taxRate: 1900 }) });
    await advance(clockId, '2027-04-16T00:00:00Z');
    await post('subscription/update', { id, planId: await aPlan({ name: 'Tin', amount: 2000 }) });
    await advance(clockId, '2027-06-01T00:00:01Z');
    const [, second, third] = await invoicesOf(customerId);
    expect(await linesOf(second.id)).toEqual([
      '1 Tin 2000',
      '1 Unused time of 1 × Gold -3100',
      '1 Remaining time of 1 × Tin 1000',
      '1 Credit carried to the next invoice 579',
    ]);
    // 2521 with 19 % are 3000.
    expect(second).toMatchObject({ subtotal: 479, tax: -479, total: 0, status: 'PAID' });
    expect(await linesOf(third.id)).toEqual(['1 Tin 2000', '1 Credit carried from the invoice before -579']);
    expect(third).toMatchObject({ total: 2000 - 579 - 110 });
  });

  test('of a credit can exceed the charges that are left at an end, which are then not invoiced', async () => {
    const { clockId, customerId } = await aCustomer('2027-04-01T00:00:00Z');
    const id = await aSubscription({ customerId, planId: await aPlan({ amount: 6200, taxRate: 1900 }) });
    await advance(clockId, '2027-04-16T00:00:00Z');
    // 3200 are charged, and 3100 are credited with 589 of tax.
    await post('subscription/update', { id, planId: await aPlan({ amount: 6400 }), invoiceNow: true });
    expect(await post('subscription/cancel', { id })).toMatchObject({ state: 'CANCELLED' });
    expect(await invoicesOf(customerId)).toHaveLength(1);
  });

  test("at a plan's new rate begins with the next period", async () => {
    const { clockId, customerId } = await aCustomer('2027-01-01T00:00:00Z');
    const planId = await aPlan({ amount: 1000, taxRate: 1900 });
    const id = await aSubscription({ customerId, planId });
    const plan = { id: planId, name: 'Gold', currency: 'USD', amount: 1000, interval: 'month', state: true };
    expect(await post('plan/modify', { ...plan })).toMatchObject({ taxRate: 1900 });
    await post('plan/modify', { ...plan, taxRate: null });
    expect(await detail(id)).toMatchObject({ taxRate: 1900 });
    await advance(clockId, '2027-02-01T00:00:01Z');
    expect(await detail(id)).toMatchObject({ taxRate: null });
    expect(await taxesOf(customerId)).toEqual([
      [1000, 190, 1190],
      [1000, 0, 1000],
    ]);
  });

  test.each([-1, 10_001, 19.5, '1900'])('at the rate %j is refused', async (taxRate) => {
    const input = { name: 'Gold', currency: 'USD', amount: 1000, interval: 'month', state: true, taxRate };
    const { body } = await florin.post('/api/plan/modify', input, as);
    expect(body).toEqual(aRefusal(400, { type: 'invalid_request', field: 'taxRate' }));
  });
});

test('an update of a plan keeps the fields that are left out, and checks them with the others', async () => {
  const id = await aPlan({ intervalCount: 100, trialDays: 14, channelId: sandbox });
  const { customerId } = await aCustomer('2027-04-01T00:00:00Z');
  await aSubscription({ customerId, planId: id });
  const plan = { id, name: 'Renamed', currency: 'USD', amount: 3100, interval: 'month', state: true };
  const left = { name: 'Renamed', intervalCount: 100, trialDays: 14, channelId: sandbox };
  expect(await post('plan/modify', plan)).toMatchObject(left);
  const { body } = await florin.post('/api/plan/modify', { ...plan, interval: 'year' }, as);
  expect(body).toEqual(aRefusal(400, { type: 'invalid_request', field: 'intervalCount' }));
});

describe('an end', () => {
  test('at the period end is refused for a paused subscription, which must be resumed first', async () => {
    const { customerId } = await aCustomer('2027-04-01T00:00:00Z');
    const id = await aSubscription({ customerId, planId: await aPlan() });
    await post('subscription/pause', { id });
    for (const verb of ['cancel', 'update']) {
      const { body } = await florin.post(`/api/subscription/${verb}`, { id, cancelAtPeriodEnd: true }, as);
      const details = { state: 'PAUSED' };
      expect(body, verb).toEqual(aRefusal(409, { type: 'subscription_fixed', field: 'cancelAtPeriodEnd', details }));
    }
    await post('subscription/resume', { id });
    expect(await post('subscription/cancel', { id, cancelAtPeriodEnd: true })).toMatchObject({ state: 'ACTIVE' });
  });

  test('at the period end must be withdrawn before a pause, which has no period end', async () => {
    const { customerId } = await aCustomer('2027-04-01T00:00:00Z');
    const id = await aSubscription({ customerId, planId: await aPlan() });
    await post('subscription/cancel', { id, cancelAtPeriodEnd: true });
    const { body } = await florin.post('/api/subscription/pause', { id }, as);
    expect(body).toEqual(aRefusal(409, { type: 'subscription_fixed', details: { state: 'ACTIVE' } }));
    await post('subscription/update', { id, cancelAtPeriodEnd: false });
    expect(await post('subscription/pause', { id })).toMatchObject({ state: 'PAUSED', cancelAtPeriodEnd: false });
  });

  test('comes with the period end after cancelAtPeriodEnd, unless that is withdrawn', async () => {
    const { clockId, customerId } = await aCustomer('2027-04-01T00:00:00Z');
    const planId = await aPlan();
    const id = await aSubscription({ customerId, planId });
    const continued = await aSubscription({ customerId, planId });
    for (const each of [id, continued]) await post('subscription/cancel', { id: each, cancelAtPeriodEnd: true });
    await post('subscription/update', { id: continued, cancelAtPeriodEnd: false });
    expect(await get(`subscription/preview?id=${id}`)).toBeNull();
    await advance(clockId, '2027-07-01T00:00:00Z');
    expect(await detail(id)).toMatchObject({ state: 'CANCELLED', endedTime: '2027-05-01T00:00:00.000Z' });
    expect(await detail(continued)).toMatchObject({ state: 'ACTIVE' });
    expect((await florin.post('/api/subscription/update', { id, quantity: 2 }, as)).body).toEqual(
      aRefusal(409, { type: 'illegal_transition', details: { from: 'CANCELLED', allowed: [] } }),
    );
  });

  test('by endTime shortens the last period, which is prorated', async () => {
    const { clockId, customerId } = await aCustomer('2027-04-01T00:00:00Z');
    const id = await aSubscription({ customerId, planId: await aPlan(), endTime: '2027-05-11T00:00:00Z' });
    await advance(clockId, '2027-05-02T00:00:00Z');
    const late = await florin.post('/api/subscription/update', { id, endTime: null }, as);
    expect(late.body).toEqual(aRefusal(409, { type: 'subscription_fixed', field: 'endTime' }));
    await advance(clockId, '2027-06-01T00:00:00Z');
    expect(await detail(id)).toMatchObject({ state: 'EXPIRED', endedTime: '2027-05-11T00:00:00.000Z' });
    const invoices = await invoicesOf(customerId);
    expect(
      invoices.map(({ total, periodEnd }: { total: number; periodEnd: string }) => [total, day(periodEnd)]),
    ).toEqual([
      [3100, '2027-05-01'],
      [1000, '2027-05-11'],
    ]);
  });
});

describe('a pause', () => {
  test('bills nothing; resumed after its period, a new one starts and the time between is free', async () => {
    const { clockId, customerId } = await aCustomer('2027-04-01T00:00:00Z');
    const id = await aSubscription({ customerId, planId: await aPlan() });
    expect(await post('subscription/pause', { id })).toMatchObject({
      state: 'PAUSED',
      pausedTime: '2027-04-01T00:00:00.000Z',
    });
    await advance(clockId, '2027-07-20T00:00:00Z');
    expect(await get(`subscription/preview?id=${id}`)).toBeNull();
    expect(await post('subscription/resume', { id })).toMatchObject({
      state: 'ACTIVE',
      pausedTime: null,
      periodStart: '2027-07-20T00:00:00.000Z',
      periodEnd: '2027-08-20T00:00:00.000Z',
    });
    expect(await invoicesOf(customerId)).toHaveLength(2);
  });

  test('that ends within the period changes nothing', async () => {
    const { clockId, customerId } = await aCustomer('2027-04-01T00:00:00Z');
    const id = await aSubscription({ customerId, planId: await aPlan() });
    await post('subscription/pause', { id });
    await advance(clockId, '2027-04-20T00:00:00Z');
    expect(await post('subscription/resume', { id })).toMatchObject({
      state: 'ACTIVE',
      periodEnd: '2027-05-01T00:00:00.000Z',
    });
    expect(await invoicesOf(customerId)).toHaveLength(1);
    expect((await florin.post('/api/subscription/resume', { id }, as)).status).toBe(409);
    const failing = await aCustomer('2027-04-01T00:00:00Z', { paymentMethod: 'sandbox:decline:card_declined' });
    const unpaid = await aSubscription({ customerId: failing.customerId, planId: await aPlan() });
    await settled(failing.clockId);
    // Only PAUSED subscriptions can be resumed; otherwise resume would make a PAST_DUE one ACTIVE.
    expect((await florin.post('/api/subscription/resume', { id: unpaid }, as)).status).toBe(409);
    expect(await detail(unpaid)).toMatchObject({ state: 'PAST_DUE' });
  });
});

test('a repeat with the same Idempotency-Key does not subscribe twice', async () => {
  const { customerId } = await aCustomer('2027-04-01T00:00:00Z');
  const body = { customerId, planId: await aPlan() };
  const ask = () =>
    florin.call('POST', '/api/subscription/create', { as, body, headers: { 'idempotency-key': 'once' } });
  const first = await ask();
  const again = await ask();
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.body.data).toEqual(first.body.data);
  expect(await get(`subscription/list?customerId=${customerId}`)).toHaveLength(1);
  const [{ id }] = await get(`subscription/list?customerId=${customerId}&currency=USD`);
  expect(await get(`subscription/list?customerId=${customerId}&metadata[none]=x`)).toEqual([]);
  expect(await get(`subscription/list?livemode=false&search=${id}`)).toMatchObject([{ id }]);
  expect(await get('subscription/list?livemode=false&search=nobody@example.com')).toEqual([]);
});

test("a subscription that a platform administrator creates belongs to the customer's tenant", async () => {
  const tenantId = await makeTenant(florin, as);
  const owner = await makeMember(florin, as, { userType: 'MERCHANT_ADMIN', tenantId });
  const customerId = await makeCustomer(florin, owner.as, { defaultChannelId: sandbox });
  const plan = { name: 'Gold', currency: 'USD', amount: 3100, interval: 'month', livemode: false, state: true };
  const { id: planId } = dataOf(await florin.post('/api/plan/modify', plan, owner.as));
  const id = await aSubscription({ customerId, planId });
  expect(dataOf(await florin.get(`/api/subscription/detail?id=${id}`, owner.as))).toMatchObject({
    tenantId: String(tenantId),
    customerId,
  });
  const ofThePlatform = { customerId, planId: await aPlan() };
  expect(await florin.post('/api/subscription/create', ofThePlatform, as)).toMatchObject({
    status: 404,
    body: { error: { field: 'planId' } },
  });
});

test('the channel of a subscription can be cleared only when the plan or the customer has one', async () => {
  const customerId = await makeCustomer(florin, as, { livemode: false });
  const planId = await aPlan();
  const id = await aSubscription({ customerId, planId, channelId: sandbox });
  const withoutChannel = { id, channelId: null };
  const { body } = await florin.post('/api/subscription/update', withoutChannel, as);
  expect(body).toMatchObject({ code: 400, error: { field: 'channelId' } });
  await post('customer/modify', { id: customerId, name: 'Ann', defaultChannelId: sandbox });
  expect(await post('subscription/update', withoutChannel)).toMatchObject({ channelId: null });
});

describe('is refused', () => {
  let id: number;
  let customerId: number;
  let planId: number;
  beforeAll(async () => {
    ({ customerId } = await aCustomer('2027-04-01T00:00:00Z'));
    planId = await aPlan();
    id = await aSubscription({ customerId, planId });
  });

  test.each([
    ['an unknown plan', { planId: 999_999 }, 404, 'planId'],
    ['an unknown customer', { customerId: 999_999 }, 404, 'customerId'],
    ['no quantity', { quantity: 0 }, 400, 'quantity'],
    ['more than an invoice holds', { quantity: 1_000_001 }, 400, 'quantity'],
    ['an unknown time zone', { timeZone: 'Mars/Olympus' }, 400, 'timeZone'],
    ['both trialDays and trialEnd', { trialDays: 3, trialEnd: '2027-05-01T00:00:00Z' }, 400, 'trialEnd'],
    ['a trialEnd in the past', { trialEnd: '2027-03-01T00:00:00Z' }, 400, 'trialEnd'],
    ['a trialEnd more than 730 days ahead', { trialEnd: '2099-03-01T00:00:00Z' }, 400, 'trialEnd'],
    ['an end before the beginning', { endTime: '2027-04-01T00:00:00Z' }, 400, 'endTime'],
    ['an endTime that is no time', { endTime: 'tomorrow' }, 400, 'endTime'],
    ['an unknown channel', { channelId: 999_999 }, 404, 'channelId'],
    ['an unknown field', { planID: 3 }, 400, 'planID'],
    ['NUL in metadata', { metadata: { a: '\u0000' } }, 400, 'metadata.a'],
  ])('a create with %s', async (_what, changes, code, field) => {
    const { body } = await florin.post('/api/subscription/create', { customerId, planId, ...changes }, as);
    expect(body).toMatchObject({ code, error: { field } });
  });

  test.each([
    ['no change', {}, 400],
    ['another currency', { planId: 'EUR' }, 400],
    ['an end within the period', { endTime: '2027-04-20T00:00:00Z' }, 400],
    ['more than an invoice holds', { planId: 'huge', quantity: 10 }, 400],
    ['an inactive plan', { planId: 'off' }, 409],
    ['an unknown subscription', { id: 999_999, quantity: 2 }, 404],
  ])('an update with %s', async (_what, changes: Record<string, unknown>, code) => {
    const plans: Record<string, Record<string, unknown>> = {
      EUR: { currency: 'EUR' },
      huge: { amount: 9_007_199_254_740_991 },
      off: { state: false },
    };
    const named = typeof changes.planId === 'string' ? { planId: await aPlan(plans[changes.planId]) } : {};
    const { body } = await florin.post('/api/subscription/update', { id, ...changes, ...named }, as);
    expect(body.code, JSON.stringify(body)).toBe(code);
  });

  test.each([
    ['an unknown currency', { currency: 'XXY' }, 'currency'],
    ['an interval that is too long', { interval: 'year', intervalCount: 11 }, 'intervalCount'],
    ['a negative amount', { amount: -1 }, 'amount'],
    ['an unknown interval', { interval: 'decade' }, 'interval'],
    ['a channel that does not accept its currency', { channelId: 'sandbox', currency: 'CHF' }, 'currency'],
  ])('a plan with %s', async (_what, changes: Record<string, unknown>, field) => {
    const input = { name: 'Gold', currency: 'USD', amount: 1, interval: 'month', state: true, ...changes };
    const channelId = changes.channelId === 'sandbox' ? { channelId: sandbox } : {};
    const { body } = await florin.post('/api/plan/modify', { ...input, ...channelId }, as);
    expect(body).toMatchObject({ code: 400, error: { field } });
  });

  test("another tenant's subscriptions and plans", async () => {
    const tenantId = await makeTenant(florin, as);
    const other = await makeMember(florin, as, { userType: 'MERCHANT_ADMIN', tenantId });
    expect((await florin.get(`/api/subscription/detail?id=${id}`, other.as)).status).toBe(404);
    for (const verb of ['update', 'pause', 'resume', 'cancel']) {
      const body = { id, ...(verb === 'update' && { quantity: 2 }) };
      expect((await florin.post(`/api/subscription/${verb}`, body, other.as)).status, verb).toBe(404);
    }
    expect((await florin.get(`/api/subscription/preview?id=${id}`, other.as)).status).toBe(404);
    expect((await florin.get('/api/subscription/list', other.as)).body.pagination.total).toBe(0);
    expect((await florin.get('/api/plan/list', other.as)).body.pagination.total).toBe(0);
    const stolen = { id: planId, name: 'x', currency: 'USD', amount: 1, interval: 'month', state: true };
    expect((await florin.post('/api/plan/modify', stolen, other.as)).status).toBe(404);
  });
});
