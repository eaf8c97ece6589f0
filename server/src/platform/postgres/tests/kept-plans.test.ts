import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../testing/postgres/database.ts';
import { Database } from '../database.ts';
import { KeptPlans } from '../kept-plans.ts';
import { statement } from '../statement.ts';

const find = statement<{ id: number }>('test.find_kept', 'select id from thing where id = any($1::int[])');
/** `fresh` counts how often a statement was planned with its values, `kept` how often it ran with a plan for any values. */
const plansOfFind = statement<{ fresh: number; kept: number }>(
  'test.plans_of_find',
  `select custom_plans::int as fresh, generic_plans::int as kept from pg_prepared_statements where name = 'test.find_kept'`,
);

let db: TestDatabase;
let pool: Database;

beforeAll(async () => {
  db = await databaseFromTemplate('template0');
  pool = new Database({ connection: db.connection, connections: 1, name: 'test kept', plans: 'indexed-kept' });
  await db.query('create table thing (id int primary key)');
});

afterAll(async () => {
  await pool.close();
  await db.drop();
});

test('statements keep their plans', async () => {
  const database = new KeptPlans(pool);
  for (let i = 0; i < 3; i++) await database.run(find, [[1, 2]]);
  expect(await pool.run(plansOfFind)).toEqual([{ fresh: 0, kept: 3 }]);
});

test('plans are discarded after a while, and the statements run on', async () => {
  const names: string[] = [];
  const database = new KeptPlans(
    {
      run: (statement, values) => {
        names.push(statement.name);
        return pool.run(statement, values);
      },
    },
    20,
  );
  await db.query('insert into thing select generate_series(1, 1000)');
  const discarded = () => names.filter((name) => name === 'plans.forget').length;
  await eventually('plans were discarded twice', async () => {
    expect(await database.run(find, [[7]])).toEqual([{ id: 7 }]);
    return discarded() >= 2;
  });
});
