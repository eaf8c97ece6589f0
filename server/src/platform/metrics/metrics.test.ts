import { afterEach, expect, test, vi } from 'vitest';
import { Metrics } from './metrics.ts';

afterEach(() => vi.useRealTimers());

test('the utilization of the event loop is sampled once a second', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'hrtime'] });
  const metrics = new Metrics();
  vi.advanceTimersByTime(10_000);
  expect(await metrics.text()).toMatch(/^nodejs_eventloop_utilization_summary_count 10$/m);
});
