import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../../tests/support/postgres/database.ts';
import { type Leased, Worker, type WorkerOptions } from './worker.ts';

interface Work {
  id: number;
}

const works = (...ids: number[]): Work[] => ids.map((id) => ({ id }));

const noLeases = { release: async () => {}, freeAll: async () => {}, shortenWaits: async () => {} };

const workers: Worker<Work>[] = [];

afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});

/** A worker on a queue in memory. */
function makeWorker(queue: Work[], options: Partial<WorkerOptions<Work>> = {}) {
  const claimSizes: number[] = [];
  const done: Work[] = [];
  const worker = new Worker<Work>({
    name: 'test',
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
    slots: 4,
    maxBatch: 10,
    ...options,
  });
  workers.push(worker);
  return { worker, claimSizes, done };
}

test('all due work is performed without a wake', async () => {
  const { worker, done, claimSizes } = makeWorker(works(...Array(25).keys()));
  worker.start();
  await eventually('all is done', () => done.length === 25);
  expect(Math.max(...claimSizes)).toBe(4);
});

test('work gathers between two claims, and a claim that was full is followed by the next one at once', async () => {
  const queue = works(1);
  const { worker, claimSizes, done } = makeWorker(queue, { gapMs: 3_600_000 });
  worker.start();
  await eventually('the first piece is done', () => done.length === 1);
  queue.push(...works(2));
  worker.wake();
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toHaveLength(1);
  expect(claimSizes).toHaveLength(1);
  const full = makeWorker(works(...Array(9).keys()), { gapMs: 3_600_000 });
  full.worker.start();
  await eventually('two full claims and the rest', () => full.done.length === 9);
});

test('the longest wait of the last claim is known, and that of a claim under way', async () => {
  let release: (() => void) | undefined;
  const queue = works(30, 700);
  const { worker } = makeWorker(queue, {
    claim: async (room) => {
      if (queue.length === 0) await new Promise<void>((resolve) => (release = resolve));
      return queue.splice(0, room);
    },
    waitedMs: ({ id }) => id,
  });
  worker.start();
  await eventually('the next claim is under way', () => release !== undefined);
  expect(worker.oldestWaitMs).toBeGreaterThanOrEqual(700);
  release?.();
  await eventually('nothing waits any more', () => worker.oldestWaitMs < 700);
});

test('never claims more than there are free slots', async () => {
  const finish: (() => void)[] = [];
  const queue = works(...Array(9).keys());
  const { worker } = makeWorker(queue, { perform: () => new Promise((resolve) => finish.push(resolve)) });
  worker.start();
  await eventually('the slots are full', () => worker.inFlight === 4);
  worker.wake();
  expect(queue).toHaveLength(5);
  finish.shift()?.();
  await eventually('the free slot is taken', () => finish.length === 4);
  expect(queue).toHaveLength(4);
  for (let left = 8; left > 0; left--) {
    await eventually('another', () => finish.length > 0);
    finish.shift()?.();
  }
  await worker.drained();
  expect(worker.inFlight).toBe(0);
});

test('work that becomes due during a claim is claimed right after it', async () => {
  const queue: Work[] = [];
  let claims = 0;
  const { worker, done } = makeWorker(queue, {
    pollMs: () => 60_000,
    claim: async (room) => {
      const found = queue.splice(0, room);
      if (++claims === 1) {
        queue.push(...works(1));
        worker.wake();
      }
      return found;
    },
  });
  worker.start();
  await eventually('it is done', () => done.length === 1);
});

test('work that other nodes make due is found by polling', async () => {
  const queue: Work[] = [];
  const { worker, done, claimSizes } = makeWorker(queue, { pollMs: () => 5 });
  worker.start();
  await eventually('claims that find nothing', () => claimSizes.length > 2);
  queue.push(...works(1));
  await eventually('it is done', () => done.length === 1);
});

