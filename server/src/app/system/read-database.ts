import { setTimeout as sleep } from 'node:timers/promises';
import type { Static } from 'typebox';
import { secondMs } from '../../core/clock.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { ReplicaLag } from '../../platform/postgres/replica.ts';
import { type DatabaseRow, listStandbys, readDatabase, type StandbyRow } from './database-statements.ts';
import type { systemHealth } from './schema.ts';

type DatabaseHealth = Static<typeof systemHealth>['database'];

/** What is read of the database, and of its replica. */
export interface DatabaseSources {
  workerDatabase: Queryable;
  replica: { lag: () => Promise<ReplicaLag | undefined> } | undefined;
  databaseHosts: string;
  replicaHosts: string | undefined;
}

const replicaWithinMs = 2 * secondMs;

export interface DatabaseReading {
  row: DatabaseRow;
  /** Undefined: the account may not read them. */
  standbys: readonly StandbyRow[] | undefined;
  /** Undefined: there is none, it does not answer, or it is no standby. */
  replicaLag: ReplicaLag | undefined;
}

export async function readDatabaseState({ workerDatabase, replica }: DatabaseSources): Promise<DatabaseReading> {
  const lag = replica === undefined ? undefined : lagWithin(replica);
  const [row] = await workerDatabase.run(readDatabase);
  if (row === undefined) throw new Error('PostgreSQL answered nothing.');
  const standbys = row.may_read_standbys ? await workerDatabase.run(listStandbys) : undefined;
  return { row, standbys, replicaLag: await lag };
}

/** A replica that does not answer must not hold up what the primary says. */
async function lagWithin(replica: NonNullable<DatabaseSources['replica']>): Promise<ReplicaLag | undefined> {
  const given = new AbortController();
  try {
    return await Promise.race([
      replica.lag().catch(() => undefined),
      sleep(replicaWithinMs, undefined, { signal: given.signal, ref: false }),
    ]);
  } finally {
    given.abort();
  }
}

export function databaseHealth(
  { row, standbys, replicaLag }: DatabaseReading,
  { databaseHosts, replicaHosts }: DatabaseSources,
): DatabaseHealth {
  return {
    version: row.version,
    hosts: databaseHosts,
    address: row.address,
    startedTime: row.started_at,
    sizeBytes: row.size_bytes,
    connections: { used: row.used_connections, limit: row.connection_limit },
    synchronousCommit: row.synchronous_commit,
    synchronousStandbys: row.synchronous_standby_names,
    replica:
      replicaHosts === undefined
        ? null
        : {
            hosts: replicaHosts,
            isReachable: replicaLag !== undefined,
            lagBytes: replicaLag?.bytes ?? null,
            lagMs: msOf(replicaLag?.seconds),
          },
    standbys: standbys?.map(standbyHealth) ?? null,
    standbysUnknown:
      standbys === undefined
        ? 'The account of Florin may not read them. As superuser of PostgreSQL, grant pg_monitor to it.'
        : null,
    archive:
      row.archive_mode === 'off'
        ? null
        : { archivedTime: row.archived_at, failedTime: row.archive_failed_at, isFailing: row.archive_is_failing },
  };
}

const standbyHealth = ({ name, address, state, sync, lag_bytes, lag_ms }: StandbyRow) => ({
  name,
  address,
  state,
  sync,
  lagBytes: lag_bytes,
  lagMs: lag_ms,
});

const msOf = (seconds: number | null | undefined) =>
  seconds === null || seconds === undefined ? null : Math.max(0, Math.round(seconds * secondMs));
