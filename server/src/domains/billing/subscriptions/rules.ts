import { maximumAmount } from '../../../core/currency.ts';
import { invalid } from '../../../core/errors.ts';
import { type Interval, periodOf, type Span } from './calendar.ts';
import { priceOf } from './proration.ts';
import type { HeldSubscription, SubscriptionRow } from './statements.ts';
import { hasEnded, renewingStates, type SubscriptionState } from './states.ts';

export const msOf = (time: string): number => Date.parse(time);
export const timeOf = (atMs: number): string => new Date(atMs).toISOString();

/** When something happens to it by itself: its period ends, or it does. */
export function dueOf(row: SubscriptionRow): string | null {
  if (hasEnded(row.state)) return null;
  const moves = row.cancel_at_period_end || isRenewing(row.state);
  const moments = [moves ? row.period_end : null, row.end_at].filter((time) => time !== null);
  return moments.toSorted()[0] ?? null;
}

export const isRenewing = (state: SubscriptionState) => (renewingStates as readonly string[]).includes(state);

/** A change is a new version, due anew. */
export function changed(row: HeldSubscription, to: Partial<SubscriptionRow>, nowMs: number): HeldSubscription {
  const now = timeOf(nowMs);
  const after = { ...row, ...to, version: row.version + 1, updated_at: now > row.updated_at ? now : row.updated_at };
  return { ...after, due_at: dueOf(after) };
}

/** What becomes of a subscription to which something is due: it ends, or its next period begins. */
export type Step =
  | { kind: 'ends'; after: HeldSubscription }
  | { kind: 'begins'; after: HeldSubscription; price: number; isWhole: boolean };

export function stepOf(row: HeldSubscription, nowMs: number): Step {
  const { period_end, end_at } = row;
  if (row.cancel_at_period_end && (end_at === null || period_end <= end_at)) {
    return { kind: 'ends', after: ended(row, 'CANCELLED', period_end, nowMs) };
  }
  if (end_at !== null && (end_at <= period_end || !isRenewing(row.state))) {
    return { kind: 'ends', after: ended(row, 'EXPIRED', end_at, nowMs) };
  }
  return begun(row, nowMs);
}

export function ended(
  row: HeldSubscription,
  state: 'CANCELLED' | 'EXPIRED',
  at: string,
  nowMs: number,
): HeldSubscription {
  return changed(row, { state, ended_at: at, paused_at: null, next_plan_id: null, next_quantity: null }, nowMs);
}

/** The next period begins where the current one ends. What had been put off until then holds from now on. */
function begun(row: HeldSubscription, nowMs: number): Step {
  const coming: Interval = { unit: row.coming_unit, count: row.coming_count };
  const isCountedAnew = coming.unit !== row.interval_unit || coming.count !== row.interval_count;
  const anchor_at = isCountedAnew ? row.period_end : row.anchor_at;
  const number = isCountedAnew ? 0 : row.next_number;
  const anchor = { atMs: msOf(anchor_at), timeZone: row.time_zone };
  const { startMs, endMs, next } = periodOf(anchor, coming, number);
  if (timeOf(startMs) !== row.period_end) throw new Error(`The periods of subscription ${row.id} do not tile.`);
  const cutMs = row.end_at === null ? endMs : Math.min(endMs, msOf(row.end_at));
  const quantity = row.next_quantity ?? row.quantity;
  const after = changed(
    {
      ...row,
      plan_name: row.coming_name,
      interval_unit: row.coming_unit,
      interval_count: row.coming_count,
    },
    {
      state: 'ACTIVE',
      plan_id: row.next_plan_id ?? row.plan_id,
      quantity,
      unit_amount: row.coming_amount,
      next_plan_id: null,
      next_quantity: null,
      anchor_at,
      next_number: next,
      period_start: row.period_end,
      period_end: timeOf(cutMs),
    },
    nowMs,
  );
  const whole = priceFor(row.coming_amount, quantity);
  const price = priceOf(whole, { startMs, endMs }, { startMs, endMs: cutMs });
  return { kind: 'begins', after, price, isWhole: cutMs === endMs };
}

/** The current period as it would be if the subscription did not end in it: what its price is for. */
export function wholePeriodOf(row: HeldSubscription): Span {
  const anchor = { atMs: msOf(row.anchor_at), timeZone: row.time_zone };
  const interval: Interval = { unit: row.interval_unit, count: row.interval_count };
  const { startMs } = periodOf(anchor, interval, row.next_number);
  return { startMs: msOf(row.period_start), endMs: startMs };
}

/** What a change in the middle of the current period gives back and charges, for the time that is left of it. */
export function changeFrom(row: HeldSubscription, price: number, atMs: number): { credit: number; charge: number } {
  const whole = wholePeriodOf(row);
  const endMs = msOf(row.period_end);
  const left = { startMs: Math.min(Math.max(atMs, whole.startMs), endMs), endMs };
  return {
    credit: priceOf(priceFor(row.unit_amount, row.quantity), whole, left),
    charge: priceOf(price, whole, left),
  };
}

/** A period's price. */
export function priceFor(unitAmount: number, quantity: number): number {
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
export function linesOf(
  period: Line | undefined,
  pending: readonly { description: string; amount: number }[],
): { lines: Line[]; carried: number } {
  const gathered = pending.length > mostLines ? folded(pending) : pending;
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
const mostLines = 100;

function folded(pending: readonly { description: string; amount: number }[]) {
  const first = pending.slice(0, mostLines - 1);
  const rest = pending.slice(mostLines - 1);
  const amount = rest.reduce((sum, line) => sum + line.amount, 0);
  return [...first, { description: `${rest.length} further changes`, amount }];
}
