import { beforeEach, describe, expect, test } from 'vitest';
import { ReadThroughCache } from '../read-through-cache.ts';

let truth: Map<string, string>;
let reads: string[];
/** While set, a read has its value but has not returned it yet. */
let underway: Promise<void> | undefined;
let cache: ReadThroughCache<string, string>;

beforeEach(() => {
  truth = new Map([['a', 'old']]);
  reads = [];
  underway = undefined;
  cache = new ReadThroughCache<string, string>({
    max: 3,
    load: async (key) => {
      reads.push(key);
      const value = truth.get(key);
      await underway;
      return value;
    },
  });
});

test('a value that was read is cached, and available synchronously', async () => {
  expect(cache.peek('a')).toBeUndefined();
  expect(await cache.get('a')).toBe('old');
  expect(await cache.get('a')).toBe('old');
  expect(cache.peek('a')).toBe('old');
  expect(reads).toEqual(['a']);
});

test('a thousand concurrent callers cause one read', async () => {
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => cache.get('a')));
  expect(new Set(answers)).toEqual(new Set(['old']));
  expect(reads).toEqual(['a']);
});

test('a caller after a change does not get the result of a read that began before it', async () => {
  let finish = () => {};
  underway = new Promise((resolve) => {
    finish = resolve;
  });
  const early = cache.get('a');
  truth.set('a', 'new');
  cache.drop('a');
  underway = undefined;
  expect(await cache.get('a')).toBe('new');
  finish();
  expect(await early).toBe('old');
  expect(cache.peek('a')).toBe('new');
});

test('a missing value is not cached: it may be created', async () => {
  expect(await cache.get('b')).toBeUndefined();
  truth.set('b', 'new');
  expect(await cache.get('b')).toBe('new');
});

test('a changed value is read again; the others stay cached', async () => {
  truth.set('b', 'old');
  await cache.get('a');
  await cache.get('b');
  truth.set('a', 'new');
  cache.drop('a');
  expect(cache.peek('a')).toBeUndefined();
  expect(await cache.get('a')).toBe('new');
  expect(cache.peek('b')).toBe('old');
});

test('clear removes everything', async () => {
  await cache.get('a');
  cache.clear();
  expect(cache.peek('a')).toBeUndefined();
});

test('at its maximum size the least recently used value is evicted', async () => {
  for (const key of ['a', 'b', 'c', 'd']) truth.set(key, key);
  for (const key of ['a', 'b', 'c', 'a', 'd']) await cache.get(key);
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.peek(key) !== undefined)).toEqual(['a', 'c', 'd']);
});

describe('a value whose read overlaps a change is not cached', () => {
  const changes: [string, () => void][] = [
    ['of that entry', () => cache.drop('a')],
    ['of anything', () => cache.drop('b')],
    ['of everything', () => cache.clear()],
    [
      'after notifications were disconnected for a moment',
      () => {
        cache.disconnected = true;
        cache.disconnected = false;
      },
    ],
  ];

  test.each(changes)('%s', async (_what, change) => {
    let comeBack = () => {};
    underway = new Promise((resolve) => {
      comeBack = resolve;
    });
    const reading = cache.get('a');
    truth.set('a', 'new');
    change();
    comeBack();
    expect(await reading).toBe('old');
    expect(cache.peek('a')).toBeUndefined();
    expect(await cache.get('a')).toBe('new');
  });
});

describe('while notifications are disconnected', () => {
  test('nothing is cached, and every read goes to the database', async () => {
    await cache.get('a');
    cache.disconnected = true;
    expect(cache.peek('a')).toBeUndefined();
    truth.set('a', 'new');
    expect(await cache.get('a')).toBe('new');
    truth.set('a', 'newer');
    expect(await cache.get('a')).toBe('newer');
    expect(cache.peek('a')).toBeUndefined();
  });

  test('afterwards it caches again', async () => {
    cache.disconnected = true;
    await cache.get('a');
    cache.disconnected = false;
    await cache.get('a');
    expect(cache.peek('a')).toBe('old');
  });
});

test('a failed read rejects for its callers, and the next call reads again', async () => {
  let fails = true;
  const failing = new ReadThroughCache<string, string>({
    max: 3,
    load: async () => {
      if (fails) throw new Error('away');
      return 'there';
    },
  });
  await expect(failing.get('a')).rejects.toThrow('away');
  fails = false;
  expect(await failing.get('a')).toBe('there');
});
