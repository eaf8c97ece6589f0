import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { dayMs, minuteMs, secondMs } from '../../../../core/clock.ts';
import { eventually } from '../../../../testing/database.ts';
import { holdingAnswers, movableClock, type TestDeliveries, testDeliveries } from '../../../../testing/deliveries.ts';

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

test('what is in flight while the clock jumps a day ahead is posted once, and its result counts', async () => {
  const time = movableClock();
  const held = holdingAnswers();
  const { receiver } = await deliveries.subscribed(held.answering);
  let discarded = 0;
  const worker = deliveries.working({ clock: time.clock, observer: { onDiscarded: (count) => (discarded += count) } });
  await deliveries.happenedOften(4);
  await eventually('the posts', () => held.waiting === 4);
  time.moveBy(dayMs);
  worker.wake();
  await eventually('they are claimed once more', async () => {
    const rows = await deliveries.db.query('select 1 from delivery where claims >= 2');
    return rows.length === 4;
  });
  held.answerAll(200);
  const done = await deliveries.finished(4);
  expect(done.map(({ state, attempts }) => ({ state, attempts }))).toEqual(
    Array(4).fill({ state: 'SUCCEEDED', attempts: 1 }),
  );
  expect(receiver.received).toHaveLength(4);
  expect(discarded).toBe(0);
});

test('a retry due by a clock that is set back a day comes after its own wait, and not before', async () => {
  const time = movableClock();
  time.moveBy(dayMs);
  const { receiver } = await deliveries.subscribed(500);
  await deliveries.happened();
  const worker = deliveries.working({ clock: time.clock });
  await deliveries.tried(1);
  time.moveBy(-dayMs);
  await worker.clockWasSetBack();
  expect(await dueInMs(time.clock())).toBe(minuteMs);
  time.moveBy(minuteMs - 1);
  worker.wake();
  // Told again, it does not begin to wait anew.
  await worker.clockWasSetBack();
  expect(await dueInMs(time.clock())).toBe(1);
  expect(receiver.received).toHaveLength(1);
  receiver.answering = 200;
  time.moveBy(1);
  worker.wake();
  await deliveries.finished(1);
  expect(receiver.received).toHaveLength(2);
});

test('a lease and a pause that a clock set back since had given end after their own length', async () => {
  const time = movableClock();
  const { receiver, endpointId } = await deliveries.subscribed(200);
  await deliveries.happened();
  await deliveries.db.query(
    `update delivery set lease = gen_random_uuid(), leased_until = now() + interval '1 day 30 seconds'`,
  );
  await deliveries.db.query(`update webhook_endpoint set open_until = now() + interval '1 day' where id = $1`, [
    endpointId,
  ]);
  const worker = deliveries.working({ clock: time.clock });
  await worker.clockWasSetBack();
  // Whoever holds it may be alive.
  expect(await deliveries.db.query('select 1 from delivery where lease is not null')).toHaveLength(1);
  expect(receiver.received).toHaveLength(0);
  time.moveBy(31 * secondMs);
  worker.wake();
  await deliveries.finished(1);
  expect(receiver.received).toHaveLength(1);
});
