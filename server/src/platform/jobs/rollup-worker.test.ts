import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '../postgres/database.ts';
import { RollupWorker } from './rollup-worker.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('a failure is reported once until all rollups have succeeded again, and every rollup runs all the same', async () => {
  let isAway = true;
  const ran: string[] = [];
  const rollUp = (name: string) => async () => {
    ran.push(name);
    if (isAway) throw new Error('away');
  };
  const failures: unknown[] = [];
  const worker = new RollupWorker({} as Database, [rollUp('payments'), rollUp('ledger')], (error) =>
    failures.push(error),
  );
  const wakeAndRun = async () => {
    worker.wake();
    await vi.advanceTimersByTimeAsync(1_000);
  };
  worker.start();
  await wakeAndRun();
  await wakeAndRun();
  expect(ran).toEqual(['payments', 'ledger', 'payments', 'ledger']);
  expect(failures).toHaveLength(1);
  isAway = false;
  await wakeAndRun();
  isAway = true;
  await wakeAndRun();
  expect(failures).toHaveLength(2);
  await worker.stop();
});
