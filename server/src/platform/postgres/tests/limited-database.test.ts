import { expect, test } from 'vitest';
import type { Queryable } from '../database.ts';
import { LimitedDatabase } from '../limited-database.ts';
import { statement } from '../statement.ts';

const read = statement<{ number: number }>('test.read', 'select $1::int as number');

/** A database whose statements end when the test says so. */
function heldDatabase() {
  const begun: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const database: Queryable = {
    run: async <Row>(_: unknown, values: readonly unknown[] = []) => {
      const number = values[0] as number;
      begun.push(number);
      await new Promise<void>((resolve, reject) => {
        ends[number] = (error) => (error === undefined ? resolve() : reject(error));
      });
      return [{ number }] as Row[];
    },
  };
  return { database, begun, end: (number: number, error?: Error) => ends[number]?.(error) };
}

test('only the allowed number of statements run at once, and the others in order of arrival', async () => {
  const { database, begun, end } = heldDatabase();
  const limited = new LimitedDatabase({ database, concurrency: 2 });
  const results = [0, 1, 2, 3].map((number) => limited.run(read, [number]));
  expect(begun).toEqual([0, 1]);
  expect(limited.waiting).toBe(2);
  end(1);
  expect(await results[1]).toEqual([{ number: 1 }]);
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  end(0, new Error('failed'));
  await expect(results[0]).rejects.toThrow('failed');
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  for (const number of [2, 3]) end(number);
  expect(await Promise.all(results.slice(2))).toEqual([[{ number: 2 }], [{ number: 3 }]]);
  const last = limited.run(read, [4]);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  end(4);
  await last;
});

test('a statement that finds too many waiting, or waits too long, is refused and leaves the queue', async () => {
  const { database, begun, end } = heldDatabase();
  const limited = new LimitedDatabase({ database, concurrency: 1, maxWaiting: 1, maxWaitMs: 1 });
  const first = limited.run(read, [0]);
  const second = limited.run(read, [1]);
  await expect(limited.run(read, [2])).rejects.toMatchObject({ type: 'overloaded' });
  await expect(second).rejects.toMatchObject({ type: 'overloaded' });
  expect(limited.waiting).toBe(0);
  end(0);
  await first;
  const next = limited.run(read, [3]);
  expect(begun).toEqual([0, 3]);
  end(3);
  await next;
});
