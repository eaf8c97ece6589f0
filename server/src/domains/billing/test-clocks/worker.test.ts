import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { TestClocks } from './worker.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
});

afterAll(() => db.drop());

test('clocks that wait for a provider that does not answer do not block other clocks', async () => {
  const clocks = await db.query<{ id: number }>(
    `with tenant as (insert into tenant (name, state, created_at) values ('shop', true, now()) returning id)
     insert into clock (tenant_id, name, now_at, target_at, created_at)
     select tenant.id, 'year', '2026-01-01', '2027-01-01', now() from tenant, generate_series(1, 25)
     returning id`,
  );
  const last = Math.max(...clocks.map(({ id }) => id));
  const errors: unknown[] = [];
  const testClocks = new TestClocks({
    database: db.database,
    wake: () => {},
    onError: (error) => errors.push(error),
  });
  testClocks.register({
    isInProgress: async (_snapshot, { clockId }) => clockId !== last,
    nextDueMs: async () => null,
    topics: [],
  });
  testClocks.worker.start();
  await eventually('the last clock arrives', async () => {
    const [clock] = await db.query<{ has_arrived: boolean }>(
      `select target_at is null and now_at = '2027-01-01' as has_arrived from clock where id = $1`,
      [last],
    );
    return clock?.has_arrived;
  });
  await testClocks.worker.stop();
  expect(errors).toEqual([]);
});
