import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

/** Runs what does not end by itself. */
function held(turns: Turns) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (key: string, name: string) =>
    turns.run(key, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  return { begun, run, end: (name: string) => ends.get(name)?.() };
}

test('keys take turns, however much one of them has waiting', async () => {
  const { begun, run, end } = held(new Turns({ concurrency: 1, maxWaiting: 10 }));
  const all = [run('busy', 'b1'), run('busy', 'b2'), run('busy', 'b3'), run('quiet', 'q1')];
  for (const name of ['b1', 'b2', 'q1', 'b3']) {
    end(name);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await Promise.all(all)).toEqual(['b1', 'b2', 'b3', 'q1']);
  expect(begun).toEqual(['b1', 'b2', 'q1', 'b3']);
});

test('when too many wait, the newest of the key with the most is refused', async () => {
  const { run, end } = held(new Turns({ concurrency: 1, maxWaiting: 2 }));
  const [first, second, third] = [run('busy', 'b1'), run('busy', 'b2'), run('busy', 'b3')];
  const quiet = run('quiet', 'q1');
  expect(await third).toBeUndefined();
  for (const name of ['b1', 'b2', 'q1']) {
    end(name);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await Promise.all([first, second, quiet])).toEqual(['b1', 'b2', 'q1']);
});
