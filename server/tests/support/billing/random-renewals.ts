import { expect } from 'vitest';
import { type Kill, killSchedule, seededRandom } from '../faults/kills.ts';
import { eventually } from '../postgres/database.ts';
import type { Year, YearInvoice } from './subscribed-year.ts';
import { yearBegins } from './subscribed-year.ts';

/** Renewals with kept methods at a strict simulator, which keeps its own records, while kills happen at random. */
export interface RandomRenewals {
  /** Determines what happens. */
  seed: number;
  customers: number;
  year: Year;
  provider: RenewalProvider;
}

export interface RenewalProvider {
  /** Keeps a method as the customer's default, by a number from 0 to below 1 that decides which. */
  keep: (customerId: number, drawn: number) => Promise<void>;
  /** Keeps one that is charged without complaint. */
  keepGood: (customerId: number) => Promise<void>;
  /** Deletes the customer, or ends its methods, at the provider. */
  endAtProvider: (customer: Subscriber) => void;
  /** The charges of renewals that succeeded, by the provider's own records. */
  succeeded: () => { transactionId: string; amount: number }[];
}

export interface Subscriber {
  /** Also the name of the customer at the provider. */
  name: string;
  customerId: number;
  subscriptionId: number;
}

/** Renewals for each customer. */
export const months = 20;
const price = 3100;
const stretches = 6;
const kills = 9;
/** Customers at a time: the simulator, the service and its PostgreSQL share two cores. */
const atATime = 8;

/**
 * Subscribes customers and carries them through 20 months. Methods are declined, end here or at the provider, and are
 * replaced at random; the service and its PostgreSQL are killed nine times. Expects in the end that nobody was charged
 * twice, nobody is forgotten, and Florin's books are those of the provider.
 */
export async function renewAtRandom({ seed, customers, year, provider }: RandomRenewals): Promise<void> {
  const random = seededRandom(seed);
  const planId = await year.plan({ name: 'Gold', amount: price, currency: 'EUR' });
  const drawn = Array.from({ length: customers }, (_, i) => ({ name: `Customer ${i}`, draw: random() }));
  const everyone = await forEach(drawn, async ({ name, draw }): Promise<Subscriber> => {
    const facts = { name, email: 'customer@example.org', clockId: year.clockId, defaultChannelId: year.channelId };
    const { id: customerId } = await year.post('customer/modify', facts);
    await provider.keep(customerId, draw);
    const { id: subscriptionId } = await year.post('subscription/create', { customerId, planId });
    return { name, customerId, subscriptionId };
  });
  const schedule = nineKills(seed);
  for (let stretch = 0; stretch < stretches; stretch++) {
    await year.advance(monthsLater(Math.ceil(((stretch + 1) * months) / stretches)), schedule[stretch]);
    if (stretch < stretches - 1) await disturb(everyone, random, year, provider);
  }
  await everyPaymentHasEnded(year);
  await expectBooksOfProvider(everyone, year, provider);
  await forEach(everyone, (subscriber) => expectNotForgotten(subscriber, year));
  expect(await year.verified()).toEqual({ code: 0, broken: [] });
}

/** Some methods end, here or at the provider, and some customers bring another one. */
async function disturb(
  everyone: readonly Subscriber[],
  random: () => number,
  year: Year,
  { endAtProvider, keepGood }: RenewalProvider,
): Promise<void> {
  const drawn = everyone.map((subscriber) => ({ subscriber, draw: random() }));
  await forEach(drawn, async ({ subscriber, draw }) => {
    if (draw < 0.03) await detachDefault(subscriber, year);
    else if (draw < 0.06) endAtProvider(subscriber);
    else if (draw < 0.16) await keepGood(subscriber.customerId);
  });
}

async function detachDefault({ customerId }: Subscriber, year: Year): Promise<void> {
  const { defaultMethodId: id } = await year.get(`customer/detail?id=${customerId}`);
  if (id !== null) await year.post('payment-method/detach', { id });
}

async function everyPaymentHasEnded(year: Year): Promise<void> {
  await eventually(
    'every payment has ended',
    async () => {
      for (const status of ['PENDING', 'PROCESSING']) {
        if ((await year.get(`transaction/list?livemode=false&status=${status}&pageSize=1`)).length > 0) return false;
      }
      return true;
    },
    1_800_000,
  );
}

