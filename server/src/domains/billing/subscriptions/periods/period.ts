import { maximumAmount } from '../../../../core/currency.ts';
import { invalid } from '../../../../core/errors.ts';
import { allocate } from '../../../../core/money.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import { isRenewing, msOf, timeOf, withChange, withEnd } from '../rules.ts';
import type { SubscriptionWithTerms } from '../statements.ts';
import { type Interval, periodOf, type Span } from './calendar.ts';

/** The next step of a due subscription: it ends, or its next period begins. */
export type Step =
  | { kind: 'ends'; after: SubscriptionWithTerms }
  | { kind: 'begins'; after: SubscriptionWithTerms; price: number; isFullPeriod: boolean };

export function nextStepOf(row: SubscriptionWithTerms, nowMs: number): Step {
  const { period_end, end_at } = row;
  if (row.cancel_at_period_end && (end_at === null || period_end <= end_at)) {
    return { kind: 'ends', after: withEnd(row, 'CANCELLED', period_end, nowMs) };
  }
  if (end_at !== null && (end_at <= period_end || !isRenewing(row.state))) {
    return { kind: 'ends', after: withEnd(row, 'EXPIRED', end_at, nowMs) };
  }
  return nextPeriodOf(row, nowMs);
}

/** The next period begins where the current one ends. A change scheduled for the period end takes effect. */
function nextPeriodOf(row: SubscriptionWithTerms, nowMs: number): Step {
  const interval: Interval = { unit: row.next_interval_unit, count: row.next_interval_count };
  const hasNewInterval = interval.unit !== row.interval_unit || interval.count !== row.interval_count;
  const anchor_at = hasNewInterval ? row.period_end : row.anchor_at;
  const number = hasNewInterval ? 0 : row.next_number;
  const anchor = { atMs: msOf(anchor_at), timeZone: row.time_zone };
  const { startMs, endMs, next } = periodOf(anchor, interval, number);
  if (timeOf(startMs) !== row.period_end) throw new Error(`The periods of subscription ${row.id} are not contiguous.`);
  const cutEndMs = row.end_at === null ? endMs : Math.min(endMs, msOf(row.end_at));
  const quantity = row.next_quantity ?? row.quantity;
  const after = withChange(
    {
      ...row,
      plan_name: row.next_plan_name,
      interval_unit: row.next_interval_unit,
      interval_count: row.next_interval_count,
    },
    {
      state: 'ACTIVE',
      plan_id: row.next_plan_id ?? row.plan_id,
      quantity,
      unit_amount: row.next_unit_amount,
      tax_rate: row.next_tax_rate,
      next_plan_id: null,
      next_quantity: null,
      anchor_at,
      next_number: next,
      period_start: row.period_end,
      period_end: timeOf(cutEndMs),
    },
    nowMs,
  );
  const fullPrice = periodPrice(row.next_unit_amount, quantity);
  const price = proratedPrice(fullPrice, { startMs, endMs }, { startMs, endMs: cutEndMs });
  return { kind: 'begins', after, price, isFullPeriod: cutEndMs === endMs };
}

/** The full current period, even when the subscription ends within it. Prices are for full periods. */
export function fullPeriodOf(row: SubscriptionWithTerms): Span {
  const anchor = { atMs: msOf(row.anchor_at), timeZone: row.time_zone };
  const interval: Interval = { unit: row.interval_unit, count: row.interval_count };
  const { startMs } = periodOf(anchor, interval, row.next_number);
  return { startMs: msOf(row.period_start), endMs: startMs };
}

/** The credit and the debit for the rest of the current period when its price changes to `price` at `atMs`. */
export function prorateTerms(
  row: SubscriptionWithTerms,
  price: number,
  atMs: number,
): { credit: number; debit: number } {
  const period = fullPeriodOf(row);
  const endMs = msOf(row.period_end);
  const rest = { startMs: Math.min(Math.max(atMs, period.startMs), endMs), endMs };
  return prorateChange(periodPrice(row.unit_amount, row.quantity), price, period, rest);
}

/** The price of a full period, in minor units. */
export function periodPrice(unitAmount: number, quantity: number): number {
  const price = unitAmount * quantity;
  if (price > maximumAmount) {
    throw invalid('quantity', rule('quantity_too_much', { limit: maximumAmount }));
  }
  return price;
}

/**
 * The part of a period's price for the time from `atMs` to the period's end, allocated by milliseconds with the largest
 * remainder method. It depends only on price, period and time, and never increases with time. Therefore the prices of
 * the parts of a period (`proratedPrice`) are never negative and add up to the price, however the period is divided.
 */
export function remainingPrice(price: number, period: Span, atMs: number): number {
  const { startMs, endMs } = period;
  const splitMs = Math.min(Math.max(atMs, startMs), endMs);
  return allocate(price, [splitMs - startMs, endMs - splitMs])[1] as number;
}

/** The part of a period's price for a part of the period. */
export function proratedPrice(price: number, period: Span, part: Span): number {
  return remainingPrice(price, period, part.startMs) - remainingPrice(price, period, part.endMs);
}

/** A change of price for the rest of a period: the old price is credited, the new price is charged. */
export function prorateChange(
  oldPrice: number,
  newPrice: number,
  period: Span,
  rest: Span,
): { credit: number; debit: number } {
  return { credit: proratedPrice(oldPrice, period, rest), debit: proratedPrice(newPrice, period, rest) };
}
