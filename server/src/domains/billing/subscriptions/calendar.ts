import { dayMs, secondMs } from '../../../core/clock.ts';
import type { IntervalUnit } from '../plans/schema.ts';

/** How long a period is: so many days, weeks, months or years. */
export interface Interval {
  unit: IntervalUnit;
  count: number;
}

/** What periods are counted from: the moment at which the first begins, by the clock on the wall of a time zone. */
export interface Anchor {
  atMs: number;
  /** A name of IANA's, such as `Europe/Zurich`; or UTC. */
  timeZone: string;
}

/** From `startMs`, up to `endMs` and without it. */
export interface Span {
  startMs: number;
  endMs: number;
}

/**
 * Where period `number` begins: the anchor and `number` intervals, always counted from the anchor, so that a month end
 * that was clamped (31 January → 28 February) recovers (→ 31 March), and so does 29 February in the next leap year. By the
 * clock on the wall: a day on which clocks are changed has 23 or 25 hours. A time that such a day leaves out is that much
 * later; of a time that comes twice the first counts.
 */
export function boundaryOf(anchor: Anchor, { unit, count }: Interval, number: number): number {
  // Of a time that comes twice the anchor may be the second.
  if (number === 0) return anchor.atMs;
  const wall = toWallTime(anchor.atMs, anchor.timeZone);
  const moved =
    unit === 'day' || unit === 'week'
      ? wall + number * count * lengthMs[unit]
      : monthsAfter(wall, number * count * months[unit]);
  return fromWallTime(moved, anchor.timeZone);
}

/**
 * Period `number`, and the number of the one that follows it. They are neighbours but where a zone once left out a whole
 * day: a period of no time at all is passed over.
 */
export function periodOf(anchor: Anchor, interval: Interval, number: number): Span & { next: number } {
  const startMs = boundaryOf(anchor, interval, number);
  for (let next = number + 1; ; next++) {
    const endMs = boundaryOf(anchor, interval, next);
    if (endMs > startMs) return { startMs, endMs, next };
  }
}

/** So many days later, at the same time on the wall. */
export function daysAfter(atMs: number, days: number, timeZone: string): number {
  return fromWallTime(toWallTime(atMs, timeZone) + days * dayMs, timeZone);
}

/** Whether times can be read by this zone here. */
export function isTimeZone(name: string): boolean {
  // A bare offset has no rules, and is written in ways that only some know.
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

/** The same day of a later month, or its last day where it has none such. A wall is read and written as if it were UTC. */
function monthsAfter(wall: number, count: number): number {
  const from = new Date(wall);
  const day = from.getUTCDate();
  const to = new Date(wall);
  to.setUTCDate(1);
  to.setUTCMonth(from.getUTCMonth() + count);
  const lastDay = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate();
  return to.setUTCDate(Math.min(day, lastDay));
}

/** What the clock on the wall shows, as the moment at which one in UTC shows the same. */
function toWallTime(atMs: number, timeZone: string): number {
  return atMs + offsetAt(atMs, timeZone);
}

function fromWallTime(wall: number, timeZone: string): number {
  if (timeZone === 'UTC') return wall;
  const before = offsetAt(wall - dayMs, timeZone);
  const after = offsetAt(wall + dayMs, timeZone);
  const readings = [wall - before, wall - after].filter((atMs) => toWallTime(atMs, timeZone) === wall);
  // Left out by a change of clocks: read by the offset before it, it is as much later as was left out.
  return readings.length > 0 ? Math.min(...readings) : wall - before;
}

/** How far the wall is ahead of UTC. */
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

/** Making one takes a hundred times as long as reading it. */
function formatterFor(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
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
  formatters.set(timeZone, made);
  return made;
}
