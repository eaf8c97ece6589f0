import { allocate } from '../../../../core/money.ts';
import type { Span } from './calendar.ts';

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
