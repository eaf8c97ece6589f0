import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { heldAnswers, type TestDeliveries, testDeliveries } from '../../../../../tests/support/webhooks/deliveries.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { replayWorker } from '../replay/worker.ts';

let deliveries: TestDeliveries;

beforeAll(async () => {
  deliveries = await testDeliveries();
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

test('deliveries of a dead process are due at once, and its late results are fenced off', async () => {
  const { db } = deliveries;
  const held = heldAnswers();
  const { receiver } = await deliveries.subscribe(held.answering);
  let discarded = 0;
  // The dead process claims nothing any more; its late results still arrive.
  let isDead = false;
  const database: Queryable = {
    run: (statement, values) =>
      isDead && statement.name !== 'deliveries.record_results'
        ? Promise.reject(new Error('The process is dead.'))
        : db.database.run(statement, values),
  };
  deliveries.startWorker({ database, observer: { onDiscarded: (count) => (discarded += count) } });
  await deliveries.appendEvents(4);
  await eventually('the requests', () => held.waiting === 4);
  const [{ user_id } = { user_id: 0 }] = await db.query<{ user_id: number }>('select user_id from webhook_endpoint');
  await db.query(
    `insert into webhook_replay (tenant_id, id, endpoint_id, user_id, from_at, until_at, states, last_event_id,
         due_at, lease,
                                 leased_until, created_at, updated_at)
     select 0, gen_random_uuid(), 1, $1, now(), now(), '{}', gen_random_uuid(), now(), gen_random_uuid(),
            now() + interval '30 seconds', now(), now()`,
    [user_id],
  );
  isDead = true;
  receiver.answering = 200;
  const replays = replayWorker({ database: db.database, clock: Date.now, onError: () => {} });
  for (const worker of [deliveries.newWorker(), replays]) await worker.freeDeadLeases();
  deliveries.startWorker();
  const done = await deliveries.untilFinished(4);
  expect(done.map(({ state, attempts, claims }) => ({ state, attempts, claims }))).toEqual(
    Array(4).fill({ state: 'SUCCEEDED', attempts: 1, claims: 2 }),
  );
  expect(receiver.received).toHaveLength(8);
  expect(await db.query('select lease, leased_until from webhook_replay')).toEqual([
    { lease: null, leased_until: null },
  ]);
  held.answerAll(500);
  await eventually('late results are discarded', () => discarded === 4);
  expect(await deliveries.untilFinished(4)).toHaveLength(4);
});
