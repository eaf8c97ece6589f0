import { afterEach, expect, test, vi } from 'vitest';
import { dayMs, secondMs } from '../../../core/clock.ts';
import { DatabaseClock } from '../database-clock.ts';

/** Three clocks that advance only when told to: this machine's, the database's, and monotonic time. */
function clocks() {
  const at = { own: Date.UTC(2026, 0, 31), database: Date.UTC(2026, 0, 31), monotonic: 1_000 };
  const reports: string[] = [];
  const clock = new DatabaseClock({
    database: { run: async () => [{ now_ms: at.database }] as never },
    clock: () => at.own,
    monotonic: () => at.monotonic,
    onApart: (aheadMs) => reports.push(`apart ${aheadMs}`),
    onSetBack: (isRepeated) => reports.push(isRepeated ? 'again' : 'set back'),
  });
  const pass = (ms: number) => {
    at.own += ms;
    at.database += ms;
    at.monotonic += ms;
  };
  return { at, reports, clock, pass };
}

test('a clock that agrees with the database to within a second is used as it is', async () => {
  const { at, clock, pass, reports } = clocks();
  await clock.read();
  at.own += 900;
  pass(5 * secondMs);
  expect(clock.now()).toBe(at.own);
  expect(reports).toEqual([]);
});

test.each([-dayMs, dayMs])(
  "setting this machine's clock by %i ms changes nothing: the database's is used",
  async (byMs) => {
    const { at, clock, pass, reports } = clocks();
    await clock.read();
    at.own += byMs;
    expect(clock.now()).toBe(at.database);
    pass(1_500);
    expect(clock.now()).toBe(at.database);
    await clock.read();
    expect(clock.now()).toBe(at.database);
    expect(reports).toEqual([`apart ${byMs}`]);
    at.own -= byMs;
    expect(clock.now()).toBe(at.own);
    clock.stop();
  },
);

test("when the database's clock is set back, the next reading follows it and reports it", async () => {
  const { at, clock, pass, reports } = clocks();
  await clock.read();
  pass(secondMs);
  at.own -= dayMs;
  at.database -= dayMs;
  const beforeMs = clock.now();
  await clock.read();
  expect(clock.now()).toBe(at.own);
  expect(beforeMs - at.own).toBe(dayMs);
  expect(reports).toEqual(['set back']);
  at.own += dayMs;
  at.database += dayMs;
  await clock.read();
  expect(clock.now()).toBe(at.own);
  expect(reports).toEqual(['set back']);
  clock.stop();
});

afterEach(() => {
  vi.useRealTimers();
});

test('what is committed by the old time after a step is corrected before as much time has passed again', async () => {
  const { at, clock, reports } = clocks();
  await clock.read();
  vi.useFakeTimers();
  at.database -= dayMs;
  await clock.read();
  const correctedAtS: number[] = [];
  for (let s = 0; s <= 90; s++) {
    if (reports.splice(0).includes('again')) correctedAtS.push(s);
    await vi.advanceTimersByTimeAsync(secondMs);
  }
  for (let s = 1; s <= 30; s++) expect(correctedAtS.find((atS) => atS >= s)).toBeLessThanOrEqual(2 * s);
  // A result may wait to be recorded for as long as a lease.
  expect(correctedAtS.at(-1)).toBeGreaterThanOrEqual(60);
  clock.stop();
});

test('a slow answer is no reason to believe that a clock was set', () => {
  const { at, clock, reports } = clocks();
  clock.observe({ databaseMs: at.database, askedMs: at.monotonic, answeredMs: at.monotonic });
  // Read at the beginning of the 8 s that the answer took: 4 s before the middle.
  clock.observe({ databaseMs: at.database, askedMs: at.monotonic, answeredMs: at.monotonic + 8 * secondMs });
  expect(reports).toEqual([]);
});
