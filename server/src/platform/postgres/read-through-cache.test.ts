import { beforeEach, describe, expect, test } from 'vitest';
import { ReadThroughCache } from './read-through-cache.ts';

let truth: Map<string, string>;
let reads: string[];
/** While set, a read has seen the truth and not yet come back. */
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

test('what was read is remembered, and seen without asking', async () => {
  expect(cache.peek('a')).toBeUndefined();
  expect(await cache.get('a')).toBe('old');
  expect(await cache.get('a')).toBe('old');
  expect(cache.peek('a')).toBe('old');
  expect(reads).toEqual(['a']);
});

test('a thousand who ask at once read once', async () => {
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => cache.get('a')));
  expect(new Set(answers)).toEqual(new Set(['old']));
  expect(reads).toEqual(['a']);
});

test('whoever asks after a change was heard is not given a read that began before it', async () => {
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

test('what is not there is not remembered: it may come to be', async () => {
  expect(await cache.get('b')).toBeUndefined();
  truth.set('b', 'new');
  expect(await cache.get('b')).toBe('new');
});

test('what has changed is read anew; the rest stays', async () => {
  truth.set('b', 'old');
  await cache.get('a');
  await cache.get('b');
  truth.set('a', 'new');
  cache.drop('a');
  expect(cache.peek('a')).toBeUndefined();
  expect(await cache.get('a')).toBe('new');
  expect(cache.peek('b')).toBe('old');
});

test('all is forgotten at once', async () => {
  await cache.get('a');
  cache.clear();
  expect(cache.peek('a')).toBeUndefined();
});

test('keeps no more than it may: what was used least lately goes first', async () => {
  for (const key of ['a', 'b', 'c', 'd']) truth.set(key, key);
  for (const key of ['a', 'b', 'c', 'a', 'd']) await cache.get(key);
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.peek(key) !== undefined)).toEqual(['a', 'c', 'd']);
});

describe('a read that a change overtakes is not kept', () => {
  const changes: [string, () => void][] = [
    ['of that entry', () => cache.drop('a')],
    ['of anything', () => cache.drop('b')],
    ['of everything', () => cache.clear()],
    [
      'while nothing could be heard for a moment',
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

describe('while changes cannot be heard', () => {
  test('everything is forgotten, and every look goes to the database', async () => {
    await cache.get('a');
    cache.disconnected = true;
    expect(cache.peek('a')).toBeUndefined();
    truth.set('a', 'new');
    expect(await cache.get('a')).toBe('new');
    truth.set('a', 'newer');
    expect(await cache.get('a')).toBe('newer');
    expect(cache.peek('a')).toBeUndefined();
  });

  test('and afterwards it remembers again', async () => {
    cache.disconnected = true;
    await cache.get('a');
    cache.disconnected = false;
    await cache.get('a');
    expect(cache.peek('a')).toBe('old');
  });
});

test('a read that fails is told to whoever asked, and the next one asks again', async () => {
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
