import { expect, test } from 'vitest';
import { endsSoon, isTooOld } from '../src/pages/home/operations.ts';

const nowMs = Date.parse('2026-11-27T12:00:00Z');

test.each([
  ['2026-11-01T00:00:00Z', true],
  ['2026-12-11T11:59:59Z', true],
  ['2026-12-11T12:00:00Z', false],
])('a certificate that ends at %s is alerted 14 days before: %s', (endTime, expected) => {
  expect(endsSoon(endTime, nowMs)).toBe(expected);
});

test.each([
  [undefined, true],
  ['2026-11-26T11:59:59Z', true],
  ['2026-11-26T12:00:00Z', false],
])('a last backup at %s is older than a day: %s', (lastTime, expected) => {
  expect(isTooOld(lastTime, 86_400, nowMs)).toBe(expected);
});
