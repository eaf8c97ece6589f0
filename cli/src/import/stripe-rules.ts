import type { Florin } from '../../../sdk/src/index.ts';
import { dayMs } from '../../../server/src/core/clock.ts';
import { amountOfDecimal } from '../../../server/src/core/money.ts';
import { type Interval, periodThatEnds } from '../../../server/src/domains/billing/subscriptions/periods/calendar.ts';
import type { CustomerRow, MethodRow, SubscriptionRow } from './stripe-rows.ts';

export type Channel = Awaited<ReturnType<Florin['channels']['get']>>;
export type Plan = Awaited<ReturnType<Florin['plans']['get']>>;

/** Why a row is refused, in words for a person; none: it is taken. */
type Refusals = string[];

export function refusalsOfCustomer({ stripeId }: CustomerRow): Refusals {
  return /^cus_\w+$/.test(stripeId) ? [] : [`${stripeId || 'the empty id'} is not the id of a customer: cus_…`];
}

export function refusalsOfMethod({ stripeId, customer, livemode }: MethodRow, channel: Channel): Refusals {
  const refusals: Refusals = [];
  if (!/^(pm|card|src|ba)_\w+$/.test(stripeId)) {
    refusals.push(`${stripeId || 'the empty id'} is not the id of a payment method: pm_…, card_…, src_…`);
  }
  if (customer === null) refusals.push('it belongs to no customer, so that it cannot be charged again');
  if (livemode !== null && livemode !== channel.livemode) {
    refusals.push(`it is ${modeWord(livemode)}, the channel is ${modeWord(channel.livemode)}`);
  }
  return refusals;
}

/** What a subscription is made with here. */
interface Terms {
  quantity: number;
  startTime: string;
  billedUntil: string;
}

/** A row is only taken if Stripe ends the subscription by itself, and only later than this from now. */
const leastRestMs = dayMs;

/** The terms of a subscription, or why its row is refused. Times are judged at `nowMs`. */
export function judgeSubscription(
  row: SubscriptionRow,
  plan: Plan | undefined,
  nowMs: number,
): { terms: Terms } | { refusals: Refusals } {
  const refusals = [...refusalsOfState(row, nowMs), ...refusalsOfExtras(row), ...refusalsOfPlan(row, plan)];
  const quantity = row.quantity === '' ? 1 : Number(row.quantity);
  if (!Number.isSafeInteger(quantity) || quantity < 1) refusals.push(`its quantity is ${row.quantity}`);
  const startMs = plan === undefined ? undefined : anchorOf(row, plan);
  if (plan !== undefined && startMs === undefined && row.periodEndMs !== null) {
    refusals.push(`its current period is not ${plan.intervalCount} ${plan.interval} long, as those of plan ${plan.id}`);
  }
  if (refusals.length > 0) return { refusals };
  const timeOf = (atMs: number | null | undefined) => new Date(atMs as number).toISOString();
  return { terms: { quantity, startTime: timeOf(startMs), billedUntil: timeOf(row.periodEndMs) } };
}

function refusalsOfState(row: SubscriptionRow, nowMs: number): Refusals {
  const { stripeId, status, endedAt, cancelAtPeriodEnd, periodEndMs } = row;
  const refusals: Refusals = [];
  if (!/^sub_\w+$/.test(stripeId))
    refusals.push(`${stripeId || 'the empty id'} is not the id of a subscription: sub_…`);
  if (status !== 'active') refusals.push(whyNot[status] ?? `its status is ${status || 'empty'}, not active`);
  else if (endedAt !== '') refusals.push('it has ended');
  if (cancelAtPeriodEnd !== 'true') {
    refusals.push('Cancel At Period End is not true: it would be charged at Stripe and here');
  }
  if (periodEndMs === null) refusals.push('Current Period End (UTC) is no time such as 2026-01-31 09:30');
  else if (periodEndMs <= nowMs + leastRestMs) refusals.push('its period ends within a day, or has ended');
  return refusals;
}

/** https://docs.stripe.com/api/subscriptions/object#subscription_object-status */
const whyNot: Readonly<Record<string, string>> = {
  trialing: 'it is in a trial: subscribe the customer here, with the rest of the trial',
  past_due: 'it is past_due: its open invoice has to be paid or voided at Stripe first',
  unpaid: 'it is unpaid: its open invoices have to be paid or voided at Stripe first',
  incomplete: 'it is incomplete: its first payment has not succeeded',
  incomplete_expired: 'it is incomplete_expired: it never began',
  canceled: 'it is canceled',
  paused: 'it is paused',
};

function refusalsOfExtras({ coupon, taxPercent, applicationFee }: SubscriptionRow): Refusals {
  const refusals: Refusals = [];
  if (coupon !== '') refusals.push(`it has the coupon ${coupon}, which has no counterpart here`);
  if (!isZero(taxPercent)) refusals.push(`it has a tax of ${taxPercent} %: plans here have a tax rate of their own`);
  if (!isZero(applicationFee)) refusals.push(`it has an application fee of ${applicationFee} %`);
  return refusals;
}

const isZero = (text: string) => text === '' || /^0+(\.0*)?$/.test(text);

function refusalsOfPlan(row: SubscriptionRow, plan: Plan | undefined): Refusals {
  const { plan: price, currency, interval, amount } = row;
  if (plan === undefined) return [`no plan is named for ${price || 'an empty Plan'}: --plan ${price || 'PRICE'}=ID`];
  const asked = amountOfDecimal(amount.replaceAll(/,(?=\d{3}(?:\D|$))/g, ''), currency);
  const isSame = asked === plan.amount && currency === plan.currency && interval === plan.interval;
  if (isSame) return plan.state ? [] : [`plan ${plan.id} takes no new subscriptions`];
  const here = `${plan.amount} ${plan.currency} in minor units every ${plan.intervalCount} ${plan.interval}`;
  return [`it costs ${amount || 'no amount'} ${currency} every ${interval} at Stripe, plan ${plan.id} costs ${here}`];
}

/**
 * The start from which its periods are counted: its own start, unless its periods are counted from another time at
 * Stripe. The first day of a period keeps the day of the month where the last one was cut to the end of a month.
 */
function anchorOf(row: SubscriptionRow, plan: Plan): number | undefined {
  const { startMs, trialEndMs, periodStartMs, periodEndMs } = row;
  if (periodEndMs === null) return undefined;
  const interval: Interval = { unit: plan.interval as Interval['unit'], count: plan.intervalCount };
  return [startMs, trialEndMs, periodStartMs, periodEndMs]
    .filter((atMs) => atMs !== null)
    .find((atMs) => {
      const period = periodThatEnds(periodEndMs, { atMs, timeZone: 'UTC' }, interval);
      return period !== undefined && (periodStartMs === null || period.startMs === periodStartMs);
    });
}

const modeWord = (livemode: boolean) => (livemode ? 'live' : 'for tests');
