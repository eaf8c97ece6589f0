import { performance } from 'node:perf_hooks';
import { afterEach, expect, test, vi } from 'vitest';
import { collectGarbageWhenIdle } from './collect-garbage.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('the garbage of the start is collected once, after the first second in which the process is idle', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const utilization = vi.spyOn(performance, 'eventLoopUtilization');
  const ofLastSecond = (share: number) => utilization.mockReturnValue({ idle: 0, active: 0, utilization: share });
  let collections = 0;
  ofLastSecond(1);
  collectGarbageWhenIdle(() => collections++);
  vi.advanceTimersByTime(5_000);
  expect(collections).toBe(0);
  ofLastSecond(0.02);
  vi.advanceTimersByTime(1_000);
  expect(collections).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(collections).toBe(1);
});
