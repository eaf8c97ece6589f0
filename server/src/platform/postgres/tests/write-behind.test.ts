import { expect, test, vi } from 'vitest';
import { WriteBehind, type WriteBehindOptions } from '../write-behind.ts';

/** Writes that end when the test says so. */
function writesOf<Value>(options: Partial<WriteBehindOptions<Value>> = {}) {
  const writes: { batch: readonly Value[]; end: (error?: Error) => void }[] = [];
  const lost: (readonly Value[])[] = [];
  const writer = new WriteBehind<Value>({
    write: (batch) =>
      new Promise<void>((resolve, reject) => {
        writes.push({ batch, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
    onLost: (_error, batch) => lost.push(batch),
    ...options,
  });
  return { writer, writes, lost, batches: () => writes.map(({ batch }) => batch) };
}

test('without a delay the first value is written at once, and what comes meanwhile in one further write', async () => {
  const { writer, writes, batches } = writesOf<number>();
  for (const value of [1, 2, 3]) writer.add(value);
  expect(batches()).toEqual([[1]]);
  const flushed = writer.flush();
  writes[0]?.end();
  await vi.waitFor(() => expect(batches()).toEqual([[1], [2, 3]]));
  writes[1]?.end();
  await flushed;
});

test('values gather for the delay, and the latest of a key is written', async () => {
  vi.useFakeTimers();
  try {
    const { writer, batches } = writesOf<string>({ delayMs: 1_000 });
    writer.add('a, first', 'a');
    vi.advanceTimersByTime(600);
    writer.add('b', 'b');
    writer.add('a, second', 'a');
    vi.advanceTimersByTime(399);
    expect(batches()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(batches()).toEqual([['a, second', 'b']]);
  } finally {
    vi.useRealTimers();
  }
});

test('a write begins at once when enough values wait, but not after one that failed', async () => {
  const { writer, writes, batches } = writesOf<number>({ delayMs: 60_000, startAt: 2 });
  writer.add(1);
  expect(batches()).toEqual([]);
  writer.add(2);
  for (const value of [3, 4]) writer.add(value);
  expect(batches()).toEqual([[1, 2]]);
  writes[0]?.end();
  await vi.waitFor(() =>
    expect(batches()).toEqual([
      [1, 2],
      [3, 4],
    ]),
  );
  for (const value of [5, 6]) writer.add(value);
  writes[1]?.end(new Error('away'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(batches()).toHaveLength(2);
  expect(writer.waiting).toEqual([5, 6]);
  const flushed = writer.flush();
  writes[2]?.end();
  await flushed;
});

test('of values beyond the limit none is kept, batches are bounded, and a full one has a successor', async () => {
  const { writer, writes, batches } = writesOf<number>({ delayMs: 60_000, maxBatch: 2, maxWaiting: 5 });
  expect([1, 2, 3, 4, 5, 6].map((value) => writer.add(value))).toEqual([true, true, true, true, true, false]);
  const flushed = writer.flush();
  writes[0]?.end();
  await vi.waitFor(() =>
    expect(batches()).toEqual([
      [1, 2],
      [3, 4],
    ]),
  );
  writes[1]?.end();
  await vi.waitFor(() => expect(batches()).toHaveLength(3));
  writes[2]?.end();
  await flushed;
  expect(batches()).toEqual([[1, 2], [3, 4], [5]]);
});

test('a flush does not wait for what is added after it', async () => {
  const { writer, writes } = writesOf<number>();
  writer.add(1);
  const flushed = writer.flush();
  writer.add(2);
  writes[0]?.end();
  await flushed;
  expect(writes).toHaveLength(2);
  writes[1]?.end();
});

test('a write that fails loses its values and no others, and ends a flush', async () => {
  const { writer, writes, lost, batches } = writesOf<number>();
  writer.add(1);
  writer.add(2);
  const flushed = writer.flush();
  writes[0]?.end(new Error('away'));
  await flushed;
  expect(lost).toEqual([[1]]);
  await vi.waitFor(() => expect(batches()).toEqual([[1], [2]]));
  writes[1]?.end();
  await writer.flush();
  expect(lost).toEqual([[1]]);
});
