import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AddressTurns } from './address-turns.ts';

const many = { perNetwork: 100, inAll: 100, perTurn: 100 };

/** Requests that enter with a network, and the names of those that were started. */
function entrance(options: ConstructorParameters<typeof AddressTurns>[0]) {
  const turns = new AddressTurns(options);
  const started: string[] = [];
  const leaves = new Map<string, () => void>();
  return {
    started,
    enter: (network: string, name: string) =>
      turns.enter(network, (leave) => {
        started.push(name);
        leaves.set(name, leave);
      }),
    leave: (name: string) => leaves.get(name)?.(),
  };
}

test('a network has a limited number of requests in progress; others have their own', async () => {
  const { enter, leave, started } = entrance({ ...many, perNetwork: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) enter('a', name);
  enter('b', 'b1');
  expect(started).toEqual(['a1', 'a2', 'b1']);
  leave('a1');
  leave('a1');
  await nextTurn();
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('all networks together have so many in progress, and take turns for them', async () => {
  const { enter, leave, started } = entrance({ ...many, inAll: 1 });
  for (const name of ['a1', 'a2', 'a3']) enter('a', name);
  for (const name of ['b1', 'b2']) enter('b', name);
  for (let i = 0; i < 5; i++) {
    leave(started.at(-1) as string);
    await nextTurn();
  }
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

test('so many are started in one turn of the event loop, also when each is answered at once', async () => {
  const turns = new AddressTurns({ ...many, perTurn: 2 });
  let started = 0;
  for (let i = 0; i < 5; i++) {
    turns.enter('a', (leave) => {
      started++;
      leave();
    });
  }
  const counts = [started];
  for (let i = 0; i < 3; i++) {
    await nextTurn();
    counts.push(started);
  }
  expect(counts).toEqual([2, 4, 5, 5]);
});

test('a network that has too many waiting is refused, and so are all when too many wait', () => {
  const { enter } = entrance({ ...many, inAll: 1, maximumWaiting: 2 });
  for (let i = 0; i < 3; i++) enter('a', `a${i}`);
  expect(() => enter('a', 'a3')).toThrow(expect.objectContaining({ type: 'too_many_requests', retryAfterSeconds: 1 }));
  for (let i = 0; i < 18; i++) enter(`n${i}`, `n${i}`);
  expect(() => enter('b', 'b')).toThrow(expect.objectContaining({ type: 'overloaded', retryAfterSeconds: 1 }));
});
