import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { Database, type Queryable } from '../database.ts';
import { planOnce } from '../plan-once.ts';
import { statement } from '../statement.ts';

const showMode = statement<{ plan_cache_mode: string }>('test.show_mode', 'show plan_cache_mode');

let db: TestDatabase;
let database: Database;

beforeAll(async () => {
  db = await databaseFromTemplate('template0');
  database = new Database({ connection: db.connection, connections: 1, name: 'test plans', plans: 'indexed' });
});

afterAll(async () => {
  await database.close();
  await db.drop();
});

const modeOf = async (queryable: Queryable) => (await queryable.run(showMode))[0]?.plan_cache_mode;

test('plans are kept for many rows, until the transaction ends, and not for a few', async () => {
  const seen = await database.transaction(async (transaction) => {
    await planOnce(transaction, 3);
    const few = await modeOf(transaction);
    await planOnce(transaction, 500);
    return [few, await modeOf(transaction)];
  });
  expect(seen).toEqual(['force_custom_plan', 'auto']);
  expect(await modeOf(database)).toBe('force_custom_plan');
});

test('a plan made while a table was empty is not kept for when it is full', async () => {
  // With rows this wide PostgreSQL estimates few of them in an empty table, and takes the index that was created last.
  await db.query('create table seat (tenant_id int, id int, row_id int, note char(400), primary key (tenant_id, id))');
  await db.query('create index seat_by_row on seat (tenant_id, row_id)');
  const find = statement<{ id: number }>(
    'test.find_seat',
    'select id, note from seat where tenant_id = $1 and id = $2',
  );
  const planOf = async (queryable: Queryable): Promise<string> => {
    const text = 'explain (format json) execute "test.find_seat" (1, 7)';
    return JSON.stringify(await queryable.run({ name: '', text }));
  };
  const inTransaction = () =>
    database.transaction(async (transaction) => {
      await planOnce(transaction, 500);
      for (let i = 0; i < 8; i++) await transaction.run(find, [1, 7]);
      return planOf(transaction);
    });
  const whenEmpty = await inTransaction();
  await db.query(`insert into seat select 1, n, n, 'A1' from generate_series(1, 5000) n`);
  const whenFull = await inTransaction();
  expect(whenEmpty).toContain('$1');
  expect(whenFull).toContain('$1');
  expect(whenFull).toContain('seat_pkey');
});
