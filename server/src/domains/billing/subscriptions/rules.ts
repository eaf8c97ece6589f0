import { maximumAmount } from '../../../core/currency.ts';
import { invalid } from '../../../core/errors.ts';
import { type Interval, periodOf, type Span } from './calendar.ts';
import { proratedPrice } from './proration.ts';
import type { SubscriptionRow, SubscriptionWithTerms } from './statements.ts';
import { hasEnded, renewingStates, type SubscriptionState } from './states.ts';

export const msOf = (time: string): number => Date.parse(time);
export const timeOf = (atMs: number): string => new Date(atMs).toISOString();

/** When something happens to it by itself: its period ends, or it does. */
export function dueTimeOf(row: SubscriptionRow): string | null {
  if (hasEnded(row.state)) return null;
  const moves = row.cancel_at_period_end || isRenewing(row.state);
  const moments = [moves ? row.period_end : null, row.end_at].filter((time) => time !== null);
  return moments.toSorted()[0] ?? null;
}

export const isRenewing = (state: SubscriptionState) => (renewingStates as readonly string[]).includes(state);

/** A change is a new version, due anew. */
export function withChange(
  row: SubscriptionWithTerms,
  to: Partial<SubscriptionRow>,
  nowMs: number,
): SubscriptionWithTerms {
  const now = timeOf(nowMs);
  const after = { ...row, ...to, version: row.version + 1, updated_at: now > row.updated_at ? now : row.updated_at };
  return { ...after, due_at: dueTimeOf(after) };
}

/** What becomes of a subscription to which something is due: it ends, or its next period begins. */
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

export function withEnd(
  row: SubscriptionWithTerms,
  state: 'CANCELLED' | 'EXPIRED',
  at: string,
  nowMs: number,
): SubscriptionWithTerms {
  return withChange(row, { state, ended_at: at, paused_at: null, next_plan_id: null, next_quantity: null }, nowMs);
}

/** The next period begins where the current one ends. What had been put off until then holds from now on. */
function nextPeriodOf(row: SubscriptionWithTerms, nowMs: number): Step {
  const coming: Interval = { unit: row.next_interval_unit, count: row.next_interval_count };
  const hasNewInterval = coming.unit !== row.interval_unit || coming.count !== row.interval_count;
  const anchor_at = hasNewInterval ? row.period_end : row.anchor_at;
  const number = hasNewInterval ? 0 : row.next_number;
  const anchor = { atMs: msOf(anchor_at), timeZone: row.time_zone };
  const { startMs, endMs, next } = periodOf(anchor, coming, number);
  if (timeOf(startMs) !== row.period_end) throw new Error(`The periods of subscription ${row.id} do not tile.`);
  const cutMs = row.end_at === null ? endMs : Math.min(endMs, msOf(row.end_at));
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
      next_plan_id: null,
      next_quantity: null,
      anchor_at,
      next_number: next,
      period_start: row.period_end,
      period_end: timeOf(cutMs),
    },
    nowMs,
  );
  const whole = periodPrice(row.next_unit_amount, quantity);
  const price = proratedPrice(whole, { startMs, endMs }, { startMs, endMs: cutMs });
  return { kind: 'begins', after, price, isFullPeriod: cutMs === endMs };
}

/** The current period as it would be if the subscription did not end in it: what its price is for. */
export function fullPeriodOf(row: SubscriptionWithTerms): Span {
  const anchor = { atMs: msOf(row.anchor_at), timeZone: row.time_zone };
  const interval: Interval = { unit: row.interval_unit, count: row.interval_count };
  const { startMs } = periodOf(anchor, interval, row.next_number);
  return { startMs: msOf(row.period_start), endMs: startMs };
}

/** What a change in the middle of the current period gives back and charges, for the time that is left of it. */
export function prorateTerms(
  row: SubscriptionWithTerms,
  price: number,
  atMs: number,
): { credit: number; charge: number } {
  const whole = fullPeriodOf(row);
  const endMs = msOf(row.period_end);
  const left = { startMs: Math.min(Math.max(atMs, whole.startMs), endMs), endMs };
  return {
    credit: proratedPrice(periodPrice(row.unit_amount, row.quantity), whole, left),
    charge: proratedPrice(price, whole, left),
  };
}

/** A period's price. */
export function periodPrice(unitAmount: number, quantity: number): number {
  const price = unitAmount * quantity;
  if (price > maximumAmount) {
    throw invalid('quantity', `quantity times the plan's amount is more than ${maximumAmount} minor units.`);
  }
  return price;
}

/** What is put on an invoice, before tax. */
export interface Line {
  description: string;
  quantity: number;
  unitAmount: number;
}

/**
 * The lines of an invoice: the period's own, if one begins, and what has been gathered before. A credit is taken up as far as
 * there is something to pay; the rest is carried to the next invoice, so that no invoice is below nothing.
 */
export function invoiceLinesOf(
  period: Line | undefined,
  pending: readonly { description: string; amount: number }[],
): { lines: Line[]; carried: number } {
  const gathered = pending.length > maxChangeLines ? summarized(pending) : pending;
  const lines = [
    ...(period === undefined ? [] : [period]),
    ...gathered.map(({ description, amount }) => ({ description, quantity: 1, unitAmount: amount })),
  ];
  const total = lines.reduce((sum, { quantity, unitAmount }) => sum + quantity * unitAmount, 0);
  if (total >= 0) return { lines, carried: 0 };
  lines.push({ description: 'Credit carried to the next invoice', quantity: 1, unitAmount: -total });
  return { lines, carried: total };
}

/** More lines than anyone reads are summed up. */
const maxChangeLines = 100;

function summarized(pending: readonly { description: string; amount: number }[]) {
  const first = pending.slice(0, maxChangeLines - 1);
  const rest = pending.slice(maxChangeLines - 1);
  const amount = rest.reduce((sum, line) => sum + line.amount, 0);
  return [...first, { description: `${rest.length} further changes`, amount }];
}
