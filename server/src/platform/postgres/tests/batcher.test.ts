import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../core/errors.ts';
import { Batcher } from '../batcher.ts';

/** Batches that return when the test says so. */
function held<Item>(options: { maxBatch?: number; maxQueued?: number } = {}) {
  const running: {
    items: readonly Item[];
    finish: (results?: readonly unknown[]) => void;
    fail: (error: unknown) => void;
  }[] = [];
  const batcher = new Batcher<Item, unknown>({
    run: (items) =>
      new Promise((resolve, reject) => {
        running.push({ items, finish: (results = items) => resolve(results), fail: reject });
      }),
    maxBatch: 100,
    maxQueued: 1000,
    ...options,
  });
  return { batcher, running };
}

const badValue = () => Object.assign(new Error('value out of range'), { code: '22003' });
const away = () => new Refusal('database_unavailable', 'Away.');
/** Lets everything that is due run. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('gathering', () => {
  test('a single item is sent at the end of its turn of the event loop', async () => {
    const { batcher, running } = held();
    const served = batcher.add('a');
    await turn();
    expect(running.map(({ items }) => items)).toEqual([['a']]);
    running[0]?.finish();
    await served;
  });

  test('the items of one turn are one batch', async () => {
    const { batcher, running } = held();
    const served = ['a', 'b'].map((item) => batcher.add(item));
    await Promise.resolve().then(() => served.push(batcher.add('c')));
    expect(running).toHaveLength(0);
    await turn();
    expect(running.map(({ items }) => items)).toEqual([['a', 'b', 'c']]);
    running[0]?.finish();
    await Promise.all(served);
  });

  test('items that arrive while a batch is in flight are sent together when it returns, in order', async () => {
    const { batcher, running } = held();
    const served = [batcher.add('a')];
    await turn();
    served.push(...['b', 'c', 'd'].map((item) => batcher.add(item)));
    expect(running).toHaveLength(1);
    running[0]?.finish();
    await turn();
    expect(running.map(({ items }) => items)).toEqual([['a'], ['b', 'c', 'd']]);
    running[1]?.finish();
    await Promise.all(served);
  });

  test('one batch is in flight at a time, and none is larger than allowed', async () => {
    const { batcher, running } = held<number>({ maxBatch: 3 });
    const answers = Promise.all(Array.from({ length: 8 }, (_, i) => batcher.add(i)));
    await turn();
    for (let i = 0; i < 3; i++) {
      expect(running).toHaveLength(i + 1);
      running[i]?.finish();
      await turn();
    }
    expect(running.map(({ items }) => items)).toEqual([
      [0, 1, 2],
      [3, 4, 5],
      [6, 7],
    ]);
    expect(await answers).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('each caller gets the result of its own item', async () => {
    const batcher = new Batcher<number, string>({
      run: async (items) => items.map((item) => `result of ${item}`),
      maxBatch: 7,
      maxQueued: 1000,
    });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => batcher.add(i)));
    expect(answers).toEqual(Array.from({ length: 50 }, (_, i) => `result of ${i}`));
  });

  test('reports each batch with its size', async () => {
    const sizes: number[] = [];
    const batcher = new Batcher<number, number>({
      run: async (items) => items,
      maxBatch: 4,
      maxQueued: 100,
      observe: (size, durationMs) => {
        sizes.push(size);
        expect(durationMs).toBeGreaterThanOrEqual(0);
      },
    });
    await Promise.all(Array.from({ length: 6 }, (_, i) => batcher.add(i)));
    expect(sizes).toEqual([4, 2]);
  });
});

describe('the queue', () => {
  test('is bounded: one more is refused at once, with a time to retry after, and the others are served', async () => {
    const { batcher, running } = held<number>({ maxQueued: 2 });
    const served = [batcher.add(0)];
    await turn();
    served.push(...[1, 2].map((item) => batcher.add(item)));
    expect(batcher.queued).toBe(2);
    await expect(batcher.add(3)).rejects.toMatchObject({ type: 'overloaded', retryAfterSeconds: 1 });
    running[0]?.finish();
    await turn();
    running[1]?.finish();
    expect(await Promise.all(served)).toEqual([0, 1, 2]);
    expect(batcher.queued).toBe(0);
  });

  test('is drained when the last answer has been given', async () => {
    const { batcher, running } = held<string>();
    await batcher.drained();
    const order: string[] = [];
    const add = (item: string) => batcher.add(item).then(() => order.push(item));
    const served = [add('a')];
    await turn();
    served.push(add('b'));
    const drained = batcher.drained().then(() => order.push('drained'));
    running[0]?.finish();
    await turn();
    expect(order).toEqual(['a']);
    running[1]?.finish();
    await drained;
    await Promise.all(served);
    expect(order).toEqual(['a', 'b', 'drained']);
  });
});

describe('a batch that fails', () => {
  test('because of its values fails only the items with bad values; every other item is written once', async () => {
    const written: number[] = [];
    const batcher = new Batcher<number, number>({
      run: async (items) => {
        if (items.some((item) => item % 10 === 3)) throw badValue();
        written.push(...items);
        return items;
      },
      maxBatch: 100,
      maxQueued: 100,
    });
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, (_, i) => batcher.add(i)));
    expect(outcomes.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([3, 13, 23]);
    expect(written.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, i) => i).filter((i) => i % 10 !== 3),
    );
  });

  test('for another reason fails as a whole, and is not retried', async () => {
    let runs = 0;
    const batcher = new Batcher<number, number>({
      run: async () => {
        runs++;
        throw new Error('a defect');
      },
      maxBatch: 100,
      maxQueued: 100,
      retryForMs: 10_000,
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(runs).toBe(1);
    await batcher.drained();
  });

  test('does not delay the next', async () => {
    const { batcher, running } = held<string>();
    const first = batcher.add('a');
    await turn();
    const second = batcher.add('b');
    running[0]?.fail(new Error('a defect'));
    await expect(first).rejects.toThrow('a defect');
    running[1]?.finish();
    expect(await second).toBe('b');
  });

  test('also when it fails before it returns a promise', async () => {
    const batcher = new Batcher<number, number>({
      run: () => {
        throw new Error('a defect');
      },
      maxBatch: 10,
      maxQueued: 10,
    });
    await expect(batcher.add(1)).rejects.toThrow('a defect');
    await batcher.drained();
  });
});

describe('while the database is unavailable', () => {
  test('a batch is retried until the database answers', async () => {
    let failures = 3;
    const batcher = new Batcher<number, number>({
      run: async (items) => {
        if (failures-- > 0) throw away();
        return items;
      },
      maxBatch: 10,
      maxQueued: 10,
      retryForMs: 10_000,
    });
    expect(await batcher.add(1)).toBe(1);
    expect(failures).toBe(-1);
  });

  test('it is not retried where writing twice would do harm', async () => {
    let runs = 0;
    const batcher = new Batcher<number, number>({
      run: async () => {
        runs++;
        throw away();
      },
      maxBatch: 10,
      maxQueued: 10,
    });
    await expect(batcher.add(1)).rejects.toMatchObject({ type: 'database_unavailable' });
    expect(runs).toBe(1);
  });

  test('the database is probed once for all batches, and again after it has answered', async () => {
    let isAway = true;
    let runs = 0;
    const batcher = new Batcher<number, number>({
      run: async (items) => {
        runs++;
        if (isAway) throw away();
        return items;
      },
      maxBatch: 10,
      maxQueued: 10,
      retryForMs: 120,
    });
    const tries = async () => {
      runs = 0;
      await batcher.add(1).catch((error) => expect(error).toMatchObject({ type: 'database_unavailable' }));
      return runs;
    };
    expect(await tries()).toBeGreaterThan(1);
    expect([await tries(), await tries()]).toEqual([1, 1]);
    isAway = false;
    expect(await batcher.add(2)).toBe(2);
    isAway = true;
    expect(await tries()).toBeGreaterThan(1);
  });
});
