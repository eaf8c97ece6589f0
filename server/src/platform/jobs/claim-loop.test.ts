import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../testing/database.ts';
import { ClaimLoop, type ClaimLoopOptions } from './claim-loop.ts';

const loops: ClaimLoop<number>[] = [];

afterEach(async () => {
  for (const loop of loops.splice(0)) await loop.stop();
});

/** A claim loop over a queue in memory. */
function makeLoop(queue: number[], options: Partial<ClaimLoopOptions<number>> = {}) {
  const claimSizes: number[] = [];
  const done: number[] = [];
  const loop = new ClaimLoop<number>({
    claim: async (room) => {
      claimSizes.push(room);
      return queue.splice(0, room);
    },
    perform: async (work) => {
      done.push(work);
    },
    release: async (notStarted) => {
      queue.unshift(...notStarted);
    },
    slots: () => 4,
    maxBatch: 10,
    ...options,
  });
  loops.push(loop);
  return { loop, claimSizes, done };
}

test('all due work is performed without a wake', async () => {
  const { loop, done, claimSizes } = makeLoop(Array.from({ length: 25 }, (_, i) => i));
  loop.start();
  await eventually('all is done', () => done.length === 25);
  expect(Math.max(...claimSizes)).toBe(4);
});

test('never claims more than there are free slots', async () => {
  const finish: (() => void)[] = [];
  const queue = Array.from({ length: 9 }, (_, i) => i);
  const { loop } = makeLoop(queue, { perform: () => new Promise((resolve) => finish.push(resolve)) });
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

test('work that becomes due during a claim is claimed right after it', async () => {
  const queue: number[] = [];
  let claims = 0;
  const { loop, done } = makeLoop(queue, {
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

test('work that other nodes make due is found by polling', async () => {
  const queue: number[] = [];
  const { loop, done, claimSizes } = makeLoop(queue, { pollMs: () => 5 });
  loop.start();
  await eventually('claims that find nothing', () => claimSizes.length > 2);
  queue.push(1);
  await eventually('it is done', () => done.length === 1);
});

test('a failing claim is reported once and retried after a pause that wakes do not shorten', async () => {
  let broken = true;
  let tries = 0;
  const reports: string[] = [];
  const queue = [1];
  const { loop, done } = makeLoop(queue, {
    claim: async (room) => {
      tries++;
      if (broken) throw new Error('away');
      return queue.splice(0, room);
    },
    onError: () => reports.push('failing'),
    onRecovered: () => reports.push('recovered'),
  });
  loop.start();
  await eventually('the failure is reported', () => reports.length === 1);
  const triesBefore = tries;
  for (let i = 0; i < 100; i++) {
    loop.wake();
    await Promise.resolve();
  }
  expect(tries).toBe(triesBefore);
  await eventually('three tries', () => tries >= 3);
  broken = false;
  await eventually('it is done', () => done.length === 1);
  expect(reports).toEqual(['failing', 'recovered']);
});

test('work that throws is reported and frees its slot', async () => {
  const reported: unknown[] = [];
  const failure = new Error('broken');
  const { loop } = makeLoop([1, 2, 3, 4, 5, 6, 7, 8], {
    perform: () => Promise.reject(failure),
    onError: (error) => reported.push(error),
  });
  loop.start();
  await eventually('all are reported', () => reported.length === 8);
  expect(loop.inFlight).toBe(0);
  expect(new Set(reported)).toEqual(new Set([failure]));
});

test('the work of a claim that returns after the stop is released, and nothing more is claimed', async () => {
  const queue = [1, 2];
  let go: () => void = () => {};
  const { loop, done } = makeLoop(queue, {
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

test('the leases of a claim whose answer was lost are released before the next claim, and again while it may still be executed', async () => {
  const queue = [1, 2, 3];
  const taken = new Map<string, number[]>();
  const returned: string[][] = [];
  let isLost = true;
  const { loop, done } = makeLoop(queue, {
    claim: async (room, lease) => {
      const claimed = queue.splice(0, room);
      taken.set(lease, claimed);
      if (isLost) throw new Error('The answer was lost.');
      return claimed;
    },
    releaseLeases: async (leases) => {
      returned.push([...leases]);
      isLost = false;
      for (const lease of leases) queue.push(...(taken.get(lease) ?? []).splice(0));
    },
  });
  loop.start();
  await eventually('all is done', () => done.length === 3);
  expect(returned).toEqual([[[...taken.keys()][0]]]);
  await loop.stop();
  // The lost statement may be executed as late as this.
  expect(returned).toHaveLength(2);
});

test('nothing is claimed while leases cannot be released', async () => {
  let claims = 0;
  let isAway = true;
  let tries = 0;
  const { loop } = makeLoop([], {
    claim: async () => {
      if (++claims === 1) throw new Error('away');
      return [];
    },
    releaseLeases: async () => {
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

test('work in flight that is claimed again continues under the newer lease and is not started twice', async () => {
  const started: { key: string; lease: string }[] = [];
  const finish: (() => void)[] = [];
  let claims = 0;
  const loop = new ClaimLoop<{ key: string; lease: string }>({
    claim: async (_room, lease) => (++claims <= 2 ? [{ key: 'a', lease }] : []),
    keyOf: ({ key }) => key,
    renew: (inFlight, { lease }) => Object.assign(inFlight, { lease }),
    perform: (work) => {
      started.push(work);
      return new Promise((resolve) => finish.push(resolve));
    },
    release: async () => {},
    slots: () => 4,
    maxBatch: 10,
    pollMs: () => 5,
  });
  loop.start();
  await eventually('two claims', () => claims >= 2 && started.length > 0);
  const [first] = started;
  await eventually('three claims', () => claims >= 3);
  expect(started).toHaveLength(1);
  expect(loop.inFlight).toBe(1);
  expect(first).toBe(started[0]);
  for (const end of finish) end();
  await loop.stop();
  await loop.drained();
});
