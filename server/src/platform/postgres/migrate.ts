import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { SessionClient } from './connection/connection.ts';
import type { ConnectionConfig } from './connection/connection-url.ts';
import { sessionSettings } from './connection/session-settings.ts';

const migrationsDir = fileURLToPath(new URL('../../../migrations', import.meta.url));
const migrationsTable = 'schema_migration';

/** While a migration waits for the lock of a table, all statements on the table queue behind it. */
const defaultLockTimeoutMs = 1_000;
/** Between two attempts, so that queued statements can run. */
const retryPauseMs = 3_000;
/** After waiting this long for a lock, an attempt queries which sessions block it. */
const blockersAfterMs = 500;

/** The database holds a schema that no migration of this version continues. */
export class UnknownSchemaError extends Error {}

/** The migrations did not end in the given time. Those that are not done have left nothing behind. */
export class MigrationDeadlineError extends Error {}

/**
 * The end of the name of a migration after which nodes of earlier versions fail, such as one that renames tables. The
 * database lists the migrations that have run, so an earlier version recognises it there.
 */
const breaksOlderNodes = '_breaks_older_nodes';

/** A migration that could not get its lock and will be tried again. */
export interface MigrationWait {
  migration: string;
  waitedMs: number;
  /** The blocking sessions that PostgreSQL reports: process, application, state, age of the transaction. */
  blockedBy: string[];
}

export interface MigrateOptions {
  onWait?: (wait: MigrationWait) => unknown;
  /**
   * Called after each migration, with its name and the time that it took in ms; of a new database, its share of all of
   * them.
   */
  onMigrated?: (migration: string, elapsedMs: number) => unknown;
  /** Called with what a migration reports about the data that it has changed (`raise info`). */
  onReport?: (report: string) => unknown;
  /** Called at the end with the migrations of a newer version that the database has. */
  onNewer?: (migrations: readonly string[]) => unknown;
  /** Ends the waiting, but not a running migration. */
  signal?: AbortSignal | undefined;
  /** How long a migration waits for the lock of a table, before it pauses and tries again. */
  lockTimeoutMs?: number | undefined;
  /** The time for all migrations. A statement that runs at its end is cancelled. Default: as long as they take. */
  deadlineMs?: number | undefined;
  dir?: string;
  retryPauseMs?: number;
}

/**
 * Migrates the schema to this version, under a lock, so that two nodes that start at once migrate once.
 *
 * @throws MigrationDeadlineError when the time of `deadlineMs` is over
 */
export async function migrate(
  connection: ConnectionConfig,
  log: (line: string) => void,
  options: MigrateOptions = {},
): Promise<void> {
  const { onWait = () => {}, onMigrated = () => {}, onNewer = () => {}, onReport = () => {} } = options;
  const { signal, dir = migrationsDir, retryPauseMs: pauseMs = retryPauseMs } = options;
  const { lockTimeoutMs = defaultLockTimeoutMs, deadlineMs } = options;
  const startedAt = performance.now();
  const timeLeftMs = () => (deadlineMs === undefined ? undefined : deadlineMs - (performance.now() - startedAt));
  for (;;) {
    const outcome = await migrateNext(connection, { dir, log, onReport, lockTimeoutMs, timeLeftMs });
    if ('newer' in outcome) {
      if (outcome.newer.length > 0) await onNewer(outcome.newer);
      return;
    }
    if (outcome.isDone) {
      const { migrations, elapsedMs } = outcome;
      for (const migration of migrations) await onMigrated(migration, elapsedMs / migrations.length);
      continue;
    }
    const { migration, blockedBy } = outcome;
    await onWait({ migration, blockedBy, waitedMs: Math.round(performance.now() - startedAt) });
    if ((timeLeftMs() ?? pauseMs) < pauseMs) throw deadlineError(migration, blockedBy);
    await sleep(pauseMs, undefined, { signal });
  }
}