test('a failing claim is reported once and retried after a pause that wakes do not shorten', async () => {
  let broken = true;
  let tries = 0;
  const reports: string[] = [];
  const queue = works(1);
  const { worker, done } = makeWorker(queue, {
    claim: async (room) => {
      tries++;
      if (broken) throw new Error('away');
      return queue.splice(0, room);
    },
    onError: () => reports.push('failing'),
    onRecovered: () => reports.push('recovered'),
  });
  worker.start();
  await eventually('the failure is reported', () => reports.length === 1);
  const triesBefore = tries;
  for (let i = 0; i < 100; i++) {
    worker.wake();
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
  const { worker } = makeWorker(works(1, 2, 3, 4, 5, 6, 7, 8), {
    perform: () => Promise.reject(failure),
    onError: (error) => reported.push(error),
  });
  worker.start();
  await eventually('all are reported', () => reported.length === 8);
  expect(worker.inFlight).toBe(0);
  expect(new Set(reported)).toEqual(new Set([failure]));
});

test('the work of a claim that returns after the stop is released, and nothing more is claimed', async () => {
  const queue = works(1, 2);
  let go: () => void = () => {};
  const { worker, done } = makeWorker(queue, {
    claim: async (room) => {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      return queue.splice(0, room);
    },
  });
  worker.start();
  const stopping = worker.stop();
  go();
  await stopping;
  worker.wake();
  expect(queue).toMatchObject(works(1, 2));
  expect(done).toEqual([]);
});

test('the leases of a claim whose answer was lost are released before the next claim, and again later', async () => {
  const queue = works(1, 2, 3);
  const taken = new Map<string, Work[]>();
  const returned: string[][] = [];
  let isLost = true;
  const { worker, done } = makeWorker(queue, {
    claim: async (room, lease) => {
      const claimed = queue.splice(0, room);
      taken.set(lease, claimed);
      if (isLost) throw new Error('The answer was lost.');
      return claimed;
    },
    leases: {
      ...noLeases,
      release: async (leases) => {
        returned.push([...leases]);
        isLost = false;
        for (const lease of leases) queue.push(...(taken.get(lease) ?? []).splice(0));
      },
    },
  });
  worker.start();
  await eventually('all is done', () => done.length === 3);
  expect(returned).toEqual([[[...taken.keys()][0]]]);
  await worker.stop();
  // The lost statement may be executed as late as this.
  expect(returned).toHaveLength(2);
});

test('nothing is claimed while leases cannot be released', async () => {
  let claims = 0;
  let isAway = true;
  let tries = 0;
  const { worker } = makeWorker([], {
    claim: async () => {
      if (++claims === 1) throw new Error('away');
      return [];
    },
    leases: {
      ...noLeases,
      release: async () => {
        tries++;
        if (isAway) throw new Error('away');
      },
    },
  });
  worker.start();
  await eventually('three tries', () => tries === 3);
  expect(claims).toBe(1);
  isAway = false;
  await eventually('it claims again', () => claims > 1);
});

test('work in flight that is claimed again continues under the newer lease and is not started twice', async () => {
  const started: Leased<Work>[] = [];
  const finish: (() => void)[] = [];
  let claims = 0;
  const leases: string[] = [];
  const { worker } = makeWorker([], {
    claim: async (_room, lease) => {
      leases.push(lease);
      return ++claims <= 2 ? works(1) : [];
    },
    keyOf: ({ id }) => String(id),
    perform: (work) => {
      started.push(work);
      return new Promise((resolve) => finish.push(resolve));
    },
    pollMs: () => 5,
  });
  worker.start();
  await eventually('two claims', () => claims >= 2 && started.length > 0);
  await eventually('three claims', () => claims >= 3);
  expect(started).toMatchObject([{ id: 1, lease: leases[1] }]);
  expect(worker.inFlight).toBe(1);
  for (const end of finish) end();
  await worker.stop();
  await worker.drained();
});
