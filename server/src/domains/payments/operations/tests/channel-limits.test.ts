import { expect, test } from 'vitest';
import type { ChannelRow } from '../../channels/statements.ts';
import { Breaker } from '../breaker.ts';
import { ChannelLimits } from '../channel-limits.ts';

let nowMs = 0;
const breaker = new Breaker(() => nowMs);
/** Channel 2 has a fallback channel. */
const channels = {
  find: async (id: number) => ({ id, fallback_channel_ids: id === 2 ? [9] : [] }) as unknown as ChannelRow,
};
const held = new Set<number>();
const limits = new ChannelLimits(breaker, channels, { held });
const fail = (channelId: number, times: number) => {
  for (let i = 0; i < times; i++) breaker.recordFailure(channelId);
};

test('operations in flight lower the limit of their channel', async () => {
  limits.started(1);
  limits.started(1);
  expect(await limits.current()).toEqual([[1, 498]]);
  limits.finished(1);
  limits.finished(1);
  expect(await limits.current()).toEqual([]);
});

test('an open breaker stops claims without a fallback; a half-open one allows one at a time', async () => {
  fail(1, 4);
  expect(await limits.current()).toEqual([]);
  fail(1, 1);
  fail(2, 5);
  expect(await limits.current()).toEqual([
    [1, 0],
    [2, 500],
  ]);
  nowMs += 30_000;
  expect(await limits.current()).toEqual([
    [1, 1],
    [2, 1],
  ]);
  limits.started(1);
  breaker.recordAnswer(2);
  expect(await limits.current()).toEqual([[1, 0]]);
  breaker.recordAnswer(1);
  expect(await limits.current()).toEqual([[1, 499]]);
});

test('operations in flight lower the limit of a channel with a fallback while its breaker is open', async () => {
  fail(2, 5);
  limits.started(2);
  expect(await limits.current()).toContainEqual([2, 499]);
  limits.finished(2);
  breaker.recordAnswer(2);
});

test('a breaker does not stay open when the clock is set back', () => {
  fail(3, 5);
  expect(breaker.isOpen(3)).toBe(true);
  nowMs -= 1;
  expect(breaker.isOpen(3)).toBe(false);
});
