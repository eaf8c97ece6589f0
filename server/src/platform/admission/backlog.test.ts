import { expect, test } from 'vitest';
import { Backlog } from './backlog.ts';

const outageEndedMs = 1_000_000;

function backlogAfterOutage(): Backlog {
  const backlog = new Backlog();
  backlog.begin(outageEndedMs);
  return backlog;
}

test('work waits for this machine from the moment at which it comes due', () => {
  expect(new Backlog().waitedMs(outageEndedMs, outageEndedMs + 300)).toBe(300);
});

test('what came due before the end of an outage does not count', () => {
  const backlog = backlogAfterOutage();
  expect(backlog.waitedMs(outageEndedMs - 60_000, outageEndedMs + 5_000)).toBe(0);
  expect(backlog.waitedMs(outageEndedMs + 1, outageEndedMs + 101)).toBe(100);
});

test('what came due while the backlog was done does not count, while each round is shorter', () => {
  const backlog = backlogAfterOutage();
  // The backlog took 50 s. What came due meanwhile takes 10 s, and what came due during these 2 s.
  backlog.claimed(outageEndedMs, outageEndedMs + 50_000);
  expect(backlog.isOn).toBe(true);
  expect(backlog.waitedMs(outageEndedMs + 40_000, outageEndedMs + 59_000)).toBe(0);
  backlog.claimed(outageEndedMs + 50_000, outageEndedMs + 60_000);
  expect(backlog.isOn).toBe(true);
  backlog.claimed(outageEndedMs + 61_500, outageEndedMs + 62_000);
  expect(backlog.isOn).toBe(false);
});

test('a machine that is behind all the time does not hide behind a backlog', () => {
  const backlog = backlogAfterOutage();
  const lateMs = 5_000;
  for (let nowMs = outageEndedMs; nowMs < outageEndedMs + 3 * lateMs; nowMs += 100)
    backlog.claimed(nowMs - lateMs, nowMs);
  expect(backlog.isOn).toBe(false);
  expect(backlog.waitedMs(outageEndedMs + 10_000, outageEndedMs + 15_000)).toBe(lateMs);
});
