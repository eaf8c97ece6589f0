import type { Gauge } from '@prometheus-io/client';
import { type Clock, secondMs } from '../../core/clock.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { DatabaseClock } from '../../platform/postgres/database-clock.ts';
import { knownMigrations } from '../../platform/postgres/migrate.ts';
import { diskSpaceAt } from '../../platform/process/disk-space.ts';
import { version } from '../cli/version.ts';
import { deliveriesWork } from './backlog-statements.ts';
import { listNodes, type NodeRow } from './node-statements.ts';
import { type DatabaseReading, type DatabaseSources, readDatabaseState } from './read-database.ts';
import { isGone, lastBackupMs, readBacklogOf, type SystemHealth } from './read-health.ts';
import { standbysExpected } from './standbys-expected.ts';

export interface SystemMetricsOptions extends DatabaseSources {
  metrics: Metrics;
  clock: Clock;
  databaseClock: DatabaseClock | undefined;
  dataDir: string;
  backupExpectedMs: number;
  settings: { 'app.role': string; 'app.database.expected-standbys': number | undefined };
}

interface Reading extends DatabaseReading {
  nodes: readonly NodeRow[];
  backlog: SystemHealth['backlog'];
  provenMs: number | undefined;
  known: readonly string[];
}

/** Metrics of a node, and of its database as that node sees it. */
export function addSystemMetrics(options: SystemMetricsOptions): void {
  addNodeMetrics(options);
  addDatabaseMetrics(options);
}

function addNodeMetrics({ metrics, databaseClock, dataDir, settings }: SystemMetricsOptions): void {
  metrics.nodeGauge(
    'florin_node_info',
    'Always 1: the versions of Florin and Node.js, and the role of this node.',
    ['version', 'runtime', 'role'],
    async (gauge) => gauge.set({ version, runtime: process.version, role: settings['app.role'] }, 1),
  );
  metrics.nodeGauge(
    'florin_node_clock_ahead_seconds',
    "How far this machine's clock is ahead of the database's; negative: behind.",
    [],
    async (gauge) => {
      if (databaseClock?.aheadMs !== undefined) gauge.set(databaseClock.aheadMs / secondMs);
    },
  );
  metrics.nodeGauge(
    'florin_data_folder_bytes',
    'The disk of the data folder of this node by state (free, used).',
    ['state'],
    async (gauge) => {
      const disk = await diskSpaceAt(dataDir).catch(() => undefined);
      if (disk === undefined) return;
      gauge.set({ state: 'free' }, disk.free);
      gauge.set({ state: 'used' }, disk.total - disk.free);
    },
  );
}

/** All are absent, or NaN, while the database is unavailable. */
function addDatabaseMetrics(options: SystemMetricsOptions): void {
  const { metrics, clock, backupExpectedMs, settings } = options;
  let reading: Promise<Reading | undefined> = Promise.resolve(undefined);
  const add = <Label extends string>(
    name: string,
    help: string,
    labels: Label[],
    set: (gauge: Gauge<Label>, read: Reading) => void,
  ) =>
    metrics.nodeGauge(name, help, labels, async (gauge) => {
      const read = await reading;
      // Values of what is gone, such as a standby, would stay.
      gauge.reset();
      if (read !== undefined) set(gauge, read);
      // A gauge without labels would be 0.
      else if (labels.length === 0) gauge.set(Number.NaN);
    });

  // Metrics are read in the order of their declaration: the first reads for all.
  metrics.nodeGauge('florin_nodes', 'Nodes of this database by state (running, gone).', ['state'], async (gauge) => {
    reading = readAll(options).catch(() => undefined);
    const read = await reading;
    gauge.reset();
    if (read === undefined) return;
    const gone = read.nodes.filter(isGone).length;
    gauge.set({ state: 'gone' }, gone);
    gauge.set({ state: 'running' }, read.nodes.length - gone);
  });
  add('florin_database_info', 'Always 1: the version of PostgreSQL.', ['version'], (gauge, { row }) =>
    gauge.set({ version: row.version }, 1),
  );
  add('florin_database_bytes', 'The size of the database.', [], (gauge, { row }) => gauge.set(row.size_bytes));
  add(
    'florin_server_connections',
    'Connections to the PostgreSQL server by state: `used`, and `limit` for accounts without special rights.',
    ['state'],
    (gauge, { row }) => {
      gauge.set({ state: 'used' }, row.used_connections);
      gauge.set({ state: 'limit' }, row.connection_limit);
    },
  );
  add(
    'florin_migrations',
    'Migrations by state: `applied`, `missing` in the database, `newer` than this node.',
    ['state'],
    (gauge, { row, known }) => {
      gauge.set({ state: 'applied' }, row.applied.length);
      gauge.set({ state: 'missing' }, known.filter((name) => !row.applied.includes(name)).length);
      gauge.set({ state: 'newer' }, row.applied.filter((name) => !known.includes(name)).length);
    },
  );
  addReplicationMetrics(add, settings['app.database.expected-standbys']);
  add(
    'florin_work_due',
    'Work that is due and not done, besides webhook deliveries (at most 10,000 are counted).',
    ['work'],
    (gauge, { backlog }) => {
      for (const { work, due } of backlog) if (work !== deliveriesWork) gauge.set({ work }, due);
    },
  );
  add(
    'florin_work_oldest_seconds',
    'How long the oldest of that work has been due; 0: nothing is.',
    ['work'],
    (gauge, { backlog }) => {
      for (const { work, oldestSeconds } of backlog) {
        if (work !== deliveriesWork) gauge.set({ work }, oldestSeconds ?? 0);
      }
    },
  );
  add(
    'florin_backup_age_seconds',
    'Since the last proven backup (`florin backup`). +Inf: the audit log knows of none.',
    [],
    (gauge, { provenMs }) =>
      gauge.set(provenMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (clock() - provenMs) / secondMs)),
  );
  add('florin_backup_expected_seconds', '`app.backup.expected`; +Inf: none is expected.', [], (gauge) =>
    gauge.set(backupExpectedMs === 0 ? Number.POSITIVE_INFINITY : backupExpectedMs / secondMs),
  );
}

