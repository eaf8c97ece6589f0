import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { dayMs } from '../../../../core/clock.ts';
import { firstUuidAt } from '../../../../core/id.ts';
import { sweepDeliveries } from '../retention.ts';

const nowMs = Date.UTC(2026, 5, 30);
let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await db.query(`insert into tenant (id, name) values (7, 'Other')`);
});

afterAll(() => db.drop());

test('attempts are deleted in time, finished deliveries only if configured, open ones and events never', async () => {
  for (const tenantId of [0, 7]) {
    await insertDelivery(tenantId, 100, 'SUCCEEDED');
    await insertDelivery(tenantId, 50, 'FAILED');
    await insertDelivery(tenantId, 100, 'OPEN');
    // An old delivery whose last attempt was yesterday.
    await insertDelivery(tenantId, 120, 'OPEN', 1);
    await insertDelivery(tenantId, 10, 'SUCCEEDED');
  }
  expect(await sweepDeliveries(db.database, nowMs, { attemptsMs: 30 * dayMs, deliveriesMs: undefined })).toEqual({
    attempts: 6,
    deliveries: 0,
  });
  expect(await counts()).toEqual({ attempts: 4, deliveries: 10, events: 10 });
  expect(await sweepDeliveries(db.database, nowMs, { attemptsMs: 30 * dayMs, deliveriesMs: 60 * dayMs })).toEqual({
    attempts: 0,
    deliveries: 2,
  });
  expect(await counts()).toEqual({ attempts: 4, deliveries: 8, events: 10 });
  const remaining = await db.query(`select state from delivery where created_at < to_timestamp($1::float8 / 1000)`, [
    nowMs - 60 * dayMs,
  ]);
  expect(remaining).toEqual(Array(4).fill({ state: 'OPEN' }));
});

test('no attempt outlives its delivery', async () => {
  await db.query('truncate event, delivery, delivery_attempt');
  await insertDelivery(0, 20, 'SUCCEEDED');
  await sweepDeliveries(db.database, nowMs, { attemptsMs: 30 * dayMs, deliveriesMs: 10 * dayMs });
  expect(await counts()).toEqual({ attempts: 0, deliveries: 0, events: 1 });
});

test('more rows than one statement deletes are all deleted', async () => {
  await db.query('truncate event, delivery, delivery_attempt');
  await db.query(
    `insert into delivery_attempt (tenant_id, delivery_id, number, attempted_at, duration_ms, outcome)
     select 0, overlay(gen_random_uuid()::text placing left($1, 13) from 1 for 13)::uuid, 1,
            to_timestamp($2::float8 / 1000), 5, 'ok' from generate_series(1, 5001)`,
    [firstUuidAt(nowMs - 40 * dayMs), nowMs - 40 * dayMs],
  );
  const swept = await sweepDeliveries(db.database, nowMs, { attemptsMs: 30 * dayMs, deliveriesMs: undefined });
  expect(swept.attempts).toBe(5001);
});

/** Inserts an event with one delivery and one attempt. */
async function insertDelivery(
  tenantId: number,
  daysAgo: number,
  state: string,
  attemptedDaysAgo = daysAgo,
): Promise<void> {
  const atMs = nowMs - daysAgo * dayMs;
  await db.query(
    `with appended as (
       insert into event (tenant_id, id, type, object_id, created_at, body)
       values ($1, overlay(gen_random_uuid()::text placing left($2, 13) from 1 for 13)::uuid, 'transaction.created',
           'txn_1', to_timestamp($3::float8 / 1000), '{}') returning *
     ), sent as (
       insert into delivery (tenant_id, id, event_id, endpoint_id, state, due_at, created_at, finished_at)
       select tenant_id, overlay(gen_random_uuid()::text placing left(id::text, 13) from 1 for 13)::uuid, id, 1, $4,
              created_at, created_at, case when $4 <> 'OPEN' then created_at end from appended
       returning *
     )
     insert into delivery_attempt (tenant_id, delivery_id, number, attempted_at, duration_ms, outcome)
     select tenant_id, id, 1, to_timestamp($5::float8 / 1000), 5, 'ok' from sent`,
    [tenantId, firstUuidAt(atMs), atMs, state, nowMs - attemptedDaysAgo * dayMs],
  );
}

async function counts() {
  const [row] = await db.query(
    `select (select count(*) from delivery_attempt) as attempts, (select count(*) from delivery) as deliveries,
            (select count(*) from event) as events`,
  );
  return row;
}
