import { expect, test } from 'vitest';
import { Refusal } from '../../../core/errors.ts';
import { networkOf } from './network-of.ts';
import { FailureLimiter, RateLimiter } from './rate-limiter.ts';

let nowMs = 0;
const clock = () => nowMs;

test('a key has its limit in each window; other keys have their own', () => {
  const limiter = new RateLimiter({ max: 2, windowMs: 60_000, clock });
  expect(limiter.take('a')).toEqual({ max: 2, remaining: 1, isExceeded: false, resetSeconds: 60 });
  nowMs += 30_000;
  expect(limiter.take('a')).toMatchObject({ remaining: 0, isExceeded: false, resetSeconds: 30 });
  expect(limiter.take('a')).toMatchObject({ remaining: 0, isExceeded: true, resetSeconds: 30 });
  expect(limiter.take('b').isExceeded).toBe(false);
  nowMs += 30_000;
  expect(limiter.peek('a')).toMatchObject({ remaining: 2, isExceeded: false });
  expect(limiter.take('a').isExceeded).toBe(false);
});

test('a clock that is set back does not lengthen a window', () => {
  nowMs = 1_000_000;
  const limiter = new RateLimiter({ max: 1, windowMs: 60_000, clock });
  limiter.take('a');
  nowMs -= 500_000;
  expect(limiter.peek('a').resetSeconds).toBeLessThanOrEqual(60);
  expect(limiter.take('a').isExceeded).toBe(false);
});

test('the number of keys in memory is bounded', () => {
  const limiter = new RateLimiter({ max: 1, windowMs: 60_000, clock, maxKeys: 2 });
  for (const key of ['a', 'b', 'c']) limiter.take(key);
  expect([limiter.peek('a'), limiter.peek('c')].map(({ isExceeded }) => isExceeded)).toEqual([false, true]);
});

test('only failures are counted, and refused after too many of them; a success never is', async () => {
  const limiter = new FailureLimiter({ max: 1, windowMs: 60_000, clock });
  const wrong = async () => Promise.reject(new Refusal('credentials_invalid', 'No.'));
  const away = async () => Promise.reject(new Refusal('database_unavailable', 'Away.'));
  for (const work of [async () => 'right', async () => 'right']) await limiter.attempt('a', work);
  await expect(limiter.attempt('a', away)).rejects.toMatchObject({ type: 'database_unavailable' });
  await expect(limiter.attempt('a', wrong)).rejects.toMatchObject({ type: 'credentials_invalid' });
  const refusal = { type: 'too_many_attempts', retryAfterSeconds: 60 };
  await expect(limiter.attempt('a', wrong)).rejects.toMatchObject(refusal);
  expect(await limiter.attempt('a', async () => 'right')).toBe('right');
  await expect(limiter.attempt('b', wrong)).rejects.toMatchObject({ type: 'credentials_invalid' });
});

test('an IPv6 address counts as its /64 network, and an IPv4 address in IPv6 as itself', () => {
  expect(networkOf('2001:db8::1')).toBe(networkOf('2001:db8::ffff:1'));
  expect(networkOf('2001:db8::1')).not.toBe(networkOf('2001:db8:0:1::1'));
  expect(networkOf('::ffff:10.0.0.1')).toBe(networkOf('10.0.0.1'));
  expect(networkOf('unknown')).toBe('unknown');
});