/** Every charge that succeeded at the provider is one payment here, of one invoice, which it paid, and vice versa. */
async function expectBooksOfProvider(
  everyone: readonly Subscriber[],
  year: Year,
  { succeeded }: RenewalProvider,
): Promise<void> {
  const charges = succeeded();
  const paidThere = new Map<string, number>();
  for (const { transactionId, amount } of charges) {
    expect(paidThere.has(transactionId), `${transactionId} was charged once`).toBe(false);
    paidThere.set(transactionId, amount);
  }
  let payments = 0;
  for (const invoice of (await forEach(everyone, (one) => invoicesOf(one, year))).flat()) {
    const paying = invoice.payments.filter(({ state }) => state === 'SUCCEEDED');
    const what = `invoice ${invoice.number}`;
    const amounts = paying.map(({ transactionId }) => paidThere.get(transactionId));
    expect(amounts, what).toEqual(invoice.status === 'PAID' ? [invoice.total] : []);
    payments += paying.length;
  }
  expect(payments).toBe(charges.length);
}

async function invoicesOf({ customerId }: Subscriber, year: Year): Promise<YearInvoice[]> {
  const listed: { id: number }[] = await year.get(`invoice/list?customerId=${customerId}&pageSize=100`);
  const invoices: YearInvoice[] = [];
  for (const { id } of listed) invoices.push(await year.get(`invoice/detail?id=${id}`));
  return invoices;
}

/**
 * A subscription that is ACTIVE has an invoice for each period that has begun; one that is unpaid will be tried, such
 * as a debit that is announced because the subscription has just recovered. While it is PAST_DUE no further period is
 * invoiced, and what is unpaid will be tried again. One that has ended has been tried to the last.
 */
async function expectNotForgotten({ customerId, subscriptionId }: Subscriber, year: Year): Promise<void> {
  const subscription = await year.get(`subscription/detail?id=${subscriptionId}`);
  const invoices: { status: string; periodStart: string; nextPaymentAttempt: string | null }[] = await year.get(
    `invoice/list?customerId=${customerId}&pageSize=100`,
  );
  const what = `subscription ${subscriptionId}`;
  const starts = invoices.map(({ periodStart }) => periodStart.slice(0, 7)).toReversed();
  expect(starts, what).toEqual(starts.map((_, i) => monthOf(i)));
  const open = invoices.filter(({ status }) => status === 'OPEN');
  const untried = open.filter(({ nextPaymentAttempt }) => nextPaymentAttempt === null);
  switch (subscription.state) {
    case 'ACTIVE':
      expect([invoices.length, untried.length], what).toEqual([months + 1, 0]);
      break;
    case 'PAST_DUE':
      expect(invoices[0]?.periodStart, what).toBe(subscription.periodStart);
      expect([open.length > 0, untried.length], what).toEqual([true, 0]);
      break;
    default:
      expect(subscription.state, what).toBe('CANCELLED');
      expect(open.length, what).toBeGreaterThan(0);
  }
}

/** The month in which period `i` begins. */
function monthOf(i: number): string {
  const begins = new Date(yearBegins);
  return new Date(Date.UTC(begins.getUTCFullYear(), begins.getUTCMonth() + i, 1)).toISOString().slice(0, 7);
}

function nineKills(seed: number): Kill[][] {
  for (let tried = seed; ; tried++) {
    const schedule = killSchedule(tried, stretches);
    if (schedule.flat().length === kills) return schedule;
  }
}

function monthsLater(count: number): string {
  const begins = new Date(yearBegins);
  // Two days later than a period that begins on the last day of a month: an announced debit has been sent.
  return new Date(Date.UTC(begins.getUTCFullYear(), begins.getUTCMonth() + count + 1, 2, 12)).toISOString();
}

/** Some at a time, in order. */
async function forEach<One, Result>(all: readonly One[], work: (one: One) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < all.length) {
      const at = next++;
      results[at] = await work(all[at] as One);
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return results;
}

/**
 * Of a call: the default of the service. On a full machine a simulator may need seconds, and a call that is late is
 * looked up, the fourth time after an hour.
 */
export const providerTimeout = '20s';

/** Waits for a method. A call that was answered too late is looked up after 5 s, 30 s and 5 min. */
export async function untilActive(year: Year, id: string): Promise<void> {
  await eventually(
    'the method can be charged',
    async () => {
      const { status, failureCode } = await year.get(`payment-method/detail?id=${id}`);
      if (status === 'FAILED') throw new Error(`The method ${id} was not kept: ${failureCode}`);
      return status === 'ACTIVE';
    },
    1_800_000,
  );
}
