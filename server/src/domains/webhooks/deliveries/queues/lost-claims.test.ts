import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { losingAnswers } from '../../../../../tests/support/faults/lost-answers.ts';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { type TestDeliveries, testDeliveries } from '../../../../../tests/support/webhooks/deliveries.ts';

let deliveries: TestDeliveries;

beforeAll(async () => {
  deliveries = await testDeliveries();
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

const losingClaims = (name: string, count: number) => losingAnswers(deliveries.db.database, name, count, 2);

const leasesOf = (ids: readonly string[]) =>
  deliveries.db.query('select id from delivery where lease = any ($1::uuid[])', [ids]);

test('after the answer of a claim is lost, the same sender sends its deliveries at once and only once', async () => {
  const { receiver } = await deliveries.subscribe(200);
  const losing = losingClaims('deliveries.claim_deliveries', 1);
  // The clock stands still, so that no lease runs out.
  const nowMs = Date.now() + 1_000;
  deliveries.startWorker({ database: losing, clock: () => nowMs });
  await deliveries.appendEvents(5);
  const done = await deliveries.untilFinished(5);
  expect(losing.lost).toHaveLength(1);
  expect(receiver.received).toHaveLength(5);
  expect(done.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1]);
});

test('a sender that stops after losing the answer of a claim leaves no leases', async () => {
  await deliveries.subscribe(200);
  const losing = losingClaims('deliveries.claim_deliveries', Number.POSITIVE_INFINITY);
  const worker = deliveries.startWorker({ database: losing });
  await deliveries.appendEvents(5);
  await eventually('a lost claim', () => losing.lost.length > 0);
  await worker.stop();
  expect(await leasesOf(losing.lost)).toEqual([]);
});
