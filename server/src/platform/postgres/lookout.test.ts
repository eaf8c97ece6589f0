import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../testing/database.ts';
import { Database, type Queryable } from './database.ts';
import { Lookout, type LookoutOptions } from './lookout.ts';

let db: TestDatabase;
let database: Database;
const lookouts: Lookout[] = [];

beforeAll(async () => {
  db = await databaseFromTemplate('template0');
  database = new Database({ connection: db.connection, connections: 1, name: 'test lookout', plans: 'watching' });
  await db.query('create table parcel (id int primary key, due_ms float8 not null)');
  await db.query('create table letter (id int primary key, due_ms float8 not null)');
});

afterEach(async () => {
  for (const lookout of lookouts.splice(0)) await lookout.stop();
  await db.query('truncate parcel, letter');
});

afterAll(async () => {
  await database.close();
  await db.drop();
});

function lookingOut(options: Partial<LookoutOptions> = {}) {
  const woken = { parcels: 0, letters: 0 };
  const lookout = new Lookout({
    database,
    clock: () => 1_000,
    watched: [
      { name: 'parcels', due: 'select from parcel where due_ms <= $1::float8', wake: () => woken.parcels++ },
      { name: 'letters', due: 'select from letter where due_ms <= $1::float8', wake: () => woken.letters++ },
    ],
    lookEveryMs: 2,
    ...options,
  });
  lookouts.push(lookout);
  lookout.start();
  return woken;
}

test('whoever has something due is woken, again and again while it is due, and nobody else', async () => {
  await db.query('insert into letter values (1, 1001)');
  const woken = lookingOut();
  await db.query('insert into parcel values (1, 1000)');
  await eventually('it was woken again and again', () => woken.parcels > 2);
  expect(woken.letters).toBe(0);
});

test('a database that is away is looked at again when it is back', async () => {
  let isAway = true;
  let tries = 0;
  const flaky: Queryable = {
    run: async (look, values) => {
      tries++;
      if (isAway) throw new Error('The database is away.');
      return database.run(look, values);
    },
  };
  await db.query('insert into parcel values (1, 1000)');
  const woken = lookingOut({ database: flaky });
  await eventually('it has tried', () => tries > 0);
  expect(woken.parcels).toBe(0);
  isAway = false;
  await eventually('it is woken', () => woken.parcels > 0);
});

test('nobody is woken after it was stopped', async () => {
  await db.query('insert into parcel values (1, 1000)');
  const woken = lookingOut();
  await eventually('it is woken', () => woken.parcels > 0);
  await lookouts[0]?.stop();
  const before = woken.parcels;
  await database.run({ name: '', text: 'select pg_sleep(0.02)' });
  expect(woken.parcels).toBe(before);
});
