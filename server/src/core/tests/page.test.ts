import { expect, test } from 'vitest';
import { utcDay } from '../clock.ts';
import { defaultPageSize, maximumPageSize, paginationOf } from '../page.ts';

test('a page has 20 rows unless asked, and at most 100', () => {
  expect([defaultPageSize, maximumPageSize]).toEqual([20, 100]);
});

test.each([
  [0, 20, 0],
  [1, 20, 1],
  [20, 20, 1],
  [21, 20, 2],
  [100, 100, 1],
  [9_007_199_254_740_991, 1, 9_007_199_254_740_991],
])('%d rows at %d a page are %d pages', (total, pageSize, totalPages) => {
  expect(paginationOf({ page: 1, pageSize }, total)).toEqual({ page: 1, pageSize, total, totalPages });
});

test('a day is a day of UTC, whatever the time zone of the server', () => {
  expect(utcDay(Date.parse('2026-01-31T23:59:59.999Z'))).toBe('2026-01-31');
  expect(utcDay(Date.parse('2026-02-01T00:00:00.000Z'))).toBe('2026-02-01');
});
