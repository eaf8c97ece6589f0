import { afterEach, expect, test, vi } from 'vitest';
import { LoadShedder } from './load-shedder.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Of one tenth of a second, in which the loop was busy for this share. */
function isRush(busy: number, payments: number, posts: number): boolean {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const rush = new LoadShedder(() => ({ idle: 0, active: 0, utilization: busy }));
  rush.paid(payments);
  for (let i = 0; i < posts; i++) rush.posted();
  now.mockReturnValue(100);
  return rush.isOn;
}

test('many payments that keep the process busy are a rush, whatever is sent besides', () => {
  expect(isRush(0.9, 500, 0)).toBe(true);
  expect(isRush(0.9, 200, 600)).toBe(true);
});

test('a few payments beside a backlog that is worked off are none: it is the posts that keep the process busy', () => {
  expect(isRush(0.9, 2, 1_000)).toBe(false);
  expect(isRush(0.9, 0, 1_000)).toBe(false);
});

test('where there is time left, or nothing to do, there is no rush', () => {
  expect(isRush(0.3, 500, 100)).toBe(false);
  expect(isRush(0.9, 0, 0)).toBe(false);
});

test('it is over with the last payment', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const rush = new LoadShedder(() => ({ idle: 0, active: 0, utilization: 1 }));
  rush.paid(500);
  now.mockReturnValue(100);
  expect(rush.isOn).toBe(true);
  rush.posted();
  now.mockReturnValue(200);
  expect(rush.isOn).toBe(false);
});
