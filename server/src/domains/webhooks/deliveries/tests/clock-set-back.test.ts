import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { dayMs, minuteMs, secondMs } from '../../../../core/clock.ts';
import { eventually } from '../../../../testing/postgres/database.ts';
import {
  heldAnswers,
  movableClock,
  type TestDeliveries,
  testDeliveries,
} from '../../../../testing/webhooks/deliveries.ts';

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
