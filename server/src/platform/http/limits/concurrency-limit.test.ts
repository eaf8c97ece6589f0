import { expect, test } from 'vitest';
import { ConcurrencyLimit } from './concurrency-limit.ts';

function office() {
  const clock = { nowMs: 0 };
  const turns = new ConcurrencyLimit({ maximum: 2, now: () => clock.nowMs });
  const started: string[] = [];
  /** Returns a function that answers the request, if it has started by then. */
  const enter = (name: string) => {
    let answer = () => {};
    turns.enter(name.charCodeAt(0), (leave) => {
      started.push(name);
      answer = leave;
    });
    return () => answer();
  };
  return { clock, started, enter };
}

test('a tenant that is alone is not bounded', () => {
  const { started, enter } = office();
  for (const name of ['a1', 'a2', 'a3', 'a4']) enter(name);
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4']);
});

test('beside another tenant only so many requests are in progress; the next start in order as these end', () => {
  const { started, enter } = office();
  enter('b1')();
  const [first, second] = ['a1', 'a2', 'a3', 'a4'].map(enter);
  enter('b2');
  expect(started).toEqual(['b1', 'a1', 'a2', 'b2']);
  second?.();
  expect(started.at(-1)).toBe('a3');
  first?.();
  expect(started.at(-1)).toBe('a4');
});

test('when the other tenant has been silent for a second, all that wait start', () => {
  const { clock, started, enter } = office();
  enter('b1')();
  const [first] = ['a1', 'a2', 'a3', 'a4', 'a5'].map(enter);
  clock.nowMs += 1_000;
  first?.();
  expect(started).toEqual(['b1', 'a1', 'a2', 'a3', 'a4', 'a5']);
});

test('a request that is answered twice gives up one place', () => {
  const { started, enter } = office();
  enter('b1')();
  const [first] = ['a1', 'a2', 'a3', 'a4'].map(enter);
  first?.();
  first?.();
  expect(started).toEqual(['b1', 'a1', 'a2', 'a3']);
});
