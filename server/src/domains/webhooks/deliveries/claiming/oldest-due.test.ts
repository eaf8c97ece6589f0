import { afterEach, expect, test, vi } from 'vitest';
import { minuteMs, secondMs } from '../../../../core/clock.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { OldestDue } from './oldest-due.ts';

const nowMs = Date.UTC(2026, 0, 31);

afterEach(() => {
  vi.restoreAllMocks();
});

test('the bound is one second ago, or the due time of an older delivery', async () => {
  const { refreshed, oldest } = oldestDueWith();
  expect(await refreshed()).toBe(nowMs - secondMs);
  oldest.ms = nowMs - 15 * secondMs;
  expect(await refreshed()).toBe(nowMs - 15 * secondMs);
  oldest.ms = undefined;
  expect(await refreshed()).toBe(nowMs - secondMs);
});

test('a delivery written more than 15 s late is found by a full scan, and that lateness is allowed for afterwards', async () => {
  const { refreshed, oldest, lowerBounds } = oldestDueWith();
  await refreshed();
  oldest.ms = nowMs - minuteMs;
  for (let i = 0; i < 19; i++) expect(await refreshed()).toBe(nowMs - secondMs);
  expect(await refreshed()).toBe(nowMs - minuteMs);
  oldest.ms = undefined;
  expect(await refreshed()).toBe(nowMs - secondMs);
  expect(lowerBounds.filter((from) => from === 0)).toHaveLength(2);
  oldest.ms = nowMs - minuteMs;
  expect(await refreshed()).toBe(nowMs - minuteMs);
});

test('while the database is away, the last bound holds', async () => {
  const { refreshed, oldest } = oldestDueWith();
  const found = await refreshed();
  oldest.isAway = true;
  expect(await refreshed()).toBe(found);
});

/** An `OldestDue` whose database contains one row, and whose time passes with each call of `refreshed`. */
function oldestDueWith() {
  let passedMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => passedMs);
  const oldest: { ms: number | undefined; isAway: boolean } = { ms: undefined, isAway: false };
  const lowerBounds: number[] = [];
  const database: Queryable = {
    run: async (_statement, values = []) => {
      const from = values[0] as number;
      lowerBounds.push(from);
      if (oldest.isAway) throw new Error('The database is away.');
      return [{ due_ms: oldest.ms !== undefined && oldest.ms >= from ? oldest.ms : null }] as never;
    },
  };
  const oldestDue = new OldestDue(database, () => nowMs);
  return {
    oldest,
    lowerBounds,
    refreshed: async () => {
      passedMs += 2 * secondMs;
      const before = lowerBounds.length;
      oldestDue.lowerBoundMs;
      await oldestDue.settled();
      expect(lowerBounds.length).toBe(before + 1);
      return oldestDue.lowerBoundMs;
    },
  };
}
