import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operationsNode } from '../../../../../tests/support/payments/operations-node.ts';
import { arrangeChannels } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '../../../../core/clock.ts';
import type { DisputePage, Unanswered } from '../../providers/dispute.ts';
import { failure } from '../../providers/failures.ts';
import { DisputeNotices } from '../notices.ts';
import { ReadingPace } from '../reading-pace.ts';
import { channelReadingWorker, type ReadingDeps } from '../reading-worker.ts';

/** Readings of disputes through channels whose calls are paced. */
let db: TestDatabase;
let nowMs: number;
let node: Awaited<ReturnType<typeof operationsNode>>;
let deps: ReadingDeps;
let calls: number;
/** How long each call of the provider takes. */
let callTakesMs: number;
let answer: DisputePage | Unanswered;
const channelId = 21;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  await db.query(`update channel set provider = case when id = 21 then 'sandbox' end`);
});

afterAll(() => db.drop());

beforeEach(async () => {
  nowMs = Date.parse('2026-11-21T12:00:00Z');
  calls = 0;
  callTakesMs = 0;
  answer = { kind: 'page', disputes: [], refunds: [], next: null };
  await db.query('delete from channel_pace');
  await db.query('delete from dispute_reading');
  const clock = () => nowMs;
  node = await operationsNode(db, { clock });
  const listSince = async () => {
    calls++;
    nowMs += callTakesMs;
    return answer;
  };
  const common = {
    ...{ ...node, database: db.database, clock, timeoutMs: 1000 },
    providers: { of: async () => ({ disputes: { listSince } }) },
    onError: (error: unknown) => node.errors.push(error),
  };
  const notices = new DisputeNotices(common as never);
  const readingPace = new ReadingPace(common);
  const every = { listIntervalMs: hourMs, readForMs: 180 * dayMs, providersWithDisputes: ['sandbox'] };
  deps = { ...common, ...every, notices, readingPace } as unknown as ReadingDeps;
});

afterEach(async () => {
  await node.stop();
  expect(node.errors).toEqual([]);
});

/** The channel takes so many operations a second, and its permits are taken so far ahead. */
const paced = (ratePerSecond: number | null, aheadMs: number) =>
  db.query(
    `insert into channel_pace (channel_id, rate_per_s, used_until_ms, taken_ms) values ($1, $2, $3, $3)
     on conflict (channel_id) do update set rate_per_s = excluded.rate_per_s, used_until_ms = excluded.used_until_ms`,
    [channelId, ratePerSecond, nowMs + aheadMs],
  );
const aheadMs = async () => {
  const [row] = await db.query<{ used: number }>('select used_until_ms as used from channel_pace');
  return row && row.used - nowMs;
};

describe('the permit of a reading', () => {
  const mayCall = (overdueMs = 0, callsPerSecond?: number) =>
    new ReadingPace({ database: db.database, clock: () => nowMs, callsPerSecond }).mayCall(channelId, overdueMs);

  test('is not needed where nothing limits the channel', async () => {
    expect(await mayCall()).toBe(true);
    expect(await aheadMs()).toBeUndefined();
    await paced(null, 100);
    expect(await mayCall()).toBe(true);
    expect(await aheadMs()).toBe(100);
  });

  test('comes after operations, and uses up the rate as one of them', async () => {
    await paced(5, 1);
    expect(await mayCall()).toBe(false);
    nowMs += 1;
    expect(await mayCall()).toBe(true);
    expect(await aheadMs()).toBe(200);
    expect(await mayCall()).toBe(false);
  });

  test('comes in turn with operations for one that is long overdue, and never during a pause', async () => {
    await paced(5, 40);
    expect(await mayCall(hourMs)).toBe(true);
    expect(await aheadMs()).toBe(240);
    expect(await mayCall(hourMs)).toBe(false);
    await paced(5, minuteMs);
    expect(await mayCall(hourMs)).toBe(false);
  });

  test('keeps to the setting, also beside a learned rate', async () => {
    expect(await mayCall(0, 2)).toBe(true);
    expect(await aheadMs()).toBe(500);
    await paced(10, 0);
    expect(await mayCall(0, 2)).toBe(true);
    expect(await aheadMs()).toBe(500);
  });
});

test('a list is read when the operations of its channel leave room, by the page that was due', async () => {
  await paced(1, 10 * secondMs);
  const worker = channelReadingWorker(deps);
  worker.start();
  try {
    await eventually('the list waits', async () => deps.readingPace.held.includes(channelId));
    for (let second = 0; second < 5; second++) {
      nowMs += secondMs;
      worker.wake();
    }
    await eventually('it waits again', async () => deps.readingPace.held.includes(channelId));
    expect(calls).toBe(0);
    nowMs += 10 * secondMs;
    worker.wake();
    await eventually('the list is read', async () => calls === 1);
    await eventually('the next reading is due in an hour', async () => {
      const [row] = await db.query<{ due: number }>(
        'select (extract(epoch from due_at) * 1000)::float8 as due from dispute_reading',
      );
      return row?.due === nowMs + hourMs;
    });
  } finally {
    await worker.stop();
  }
});

test('the next reading of a list is due an interval after this one began, not after it ended', async () => {
  callTakesMs = 20 * minuteMs;
  const beganMs = nowMs;
  const worker = channelReadingWorker(deps);
  worker.start();
  try {
    await eventually('the next reading is due', async () => {
      const [row] = await db.query<{ due: number }>(
        `select (extract(epoch from due_at) * 1000)::float8 as due from dispute_reading
         where since = due_at - $1::interval`,
        [`${hourMs} ms`],
      );
      return row?.due === beganMs + hourMs;
    });
  } finally {
    await worker.stop();
  }
});

test('a reading that is refused by a rate limit slows the operations of its channel down', async () => {
  answer = { kind: 'rate_limited', failure: failure('provider_unavailable', 'rate_limit') };
  const worker = channelReadingWorker(deps);
  worker.start();
  try {
    await eventually('the channel is paced', async () => {
      const [row] = await db.query<{ rate: number }>('select rate_per_s as rate from channel_pace');
      return row !== undefined && row.rate > 0;
    });
    expect(calls).toBe(1);
  } finally {
    await worker.stop();
  }
});