type Add = <Label extends string>(
  name: string,
  help: string,
  labels: Label[],
  set: (gauge: Gauge<Label>, read: Reading) => void,
) => void;

const syncStates = ['sync', 'quorum', 'potential', 'async'] as const;

function addReplicationMetrics(add: Add, given: number | undefined): void {
  add(
    'florin_standbys',
    'Standbys that stream from the primary by `sync`: commits wait for `sync` and `quorum`. Absent where the ' +
      'account of Florin may not see them (pg_monitor).',
    ['sync'],
    (gauge, { standbys }) => {
      if (standbys === undefined) return;
      const streaming = standbys.filter(({ state }) => state === 'streaming');
      for (const sync of syncStates) gauge.set({ sync }, streaming.filter((one) => one.sync === sync).length);
    },
  );
  add(
    'florin_standbys_expected',
    'Synchronous standbys that are expected: `app.database.expected-standbys`, or what the server waits for.',
    [],
    (gauge, { row }) => gauge.set(given ?? standbysExpected(row.synchronous_standby_names)),
  );
  add(
    'florin_standby_lag_bytes',
    'Write-ahead log that each standby has not replayed yet, as the primary sees it.',
    ['standby'],
    (gauge, { standbys = [] }) => {
      for (const { name, lag_bytes } of standbys) if (lag_bytes !== null) gauge.set({ standby: name }, lag_bytes);
    },
  );
  add(
    'florin_standby_lag_seconds',
    'How long the last replay took on each standby, as the primary sees it; 0: it was idle.',
    ['standby'],
    (gauge, { standbys = [] }) => {
      for (const { name, lag_ms } of standbys) gauge.set({ standby: name }, (lag_ms ?? 0) / secondMs);
    },
  );
  add(
    'florin_replica_lag_bytes',
    'Write-ahead log that the replica has not replayed yet. NaN without a replica, or while it does not answer.',
    [],
    (gauge, { replicaLag }) => gauge.set(replicaLag?.bytes ?? Number.NaN),
  );
  add(
    'florin_replica_lag_seconds',
    'The age of the last transaction that the replica has replayed; 0: it has replayed all. NaN as the bytes.',
    [],
    (gauge, { replicaLag }) => gauge.set(replicaLag?.seconds ?? Number.NaN),
  );
}

async function readAll(options: SystemMetricsOptions): Promise<Reading> {
  const { workerDatabase, clock } = options;
  return {
    ...(await readDatabaseState(options)),
    nodes: await workerDatabase.run(listNodes),
    backlog: await readBacklogOf(workerDatabase, clock()),
    provenMs: await lastBackupMs(workerDatabase),
    known: await knownMigrations(),
  };
}
