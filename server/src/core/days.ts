import { dayMs } from './clock.ts';
import { invalid } from './errors.ts';
import { rule } from './refusal-rules.ts';
import { fromWallTime, isTimeZone } from './time-zone.ts';

/** The time range of the requested days: whole UTC days, both inclusive. */
export interface DayRange {
  startDate: string;
  endDate: string;
  fromMs: number;
  /** Exclusive. */
  toMs: number;
}

/** A range of time. `days` is present if it consists of whole UTC days, by which totals are stored. */
export interface TimeRange {
  fromMs: number;
  /** Exclusive. */
  toMs: number;
  days?: DayRange;
}

/** The limits of a list: days (YYYY-MM-DD, both inclusive) or instants, and the time zone of the days. */
export interface TimeLimits {
  startDate?: string | undefined;
  endDate?: string | undefined;
  timeZone?: string | undefined;
}

const firstDay = '1970-01-01';
const lastDay = '9999-12-31';

export function dayRangeOf(startDate: string = firstDay, endDate: string = lastDay): DayRange {
  if (startDate > endDate) throw invalid('startDate', rule('not_after', { other: 'endDate' }));
  return { startDate, endDate, fromMs: Date.parse(startDate), toMs: Date.parse(endDate) + dayMs };
}

/**
 * The range between two limits. A day is a day of the time zone, whole and inclusive; it has 23 or 25 hours when clocks
 * change. An instant (ISO 8601 with an offset) is inclusive as the start and exclusive as the end, so that adjacent
 * ranges do not overlap.
 */
export function timeRangeOf({ startDate, endDate, timeZone = 'UTC' }: TimeLimits): TimeRange {
  if (!isTimeZone(timeZone)) throw invalid('timeZone', rule('time_zone'));
  if (timeZone === 'UTC' && isDayOrAbsent(startDate) && isDayOrAbsent(endDate)) {
    const days = dayRangeOf(startDate, endDate);
    return { fromMs: days.fromMs, toMs: days.toMs, days };
  }
  const fromMs = startDate === undefined ? Date.parse(firstDay) : limitOf('startDate', startDate, timeZone, 0);
  const toMs = endDate === undefined ? Date.parse(lastDay) + dayMs : limitOf('endDate', endDate, timeZone, dayMs);
  if (fromMs > toMs) throw invalid('startDate', rule('not_after', { other: 'endDate' }));
  return { fromMs, toMs };
}

const day = /^\d{4}-\d\d-\d\d$/;
const instant = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

function isDayOrAbsent(limit: string | undefined): boolean {
  return limit === undefined || (day.test(limit) && isCalendarDay(limit));
}

/** `ofDayMs` is added to the start of a day, on the clock of its time zone. */
function limitOf(field: string, limit: string, timeZone: string, ofDayMs: number): number {
  if (day.test(limit) && isCalendarDay(limit)) return fromWallTime(Date.parse(limit) + ofDayMs, timeZone);
  // A plus sign in a query string is read as a space, and clients often send it unescaped.
  const written = limit.replace(/ (?=\d\d:\d\d$)/, '+');
  const [, date = ''] = instant.exec(written) ?? [];
  const atMs = Date.parse(written);
  if (!isCalendarDay(date) || Number.isNaN(atMs)) {
    throw invalid(field, rule('day_or_time'));
  }
  return atMs;
}

/** Date.parse takes 2026-02-30 for 2 March. PostgreSQL has no year 0000. */
function isCalendarDay(text: string): boolean {
  const atMs = Date.parse(text);
  return !Number.isNaN(atMs) && !text.startsWith('0000') && new Date(atMs).toISOString().startsWith(text);
}
