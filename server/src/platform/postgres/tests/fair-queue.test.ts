import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue } from '../fair-queue.ts';

interface Item {
  group: string;
  cost: number;
  number: number;
}

function queueOf(...groups: [group: string, count: number, cost: number][]): FairQueue<Item> {
  const queue = new FairQueue<Item>();
  for (const [group, count, cost] of groups) {
    for (let number = 1; number <= count; number++) queue.push({ group, cost, number });
  }
  return queue;
}

const counts = (items: readonly Item[]) =>
  Object.fromEntries([...Map.groupBy(items, ({ group }) => group)].map(([group, of]) => [group, of.length]));

describe('a batch', () => {
  test('holds everything in order of arrival while it fits', () => {
    const queue = queueOf(['a', 2, 1], ['b', 1, 3], ['a', 1, 1]);
    const taken = queue.take(4, 6);
    expect(taken.map(({ group, number }) => `${group}${number}`)).toEqual(['a1', 'a2', 'b1', 'a1']);
    expect(queue.length).toBe(0);
  });

  test('of one group is limited in items and in cost', () => {
    expect(queueOf(['a', 9, 1]).take(4, 100)).toHaveLength(4);
    expect(queueOf(['a', 9, 10]).take(100, 45)).toHaveLength(4);
  });

  test('has one item even if that item costs too much', () => {
    const queue = queueOf(['a', 2, 1000]);
    expect([queue.take(500, 500).length, queue.take(500, 500).length, queue.length]).toEqual([1, 1, 0]);
  });

  test('takes all cheap items of one group beside the expensive ones of another that came first', () => {
    const queue = queueOf(['subscribed', 64, 51], ['plain', 64, 1]);
    expect(counts(queue.take(500, 500))).toEqual({ subscribed: 2, plain: 64 });
  });

  test('has no further expensive item of a group until the others have been given as much', () => {
    const queue = queueOf(['subscribed', 9, 51]);
    const perBatch = Array.from({ length: 9 }, () => {
      for (let number = 1; number <= 16; number++) queue.push({ group: 'plain', cost: 1, number });
      return counts(queue.take(500, 500));
    });
    expect(perBatch.map(({ subscribed = 0 }) => subscribed)).toEqual([1, 0, 0, 1, 0, 0, 1, 0, 0]);
    expect(perBatch.every(({ plain }) => plain === 16)).toBe(true);
  });

  test('has one expensive item while others are expected, and all that fit when none arrive', () => {
    const queue = queueOf(['subscribed', 30, 51], ['plain', 1, 1]);
    expect(counts(queue.take(500, 500))).toEqual({ subscribed: 1, plain: 1 });
    for (let batch = 1; batch <= 8; batch++) expect(counts(queue.take(500, 500))).toEqual({ subscribed: 1 });
    expect(counts(queue.take(500, 500))).toEqual({ subscribed: 9 });
  });

  test('is divided between two groups with expensive items that wait for each other', () => {
    const queue = queueOf(['a', 8, 51], ['b', 8, 51]);
    const taken = Array.from({ length: 4 }, () => queue.take(500, 500)).flat();
    const { a = 0, b = 0 } = counts(taken);
    expect(Math.abs(a - b)).toBeLessThanOrEqual(1);
  });

  test('has at most a quarter of each of several groups, and equal parts of many groups', () => {
    expect(counts(queueOf(['a', 600, 1], ['b', 600, 1], ['c', 10, 1]).take(500, 500))).toEqual({
      a: 125,
      b: 125,
      c: 10,
    });
    const five = queueOf(['a', 200, 1], ['b', 200, 1], ['c', 200, 1], ['d', 200, 1], ['e', 200, 1]);
    expect(counts(five.take(500, 500))).toEqual({ a: 100, b: 100, c: 100, d: 100, e: 100 });
  });
});

test('nothing is lost, doubled or overtaken within its group', () => {
  const pushes = fc.array(
    fc.record({ group: fc.constantFrom('a', 'b', 'c', 'd'), cost: fc.integer({ min: 1, max: 60 }) }),
  );
  fc.assert(
    fc.property(pushes, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 100 }), (items, most, cost) => {
      const queue = new FairQueue<Item>();
      for (const [number, item] of items.entries()) queue.push({ ...item, number });
      const taken: Item[] = [];
      while (queue.length > 0) {
        const before = queue.length;
        const batch = queue.take(most, cost);
        expect(batch.length).toBe(before - queue.length);
        expect(batch.length).toBeGreaterThan(0);
        expect(batch.length).toBeLessThanOrEqual(most);
        if (batch.length > 1) expect(batch.reduce((sum, item) => sum + item.cost, 0)).toBeLessThanOrEqual(cost);
        taken.push(...batch);
      }
      expect(taken.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(items.map((_, number) => number));
      for (const ofGroup of Map.groupBy(taken, ({ group }) => group).values()) {
        const numbers = ofGroup.map(({ number }) => number);
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      }
    }),
  );
});