/** Only when needed: it costs a start 60 ms and 5 MB. */
const loadRunner = () => import('node-pg-migrate');

interface AttemptOptions {
  dir: string;
  log: (line: string) => void;
  onReport: (report: string) => unknown;
  lockTimeoutMs: number;
  /** undefined: without a deadline. */
  timeLeftMs: () => number | undefined;
}

type Attempt =
  | { isDone: true; migrations: string[]; elapsedMs: number }
  | { isDone: false; migration: string; blockedBy: string[] };

/**
 * Runs the first migration that has not run yet, in a transaction and on a connection of its own; on a new database all
 * of them in one transaction, because nobody uses its tables yet: 29 migrations took 1.1 s one by one, and 0.45 s
 * together.
 */
async function migrateNext(
  connection: ConnectionConfig,
  { dir, log, onReport, lockTimeoutMs, timeLeftMs }: AttemptOptions,
): Promise<{ newer: string[] } | Attempt> {
  const client = await connect(connection, 'migration', 0);
  client.on('notice', ({ severity, message }) => {
    if (severity === 'INFO') onReport(message ?? '');
  });
  try {
    const { pending, unknown, isNew } = await stateOf(client, dir);
    requireUsable(unknown);
    const [migration] = pending;
    if (migration === undefined) return { newer: unknown };
    const migrations = isNew ? pending : [migration];
    const leftMs = timeLeftMs();
    if (leftMs !== undefined && leftMs <= 0) throw deadlineError(migration);
    await client.query(`set lock_timeout = ${lockTimeoutMs}`);
    // 0 would be no limit.
    if (leftMs !== undefined) await client.query(`set statement_timeout = ${Math.ceil(leftMs)}`);
    const watch = await watchBlockers(connection, client);
    try {
      const { runner } = await loadRunner();
      const begunAt = performance.now();
      await runner({
        dbClient: client,
        dir,
        direction: 'up',
        migrationsTable,
        count: migrations.length,
        singleTransaction: isNew,
        advisoryLockMode: 'wait',
        logger: { debug: () => {}, info: log, warn: log, error: log },
      });
      return { isDone: true, migrations, elapsedMs: performance.now() - begunAt };
    } catch (error) {
      if (isCancelled(error) && (timeLeftMs() ?? 1) <= 0) throw deadlineError(migration, watch.blockers());
      if (!isLockFailure(error)) throw error;
      return { isDone: false, migration, blockedBy: watch.blockers() };
    } finally {
      await watch.stop();
    }
  } finally {
    // After a failure the library relies on the end of the session to end its transaction and release the advisory
    // lock.
    await client.end();
  }
}

/** lock_not_available, deadlock_detected: the same migration succeeds once the others are done. */
function isLockFailure(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === '55P03' || code === '40P01';
}

/** query_canceled: also by statement_timeout. */
const isCancelled = (error: unknown) => (error as { code?: string }).code === '57014';

function deadlineError(migration: string, blockedBy: readonly string[] = []): MigrationDeadlineError {
  const reason = blockedBy.length === 0 ? '' : `, which waits for a lock held by ${blockedBy.join('; ')}`;
  return new MigrationDeadlineError(`the deadline passed before migration ${migration}${reason}; it changed nothing.`);
}

/** Records which sessions a client is waiting for, if it waits longer than `blockersAfterMs`. */
async function watchBlockers(connection: ConnectionConfig, client: pg.Client) {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  let seen: string[] = [];
  let watching: Promise<void> | undefined;
  const timer = setTimeout(() => {
    // If this fails, the wait is reported without the sessions that hold the lock.
    watching = queryBlockers().catch(() => {});
  }, blockersAfterMs);
  const queryBlockers = async () => {
    const watcher = await connect(connection, 'migration watch', 1_000);
    try {
      const { rows: blocking } = await watcher.query<{ description: string }>(
        `select format('process %s (%s), %s, in its transaction for %s s', pid,
             coalesce(nullif(application_name, ''), usename),
                       state, round(extract(epoch from clock_timestamp() - coalesce(xact_start, query_start))))
                           as description
           from pg_stat_activity where pid = any(pg_blocking_pids($1))`,
        [rows[0]?.pid],
      );
      seen = blocking.map(({ description }) => description);
    } finally {
      await watcher.end();
    }
  };
  return {
    blockers: () => seen,
    stop: async () => {
      clearTimeout(timer);
      await watching;
    },
  };
}

