import { afterAll, beforeAll, expect, test } from 'vitest';
import { startYear, type Year, type YearInvoice, yearBegins } from '../support/billing/subscribed-year.ts';
import { type Kill, killSchedule, seededRandom } from '../support/faults/kills.ts';
import { eventually } from '../support/postgres/database.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/**
 * 5,000 renewals with kept methods at a strict Stripe, which keeps its own records, while the service and its
 * PostgreSQL are killed nine times. Methods are declined, end at Stripe, and are replaced at random. Nobody is charged
 * twice, nobody is forgotten, and Florin's books are those of Stripe.
 */

/** Determines what happens. To try others: `DRILL_SEED=7 npm run drills -- renewals-at-stripe`. */
const seed = Number(process.env.DRILL_SEED ?? 20_270_131);
const customers = Number(process.env.DRILL_CUSTOMERS ?? 250);
const months = 20;
const price = 3100;
const stretches = 6;

/** Test cards (https://docs.stripe.com/testing) and how often they are drawn. */
const cards: readonly [token: string, share: number][] = [
  ['pm_card_visa', 0.75],
  ['pm_card_mastercard', 0.1],
  // Can be kept, and is declined when it is charged.
  ['pm_card_chargeCustomerFail', 0.1],
  // Wants the payer at every charge.
  ['pm_card_authenticationRequired', 0.05],
];

let stripe: StripeSimulator;
let year: Year;
const everyone: Subscriber[] = [];
const random = seededRandom(seed);

beforeAll(async () => {
  stripe = await startStripeSimulator();
  year = await startYear({
    environment: { APP_PROVIDER_STRIPE_URL: stripe.url },
    channel: { provider: 'stripe', livemode: false, apiKey: simulatedApiKey },
  });
});

afterAll(async () => {
  await year.close();
  await stripe.close();
});

interface Subscriber {
  /** Also the name of the customer at Stripe. */
  name: string;
  customerId: number;
  subscriptionId: number;
}

test(`${customers * months} renewals with nine kills: nobody is charged twice, and nobody is forgotten`, async () => {
  const planId = await year.plan({ name: 'Gold', amount: price });
  for (let i = 0; i < customers; i++) everyone.push(await subscribe(`Customer ${i}`, planId));
  const kills = nineKills();
  for (let stretch = 0; stretch < stretches; stretch++) {
    await year.advance(monthsLater(Math.ceil(((stretch + 1) * months) / stretches)), kills[stretch]);
    if (stretch < stretches - 1) await disturb();
  }
  await everyPaymentHasEnded();
  await expectBooksOfStripe();
  for (const subscriber of everyone) await expectNotForgotten(subscriber);
  expect(await year.verified()).toEqual({ code: 0, broken: [] });
}, 3_600_000);

async function everyPaymentHasEnded(): Promise<void> {
  await eventually(
    'every payment has ended',
    async () => {
      for (const status of ['PENDING', 'PROCESSING']) {
        if ((await year.get(`transaction/list?livemode=false&status=${status}&pageSize=1`)).length > 0) return false;
      }
      return true;
    },
    300_000,
  );
}

/** Every charge that succeeded at Stripe is one payment here, of one invoice, which it paid, and vice versa. */
async function expectBooksOfStripe(): Promise<void> {
  const succeeded = stripe.charges.filter(({ status }) => status === 'succeeded');
  const paidAtStripe = new Map<string, number>();
  for (const { metadata, amount } of succeeded) {
    const id = metadata.florin_transaction as string;
    expect(paidAtStripe.has(id), `${id} was charged once`).toBe(false);
    paidAtStripe.set(id, amount);
  }
  let payments = 0;
  for (const invoice of await allInvoices()) {
    const paying = invoice.payments.filter(({ state }) => state === 'SUCCEEDED');
    const what = `invoice ${invoice.number}`;
    expect(
      paying.map(({ transactionId }) => paidAtStripe.get(transactionId)),
      what,
    ).toEqual(invoice.status === 'PAID' ? [invoice.total] : []);
    payments += paying.length;
  }
  expect(payments).toBe(succeeded.length);
}

