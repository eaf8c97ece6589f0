import { expect, test } from 'vitest';
import { Refusal } from '../../../core/errors.ts';
import { uuidTimeMs } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { EventStreams } from './event-streams.ts';

test('a defect that keeps events from the streams is logged; an outage of the database is not', async () => {
  const failures: Error[] = [new Refusal('database_unavailable', 'Away.'), new TypeError('rows is not iterable')];
  let write = () => {};
  const logged = Promise.withResolvers<unknown>();
  // A clock far ahead of the last read: each message is read for at once.
  let nowMs = 0;
  const streams = new EventStreams({
    database: { run: () => Promise.reject(failures.shift() ?? new Error('read too often')) } as Queryable,
    bus: { subscribe: (_topic, wake) => (write = wake) },
    clock: () => (nowMs += 60_000),
    logError: (error) => logged.resolve(error),
  });
  const mayRead = async () => ({ types: new Set<string>(), livemode: undefined });
  await streams.open({ userId: 1, tenantId: 1, sinceMs: undefined, mayRead });
  write();
  await expect(logged.promise).resolves.toBeInstanceOf(TypeError);
  streams.close();
});

test('after a failed read, the next one reads what the failed one would have read', async () => {
  const readFromMs: number[] = [];
  const thirdRead = Promise.withResolvers<void>();
  const run = async (_statement: unknown, values: readonly unknown[]) => {
    readFromMs.push(uuidTimeMs(values[1] as string));
    if (readFromMs.length === 1) throw new Refusal('database_unavailable', 'Away.');
    if (readFromMs.length === 3) thirdRead.resolve();
    return [];
  };
  let nowMs = Date.UTC(2026, 2, 31);
  const streams = new EventStreams({
    database: { run } as unknown as Queryable,
    bus: { subscribe: () => {} },
    // Every read is a minute after the one before.
    clock: () => (nowMs += 60_000),
    logError: thirdRead.reject,
  });
  const mayRead = async () => ({ types: new Set<string>(), livemode: undefined });
  await streams.open({ userId: 1, tenantId: 1, sinceMs: undefined, mayRead });
  await thirdRead.promise;
  streams.close();
  const [first, second, third] = readFromMs as [number, number, number];
  expect(second).toBe(first);
  expect(third).toBeGreaterThan(second);
});
