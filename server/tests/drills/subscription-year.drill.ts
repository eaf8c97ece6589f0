import { afterAll, expect, test } from 'vitest';
import { dayMs } from '../../src/core/clock.ts';
import { startYear, type Year, yearBegins } from '../support/billing/subscribed-year.ts';
import { type Kill, killSchedule } from '../support/faults/kills.ts';

/**
 * A year of subscriptions of all kinds, over HTTP only: once undisturbed, and once with the service and its PostgreSQL
 * killed repeatedly at random times. Both times every period is invoiced once, and both years are the same.
 */

/** Determines the kills. To try others: `DRILL_SEED=7 npm run drills -- subscription-year`. */
const seed = Number(process.env.DRILL_SEED ?? 20_270_131);
const years: Year[] = [];

afterAll(async () => {
  for (const year of years) await year.close();
});

test('undisturbed, every period is invoiced once, paid once, and reported once', async () => {
  await expectYear(await walked(() => []));
});

test('with kills at random times nothing is missing or doubled, and the year is the same as without', async () => {
  const kills = killSchedule(seed, stretches.length);
  const year = await walked((stretch) => kills[stretch] as Kill[]);
  await expectYear(year);
  const [undisturbed] = years as [Year];
  expect(await coursesOf(year)).toEqual(await coursesOf(undisturbed));
});

interface Stretch {
  toTime: string;
  /** What is done at that time. */
  act?: (year: Year) => Promise<unknown>;
}

let dear = 0;

/** Uneven: some end in the middle of a period, some a moment before something is due or after it. */
const stretches: Stretch[] = [
  { toTime: '2027-02-03T11:00:00.000Z' },
  { toTime: '2027-04-29T00:00:00.000Z', act: (year) => year.card('Failing', 'decline:insufficient_funds') },
  {
    // Half of a period of 31 days.
    toTime: '2027-05-15T21:30:00.000Z',
    act: async (year) => {
      await year.alter('update', 'Changing', { quantity: 5 });
      await year.alter('pause', 'Pausing');
    },
  },
  { toTime: '2027-05-21T09:29:59.999Z' },
  { toTime: '2027-05-21T09:30:00.000Z' },
  {
    // Half of one of 30.
    toTime: '2027-06-15T09:30:00.000Z',
    act: async (year) => {
      await year.alter('update', 'Changing', { planId: dear, invoiceNow: true });
      await year.card('Replaced', 'decline:expired_card');
    },
  },
  { toTime: '2027-07-03T00:00:00.000Z', act: (year) => year.card('Replaced', 'succeed') },
  { toTime: '2027-07-20T12:00:00.000Z', act: (year) => year.alter('resume', 'Pausing') },
  { toTime: '2027-09-01T00:00:00.000Z', act: (year) => year.alter('cancel', 'Leaving', { cancelAtPeriodEnd: true }) },
  { toTime: '2027-10-10T10:10:10.010Z' },
  { toTime: '2028-01-30T00:00:00.000Z' },
  { toTime: '2028-02-01T00:00:00.000Z' },
];

async function walked(killsOn: (stretch: number) => Kill[]): Promise<Year> {
  const year = await startYear();
  years.push(year);
  const gold = await year.plan({ name: 'Gold', amount: 3100 });
  dear = await year.plan({ name: 'Platinum', amount: 9000 });
  const paper = await year.plan({ name: 'Paper', amount: 700, currency: 'JPY', interval: 'week' });
  const vault = await year.plan({ name: 'Vault', amount: 99_999, currency: 'EUR', interval: 'year' });
  await year.subscribe('Steady', gold);
  await year.subscribe('Trying', gold, { trialDays: 14 });
  await year.subscribe('Weekly', paper, { quantity: 3 });
  await year.subscribe('Yearly', vault);
  await year.subscribe('Changing', gold, { quantity: 2 });
  await year.subscribe('Pausing', gold);
  await year.subscribe('Leaving', gold);
  // Half of a period of 31 days.
  await year.subscribe('Ending', gold, { endTime: '2027-08-15T21:30:00Z' });
  await year.subscribe('Failing', gold);
  await year.subscribe('Replaced', gold);
  // The answers to their charges are lost, so that a kill finds some under way.
  await year.card('Yearly', 'timeout:after');
  await year.card('Leaving', 'error:after');
  for (const [i, { toTime, act }] of stretches.entries()) {
    await year.advance(toTime, killsOn(i));
    await act?.(year);
  }
  return year;
}

