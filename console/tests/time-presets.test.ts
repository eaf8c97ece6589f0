import { expect, test } from 'vitest';
import { presetOf, rangeOf } from '../src/ui/filters/time-presets.ts';

const now = Date.parse('2026-11-27T23:30:00Z');

const startOf = (...given: Parameters<typeof rangeOf>) => rangeOf(...given).startDate;

test('presets begin with a day of the zone', () => {
  expect(startOf('today', 'UTC', now)).toBe('2026-11-27T00:00:00Z');
  expect(startOf('today', 'Asia/Tokyo', now)).toBe('2026-11-27T15:00:00Z');
  expect(startOf('week', 'Europe/Berlin', now)).toBe('2026-11-21T23:00:00Z');
  expect(startOf('month', 'America/New_York', now)).toBe('2026-11-01T04:00:00Z');
});

test('a range that a preset means is shown as that preset, until its day is over', () => {
  const startDate = startOf('today', 'Europe/Berlin', now);
  expect(presetOf({ startDate, endDate: '' }, 'Europe/Berlin', now)).toBe('today');
  expect(presetOf({ startDate, endDate: '2026-11-28T00:00:00Z' }, 'Europe/Berlin', now)).toBeUndefined();
  expect(presetOf({ startDate, endDate: '' }, 'Europe/Berlin', now + 86_400_000)).toBeUndefined();
});

test('the last month ends where this month begins, also in January', () => {
  const range = { startDate: '2026-09-30T22:00:00Z', endDate: '2026-10-31T23:00:00Z' };
  expect(rangeOf('lastMonth', 'Europe/Berlin', now)).toEqual(range);
  expect(rangeOf('month', 'Europe/Berlin', now)).toEqual({ startDate: range.endDate, endDate: '' });
  expect(presetOf(range, 'Europe/Berlin', now)).toBe('lastMonth');
  expect(rangeOf('lastMonth', 'UTC', Date.parse('2027-01-31T12:00:00Z'))).toEqual({
    startDate: '2026-12-01T00:00:00Z',
    endDate: '2027-01-01T00:00:00Z',
  });
});
