import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { movableClock, type TestDeliveries, testDeliveries } from '../../../../../tests/support/webhooks/deliveries.ts';
import { minuteMs } from '../../../../core/clock.ts';
import { Database, type Queryable } from '../../../../platform/postgres/database.ts';
import type { Statement } from '../../../../platform/postgres/statement.ts';

let deliveries: TestDeliveries;

beforeAll(async () => {
  deliveries = await testDeliveries();
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

/** What one statement of the sender read. */
interface Reading {
  name: string;
  /** Each table it read, and by which index. */
  scans: string[];
  /**
   * Index entries read, including those of finished rows: of the two indexes of open deliveries, and of the primary
   * key.
   */
  entries: number;
  keys: number;
}

/** Far more than one statement claims or records. */
const many = 2_000;
const done = 1_000;
const due = 100;

test('while a transaction stays open, due deliveries are found without reading finished ones', async () => {
  const time = movableClock();
  const { endpointId, receiver } = await deliveries.subscribe(200);
  const holder = new pg.Client(deliveries.db.connection);
  await holder.connect();
  deliveries.onClean(() => holder.end());
  await holder.query('begin isolation level repeatable read');
  await holder.query('select count(*) from delivery');

  const { connection } = deliveries.db;
  const database = new Database({ connection, connections: 3, name: 'watched', plans: 'indexed' });
  deliveries.onClean(() => database.close());
  let isWatching = false;
  let readings: Reading[] = [];
  const watched: Queryable = {
    run: async (statement, values) => {
      if (isWatching) readings.push(await readingOf(database, statement, values));
      return database.run(statement, values);
    },
  };
  deliveries.startWorker({ clock: time.clock, database: watched });
  await deliveries.enqueue(endpointId, done, time.clock());
  await deliveries.untilFinished(done);

  time.moveBy(5 * minuteMs);
  await deliveries.db.query('vacuum delivery');
  const fullScan = {
    name: 'all',
    text: `select id from delivery where state = 'OPEN' order by due_at`,
  };
  expect((await readingOf(database, fullScan)).entries).toBeGreaterThanOrEqual(done);
  // After the clock has jumped, the first scan reads everything.
  isWatching = true;
  await eventually('two scans', () => readings.filter(({ name }) => name === 'deliveries.scan_endpoints').length >= 2);
  readings = [];
  await deliveries.enqueue(endpointId, due, time.clock());
  await deliveries.untilFinished(done + due);
  isWatching = false;
  expect(receiver.received).toHaveLength(done + due);

  expect(new Set(readings.map(({ name }) => name))).toContain('deliveries.claim_deliveries');
  const scans = new Set(readings.flatMap((reading) => reading.scans));
  expect([...scans].filter((scan) => /^(delivery|event) by nothing$/.test(scan))).toEqual([]);
  expect(scans).toContain('delivery by delivery_due');
  expect(scans).toContain('delivery by delivery_by_endpoint');
  // The due deliveries, the same again when they were leased, and again when they have just been finished; of a busy
  // machine's statement all three. The thousand that had finished before are none of them.
  expect(readings.filter(({ entries }) => entries > 3 * due)).toEqual([]);
  await holder.query('rollback');
});

test('the table is read by key even if it was analysed while none of its rows were visible', async () => {
  const { endpointId, receiver } = await deliveries.subscribe(200);
  const { connection } = deliveries.db;
  const database = new Database({ connection, connections: 3, name: 'watched', plans: 'indexed' });
  deliveries.onClean(() => database.close());
  const readings: Reading[] = [];
  const watched: Queryable = {
    run: async (statement, values) => {
      readings.push(await readingOf(database, statement, values));
      return database.run(statement, values);
    },
  };
  const writer = new pg.Client(connection);
  await writer.connect();
  deliveries.onClean(() => writer.end());
  await writer.query('begin');
  await writer.query(
    `with appended as (
       insert into event (tenant_id, id, type, object_id, created_at, body)
       select tenant_id, gen_random_uuid(), 'transaction.created', 'txn_1', now(), '{}'
         from webhook_endpoint, generate_series(1, $2) where id = $1
       returning tenant_id, id, created_at
     )
     insert into delivery (tenant_id, id, event_id, endpoint_id, due_at, created_at)
     select tenant_id, gen_random_uuid(), id, $1, created_at, created_at from appended`,
    [endpointId, many],
  );
  await deliveries.db.query('analyze delivery');
  await deliveries.db.query('analyze event');
  await writer.query('commit');
  deliveries.startWorker({ database: watched });
  await deliveries.untilFinished(many);
  expect(receiver.received).toHaveLength(many);
  // No more than its input: at most 500 results are recorded at once.
  expect(Math.max(...readings.map(({ keys }) => keys))).toBeLessThanOrEqual(many / 2);
});

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: PlanNode[];
}

class RolledBack extends Error {}

/** Runs a statement and rolls it back. */
async function readingOf(database: Database, { name, text }: Statement<unknown>, values: readonly unknown[] = []) {
  let reading: Reading | undefined;
  const running = database.transaction(async (transaction) => {
    const before = await entriesOfOpen(transaction);
    const keysBefore = await entriesRead(transaction, 'delivery_pkey');
    const [explained] = await transaction.run<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      { name: '', text: `explain (analyze, format json) ${text}` },
      values,
    );
    const entries = (await entriesOfOpen(transaction)) - before;
    const keys = (await entriesRead(transaction, 'delivery_pkey')) - keysBefore;
    reading = { name, scans: scansOf(explained?.['QUERY PLAN'][0].Plan as PlanNode), entries, keys };
    throw new RolledBack();
  });
  await running.catch((error) => {
    if (!(error instanceof RolledBack)) throw error;
  });
  return reading as unknown as Reading;
}

async function entriesOfOpen(transaction: Queryable): Promise<number> {
  return (await entriesRead(transaction, 'delivery_due')) + (await entriesRead(transaction, 'delivery_by_endpoint'));
}

/** Index entries that this connection has read since it last reported its statistics. */
async function entriesRead(transaction: Queryable, index: string): Promise<number> {
  const text = 'select pg_stat_get_xact_tuples_returned($1::regclass) as entries';
  const [row] = await transaction.run<{ entries: number }>({ name: '', text }, [index]);
  return row?.entries ?? 0;
}

/** Table scans with their index. TID scans need none. */
function scansOf(node: PlanNode): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index = 'nothing', Plans = [] } = node;
  const own = table !== undefined && type.includes('Scan') && type !== 'Tid Scan' ? [`${table} by ${index}`] : [];
  return [...own, ...Plans.flatMap(scansOf)];
}
