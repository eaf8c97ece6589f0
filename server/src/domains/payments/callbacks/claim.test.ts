import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { Database } from '../../../platform/postgres/database.ts';
import { claimCallbacks, makeEarlierDue } from './statements.ts';

let db: TestDatabase;
/** With the plans of the worker's connections. */
let database: Database;
const lease = '00000000-0000-4000-8000-000000000000';
const nowMs = Date.parse('2026-03-31T09:30:00Z');

beforeAll(async () => {
  db = await databaseFromTemplate();
  database = new Database({ connection: db.connection, connections: 2, name: 'test claim', plans: 'indexed' });
});

afterAll(async () => {
  await database.close();
  await db.drop();
});

/** Inserts callbacks `from` to `to`, `each` consecutive ones for one operation. */
const insertCallbacks = (from: number, to: number, each: number, isOpen: boolean) =>
  db.query(
    `insert into provider_callback (channel_id, event_id, id, received_at, notice, state, due_at, settled_at)
     select 7, 'e' || n, gen_random_uuid(), at,
            json_build_object('key', 'k' || (n - 1) / $3, 'reference', 'r' || (n - 1) / $3, 'said', 'changed',
                'outcome', null),
            case when $4 then 'RECEIVED' else 'SETTLED' end, at, case when not $4 then at end
       from (select n, to_timestamp($5::float8 / 1000) - n * interval '1 ms' as at
           from generate_series($1::int, $2::int) n
              order by n) as row`,
    [from, to, each, isOpen, nowMs],
  );
const claim = () => database.run(claimCallbacks, [nowMs, nowMs + 30_000, 50, lease]);
const numbers = (rows: { event_id: string }[]) =>
  rows.map(({ event_id }) => Number(event_id.slice(1))).sort((a, b) => a - b);

test('of each operation the first callback received is claimed, and the next one when that is settled', async () => {
  await insertCallbacks(1, 60, 3, true);
  const first = await claim();
  expect(numbers(first)).toEqual(Array.from({ length: 20 }, (_, i) => 3 * i + 1));
  expect(await claim()).toEqual([]);
  await db.query(`update provider_callback set state = 'SETTLED', settled_at = now(), lease = null, leased_until = null
                   where event_id = 'e1'`);
  expect(numbers(await claim())).toEqual([2]);
  await db.query('delete from provider_callback');
});

test('concurrent claims take the first callback of each operation, each exactly once', async () => {
  await insertCallbacks(1, 120, 3, true);
  const claims = (await Promise.all([claim(), claim(), claim()])).map(numbers);
  expect(claims.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => 3 * i + 1));
  await db.query('delete from provider_callback');
});

test('a claim uses indexes only, however many callbacks are settled', async () => {
  await insertCallbacks(1, 5_000, 2, false);
  await insertCallbacks(5_001, 5_200, 2, true);
  // Else autovacuum decides whether the planner takes the table for empty, where both indexes cost the same.
  await db.query('analyze provider_callback');
  const explained = async (text: string, values: unknown[]) => {
    const filled = values.reduceRight<string>(
      (sql, value, i) => sql.replaceAll(`$${i + 1}`, typeof value === 'string' ? `'${value}'` : String(value)),
      text,
    );
    const rows = await database.run<{ 'QUERY PLAN': string }>({ name: '', text: `explain ${filled}` });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const claiming = await explained(claimCallbacks.text, [nowMs, nowMs, 50, lease]);
  for (const index of ['due', 'by_key', 'by_reference', 'pkey']) {
    expect(claiming).toContain(`using provider_callback_${index} on`);
  }
  expect(claiming).not.toContain('Seq Scan');
  for (const name of ['key', 'reference'] as const) {
    const making = await explained(makeEarlierDue[name].text, [7, 'e5002', nowMs]);
    expect(making).toContain(`using provider_callback_by_${name} on`);
    expect(making).not.toContain('Seq Scan');
  }
});
