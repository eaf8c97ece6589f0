import { expect, test } from 'vitest';
import { minuteMs } from '../../../core/clock.ts';
import { retryAt } from './rules.ts';

const intervalsMs = [minuteMs, 5 * minuteMs, 30 * minuteMs];
const endedMs = Date.UTC(2026, 0, 31, 9, 30);

test('retries follow 1, 5 and 30 minutes after the end of the failed attempt, and there is no fifth attempt', () => {
  const waits = [1, 2, 3, 4].map((attempt) => retryAt(attempt, endedMs, intervalsMs, undefined));
  expect(waits).toEqual([endedMs + minuteMs, endedMs + 5 * minuteMs, endedMs + 30 * minuteMs, undefined]);
});

test.each([
  ['90', 90],
  [' 90 ', 90],
  ['99999', 120],
  ['5', 60],
  ['junk', 60],
  ['-90', 60],
  ['9e9', 60],
  ['', 60],
  [undefined, 60],
  [new Date(endedMs + 90_000).toUTCString(), 90],
  [new Date(endedMs + minuteMs * 60).toUTCString(), 120],
  [new Date(endedMs - 90_000).toUTCString(), 60],
  ['Mon, 99 Foo 2026 00:00:00 GMT', 60],
])('Retry-After %j makes the first wait %i s: at most twice the interval, never shorter', (retryAfter, seconds) => {
  expect(retryAt(1, endedMs, intervalsMs, retryAfter)).toBe(endedMs + seconds * 1000);
});
