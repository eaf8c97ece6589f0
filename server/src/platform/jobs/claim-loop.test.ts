import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../testing/database.ts';
import { ClaimLoop, type ClaimLoopOptions } from './claim-loop.ts';

const loops: ClaimLoop<number>[] = [];

afterEach(async () => {
  for (const loop of loops.splice(0)) await loop.stop();
});

/** A queue in memory in the database's place: what is claimed, how it is shared out, is the loop's own doing. */
function looping(queue: number[], options: Partial<ClaimLoopOptions<number>> = {}) {
  const rooms: number[] = [];
  const done: number[] = [];
  const loop = new ClaimLoop<number>({
    claim: async (room) => {
      rooms.push(room);
      return queue.splice(0, room);
    },
    perform: async (work) => {
      done.push(work);
    },
    release: async (unbegun) => {
      queue.unshift(...unbegun);
    },
    slots: () => 4,
    maxBatch: 10,
    ...options,
  });
  loops.push(loop);
  return { loop, rooms, done };
}

test('all that is due is done, without waiting to be woken', async () => {
  const { loop, done, rooms } = looping(Array.from({ length: 25 }, (_, i) => i));
  loop.start();
  await eventually('all is done', () => done.length === 25);
  expect(Math.max(...rooms)).toBe(4);
});

test('no more is claimed than there are free slots', async () => {
  const finish: (() => void)[] = [];
  const queue = Array.from({ length: 9 }, (_, i) => i);
  const { loop } = looping(queue, { perform: () => new Promise((resolve) => finish.push(resolve)) });
  loop.start();
  await eventually('the slots are full', () => loop.inFlight === 4);
  loop.wake();
  expect(queue).toHaveLength(5);
  finish.shift()?.();
  await eventually('the free slot is taken', () => finish.length === 4);
  expect(queue).toHaveLength(4);
  for (let left = 8; left > 0; left--) {
    await eventually('another', () => finish.length > 0);
    finish.shift()?.();
  }
  await loop.drained();
  expect(loop.inFlight).toBe(0);
});

test('what becomes due while a claim is in flight is claimed right after it', async () => {
  const queue: number[] = [];
  let claims = 0;
  const { loop, done } = looping(queue, {
    pollMs: () => 60_000,
    claim: async (room) => {
      const found = queue.splice(0, room);
      if (++claims === 1) {
        queue.push(1);
        loop.wake();
      }
      return found;
    },
  });
  loop.start();
  await eventually('it is done', () => done.length === 1);
});

test('what others make due is found by looking', async () => {
  const queue: number[] = [];
  const { loop, done, rooms } = looping(queue, { pollMs: () => 5 });
  loop.start();
  await eventually('a look at nothing', () => rooms.length > 2);
  queue.push(1);
  await eventually('it is done', () => done.length === 1);
});

test('a failing claim is told once, tried again by itself, and not hurried by wakes', async () => {
  let broken = true;
  let tries = 0;
  const told: string[] = [];
  const queue = [1];
  const { loop, done } = looping(queue, {
    claim: async (room) => {
      tries++;
      if (broken) throw new Error('away');
      return queue.splice(0, room);
    },
    onError: () => told.push('trouble'),
    onRecovered: () => told.push('recovered'),
  });
  loop.start();
  await eventually('trouble', () => told.length === 1);
  const triesBefore = tries;
  for (let i = 0; i < 100; i++) {
    loop.wake();
    await Promise.resolve();
  }
  expect(tries).toBe(triesBefore);
  await eventually('three tries', () => tries >= 3);
  broken = false;
  await eventually('it is done', () => done.length === 1);
  expect(told).toEqual(['trouble', 'recovered']);
});

test('work that throws is told, and frees its slot', async () => {
  const told: unknown[] = [];
  const failure = new Error('broken');
  const { loop } = looping([1, 2, 3, 4, 5, 6, 7, 8], {
    perform: () => Promise.reject(failure),
    onError: (error) => told.push(error),
  });
  loop.start();
  await eventually('all are told', () => told.length === 8);
  expect(loop.inFlight).toBe(0);
  expect(new Set(told)).toEqual(new Set([failure]));
});

test('a claim that returns after the stop is given back, and nothing is claimed any more', async () => {
  const queue = [1, 2];
  let go: () => void = () => {};
  const { loop, done } = looping(queue, {
    claim: async (room) => {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      return queue.splice(0, room);
    },
  });
  loop.start();
  const stopping = loop.stop();
  go();
  await stopping;
  loop.wake();
  expect(queue).toEqual([1, 2]);
  expect(done).toEqual([]);
});

test('what a claim took whose answer was lost is given back before the next claim, and again while it may still be executed', async () => {
  const queue = [1, 2, 3];
  const taken = new Map<string, number[]>();
  const returned: string[][] = [];
  let isLost = true;
  const { loop, done } = looping(queue, {
    claim: async (room, lease) => {
      const claimed = queue.splice(0, room);
      taken.set(lease, claimed);
      if (isLost) throw new Error('The answer was lost.');
      return claimed;
    },
    giveBack: async (leases) => {
      returned.push([...leases]);
      isLost = false;
      for (const lease of leases) queue.push(...(taken.get(lease) ?? []).splice(0));
    },
  });
  loop.start();
  await eventually('all is done', () => done.length === 3);
  expect(returned).toEqual([[[...taken.keys()][0]]]);
  await loop.stop();
  // Its statement may be executed as late as this.
  expect(returned).toHaveLength(2);
});

test('while nothing can be given back nothing is claimed', async () => {
  let claims = 0;
  let isAway = true;
  let tries = 0;
  const { loop } = looping([], {
    claim: async () => {
      if (++claims === 1) throw new Error('away');
      return [];
    },
    giveBack: async () => {
      tries++;
      if (isAway) throw new Error('away');
    },
  });
  loop.start();
  await eventually('three tries', () => tries === 3);
  expect(claims).toBe(1);
  isAway = false;
  await eventually('it claims again', () => claims > 1);
});

test('work in flight that is claimed once more goes on under the newer lease, and is not begun again', async () => {
  const begun: { key: string; lease: string }[] = [];
  const finish: (() => void)[] = [];
  let claims = 0;
  const loop = new ClaimLoop<{ key: string; lease: string }>({
    claim: async (_room, lease) => (++claims <= 2 ? [{ key: 'a', lease }] : []),
    keyOf: ({ key }) => key,
    renew: (inFlight, { lease }) => Object.assign(inFlight, { lease }),
    perform: (work) => {
      begun.push(work);
      return new Promise((resolve) => finish.push(resolve));
    },
    release: async () => {},
    slots: () => 4,
    maxBatch: 10,
    pollMs: () => 5,
  });
  loop.start();
  await eventually('two claims', () => claims >= 2 && begun.length > 0);
  const [first] = begun;
  await eventually('three claims', () => claims >= 3);
  expect(begun).toHaveLength(1);
  expect(loop.inFlight).toBe(1);
  expect(first).toBe(begun[0]);
  for (const end of finish) end();
  await loop.stop();
  await loop.drained();
});
