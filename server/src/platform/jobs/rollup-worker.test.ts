import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '../postgres/database.ts';
import { RollupWorker } from './rollup-worker.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('a database that is away is told of once, and again when it has been back; every fold is tried all the same', async () => {
  let isAway = true;
  const folded: string[] = [];
  const fold = (name: string) => async () => {
    folded.push(name);
    if (isAway) throw new Error('away');
  };
  const failures: unknown[] = [];
  const folder = new RollupWorker({} as Database, [fold('payments'), fold('ledger')], (error) => failures.push(error));
  const afterAWrite = async () => {
    folder.wake();
    await vi.advanceTimersByTimeAsync(1_000);
  };
  folder.start();
  await afterAWrite();
  await afterAWrite();
  expect(folded).toEqual(['payments', 'ledger', 'payments', 'ledger']);
  expect(failures).toHaveLength(1);
  isAway = false;
  await afterAWrite();
  isAway = true;
  await afterAWrite();
  expect(failures).toHaveLength(2);
  await folder.stop();
});
