import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { Database, type Queryable } from '../database.ts';
import { PlanRenewal } from '../plan-renewal.ts';
import { statement } from '../statement.ts';

const find = statement<{ id: number }>('test.find_kept', 'select id from thing where id = any($1::int[])');
/**
 * `fresh` counts how often a statement was planned with its values, `kept` how often it ran with a plan for any values.
 */
const plansOfFind = statement<{ name: string; fresh: number; kept: number }>(
  'test.plans_of_find',
  `select name, custom_plans::int as fresh, generic_plans::int as kept from pg_prepared_statements
    where name like 'test.find_kept%' order by prepare_time`,
);

let db: TestDatabase;
let renewal: PlanRenewal;
let pool: Database;

beforeAll(async () => {
  db = await databaseFromTemplate('template0');
  await db.query('create table thing (id int primary key, filler text)');
  renewal = new PlanRenewal(db.database);
  pool = new Database({
    connection: db.connection,
    connections: 1,
    name: 'test kept',
    plans: 'indexed-kept',
    planGeneration: () => renewal.generation,
  });
});

afterEach(() => {
  vi.useRealTimers();
});

afterAll(async () => {
  renewal.stop();
  await pool.close();
  await db.drop();
});

test('statements keep their plans until a table has grown, and are then planned again', async () => {
  for (let i = 0; i < 3; i++) await pool.run(find, [[1, 2]]);
  expect(await pool.run(plansOfFind)).toEqual([{ name: 'test.find_kept', fresh: 0, kept: 3 }]);
  renewal.start();
  await db.query(`insert into thing select number, repeat('x', 1000) from generate_series(1, 5000) as number`);
  await eventually('the table was seen to have grown', () => renewal.generation > 0);
  expect(await pool.run(find, [[7]])).toEqual([{ id: 7 }]);
  const renewed = { name: `test.find_kept/${renewal.generation}`, fresh: 0, kept: 1 };
  expect((await pool.run(plansOfFind)).at(-1)).toEqual(renewed);
});

test('a check that is in progress when it is stopped is the last', async () => {
  vi.useFakeTimers();
  const checks: PromiseWithResolvers<never[]>[] = [];
  const run = () => {
    const check = Promise.withResolvers<never[]>();
    checks.push(check);
    return check.promise;
  };
  const stopped = new PlanRenewal({ run } as Queryable);
  stopped.start();
  await vi.advanceTimersToNextTimerAsync();
  stopped.stop();
  checks[0]?.resolve([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(checks).toHaveLength(1);
});
