import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayMs, hourMs } from '../../../../core/clock.ts';
import { isTimeZone } from '../../../../core/time-zone.ts';
import { intervalUnits } from '../../plans/schema.ts';
import { type Anchor, boundaryOf, daysAfter, type Interval, periodOf } from '../periods/calendar.ts';

const at = (text: string) => Date.parse(text);
const shown = (ms: number) => new Date(ms).toISOString().replace(':00.000Z', 'Z');
const utc = (text: string): Anchor => ({ atMs: at(text), timeZone: 'UTC' });
const boundaries = (anchor: Anchor, interval: Interval, count: number) =>
  Array.from({ length: count }, (_, number) => shown(boundaryOf(anchor, interval, number)));

test('month ends clamp and recover', () => {
  expect(boundaries(utc('2027-01-31T09:30Z'), { unit: 'month', count: 1 }, 5)).toEqual([
    '2027-01-31T09:30Z',
    '2027-02-28T09:30Z',
    '2027-03-31T09:30Z',
    '2027-04-30T09:30Z',
    '2027-05-31T09:30Z',
  ]);
  expect(boundaries(utc('2028-01-30T00:00Z'), { unit: 'month', count: 1 }, 3)[1]).toBe('2028-02-29T00:00Z');
});

test('29 February returns in the next leap year, even across 2100, which is not one', () => {
  expect(
    boundaries(utc('2096-02-29T00:00Z'), { unit: 'year', count: 1 }, 9).filter((day) => day.includes('-02-29')),
  ).toEqual(['2096-02-29T00:00Z', '2104-02-29T00:00Z']);
});

test('intervals of several weeks and days are counted exactly', () => {
  expect(boundaries(utc('2026-12-28T23:59Z'), { unit: 'week', count: 2 }, 3)[2]).toBe('2027-01-25T23:59Z');
  expect(boundaries(utc('2028-02-28T12:00Z'), { unit: 'day', count: 1 }, 3)).toEqual([
    '2028-02-28T12:00Z',
    '2028-02-29T12:00Z',
    '2028-03-01T12:00Z',
  ]);
});

test('in a time zone, periods begin at the same wall-clock time in summer and in winter', () => {
  const zurich: Anchor = { atMs: at('2026-01-31T08:00Z'), timeZone: 'Europe/Zurich' };
  expect(boundaries(zurich, { unit: 'month', count: 1 }, 4)).toEqual([
    '2026-01-31T08:00Z',
    '2026-02-28T08:00Z',
    '2026-03-31T07:00Z',
    '2026-04-30T07:00Z',
  ]);
});

test('a wall-clock time that does not exist is moved an hour later; when one occurs twice, the first is used', () => {
  const zone = 'Europe/Zurich';
  const gap: Anchor = { atMs: at('2026-03-28T01:30Z'), timeZone: zone }; // 02:30 wall-clock time
  expect(boundaries(gap, { unit: 'day', count: 1 }, 3)).toEqual([
    '2026-03-28T01:30Z',
    '2026-03-29T01:30Z', // 03:30: there is no 02:30
    '2026-03-30T00:30Z',
  ]);
  const twice: Anchor = { atMs: at('2026-10-24T00:30Z'), timeZone: zone };
  expect(boundaries(twice, { unit: 'day', count: 1 }, 3)[1]).toBe('2026-10-25T00:30Z');
});

test('a day that a time zone skipped creates no empty period', () => {
  const apia: Anchor = { atMs: at('2011-12-29T22:00Z'), timeZone: 'Pacific/Apia' };
  const first = periodOf(apia, { unit: 'day', count: 1 }, 0);
  const second = periodOf(apia, { unit: 'day', count: 1 }, first.next);
  expect(shown(first.endMs)).toBe('2011-12-30T22:00Z');
  expect(second.startMs).toBe(first.endMs);
  expect(second.endMs - second.startMs).toBe(dayMs);
});

test.each(['UTC', 'Europe/Zurich', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'Asia/Kathmandu'])(
  '%s is a time zone',
  (name) => expect(isTimeZone(name)).toBe(true),
);
test.each(['', 'Mars/Olympus', '+01:00', 'Europe/Zürich', 'UTC\0', 'a'.repeat(100), '../etc'])(
  '%j is no time zone',
  (name) => expect(isTimeZone(name)).toBe(false),
);

const zones = [
  'UTC',
  'Europe/Zurich',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Africa/Casablanca',
];
const anchors = fc.record({
  atMs: fc.integer({ min: at('1999-01-01'), max: at('2105-01-01') }),
  timeZone: fc.constantFrom(...zones),
});
const intervals = fc.record({ unit: fc.constantFrom(...intervalUnits), count: fc.integer({ min: 1, max: 40 }) });

test('for any anchor and interval, periods are contiguous and not empty', () => {
  fc.assert(
    fc.property(anchors, intervals, fc.integer({ min: 0, max: 60 }), (anchor, interval, from) => {
      let period = periodOf(anchor, interval, from);
      for (let i = 0; i < 12; i++) {
        const following = periodOf(anchor, interval, period.next);
        expect(following.startMs).toBe(period.endMs);
        expect(following.endMs).toBeGreaterThan(following.startMs);
        period = following;
      }
    }),
    { numRuns: 300 },
  );
});

test('the first period begins at the anchor, and every other on its day or on the last day of a shorter month', () => {
  fc.assert(
    fc.property(anchors, fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 200 }), (anchor, count, number) => {
      expect(boundaryOf(anchor, { unit: 'month', count }, 0)).toBe(anchor.atMs);
      const inUtc = { ...anchor, timeZone: 'UTC' };
      expect(boundaryOf(inUtc, { unit: 'month', count }, 0)).toBe(anchor.atMs);
      const day = new Date(anchor.atMs).getUTCDate();
      const reached = new Date(boundaryOf(inUtc, { unit: 'month', count }, number));
      const tomorrow = new Date(reached.getTime() + dayMs);
      expect(reached.getUTCDate() === day || (reached.getUTCDate() < day && tomorrow.getUTCDate() === 1)).toBe(true);
      const monthsApart =
        (reached.getUTCFullYear() - new Date(anchor.atMs).getUTCFullYear()) * 12 +
        reached.getUTCMonth() -
        new Date(anchor.atMs).getUTCMonth();
      expect(monthsApart).toBe(number * count);
    }),
    { numRuns: 500 },
  );
});

test('days are added in wall-clock time', () => {
  expect(daysAfter(at('2026-03-20T08:00Z'), 14, 'Europe/Zurich')).toBe(at('2026-04-03T07:00Z'));
  expect(daysAfter(at('2026-03-20T08:00Z'), 14, 'UTC') - at('2026-03-20T08:00Z')).toBe(14 * 24 * hourMs);
});
