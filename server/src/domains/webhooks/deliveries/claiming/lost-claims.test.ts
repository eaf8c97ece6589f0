import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../../testing/database.ts';
import { type TestDeliveries, testDeliveries } from '../../../../testing/deliveries.ts';
import { losingAnswers } from '../../../../testing/lost-answers.ts';

let deliveries: TestDeliveries;

beforeAll(async () => {
  deliveries = await testDeliveries();
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

const losingClaims = (name: string, count: number) => losingAnswers(deliveries.db.database, name, count, 4);

const leasesOf = (ids: readonly string[]) =>
  deliveries.db.query('select id from delivery where lease = any ($1::uuid[])', [ids]);

test('deliveries of a claim whose answer was lost are sent at once by this sender, each once', async () => {
  const { receiver } = await deliveries.subscribed(200);
  const losing = losingClaims('deliveries.claim_deliveries', 1);
  // Its clock stands still: no lease ever runs out.
  const nowMs = Date.now() + 1_000;
  deliveries.working({ database: losing, clock: () => nowMs });
  await deliveries.happenedOften(5);
  const done = await deliveries.finished(5);
  expect(losing.lost).toHaveLength(1);
  expect(receiver.received).toHaveLength(5);
  expect(done.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1]);
});

test('so are those of a claim that was made without a look before it', async () => {
  const { receiver, endpointId } = await deliveries.subscribed(200);
  const losing = losingClaims('deliveries.claim_of_endpoints', 1);
  const nowMs = Date.now() + 1_000;
  deliveries.working({ database: losing, clock: () => nowMs });
  // Such a claim follows within 250 ms of a look, which a busy machine may miss.
  let sent = 0;
  do {
    await deliveries.backlog(endpointId, 3_000, nowMs - 500);
    sent += 3_000;
    await deliveries.finished(sent);
  } while (losing.lost.length === 0);
  expect(receiver.received).toHaveLength(sent);
});

test('a sender that stops after its claim was lost leaves nothing leased', async () => {
  await deliveries.subscribed(200);
  const losing = losingClaims('deliveries.claim_deliveries', Number.POSITIVE_INFINITY);
  const worker = deliveries.working({ database: losing });
  await deliveries.happenedOften(5);
  await eventually('a lost claim', () => losing.lost.length > 0);
  await worker.stop();
  expect(await leasesOf(losing.lost)).toEqual([]);
});
