import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import {
  heldAnswers,
  movableClock,
  type TestDeliveries,
  testDeliveries,
} from '../../../../../tests/support/webhooks/deliveries.ts';
import { secondMs } from '../../../../core/clock.ts';

let deliveries: TestDeliveries;

beforeAll(async () => {
  deliveries = await testDeliveries();
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

test("results seen after the leases have run out do not change the endpoint's health", async () => {
  const time = movableClock();
  const held = heldAnswers();
  const { receiver, endpointId } = await deliveries.subscribe(held.answering);
  let discarded = 0;
  deliveries.startWorker({ clock: time.clock, observer: { onDiscarded: (count) => (discarded += count) } });
  await deliveries.appendEvents(8);
  await eventually('the requests', () => held.waiting === 8);
  receiver.answering = 200;
  time.moveBy(31 * secondMs);
  deliveries.startWorker({ clock: time.clock });
  await deliveries.untilFinished(8);
  held.answer(500);
  await eventually('the late results are discarded', () => discarded === 8);
  const [endpoint] = await deliveries.db.query(
    'select state, open_until, first_failure_at from webhook_endpoint where id = $1',
    [endpointId],
  );
  expect(endpoint).toEqual({ state: true, open_until: null, first_failure_at: null });
});
