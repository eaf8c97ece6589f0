import { hostname, tmpdir } from 'node:os';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, makeKey, makeMember, makeTenant } from '../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../tests/support/service/florin.ts';
import { systemClock } from '../../core/clock.ts';
import { uuidGenerator } from '../../core/id.ts';
import { freshKeyring, parseKeyring } from '../../platform/crypto/keyring.ts';
import { version } from '../cli/version.ts';
import { Heartbeat, type HeartbeatOptions, keyDigestOf } from './heartbeat.ts';
import type { NodeRow } from './node-statements.ts';
import type { SystemHealth } from './read-health.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_BACKUP_EXPECTED: '24h' });
  admin = await administratorOf(florin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const healthOf = async (): Promise<SystemHealth> => dataOf(await florin.get('/api/system/health', admin));

test('a node is listed while it runs, with its version, port and disk', async () => {
  const { nodes, versions, database } = await healthOf();
  expect(nodes).toEqual([
    {
      id: expect.any(String),
      host: hostname(),
      port: Number(new URL(florin.address).port),
      state: 'RUNNING',
      role: 'all',
      processes: 1,
      version,
      runtime: process.version,
      migration: versions.newestKnown,
      keyDigest: expect.stringMatching(/^[\da-f]{16}$/),
      clockAheadMs: expect.any(Number),
      isClockApart: false,
      disk: { freeBytes: expect.any(Number), totalBytes: expect.any(Number) },
      startedTime: expect.any(String),
      seenTime: expect.any(String),
    },
  ]);
  expect(versions.newestApplied).toBe(versions.newestKnown);
  expect(database.connections.used).toBeGreaterThan(0);
  expect(database.connections.used).toBeLessThan(database.connections.limit);
  expect(database.replica).toBeNull();
});

test('a second node is seen by the first, and is listed no more once it has stopped', async () => {
  const second = await florinOn(db, { APP_ROLE: 'api' });
  const ports = async () => (await healthOf()).nodes.map(({ port, role }) => [port, role]);
  expect(await ports()).toContainEqual([Number(new URL(second.address).port), 'api']);
  await second.stop();
  expect(await ports()).toHaveLength(1);
});

test('addresses are shown without account and password', async () => {
  const { hosts } = (await healthOf()).database;
  const { user, password } = db.connection;
  expect(hosts).not.toContain('@');
  for (const secret of [user, password].filter(Boolean)) expect(hosts).not.toContain(`${secret}:`);
});

test('only a platform administrator may read it, by session or by a key with the scope *', async () => {
  const tenantId = await makeTenant(florin, admin);
  const merchant = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  expect((await florin.get('/api/system/health', merchant.as)).status).toBe(403);
  expect((await florin.get('/api/system/health')).status).toBe(401);
  expect((await florin.get('/api/system/health', (await makeKey(florin, admin, '*')).as)).status).toBe(200);
  expect((await florin.get('/api/system/health', (await makeKey(florin, admin, 'user_read')).as)).status).toBe(403);
});

test('work that is due is counted, with the age of the oldest', async () => {
  const backlogOf = async (name: string) => (await healthOf()).backlog.find(({ work }) => work === name);
  expect(await backlogOf('user_mails')).toEqual({ work: 'user_mails', due: 0, oldestSeconds: null });
  // The worker of this node leaves it alone while it is leased.
  const rows = await db.query<{ id: number }>('select id from app_user limit 1');
  await db.query(
    `insert into user_mail (tenant_id, id, kind, user_id, due_at, created_at, lease, leased_until)
     values (0, gen_random_uuid(), 'KEY_EXPIRING', $1, now() - interval '1 hour', now(), gen_random_uuid(),
             now() + interval '1 hour')`,
    [rows[0]?.id],
  );
  const found = await backlogOf('user_mails');
  expect(found?.due).toBe(1);
  expect(found?.oldestSeconds).toBeGreaterThanOrEqual(3600);
});

test('the last proven backup is known from the audit log', async () => {
  expect((await healthOf()).backup).toEqual({ provenTime: null, ageSeconds: null, expectedSeconds: 86_400 });
  const id = uuidGenerator(() => Date.now() - 7_200_000)();
  await db.query(
    `insert into audit_entry (tenant_id, id, body, action, record_type, record_id)
     values (0, $1, '{}', 'backup.create', 'backup', 'florin-2026-01-01T00-00-00Z')`,
    [id],
  );
  const { ageSeconds } = (await healthOf()).backup;
  expect(ageSeconds).toBeGreaterThanOrEqual(7_200);
  expect(ageSeconds).toBeLessThan(7_300);
});

const heartbeats: Heartbeat[] = [];

afterEach(async () => {
  for (const heartbeat of heartbeats.splice(0)) await heartbeat.stop();
});

async function beating(changes: Partial<HeartbeatOptions> = {}): Promise<Heartbeat> {
  const heartbeat = new Heartbeat({
    database: db.database,
    generateUuid: uuidGenerator(systemClock),
    databaseClock: { aheadMs: 20 },
    isOursAlone: false,
    port: 1,
    role: 'all',
    processes: 3,
    migration: '0220_nodes',
    keyDigest: 'a',
    dataDir: tmpdir(),
    beatEveryMs: 20,
    ...changes,
  });
  heartbeats.push(heartbeat);
  await heartbeat.start();
  return heartbeat;
}

/** As a killed node leaves it. */
const leave = (port: number, silence: string) =>
  db.query(
    `insert into service_node (id, host, port, role, processes, version, runtime, migration, key_digest, started_at,
                               seen_at)
     values (gen_random_uuid(), $1, $2, 'all', 1, '1.0.0', 'v24', '0001_baseline', 'b', now() - interval '1 day',
             now() - $3::interval)`,
    [hostname(), port, silence],
  );

const nodesAt = async (port: number) => (await healthOf()).nodes.filter((node) => node.port === port);

test('a killed node is shown as gone, and forgotten after a quarter of an hour', async () => {
  await leave(2, '14 minutes');
  await beating();
  expect(await nodesAt(2)).toMatchObject([{ state: 'GONE' }]);
  await db.query(`update service_node set seen_at = now() - interval '16 minutes' where port = 2`);
  await eventually('it is forgotten', async () => (await nodesAt(2)).length === 0);
});

test('a node that starts again takes the place of the one that was killed', async () => {
  await leave(3, '1 minute');
  await beating({ port: 3 });
  expect(await nodesAt(3)).toMatchObject([{ state: 'RUNNING', processes: 3 }]);
});

test('a node of the same host and port that still runs is left alone', async () => {
  await leave(4, '5 seconds');
  await beating({ port: 4 });
  expect(await nodesAt(4)).toHaveLength(2);
});

test('with a database of its own, a node forgets what earlier starts have left', async () => {
  await leave(5, '1 minute');
  await beating({ port: 6, isOursAlone: true });
  expect(await nodesAt(5)).toEqual([]);
});

test.each([
  ['ahead', 1_400, true],
  ['behind', -1_400, true],
  ['a little ahead', 900, false],
])('a clock that is %s of the database by %i ms is apart: %s', async (_how, aheadMs, isClockApart) => {
  await beating({ port: 7, databaseClock: { aheadMs } });
  expect(await nodesAt(7)).toMatchObject([{ clockAheadMs: aheadMs, isClockApart }]);
});

test('a beat changes no index of the table', async () => {
  await beating({ port: 8 });
  const seen = async () => (await db.query<NodeRow>('select seen_at from service_node where port = 8'))[0]?.seen_at;
  const first = await seen();
  await eventually('it beats again', async () => (await seen()) !== first);
  // Counts of updates are written with some delay, by the session that made them.
  await eventually('updates are counted', async () => {
    const [row] = await db.query<{ all: number; hot: number }>(
      `select n_tup_upd as all, n_tup_hot_upd as hot from pg_stat_user_tables where relname = 'service_node'`,
    );
    return (row?.all ?? 0) > 0 && (row?.hot ?? 0) > 0;
  });
});

test('a node goes on beating after the database was unavailable', async () => {
  let isAway = true;
  const database = {
    run: ((...given: Parameters<typeof db.database.run>) =>
      isAway ? Promise.reject(new Error('away')) : db.database.run(...given)) as typeof db.database.run,
  };
  await beating({ port: 9, database });
  expect(await nodesAt(9)).toEqual([]);
  isAway = false;
  await eventually('it beats', async () => (await nodesAt(9)).length === 1);
});

test('the digest is equal for equal keys alone', () => {
  const [one, other] = [parseKeyring(freshKeyring()), parseKeyring(freshKeyring())];
  expect(keyDigestOf(one, other)).toBe(keyDigestOf(parseKeyring(one.toText()), other));
  expect(keyDigestOf(one, other)).not.toBe(keyDigestOf(other, one));
});