/** When the periods begin, when the last one ends, and what each costs, by the day from which that is the price. */
interface Expected {
  periods: string[];
  until?: string;
  cost: number | Record<string, number>;
  state: string;
}

const expected: Record<string, Expected> = {
  Steady: { periods: monthly('2027-01-31', 13), cost: 3100, state: 'ACTIVE' },
  Trying: { periods: monthly('2027-02-14', 12), cost: 3100, state: 'ACTIVE' },
  Weekly: { periods: every(7, 53), cost: 2100, state: 'ACTIVE' },
  Yearly: { periods: ['2027-01-31', '2028-01-31'], cost: 99_999, state: 'ACTIVE' },
  Changing: {
    periods: monthly('2027-01-31', 13),
    // 2 Gold; then half a period of 5 instead of 2 comes on top of 5 Gold; then 5 Platinum.
    cost: { '2027-01-31': 6200, '2027-05-31': 5 * 3100 + (5 - 2) * 1550, '2027-06-30': 45_000 },
    state: 'ACTIVE',
  },
  Pausing: { periods: [...monthly('2027-01-31', 4), ...monthly('2027-07-20', 7)], cost: 3100, state: 'ACTIVE' },
  Leaving: { periods: monthly('2027-01-31', 8), until: '2027-09-30', cost: 3100, state: 'CANCELLED' },
  Ending: {
    periods: monthly('2027-01-31', 7),
    until: '2027-08-15',
    cost: { '2027-01-31': 3100, '2027-07-31': 1550 },
    state: 'EXPIRED',
  },
  Failing: { periods: monthly('2027-01-31', 4), cost: 3100, state: 'CANCELLED' },
  Replaced: { periods: monthly('2027-01-31', 13), cost: 3100, state: 'ACTIVE' },
};

async function expectYear(year: Year): Promise<void> {
  const numbers: string[] = [];
  for (const [name, { periods, until, cost, state }] of Object.entries(expected)) {
    const invoices = await year.invoices(name);
    numbers.push(...invoices.map(({ number }) => number));
    const billed = invoices.filter(({ periodStart }) => periodStart !== null);
    expect(
      billed.map(({ periodStart }) => day(periodStart)),
      name,
    ).toEqual(periods);
    // Each ends when the next one begins, except for the pause.
    for (const [i, { periodEnd }] of billed.slice(0, -1).entries()) {
      if (name === 'Pausing' && i === 3) expect(day(periodEnd)).toBe('2027-05-31');
      else expect(periodEnd, name).toBe(billed[i + 1]?.periodStart);
    }
    const costs = billed.map(({ periodStart }) =>
      typeof cost === 'number' ? cost : Object.entries(cost).findLast(([from]) => from <= day(periodStart))?.[1],
    );
    expect(
      billed.map(({ total }) => total),
      name,
    ).toEqual(costs);
    const subscription = await year.get(`subscription/detail?id=${year.subscriptions.get(name)}`);
    expect(subscription.state, name).toBe(state);
    expect(subscription.periodStart, name).toBe(billed.at(-1)?.periodStart);
    if (until !== undefined) expect(day(subscription.endedTime), name).toBe(until);
  }
  // Only the change with `invoiceNow` was invoiced outside of periods.
  const beside = (await year.invoices('Changing')).filter(({ periodStart }) => periodStart === null);
  expect(beside.map(({ total, status }) => [total, status])).toEqual([[(5 * (9000 - 3100)) / 2, 'PAID']]);
  expect(numbers.sort()).toEqual(numbers.map((_, i) => `TEST-${String(i + 1).padStart(6, '0')}`));
  await expectPayments(year);
  await expectEvents(year);
  expect(await year.verified()).toEqual({ code: 0, broken: [] });
}

/** All were paid at once by one payment, except those whose card failed: they were retried on the days of dunning. */
async function expectPayments(year: Year): Promise<void> {
  for (const name of Object.keys(expected)) {
    for (const { status, total, amountPaid, payments, finalizedTime, periodStart } of await year.invoices(name)) {
      const tries = payments.map(({ createdTime }) => (Date.parse(createdTime) - Date.parse(finalizedTime)) / dayMs);
      const course = { status, amountPaid, states: payments.map(({ state }) => state), tries };
      const at = `${name} ${periodStart}`;
      if (name === 'Failing' && day(periodStart) === '2027-04-30')
        expect(course, at).toEqual({
          status: 'OPEN',
          amountPaid: 0,
          states: Array(5).fill('FAILED'),
          tries: [0, 2, 2 + 5, 2 + 5 + 7, 2 + 5 + 7 + 7],
        });
      else if (name === 'Replaced' && day(periodStart) === '2027-06-30')
        expect(course, at).toEqual({
          status: 'PAID',
          amountPaid: total,
          states: ['FAILED', 'FAILED', 'SUCCEEDED'],
          tries: [0, 2, 2 + 5],
        });
      else expect(course, at).toEqual({ status: 'PAID', amountPaid: total, states: ['SUCCEEDED'], tries: [0] });
    }
  }
  const { endedTime } = await year.get(`subscription/detail?id=${year.subscriptions.get('Failing')}`);
  expect(endedTime).toBe('2027-05-21T09:30:00.000Z');
}