async function allInvoices(): Promise<YearInvoice[]> {
  const invoices: YearInvoice[] = [];
  for (const { customerId } of everyone) {
    const listed: { id: number }[] = await year.get(`invoice/list?customerId=${customerId}&pageSize=100`);
    for (const { id } of listed) invoices.push(await year.get(`invoice/detail?id=${id}`));
  }
  return invoices;
}

/**
 * A subscription that lives has an invoice for each period that has begun, and those that are unpaid will be tried
 * again or wait for the payer; one that has ended has been tried to the last.
 */
async function expectNotForgotten({ customerId, subscriptionId }: Subscriber): Promise<void> {
  const subscription = await year.get(`subscription/detail?id=${subscriptionId}`);
  const invoices: { status: string; periodStart: string }[] = await year.get(
    `invoice/list?customerId=${customerId}&pageSize=100`,
  );
  const what = `subscription ${subscriptionId}`;
  const starts = invoices.map(({ periodStart }) => periodStart.slice(0, 7)).toReversed();
  expect(starts, what).toEqual(starts.map((_, i) => monthOf(i)));
  const open = invoices.filter(({ status }) => status === 'OPEN');
  switch (subscription.state) {
    case 'ACTIVE':
      expect([invoices.length, open.length], what).toEqual([months + 1, 0]);
      break;
    case 'PAST_DUE':
      expect(invoices.length, what).toBe(months + 1);
      expect(open.length, what).toBeGreaterThan(0);
      expect(subscription.nextPaymentAttempt, what).not.toBeNull();
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

async function subscribe(name: string, planId: number): Promise<Subscriber> {
  const facts = { name, email: 'customer@example.org', clockId: year.clockId, defaultChannelId: year.channelId };
  const { id: customerId } = await year.post('customer/modify', facts);
  await keepMethod(customerId, drawCard());
  const { id: subscriptionId } = await year.post('subscription/create', { customerId, planId });
  return { name, customerId, subscriptionId };
}

async function keepMethod(customerId: number, token: string): Promise<string> {
  const setup = { customerId, channelId: year.channelId, token, isDefault: true };
  const { id } = await year.post('payment-method/setup', setup);
  // A call that a full machine answers too late is looked up after 5 s, then after 30 s.
  await eventually(
    'the method can be charged',
    async () => (await year.get(`payment-method/detail?id=${id}`)).status === 'ACTIVE',
    180_000,
  );
  return id;
}

function drawCard(): string {
  let drawn = random();
  for (const [token, share] of cards) {
    if (drawn < share) return token;
    drawn -= share;
  }
  return 'pm_card_visa';
}

/** Some methods end, here or at Stripe, and some customers bring another card. */
async function disturb(): Promise<void> {
  for (const { name, customerId } of everyone) {
    const drawn = random();
    if (drawn < 0.03) await detachDefault(customerId);
    else if (drawn < 0.06) deleteAtStripe(name);
    else if (drawn < 0.16) await keepMethod(customerId, 'pm_card_visa');
  }
}

async function detachDefault(customerId: number): Promise<void> {
  const { defaultMethodId: id } = await year.get(`customer/detail?id=${customerId}`);
  if (id !== null) await year.post('payment-method/detach', { id });
}

function deleteAtStripe(name: string): void {
  const { customers } = stripe.account;
  const known = customers.all.find((customer) => customer.name === name && !customer.isDeleted);
  if (known !== undefined) customers.delete(known.id);
}

function nineKills(): Kill[][] {
  for (let tried = seed; ; tried++) {
    const kills = killSchedule(tried, stretches);
    if (kills.flat().length === 9) return kills;
  }
}

function monthsLater(count: number): string {
  const begins = new Date(yearBegins);
  // A day later than a period that begins on the last day of a month.
  return new Date(Date.UTC(begins.getUTCFullYear(), begins.getUTCMonth() + count + 1, 1, 12)).toISOString();
}
