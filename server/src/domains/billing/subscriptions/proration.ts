import { allocate } from '../../../core/money.ts';
import type { Span } from './calendar.ts';

/**
 * What of a period's price falls on the time from a moment to its end: shared out by milliseconds, with the largest
 * remainder. It depends on nothing but price, period and moment and never rises with the moment, so whatever stretches a
 * period is cut into, what falls on each (`remaining` at its beginning less `remaining` at its end) is never negative, and
 * all of them together are the price: no minor unit is lost or made, however often a subscription is changed.
 */
export function remainingPrice(price: number, period: Span, atMs: number): number {
  const { startMs, endMs } = period;
  const cutMs = Math.min(Math.max(atMs, startMs), endMs);
  return allocate(price, [cutMs - startMs, endMs - cutMs])[1] as number;
}

/** What of a period's price falls on a stretch of it. */
export function proratedPrice(price: number, period: Span, stretch: Span): number {
  return remainingPrice(price, period, stretch.startMs) - remainingPrice(price, period, stretch.endMs);
}

/** What a change of price in the middle of a period comes to: what was charged for the rest goes back, and the new is charged. */
export function prorateChange(
  before: number,
  after: number,
  period: Span,
  atMs: number,
): { credit: number; charge: number } {
  return { credit: remainingPrice(before, period, atMs), charge: remainingPrice(after, period, atMs) };
}