/** The migrations of this version, in order. */
export const knownMigrations = () => namesIn(migrationsDir);

/** The migrations of a database, each list in order of their names. */
export interface MigrationState {
  applied: string[];
  /** Those of this version that have not run yet. */
  pending: string[];
  /** Those that this version does not have: a newer one made them. */
  unknown: string[];
}

export async function migrationState(connection: ConnectionConfig): Promise<MigrationState> {
  const client = await connect(connection, 'schema check', 10_000);
  try {
    const { applied, pending, unknown } = await stateOf(client, migrationsDir);
    return { applied, pending, unknown };
  } finally {
    await client.end();
  }
}

/**
 * Whether the schema is that of this version, or a newer one.
 *
 * @throws UnknownSchemaError when it is a newer one that this version cannot use
 */
export async function isMigrated(connection: ConnectionConfig): Promise<boolean> {
  const { pending, unknown } = await migrationState(connection);
  requireUsable(unknown);
  return pending.length === 0;
}

function requireUsable(unknown: readonly string[]): void {
  const breaking = unknown.find((name) => name.endsWith(breaksOlderNodes));
  if (breaking === undefined) return;
  throw new UnknownSchemaError(
    'a newer version of Florin has changed the database in a way that this version cannot use (migration ' +
      `${breaking}); start that version again, or restore a backup of this one.`,
  );
}

/**
 * Migrates an empty database to the schema that exactly these migrations make, which may be that of an earlier version.
 */
export async function migrateTo(connection: ConnectionConfig, names: readonly string[]): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'florin-migrations-'));
  try {
    for (const name of names) await copyFile(join(migrationsDir, `${name}.sql`), join(dir, `${name}.sql`));
    await migrate(connection, () => {}, { dir });
  } finally {
    await rm(dir, { recursive: true });
  }
}

async function connect(connection: ConnectionConfig, name: string, statementTimeoutMs: number): Promise<pg.Client> {
  const settings = sessionSettings(name, statementTimeoutMs);
  const client = new SessionClient({ ...connection, ...settings, connectionTimeoutMillis: 10_000 });
  await client.connect();
  // A connection that breaks between two statements fails the next one; an unhandled error event would end the process.
  client.on('error', () => {});
  return client;
}

/** `isNew`: none has run. */
async function stateOf(client: pg.Client, dir: string): Promise<MigrationState & { isNew: boolean }> {
  const names = await namesIn(dir);
  const applied = await appliedTo(client);
  const done = new Set(applied);
  const [baseline = ''] = names;
  if (done.size > 0 && !done.has(baseline)) {
    throw new UnknownSchemaError(
      `the database was made by a version before the first release (it lacks the migration ${baseline}); ` +
        'start with a new data folder or database.',
    );
  }
  const unknown = applied.filter((name) => !names.includes(name));
  return { applied, pending: names.filter((name) => !done.has(name)), unknown, isNew: done.size === 0 };
}

async function namesIn(dir: string): Promise<string[]> {
  const files = (await readdir(dir)).filter((file) => file.endsWith('.sql'));
  return files.map((file) => file.slice(0, -'.sql'.length)).toSorted();
}

async function appliedTo(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query('select to_regclass($1) is not null as made', [migrationsTable]);
  if (!tables[0].made) return [];
  const { rows } = await client.query<{ name: string }>(`select name from ${migrationsTable}`);
  return rows.map(({ name }) => name).toSorted();
}
