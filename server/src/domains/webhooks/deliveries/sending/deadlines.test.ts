import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines, type Expiring } from './deadlines.ts';

let deadlines: Deadlines;
let expired: string[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
  deadlines = new Deadlines();
  expired = [];
});

afterEach(() => {
  deadlines.close();
  vi.useRealTimers();
});

function within(ms: number, name: string): Expiring {
  const one: Expiring = {
    deadlineMs: performance.now() + ms,
    previous: undefined,
    next: undefined,
    expire: () => {
      deadlines.remove(one);
      expired.push(name);
      expect(performance.now()).toBeGreaterThanOrEqual(one.deadlineMs);
    },
  };
  deadlines.add(one);
  return one;
}

test('what is not removed expires at its deadline, in the order of deadlines, whichever was added first', () => {
  within(100, 'b');
  within(300, 'd');
  const c = within(200, 'c');
  within(50, 'a');
  deadlines.remove(c);
  vi.advanceTimersByTime(1_000);
  expect(expired).toEqual(['a', 'b', 'd']);
});

test('a deadline that is added after all others are removed is kept', () => {
  const first = within(100, 'first');
  deadlines.remove(first);
  vi.advanceTimersByTime(1_000);
  expect(expired).toEqual([]);
  within(100, 'second');
  vi.advanceTimersByTime(101);
  expect(expired).toEqual(['second']);
});

test('nothing expires after it was closed', () => {
  within(100, 'one');
  deadlines.close();
  within(50, 'two');
  vi.advanceTimersByTime(1_000);
  expect(expired).toEqual([]);
});