async function expectEvents(year: Year): Promise<void> {
  const events = await year.events();
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const reportedTypes = new Map(
    [...Map.groupBy(events, ({ objectId }) => objectId)].map(([objectId, of]) => [
      objectId,
      of.map(({ type }) => type).toReversed(),
    ]),
  );
  for (const name of Object.keys(expected)) {
    const id = year.subscriptions.get(name);
    const own = events.filter(({ objectId }) => objectId === `sub_${id}`);
    const versions = await Promise.all(
      own.map(async (event) => (await year.get(`event/detail?id=${event.id}`)).payload.data.object.version),
    );
    const { version, state } = await year.get(`subscription/detail?id=${id}`);
    expect(versions.toReversed(), name).toEqual(Array.from({ length: version }, (_, i) => i + 1));
    const last = { CANCELLED: 'subscription.cancelled', EXPIRED: 'subscription.expired' }[state as string];
    expect([own.at(-1)?.type, own[0]?.type], name).toEqual(['subscription.created', last ?? 'subscription.updated']);
    for (const { id: invoiceId, status, payments } of await year.invoices(name)) {
      const failures = payments.filter(({ state: end }) => end === 'FAILED').map(() => 'invoice.payment_failed');
      const ofInvoice = (reportedTypes.get(`inv_${invoiceId}`) ?? []).filter((type) => type !== 'invoice.overdue');
      const issued = ['invoice.created', 'invoice.finalized'];
      expect(ofInvoice, name).toEqual([...issued, ...failures, ...(status === 'PAID' ? ['invoice.paid'] : [])]);
      reportedTypes.delete(`inv_${invoiceId}`);
      for (const { transactionId, state: end } of payments) {
        const ended = end === 'SUCCEEDED' ? 'transaction.succeeded' : 'transaction.failed';
        expect(reportedTypes.get(transactionId), name).toEqual([
          'transaction.created',
          'transaction.processing',
          ended,
        ]);
        reportedTypes.delete(transactionId);
      }
    }
    reportedTypes.delete(`sub_${id}`);
  }
  // No payment, no invoice and no subscription that nobody asked for.
  expect([...reportedTypes.keys()].filter((objectId) => !objectId.startsWith('cus_'))).toEqual([]);
}

/** What kills must not change: times are those of the customers' clock, and ids are left out. */
async function coursesOf(year: Year) {
  const courses: Record<string, unknown> = {};
  for (const name of Object.keys(expected)) {
    const { state, version, periodStart, periodEnd, endedTime } = await year.get(
      `subscription/detail?id=${year.subscriptions.get(name)}`,
    );
    const invoices = (await year.invoices(name)).map((invoice) => ({
      ...invoice,
      id: 0,
      number: '',
      customerId: 0,
      subscriptionId: 0,
      userId: 0,
      payments: invoice.payments.map(({ amount, state: end, createdTime, failureCode }) => ({
        amount,
        end,
        createdTime,
        failureCode,
      })),
    }));
    courses[name] = { state, version, periodStart, periodEnd, endedTime, invoices };
  }
  return courses;
}

/** The days on which months from an anchor begin; the last day of a month that has fewer days. */
function monthly(anchor: string, count: number): string[] {
  const [year = 0, month = 0, date = 0] = anchor.split('-').map(Number);
  return Array.from({ length: count }, (_, i) => {
    const last = new Date(Date.UTC(year, month + i, 0)).getUTCDate();
    return new Date(Date.UTC(year, month - 1 + i, Math.min(date, last))).toISOString().slice(0, 10);
  });
}

function every(days: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    new Date(Date.parse(yearBegins) + i * days * dayMs).toISOString().slice(0, 10),
  );
}

const day = (time: string | null) => (time ?? '').slice(0, 10);
