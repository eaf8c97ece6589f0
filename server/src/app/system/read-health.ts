import type { Static } from 'typebox';
import { type Clock, isoTime, secondMs } from '../../core/clock.ts';
import { uuidTimeMs } from '../../core/id.ts';
import { countBacklog } from '../../domains/webhooks/deliveries/statements.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import { knownMigrations } from '../../platform/postgres/migrate.ts';
import { archiveHealth } from '../backup/archive/health.ts';
import { version } from '../cli/version.ts';
import { deliveriesWork, readBacklog } from './backlog-statements.ts';
import { findLastBackup } from './database-statements.ts';
import { goneAfterSeconds, listNodes, type NodeRow } from './node-statements.ts';
import { type DatabaseSources, databaseHealth, readDatabaseState } from './read-database.ts';
import type { systemHealth } from './schema.ts';

export type SystemHealth = Static<typeof systemHealth>;

/** What the health of the system is read from. */
export interface HealthSources extends DatabaseSources {
  clock: Clock;
  /** `app.backup.expected`; 0: none is expected. */
  backupExpectedMs: number;
  /** `app.backup.archive`. */
  backupArchive: string | undefined;
}

/** As of now: six statements, one after the other, beside the work of the node. */
export async function readSystemHealth(sources: HealthSources): Promise<SystemHealth> {
  const { workerDatabase, clock, backupExpectedMs } = sources;
  const reading = await readDatabaseState(sources);
  const nodes = await workerDatabase.run(listNodes);
  const backlog = await readBacklogOf(workerDatabase, clock());
  const provenMs = await lastBackupMs(workerDatabase);
  const nowMs = clock();
  const { backupArchive } = sources;
  const database = databaseHealth(reading, sources);
  if (backupArchive !== undefined) database.archive = await archiveHealth(backupArchive, nowMs);
  return {
    time: isoTime(nowMs),
    nodes: nodes.map(nodeHealth),
    database,
    backlog,
    backup: {
      provenTime: provenMs === undefined ? null : isoTime(provenMs),
      ageSeconds: provenMs === undefined ? null : secondsSince(provenMs, nowMs),
      expectedSeconds: backupExpectedMs === 0 ? null : Math.round(backupExpectedMs / secondMs),
    },
    versions: {
      florin: version,
      runtime: process.version,
      postgres: database.version,
      migrationsApplied: reading.row.applied.length,
      newestApplied: reading.row.applied.at(-1) ?? null,
      newestKnown: (await knownMigrations()).at(-1) as string,
    },
  };
}

/** A node's clock that differs by less counts as right, as for `DatabaseClock`. */
const clockToleranceMs = secondMs;

export const isGone = ({ silent_seconds }: Pick<NodeRow, 'silent_seconds'>) => silent_seconds > goneAfterSeconds;

export const isClockApart = ({ clock_ahead_ms }: Pick<NodeRow, 'clock_ahead_ms'>) =>
  clock_ahead_ms !== null && Math.abs(clock_ahead_ms) > clockToleranceMs;

function nodeHealth(row: NodeRow): SystemHealth['nodes'][number] {
  const { id, host, port, role, processes, version: florin, runtime, migration, key_digest } = row;
  const { clock_ahead_ms, disk_free_bytes, disk_total_bytes, started_at, seen_at } = row;
  return {
    id,
    host,
    port,
    state: isGone(row) ? 'GONE' : 'RUNNING',
    role,
    processes,
    version: florin,
    runtime,
    migration,
    keyDigest: key_digest,
    clockAheadMs: clock_ahead_ms === null ? null : Math.round(clock_ahead_ms),
    isClockApart: isClockApart(row),
    disk:
      disk_free_bytes === null || disk_total_bytes === null
        ? null
        : { freeBytes: disk_free_bytes, totalBytes: disk_total_bytes },
    startedTime: started_at,
    seenTime: seen_at,
  };
}

/** Due work of all kinds. */
export async function readBacklogOf(database: Queryable, nowMs: number): Promise<SystemHealth['backlog']> {
  const [deliveries] = await database.run(countBacklog, [nowMs]);
  const rows = await database.run(readBacklog, [nowMs]);
  const first = { work: deliveriesWork, due: deliveries?.due ?? 0, oldest_ms: dueSince(deliveries?.oldest_ms, nowMs) };
  return [first, ...rows].map(({ work, due, oldest_ms }) => ({
    work,
    due,
    oldestSeconds: oldest_ms === null ? null : secondsSince(oldest_ms, nowMs),
  }));
}

/** The oldest open delivery may be due later. */
const dueSince = (oldestMs: number | null | undefined, nowMs: number) =>
  oldestMs === null || oldestMs === undefined || oldestMs > nowMs ? null : oldestMs;

/** When the last proven backup was made; undefined: the audit log knows of none. */
export async function lastBackupMs(database: Queryable): Promise<number | undefined> {
  const [entry] = await database.run(findLastBackup);
  return entry === undefined ? undefined : uuidTimeMs(entry.id);
}

const secondsSince = (thenMs: number, nowMs: number) => Math.max(0, Math.floor((nowMs - thenMs) / secondMs));
