import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import {
  heldAnswers,
  movableClock,
  type TestDeliveries,
  testDeliveries,
} from '../../../../../tests/support/webhooks/deliveries.ts';
import { dayMs, minuteMs, secondMs } from '../../../../core/clock.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';

let deliveries: TestDeliveries;

beforeAll(async () => {
  deliveries = await testDeliveries();
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

const dueInMs = async (nowMs: number) => {
  const [row] = await deliveries.db.query<{ due_at: string }>(`select due_at from delivery where state = 'OPEN'`);
  return Date.parse(row?.due_at as string) - nowMs;
};

test('deliveries in flight while the clock jumps a day ahead are sent once, and their results count', async () => {
  const time = movableClock();
  const held = heldAnswers();
  const { receiver } = await deliveries.subscribe(held.answering);
  let discarded = 0;
  const worker = deliveries.startWorker({
    clock: time.clock,
    observer: { onDiscarded: (count) => (discarded += count) },
  });
  await deliveries.appendEvents(4);
  await eventually('the requests', () => held.waiting === 4);
  time.moveBy(dayMs);
  worker.wake();
  await eventually('they are claimed once more', async () => {
    const rows = await deliveries.db.query('select 1 from delivery where claims >= 2');
    return rows.length === 4;
  });
  held.answerAll(200);
  const done = await deliveries.untilFinished(4);
  expect(done.map(({ state, attempts }) => ({ state, attempts }))).toEqual(
    Array(4).fill({ state: 'SUCCEEDED', attempts: 1 }),
  );
  expect(receiver.received).toHaveLength(4);
  expect(discarded).toBe(0);
});

test('after the clock is set back a day, a retry follows after its own interval and not before', async () => {
  const time = movableClock();
  time.moveBy(dayMs);
  const { receiver } = await deliveries.subscribe(500);
  await deliveries.appendEvent();
  const worker = deliveries.startWorker({ clock: time.clock });
  await deliveries.untilAttempted(1);
  time.moveBy(-dayMs);
  await worker.clockWasSetBack();
  expect(await dueInMs(time.clock())).toBe(minuteMs);
  time.moveBy(minuteMs - 1);
  worker.wake();
  // A second call does not restart the wait.
  await worker.clockWasSetBack();
  expect(await dueInMs(time.clock())).toBe(1);
  expect(receiver.received).toHaveLength(1);
  receiver.answering = 200;
  time.moveBy(1);
  worker.wake();
  await deliveries.untilFinished(1);
  expect(receiver.received).toHaveLength(2);
});

test('after the clock is set back, leases and pauses end after their own duration', async () => {
  const time = movableClock();
  const { receiver, endpointId } = await deliveries.subscribe(200);
  await deliveries.appendEvent();
  await deliveries.db.query(
    `update delivery set lease = gen_random_uuid(), leased_until = now() + interval '1 day 30 seconds'`,
  );
  await deliveries.db.query(`update webhook_endpoint set open_until = now() + interval '1 day' where id = $1`, [
    endpointId,
  ]);
  const worker = deliveries.startWorker({ clock: time.clock });
  await worker.clockWasSetBack();
  // The holder of the lease may be alive.
  expect(await deliveries.db.query('select 1 from delivery where lease is not null')).toHaveLength(1);
  expect(receiver.received).toHaveLength(0);
  time.moveBy(31 * secondMs);
  worker.wake();
  await deliveries.untilFinished(1);
  expect(receiver.received).toHaveLength(1);
});

/** A database that holds statements of this name back between `hold` and `release`. */
function holding(name: string) {
  let held: Promise<void> | undefined;
  let release = () => {};
  const found = {
    waiting: 0,
    hold: () => {
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => {
      held = undefined;
      release();
    },
    database: {
      run: async (statement, values) => {
        if (statement.name === name && held !== undefined) {
          found.waiting++;
          await held;
        }
        return deliveries.db.database.run(statement, values);
      },
    } as Queryable,
  };
  return found;
}

/** How far ahead open deliveries are due, in ms, the farthest first. */
const openDueInMs = async (nowMs: number) => {
  const rows = await deliveries.db.query<{ due_at: string }>(
    `select due_at from delivery where state = 'OPEN' order by due_at desc`,
  );
  return rows.map(({ due_at }) => Date.parse(due_at) - nowMs);
};

describe.each([
  ['30 s', 30 * secondMs],
  ['a day', dayMs],
  ['400 days', 400 * dayMs],
])('after the clock is set back by %s', (_by, byMs) => {
  test('deliveries that were not claimed yet are due now', async () => {
    const time = movableClock();
    const { receiver, endpointId } = await deliveries.subscribe(200);
    await deliveries.enqueue(endpointId, 5, time.clock());
    time.moveBy(-byMs);
    const worker = deliveries.startWorker({ clock: time.clock });
    await worker.clockWasSetBack();
    await deliveries.untilFinished(5);
    expect(receiver.received).toHaveLength(5);
  });

  test.each([
    'deliveries.find_fresh',
    'deliveries.scan_endpoints',
    'deliveries.take_rate',
    'deliveries.claim_deliveries',
  ])('deliveries are due now although %s was under way', async (name) => {
    const time = movableClock();
    const { receiver, endpointId } = await deliveries.subscribe(200, { ratePerS: 4 });
    const held = holding(name);
    const worker = deliveries.newWorker({ clock: time.clock, database: held.database });
    deliveries.onClean(() => worker.stop());
    await deliveries.enqueue(endpointId, 1, time.clock());
    held.hold();
    worker.start();
    await eventually('the statement', () => held.waiting > 0);
    time.moveBy(-byMs);
    const corrected = worker.clockWasSetBack();
    held.release();
    await corrected;
    // However much of the rate was taken by the old time, it allows one by then.
    time.moveBy(secondMs);
    worker.wake();
    await deliveries.untilFinished(1);
    time.moveBy(secondMs);
    await deliveries.enqueue(endpointId, 1, time.clock());
    worker.wake();
    await deliveries.untilFinished(2);
    expect(receiver.received).toHaveLength(2);
  });

  test('a delivery in flight is sent once, and its retry is due one interval after its end', async () => {
    const time = movableClock();
    const held = heldAnswers();
    const { receiver } = await deliveries.subscribe(held.answering);
    await deliveries.appendEvent();
    const worker = deliveries.startWorker({ clock: time.clock });
    await eventually('the request', () => held.waiting === 1);
    time.moveBy(-byMs);
    await worker.clockWasSetBack();
    held.answer(500);
    await deliveries.untilAttempted(1);
    expect(await openDueInMs(time.clock())).toEqual([minuteMs]);
    expect(receiver.received).toHaveLength(1);
  });

  test('a retry whose result waits to be written is due one interval from now at most', async () => {
    const time = movableClock();
    await deliveries.subscribe(500);
    const held = holding('deliveries.record_results');
    held.hold();
    await deliveries.appendEvent();
    const worker = deliveries.startWorker({ clock: time.clock, database: held.database });
    await eventually('the result', () => held.waiting > 0);
    time.moveBy(-byMs);
    const corrected = worker.clockWasSetBack();
    // The statements of a correction that does not wait for the result.
    await deliveries.db.query('select 1');
    held.release();
    await corrected;
    await deliveries.untilAttempted(1);
    // A step that is shorter than the interval cannot be told from a Retry-After.
    const latestMs = byMs < minuteMs ? minuteMs + byMs : minuteMs;
    for (const dueMs of await openDueInMs(time.clock())) expect(dueMs).toBeLessThanOrEqual(latestMs);
  });

  test('all deliveries arrive while one of several nodes still goes by the old time', async () => {
    const [early, late] = [movableClock(), movableClock()];
    const { receiver, endpointIds } = await deliveries.subscribe(200, { endpoints: 3 });
    const first = deliveries.startWorker({ clock: early.clock });
    const second = deliveries.startWorker({ clock: late.clock });
    await deliveries.enqueue(endpointIds, 20, early.clock());
    early.moveBy(-byMs);
    await first.clockWasSetBack();
    await deliveries.enqueue(endpointIds, 20, early.clock());
    second.wake();
    late.moveBy(-byMs);
    await second.clockWasSetBack();
    await first.clockWasSetBack();
    expect((await openDueInMs(early.clock())).filter((dueInMs) => dueInMs > 0)).toEqual([]);
    await deliveries.untilFinished(120);
    expect(receiver.received.length).toBeGreaterThanOrEqual(120);
  });

  test('an endpoint has not been failing since a time that is still to come', async () => {
    const time = movableClock();
    const { endpointId } = await deliveries.subscribe(500);
    await deliveries.db.query('update webhook_endpoint set first_failure_at = to_timestamp($2) where id = $1', [
      endpointId,
      time.clock() / 1000,
    ]);
    time.moveBy(-byMs);
    const worker = deliveries.startWorker({ clock: time.clock });
    await worker.clockWasSetBack();
    const [endpoint] = await deliveries.db.query<{ first_failure_at: string }>(
      'select first_failure_at from webhook_endpoint where id = $1',
      [endpointId],
    );
    expect(Date.parse(endpoint?.first_failure_at as string)).toBe(time.clock());
  });
});
