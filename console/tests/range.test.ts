import { expect, test } from 'vitest';
import { daysBefore, daysOfPreset, eachDayOf, maximumDays, presetOfDays, rangeOf } from '../src/pages/home/range.ts';

const nowMs = Date.parse('2026-03-01T00:30:00Z');

test('a preset is whole UTC days up to today', () => {
  expect(daysOfPreset('today', nowMs)).toEqual({ startDate: '2026-03-01', endDate: '2026-03-01' });
  expect(daysOfPreset('week', nowMs)).toEqual({ startDate: '2026-02-23', endDate: '2026-03-01' });
  expect(daysOfPreset('days30', nowMs)).toEqual({ startDate: '2026-01-31', endDate: '2026-03-01' });
  expect(presetOfDays(daysOfPreset('days30', nowMs), nowMs)).toBe('days30');
  expect(presetOfDays({ startDate: '2026-01-01', endDate: '2026-01-31' }, nowMs)).toBeUndefined();
});

test('this month ends today, and the last month with its own last day', () => {
  const midMonth = Date.parse('2026-03-15T12:00:00Z');
  expect(daysOfPreset('month', midMonth)).toEqual({ startDate: '2026-03-01', endDate: '2026-03-15' });
  expect(daysOfPreset('lastMonth', midMonth)).toEqual({ startDate: '2026-02-01', endDate: '2026-02-28' });
  expect(presetOfDays({ startDate: '2026-02-01', endDate: '2026-02-28' }, midMonth)).toBe('lastMonth');
  const january = Date.parse('2027-01-31T12:00:00Z');
  expect(daysOfPreset('lastMonth', january)).toEqual({ startDate: '2026-12-01', endDate: '2026-12-31' });
});

test('the days before are as many, and end right before the first day', () => {
  expect(daysBefore({ startDate: '2026-03-01', endDate: '2026-03-01' })).toEqual({
    startDate: '2026-02-28',
    endDate: '2026-02-28',
  });
  expect(daysBefore({ startDate: '2026-02-23', endDate: '2026-03-01' })).toEqual({
    startDate: '2026-02-16',
    endDate: '2026-02-22',
  });
});

test('the axis of a chart has each day once', () => {
  const days = eachDayOf({ startDate: '2026-02-27', endDate: '2026-03-02' });
  expect(days).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']);
});

test.each([
  [{}],
  [{ startDate: '2026-03-01' }],
  [{ startDate: 'yesterday', endDate: '2026-03-01' }],
  [{ startDate: '2026-03-02', endDate: '2026-03-01' }],
  [{ startDate: '2020-01-01', endDate: '2026-03-01' }],
])('an address with %j shows seven days', (given) => {
  expect(rangeOf(given, nowMs)).toEqual(daysOfPreset('week', nowMs));
});

test('a range has as many days as the service counts', () => {
  const longest = { startDate: '2025-03-01', endDate: '2026-03-01' };
  expect(eachDayOf(longest)).toHaveLength(maximumDays);
  expect(rangeOf(longest, nowMs)).toEqual(longest);
});
