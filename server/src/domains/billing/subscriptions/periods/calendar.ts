import { dayMs, secondMs } from '../../../../core/clock.ts';
import type { IntervalUnit } from '../../plans/schema.ts';

/** The length of a billing period: a number of days, weeks, months or years. */
export interface Interval {
  unit: IntervalUnit;
  count: number;
}

/** The start of the first period, from which all others are counted in wall-clock time of a time zone. */
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
 * The start of period `number`: `number` intervals after the anchor. It is always counted from the anchor, so that a clamped
 * month end (31 January → 28 February) recovers (→ 31 March), as does 29 February in the next leap year. Intervals are counted
 * in wall-clock time: a day on which clocks change has 23 or 25 hours. A time that does not exist on such a day is moved
 * forward by the gap; of a time that occurs twice, the first is used.
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

/**
 * Period `number` and the number of the next one. The numbers are consecutive, except where a time zone skipped a whole day:
 * an empty period is left out.
 */
export function periodOf(anchor: Anchor, interval: Interval, number: number): Span & { next: number } {
  const startMs = boundaryOf(anchor, interval, number);
  for (let next = number + 1; ; next++) {
    const endMs = boundaryOf(anchor, interval, next);
    if (endMs > startMs) return { startMs, endMs, next };
  }
}

/** The same wall-clock time, `days` days later. */
export function daysAfter(atMs: number, days: number, timeZone: string): number {
  return fromWallTime(toWallTime(atMs, timeZone) + days * dayMs, timeZone);
}

/** Whether this runtime knows the time zone. */
export function isTimeZone(name: string): boolean {
  // Numeric offsets are refused: they have no rules for clock changes, and runtimes differ in the notations they accept.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    formatterFor(name);
    return true;
  } catch {
    return false;
  }
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

/** The wall-clock time at an instant, represented as if it were UTC. */
function toWallTime(atMs: number, timeZone: string): number {
  return atMs + offsetAt(atMs, timeZone);
}

/** The instant at which the wall clock of a time zone shows `wall`. */
function fromWallTime(wall: number, timeZone: string): number {
  if (timeZone === 'UTC') return wall;
  const before = offsetAt(wall - dayMs, timeZone);
  const after = offsetAt(wall + dayMs, timeZone);
  const readings = [wall - before, wall - after].filter((atMs) => toWallTime(atMs, timeZone) === wall);
  // The time does not exist: the offset before the clock change moves it forward by the gap.
  return readings.length > 0 ? Math.min(...readings) : wall - before;
}

/** How far wall-clock time is ahead of UTC, in ms. */
function offsetAt(atMs: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const parts = Object.fromEntries(
    formatterFor(timeZone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / secondMs) * secondMs;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Creating a formatter takes a hundred times as long as using it. */
function formatterFor(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const created = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(timeZone, created);
  return created;
}
