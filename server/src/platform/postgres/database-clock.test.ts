import { expect, test } from 'vitest';
import { dayMs, secondMs } from '../../core/clock.ts';
import { DatabaseClock } from './database-clock.ts';

/** Clocks that stand still until they are moved: this machine's, the database's, and what truly passes. */
function clocks() {
  const at = { own: Date.UTC(2026, 0, 31), database: Date.UTC(2026, 0, 31), passed: 1_000 };
  const told: string[] = [];
  const clock = new DatabaseClock({
    database: { run: async () => [{ now_ms: at.database }] as never },
    clock: () => at.own,
    passed: () => at.passed,
    onApart: (aheadMs) => told.push(`apart ${aheadMs}`),
    onSetBack: () => told.push('set back'),
  });
  const pass = (ms: number) => {
    at.own += ms;
    at.database += ms;
    at.passed += ms;
  };
  return { at, told, clock, pass };
}

test('a clock that agrees with the database to within a second is used as it is', async () => {
  const { at, clock, pass, told } = clocks();
  await clock.ask();
  at.own += 900;
  pass(5 * secondMs);
  expect(clock.now()).toBe(at.own);
  expect(told).toEqual([]);
});

test.each([-dayMs, dayMs])("set by %i ms it changes nothing: the database's clock goes on being used", async (byMs) => {
  const { at, clock, pass, told } = clocks();
  await clock.ask();
  at.own += byMs;
  expect(clock.now()).toBe(at.database);
  pass(1_500);
  expect(clock.now()).toBe(at.database);
  await clock.ask();
  expect(clock.now()).toBe(at.database);
  expect(told).toEqual([`apart ${byMs}`]);
  at.own -= byMs;
  expect(clock.now()).toBe(at.own);
  await clock.stop();
});

test("the database's clock, set back, is followed as soon as it is asked, and that is told", async () => {
  const { at, clock, pass, told } = clocks();
  await clock.ask();
  pass(secondMs);
  at.own -= dayMs;
  at.database -= dayMs;
  const beforeMs = clock.now();
  await clock.ask();
  expect(clock.now()).toBe(at.own);
  expect(beforeMs - at.own).toBe(dayMs);
  expect(told).toEqual(['set back']);
  at.own += dayMs;
  at.database += dayMs;
  await clock.ask();
  expect(clock.now()).toBe(at.own);
  expect(told).toEqual(['set back']);
  await clock.stop();
});
