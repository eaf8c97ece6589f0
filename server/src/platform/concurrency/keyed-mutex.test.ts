import { expect, test } from 'vitest';
import { KeyedMutex } from './keyed-mutex.ts';

test('work of one key is done in turn, in the order in which it came, also after work that failed', async () => {
  const turns = new KeyedMutex<string>();
  const log: string[] = [];
  const work = (name: string, fails = false) =>
    turns.take('a', async (hasWaited) => {
      log.push(`${name} begins${hasWaited ? ' after others' : ''}`);
      await new Promise(setImmediate);
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const results = await Promise.allSettled([work('first'), work('second', true), work('third')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(log).toEqual([
    'first begins',
    'first ends',
    'second begins after others',
    'second ends',
    'third begins after others',
    'third ends',
  ]);
  expect(await turns.take('a', async (hasWaited) => hasWaited)).toBe(false);
});

test('work of different keys does not wait for each other', async () => {
  const turns = new KeyedMutex<string>();
  let endFirst = () => {};
  const first = turns.take('a', () => new Promise<void>((resolve) => (endFirst = resolve)));
  expect(await turns.take('b', async () => 'done')).toBe('done');
  endFirst();
  await first;
});

test('it is drained when all work has ended, also work that came meanwhile', async () => {
  const turns = new KeyedMutex<string>();
  let ended = 0;
  const work = async () => {
    await new Promise(setImmediate);
    ended++;
  };
  const first = turns.take('a', work).then(() => turns.take('a', work));
  await turns.drained();
  expect(ended).toBe(2);
  await first;
});
