import { performance } from 'node:perf_hooks';
import { afterEach, expect, test, vi } from 'vitest';
import { collectGarbageOfStart } from './collect-garbage.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The seconds after the start at which garbage is collected, if the process is busy for this share of each. */
function collectedAt(busyShares: readonly number[]): number[] {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const utilization = vi.spyOn(performance, 'eventLoopUtilization');
  const collections: number[] = [];
  let second = 0;
  collectGarbageOfStart(() => collections.push(second));
  for (const share of busyShares) {
    second++;
    utilization.mockReturnValue({ idle: 0, active: 0, utilization: share });
    vi.advanceTimersByTime(1_000);
  }
  return collections;
}

test('the garbage of the start is collected once, after the first second in which the process is idle', () => {
  expect(collectedAt([1, 0.5, 0.02, 0.02, 1, 0.02])).toEqual([3]);
});

test('under load it is collected after ten seconds, once', () => {
  expect(collectedAt(Array(30).fill(1))).toEqual([10]);
});
