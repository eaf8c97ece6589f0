import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { minuteMs, secondMs } from '../../core/clock.ts';
import { Sweeper } from './sweeper.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('sweeps run half a minute after the start or a failure, then once an hour', async () => {
  const swept: string[] = [];
  const errors: string[] = [];
  let isAway = false;
  const sweep = (name: string) => async () => {
    if (isAway && name === 'one') throw new Error('away');
    swept.push(name);
  };
  const sweeper = new Sweeper({
    sweeps: ['one', 'two'].map((name) => ({ name, sweep: sweep(name) })),
    clock: Date.now,
    onError: (_error, message) => errors.push(message),
  });
  const passes = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return swept.splice(0);
  };
  sweeper.start();
  expect(await passes(30 * secondMs)).toEqual(['one', 'two']);
  isAway = true;
  expect(await passes(60 * minuteMs)).toEqual(['two']);
  expect(errors).toEqual(['Expired rows could not be removed: one']);
  isAway = false;
  expect(await passes(30 * secondMs)).toEqual(['one', 'two']);
  expect(await passes(59 * minuteMs)).toEqual([]);
  await sweeper.stop();
  expect(await passes(120 * minuteMs)).toEqual([]);
});
