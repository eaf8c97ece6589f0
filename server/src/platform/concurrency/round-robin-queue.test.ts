import { expect, test } from 'vitest';
import { RoundRobinQueue } from './round-robin-queue.ts';

function queueOf(...items: string[]): RoundRobinQueue<string> {
  const queue = new RoundRobinQueue<string>();
  for (const item of items) queue.push(item[0] as string, item);
  return queue;
}

function drained(queue: RoundRobinQueue<string>): string[] {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

test('keys are served in turn, and the items of a key in their order', () => {
  const queue = queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
  expect([queue.size, queue.sizeOf('a'), queue.sizeOf('d')]).toEqual([6, 3, 0]);
  expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(queue.size).toBe(0);
});

test('a key that is added later waits for one item of each other key', () => {
  const queue = queueOf('a1', 'a2', 'a3');
  expect(queue.shift()).toBe('a1');
  queue.push('b', 'b1');
  expect(drained(queue)).toEqual(['a2', 'b1', 'a3']);
});

test('the newest item of the longest queue is dropped, unless that is no longer than the limit', () => {
  const queue = queueOf('a1', 'b1', 'b2', 'b3');
  expect(queue.dropFromLongest(1)).toBe('b3');
  expect(queue.dropFromLongest(1)).toBe('b2');
  expect(queue.dropFromLongest(1)).toBeUndefined();
  expect(queue.dropFromLongest(0)).toBe('a1');
  expect(drained(queue)).toEqual(['b1']);
});
