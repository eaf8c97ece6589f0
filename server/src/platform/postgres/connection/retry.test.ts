import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refusal } from '../../../core/errors.ts';
import { retryWhileUnavailable } from './retry.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const away = () => new Refusal('database_unavailable', 'The database is unavailable.');

test('work is run again while the database is unavailable', async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValueOnce(away()).mockRejectedValueOnce(away());
  const result = retryWhileUnavailable(work.mockResolvedValue('done'));
  await vi.runAllTimersAsync();
  expect(await result).toBe('done');
  expect(work).toHaveBeenCalledTimes(3);
});

test('it gives up after five tries, and at once after any other error', async () => {
  const work = vi.fn(() => Promise.reject(away()));
  const given = retryWhileUnavailable(work).catch((error: Refusal) => error.type);
  await vi.runAllTimersAsync();
  expect(await given).toBe('database_unavailable');
  expect(work).toHaveBeenCalledTimes(5);
  const broken = vi.fn(() => Promise.reject(new Error('broken')));
  await expect(retryWhileUnavailable(broken)).rejects.toThrow('broken');
  expect(broken).toHaveBeenCalledTimes(1);
});
