import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../tests/support/service/florin.ts';
import { version } from '../cli/version.ts';
import { standbysExpected } from './standbys-expected.ts';

let db: TestDatabase;
let florin: TestFlorin;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_BACKUP_EXPECTED: '24h', APP_DATABASE_EXPECTED_STANDBYS: '2' });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

/** The values of a metric by its labels. */
async function valuesOf(name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${florin.address}/metrics`)).text();
  const lines = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))];
  return Object.fromEntries(lines.map(([, labels = '', value]) => [labels, Number(value?.replace('Inf', 'Infinity'))]));
}

test('a node reports its version, clock and disk, and the nodes of its database', async () => {
  expect(await valuesOf('florin_node_info')).toEqual({
    [`version="${version}",runtime="${process.version}",role="all"`]: 1,
  });
  expect(await valuesOf('florin_nodes')).toEqual({ 'state="gone"': 0, 'state="running"': 1 });
  const disk = await valuesOf('florin_data_folder_bytes');
  expect(disk['state="free"']).toBeGreaterThan(0);
  expect(Math.abs((await valuesOf('florin_node_clock_ahead_seconds'))[''] ?? 99)).toBeLessThan(1);
});

test('a node reports the server, its size, connections and migrations', async () => {
  const connections = await valuesOf('florin_server_connections');
  expect(connections['state="used"']).toBeGreaterThan(0);
  expect(connections['state="limit"']).toBeGreaterThan(10);
  expect((await valuesOf('florin_database_bytes'))['']).toBeGreaterThan(1e6);
  expect(await valuesOf('florin_migrations')).toMatchObject({ 'state="missing"': 0, 'state="newer"': 0 });
  expect(Object.keys(await valuesOf('florin_database_info'))).toHaveLength(1);
});

test('without a proven backup its age is infinite, so that no alert misses it', async () => {
  expect(await valuesOf('florin_backup_age_seconds')).toEqual({ '': Number.POSITIVE_INFINITY });
  expect(await valuesOf('florin_backup_expected_seconds')).toEqual({ '': 86_400 });
});

test('standbys are counted by replication, beside those that are expected', async () => {
  expect(await valuesOf('florin_standbys_expected')).toEqual({ '': 2 });
  const none = { 'sync="sync"': 0, 'sync="quorum"': 0, 'sync="potential"': 0, 'sync="async"': 0 };
  expect(await valuesOf('florin_standbys')).toEqual(none);
  expect(await valuesOf('florin_replica_lag_bytes')).toEqual({ '': Number.NaN });
});

test('work that is due has the age of its oldest', async () => {
  const oldest = await valuesOf('florin_work_oldest_seconds');
  expect(oldest['work="provider_operations"']).toBe(0);
  expect(oldest).not.toHaveProperty('work="webhook_deliveries"');
});

test.each([
  ['', 0],
  ['*', 1],
  ['db2', 1],
  ['db2, db3', 1],
  ['2 (db2, db3)', 2],
  ['FIRST 1 (db2, db3)', 1],
  ['any 2 ("db-2", db3, db4)', 2],
  ['first_db', 1],
])('with synchronous_standby_names = %j, commits wait for %i', (names, expected) => {
  expect(standbysExpected(names)).toBe(expected);
});
