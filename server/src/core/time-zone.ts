import { dayMs, secondMs } from './clock.ts';

/** Whether this runtime knows the time zone. */
export function isTimeZone(name: string): boolean {
  // Numeric offsets are refused: they have no rules for clock changes, and runtimes differ in the notations they
  // accept.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    formatterFor(name);
    return true;
  } catch {
    return false;
  }
}

/** The wall-clock time at an instant, represented as if it were UTC. */
export function toWallTime(atMs: number, timeZone: string): number {
  return atMs + offsetAt(atMs, timeZone);
}

/** The instant at which the wall clock of a time zone shows `wall`. */
export function fromWallTime(wall: number, timeZone: string): number {
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
