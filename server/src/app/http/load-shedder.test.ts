import { afterEach, expect, test, vi } from 'vitest';
import { LoadShedder } from './load-shedder.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Whether it is on after 100 ms in which the event loop was busy for the given share. */
function isOn(busyShare: number, payments: number, posts: number, isContended = false): boolean {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const shedder = new LoadShedder(() => ({ idle: 0, active: 0, utilization: busyShare }));
  shedder.paid(payments, isContended);
  for (let i = 0; i < posts; i++) shedder.posted();
  now.mockReturnValue(100);
  return shedder.isOn;
}

test('is on while many payments keep the process busy, regardless of the number of posts', () => {
  expect(isOn(0.9, 500, 0)).toBe(true);
  expect(isOn(0.9, 200, 600)).toBe(true);
});

test('is off while mostly the posts of a backlog keep the process busy', () => {
  expect(isOn(0.9, 2, 1_000)).toBe(false);
  expect(isOn(0.9, 0, 1_000)).toBe(false);
});

test('is off while the process has time left or nothing to do', () => {
  expect(isOn(0.3, 500, 100)).toBe(false);
  expect(isOn(0.9, 0, 0)).toBe(false);
});

test('is on earlier while payments with many deliveries delay those of other tenants', () => {
  expect(isOn(0.3, 200, 400, true)).toBe(true);
  expect(isOn(0.1, 200, 400, true)).toBe(false);
  expect(isOn(0.3, 2, 400, true)).toBe(false);
});

test('is off again when no more payments arrive', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const shedder = new LoadShedder(() => ({ idle: 0, active: 0, utilization: 1 }));
  shedder.paid(500);
  now.mockReturnValue(100);
  expect(shedder.isOn).toBe(true);
  shedder.posted();
  now.mockReturnValue(200);
  expect(shedder.isOn).toBe(false);
});
