import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../tests/support/postgres/database.ts';
import { Database, type Queryable } from '../postgres/database.ts';
import { DueWorkPoller, type DueWorkPollerOptions } from './due-work-poller.ts';

let db: TestDatabase;
let database: Database;
const pollers: DueWorkPoller[] = [];

beforeAll(async () => {
  db = await databaseFromTemplate('template0');
  database = new Database({ connection: db.connection, connections: 1, name: 'test poller', plans: 'indexed' });
  await db.query('create table parcel (id int primary key, due_ms float8 not null)');
  await db.query('create table letter (id int primary key, due_ms float8 not null)');
});

afterEach(async () => {
  for (const poller of pollers.splice(0)) await poller.stop();
  await db.query('truncate parcel, letter');
});

afterAll(async () => {
  await database.close();
  await db.drop();
});

function polling(options: Partial<DueWorkPollerOptions> = {}) {
  const woken = { parcels: 0, letters: 0 };
  const poller = new DueWorkPoller({
    database,
    clock: () => 1_000,
    works: [
      { topic: 'parcels', due: 'select from parcel where due_ms <= $1::float8' },
      { topic: 'letters', due: 'select from letter where due_ms <= $1::float8' },
    ],
    onDue: (topics) => {
      for (const topic of topics) woken[topic as 'parcels']++;
    },
    pollEveryMs: 2,
    ...options,
  });
  pollers.push(poller);
  poller.start();
  return woken;
}

test('the topic of due work is published again and again while it is due, and no other topic', async () => {
  await db.query('insert into letter values (1, 1001)');
  const woken = polling();
  await db.query('insert into parcel values (1, 1000)');
  await eventually('it was woken again and again', () => woken.parcels > 2);
  expect(woken.letters).toBe(0);
});

test('several works of one topic are all looked for', async () => {
  const works = ['parcel', 'letter'].map((table) => ({
    topic: 'parcels',
    due: `select from ${table} where due_ms <= $1::float8`,
  }));
  const woken = polling({ works });
  await db.query('insert into parcel values (1, 1000)');
  await eventually('it was woken for the first of them', () => woken.parcels > 0);
});

test('polling continues when the database is available again', async () => {
  let isAway = true;
  let tries = 0;
  const flaky: Queryable = {
    run: async (look, values) => {
      tries++;
      if (isAway) throw new Error('The database is unavailable.');
      return database.run(look, values);
    },
  };
  await db.query('insert into parcel values (1, 1000)');
  const woken = polling({ database: flaky });
  await eventually('it has tried', () => tries > 0);
  expect(woken.parcels).toBe(0);
  isAway = false;
  await eventually('it is woken', () => woken.parcels > 0);
});

test('nothing is published after the poller has stopped', async () => {
  await db.query('insert into parcel values (1, 1000)');
  const woken = polling();
  await eventually('it is woken', () => woken.parcels > 0);
  await pollers[0]?.stop();
  const before = woken.parcels;
  await database.run({ name: '', text: 'select pg_sleep(0.02)' });
  expect(woken.parcels).toBe(before);
});

test('polls become rarer without due work, and frequent again once there is some', async () => {
  const polledAt: number[] = [];
  let isDue = false;
  const source: Queryable = {
    run: async () => {
      polledAt.push(performance.now());
      return [{ parcels: isDue, letters: false }] as never;
    },
  };
  const woken = polling({ database: source, pollEveryMs: 1, idlePollEveryMs: 60_000 });
  await eventually('twenty polls found nothing', () => polledAt.length === 20);
  isDue = true;
  expect(woken.parcels).toBe(0);
  const busy = polling({ database: source, pollEveryMs: 1, idlePollEveryMs: 60_000 });
  await eventually('a poller that finds work polls on', () => busy.parcels > 25);
  expect(woken.parcels).toBe(0);
});

test('a poller at rest polls at longer intervals, and at shorter ones again once work is published', async () => {
  let polls = 0;
  const source: Queryable = {
    run: async () => {
      polls++;
      return [{ parcels: false, letters: false }] as never;
    },
  };
  polling({ database: source, pollEveryMs: 1, idlePollEveryMs: 1, restPollEveryMs: 600_000 });
  await eventually('it rests', () => polls === 50);
  pollers[0]?.published();
  await eventually('it polls thirty times more, and rests', () => polls === 80);
  await pollers[0]?.stop();
  pollers[0]?.published();
  expect(polls).toBe(80);
});
