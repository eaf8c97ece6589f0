import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { blockThread } from '../../../../tests/support/faults/block-thread.ts';
import { type Line, startLine } from '../../../../tests/support/faults/line.ts';
import { administer } from '../../../../tests/support/postgres/administer.ts';
import {
  administerDatabase,
  databaseFromTemplate,
  eventually,
  type TestDatabase,
} from '../../../../tests/support/postgres/database.ts';
import { Notifications } from '../bus/notifications.ts';
import { Database } from '../database.ts';
import { startFlorinPostgres } from '../embedded/florin-postgres.ts';
import { statement } from '../statement.ts';
import { type AbsenceReason, PrimaryMonitor } from './primary-monitor.ts';

let db: TestDatabase;
let line: Line;
let pool: Database;
let monitor: PrimaryMonitor;
let lost: AbsenceReason[];
let found: number;

const backend = statement<{ pid: number }>('test.backend', 'select pg_backend_pid() as pid');
const hold = statement<{ pid: number }>('', 'select pg_backend_pid() as pid from pg_sleep(20)');
const startOf = statement<{ start: string }>('', 'select pg_postmaster_start_time()::text as start');

beforeAll(async () => {
  db = await databaseFromTemplate();
});

afterAll(() => db.drop());

beforeEach(async () => {
  line = await startLine(db.connection);
  pool = new Database({ connection: line.connection, connections: 2, name: 'test pool' });
  lost = [];
  found = 0;
  monitor = new PrimaryMonitor({
    connection: line.connection,
    pools: () => [pool],
    clock: Date.now,
    onLost: (reason) => lost.push(reason),
    onFound: () => found++,
  });
  await monitor.start();
});

afterEach(async () => {
  await monitor.stop();
  await pool.close();
  await line.close();
});

/** The outcome of a statement: its rows, or the refusal and its cause. */
async function ending(statement_: Promise<unknown>): Promise<unknown> {
  return statement_.catch(({ type, retryAfterSeconds, cause }) => ({ type, retryAfterSeconds, why: cause.message }));
}

const isRunning = async (times = 1) => {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name = 'florin test pool' and state = 'active'`,
  );
  return row?.count === times;
};

test('a server that answers is a writable primary', () => {
  expect(monitor.hasBeenWritable).toBe(true);
  expect(monitor.absence).toBeUndefined();
});

describe('a server that is silent on fresh connections too', () => {
  test('pools discard their connections: statements in flight fail, and new ones are refused at once', async () => {
    const inFlight = ending(pool.run(hold));
    await eventually('it is in flight', () => isRunning());
    line.silent = true;
    expect(await inFlight).toEqual({
      type: 'database_unavailable',
      retryAfterSeconds: 1,
      why: 'The connection was given up: The server has not answered for 2 s.',
    });
    expect(await ending(pool.run(backend))).toMatchObject({ why: 'The server is silent.' });
    expect(await ending(pool.transaction((within) => within.run(backend)))).toMatchObject({
      why: 'The server is silent.',
    });
    expect(pool.load).toEqual({ total: 0, idle: 0, waiting: 0 });
    expect({ lost, absence: monitor.absence?.reason }).toEqual({ lost: ['away'], absence: 'away' });

    line.silent = false;
    await eventually('it is found again', () => found === 1);
    expect(monitor.absence).toBeUndefined();
    expect(await pool.run(backend)).toHaveLength(1);
  });

  test('requests that wait for a connection are refused as well', async () => {
    const inUse = [1, 2].map(() => ending(pool.run(hold)));
    await eventually('all connections are in use', () => isRunning(2));
    const waiting = [1, 2, 3, 4, 5].map(() => ending(pool.run(backend)));
    line.silent = true;
    monitor.suspect();
    for (const one of await Promise.all([...inUse, ...waiting])) {
      expect(one).toMatchObject({ type: 'database_unavailable', why: expect.stringMatching(/given up|silent/) });
    }
  });

  test('the listener notices it before the next probe', async () => {
    const notifications = new Notifications({
      connection: line.connection,
      publisher: db.database,
      onLost: () => {},
      onSilent: () => monitor.suspect(),
    });
    await notifications.start();
    line.silent = true;
    await eventually('it is lost', () => lost.length === 1);
    await notifications.stop();
  });
});

describe('healthy connections stay open', () => {
  test('when another connection is silent and a fresh one is answered by the same server', async () => {
    const [before] = await pool.run(backend);
    for (let i = 0; i < 3; i++) {
      monitor.suspect();
      await monitor.start();
    }
    expect(await pool.run(backend)).toEqual([before]);
    expect(lost).toEqual([]);
  });

  test('when this process was too busy to read the answer, however long', async () => {
    const [before] = await pool.run(backend);
    for (const suspected of [false, true]) {
      if (suspected) monitor.suspect();
      const probed = monitor.start();
      // The probe was sent, and its answer is on the way.
      await setImmediate();
      blockThread(2_500);
      await probed;
    }
    expect(await pool.run(backend)).toEqual([before]);
    expect(lost).toEqual([]);
  });

  test('when the server has no room for the connection of the monitor', async () => {
    const role = `crowded_${db.connection.database}`;
    await administerDatabase(db, `create role ${role} login connection limit 1`);
    const crowded = new Database({
      connection: { ...line.connection, user: role },
      connections: 1,
      name: 'test',
    });
    const [before] = await crowded.run(backend);
    const refused: AbsenceReason[] = [];
    const itsMonitor = new PrimaryMonitor({
      connection: { ...line.connection, user: role },
      pools: () => [crowded],
      clock: Date.now,
      onLost: (reason) => refused.push(reason),
    });
    await itsMonitor.start();
    expect(itsMonitor.hasBeenWritable).toBe(false);
    expect(await crowded.run(backend)).toEqual([before]);
    expect(refused).toEqual([]);
    await itsMonitor.stop();
    await crowded.close();
    await administerDatabase(db, `drop role ${role}`);
  });

  /** Blocks the event loop. */
});

describe('when another server has taken over', () => {
  let dataDir: string;
  let other: Awaited<ReturnType<typeof startFlorinPostgres>>;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'florin-other-'));
    other = await startFlorinPostgres({ dataDir, log: { info: () => {}, warn: () => {}, error: () => {} } });
    await administer({ ...other.superuser, database: 'postgres' }, `create database ${db.connection.database}`);
  });

  afterAll(async () => {
    await other.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  test('all connections to the old server are discarded, in use or idle', async () => {
    const [before] = await pool.run(startOf);
    const inFlight = ending(pool.run(hold));
    await eventually('it is in flight', () => isRunning());
    await pool.run(backend);
    expect(pool.load).toEqual({ total: 2, idle: 1, waiting: 0 });
    line.failOverTo(other.connection);
    monitor.suspect();
    expect(await inFlight).toEqual({
      type: 'database_unavailable',
      retryAfterSeconds: 1,
      why: 'The connection was given up: another server has taken over.',
    });
    const [after] = await pool.run(startOf);
    expect(after).not.toEqual(before);
    expect(lost).toEqual([]);
  });
});
