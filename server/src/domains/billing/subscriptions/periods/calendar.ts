import { dayMs } from '../../../../core/clock.ts';
import { fromWallTime, toWallTime } from '../../../../core/time-zone.ts';
import type { IntervalUnit } from '../../plans/schema.ts';

/** The length of a billing period: a number of days, weeks, months or years. */
export interface Interval {
  unit: IntervalUnit;
  count: number;
}

/** The start of the first period. All others are counted from it, in the wall-clock time of a time zone. */
export interface Anchor {
  atMs: number;
  /** An IANA time zone, such as `Europe/Zurich`, or UTC. */
  timeZone: string;
}

/** From `startMs` inclusive to `endMs` exclusive. */
export interface Span {
  startMs: number;
  endMs: number;
}

/**
 * The start of period `number`: `number` intervals after the anchor. Counting always starts at the anchor, so that a
 * clamped month end (31 January → 28 February) recovers (→ 31 March), as does 29 February in the next leap year.
 * Intervals are counted in wall-clock time: a day on which clocks change has 23 or 25 hours. A time that does not exist
 * on such a day is moved forward by the gap; when a time occurs twice, the first is used.
 */
export function boundaryOf(anchor: Anchor, { unit, count }: Interval, number: number): number {
  // The anchor itself may be the second of two equal wall-clock times.
  if (number === 0) return anchor.atMs;
  const wall = toWallTime(anchor.atMs, anchor.timeZone);
  const moved =
    unit === 'day' || unit === 'week'
      ? wall + number * count * lengthMs[unit]
      : monthsAfter(wall, number * count * months[unit]);
  return fromWallTime(moved, anchor.timeZone);
}

/** Period `number` and the number of the next one. A number is skipped only where a time zone skipped a whole day. */
export function periodOf(anchor: Anchor, interval: Interval, number: number): Span & { next: number } {
  const startMs = boundaryOf(anchor, interval, number);
  for (let next = number + 1; ; next++) {
    const endMs = boundaryOf(anchor, interval, next);
    if (endMs > startMs) return { startMs, endMs, next };
  }
}

/** The period that ends at this time, which may be before the anchor; undefined: none does. */
export function periodThatEnds(
  endMs: number,
  anchor: Anchor,
  interval: Interval,
): (Span & { next: number }) | undefined {
  const next = numberOfBoundary(endMs, anchor, interval);
  return next === undefined ? undefined : { startMs: boundaryOf(anchor, interval, next - 1), endMs, next };
}

/** Boundaries rise with their numbers, so that a binary search finds one. */
function numberOfBoundary(atMs: number, anchor: Anchor, interval: Interval): number | undefined {
  let low = 0;
  let high = Math.ceil((atMs - anchor.atMs) / (dayMs / 2)) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (boundaryOf(anchor, interval, middle) < atMs) low = middle + 1;
    else high = middle;
  }
  return boundaryOf(anchor, interval, low) === atMs ? low : undefined;
}

/** The same wall-clock time, `days` days later. */
export function daysAfter(atMs: number, days: number, timeZone: string): number {
  return fromWallTime(toWallTime(atMs, timeZone) + days * dayMs, timeZone);
}

const lengthMs = { day: dayMs, week: 7 * dayMs };
const months = { month: 1, year: 12 };

/** The same day of a later month, or the month's last day. Wall-clock times are represented as if they were UTC. */
function monthsAfter(wall: number, count: number): number {
  const from = new Date(wall);
  const day = from.getUTCDate();
  const to = new Date(wall);
  to.setUTCDate(1);
  to.setUTCMonth(from.getUTCMonth() + count);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  return to.setUTCDate(Math.min(day, lastDay));
}
