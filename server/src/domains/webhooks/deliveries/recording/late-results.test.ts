import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { secondMs } from '../../../../core/clock.ts';
import { eventually } from '../../../../testing/database.ts';
import { holdingAnswers, movableClock, type TestDeliveries, testDeliveries } from '../../../../testing/deliveries.ts';

let deliveries: TestDeliveries;

beforeAll(async () => {
  deliveries = await testDeliveries();
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

test('what a sender sees after its leases have run out, since it stood still, says nothing of the endpoint', async () => {
  const time = movableClock();
  const held = holdingAnswers();
  const { receiver, endpointId } = await deliveries.subscribed(held.answering);
  let discarded = 0;
  deliveries.working({ clock: time.clock, observer: { onDiscarded: (count) => (discarded += count) } });
  await deliveries.happenedOften(8);
  await eventually('the posts', () => held.waiting === 8);
  receiver.answering = 200;
  time.moveBy(31 * secondMs);
  deliveries.working({ clock: time.clock });
  await deliveries.finished(8);
  held.answer(500);
  await eventually('the late results are refused', () => discarded === 8);
  const [endpoint] = await deliveries.db.query(
    'select state, open_until, first_failure_at from webhook_endpoint where id = $1',
    [endpointId],
  );
  expect(endpoint).toEqual({ state: true, open_until: null, first_failure_at: null });
});
