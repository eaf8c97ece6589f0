import {
  type EmbeddedConnection,
  EmbeddedPostgresError,
  type EmbeddedPostgresFailure,
  findRunning,
  type Log,
  openSession,
  startEmbeddedPostgres,
} from '@florin/embedded-postgres';
import { DatabaseError } from 'pg';
import { ensureServiceRole, serviceRole } from './service-role.ts';

/** What every embedded cluster of Florin has: the superuser, the database, and the port in the name of its socket. */
export const florinNames = { superuser: 'florin', database: 'florin', port: 5432 };

/** Events are vacuumed before the next checkpoint (migration 0032), which comes every 30 s under load. */
const settings = {
  autovacuum_naptime: '10s',
  // What an archive (`app.backup.archive`) does not take is kept up to here: payments go on instead.
  max_slot_wal_keep_size: '8GB',
};

/** Florin's PostgreSQL in its data folder. `stop` may be called twice. */
export interface FlorinPostgres {
  /** As the role of the service, which owns the tables and has no right over the server. */
  readonly connection: EmbeddedConnection;
  /** As the superuser, for what that role may not do. The service never gets it. */
  readonly superuser: EmbeddedConnection;
  stop(): Promise<void>;
}

interface FlorinPostgresOptions {
  dataDir: string;
  log: Log;
  settings?: Readonly<Record<string, string>>;
  isDisposable?: boolean;
  /** Ends a wait for tables that others have locked. */
  signal?: AbortSignal | undefined;
}

/**
 * Resolves when the role of the service can use the database.
 *
 * @throws EmbeddedPostgresError with one line that says what to do
 */
export async function startFlorinPostgres(options: FlorinPostgresOptions): Promise<FlorinPostgres> {
  const { signal, ...given } = options;
  const postgres = await withHints(
    startEmbeddedPostgres({
      ...given,
      ...florinNames,
      settings: { ...settings, ...given.settings },
      setUp: (session) => ensureServiceRole(session, { log: given.log, signal }),
    }),
  );
  return {
    connection: { ...postgres.connection, user: serviceRole },
    superuser: postgres.connection,
    stop: () => postgres.stop(),
  };
}

/** What only Florin knows about the ways out of a failure. */
const hints: Partial<Record<EmbeddedPostgresFailure, string>> = {
  cannot_run: ', or set app.database.url to use another PostgreSQL',
  damaged: ' (docs/guides/operations.md)',
};

async function withHints<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError)) throw error;
    const { failure, message } = error;
    throw new EmbeddedPostgresError(failure, `${message}${hints[failure] ?? ''}`, { cause: error });
  }
}

/**
 * The connection to the PostgreSQL that runs on a data folder; undefined when none accepts sessions. Where an earlier
 * release runs it, which makes no role for the service, it is that of the superuser.
 */
export async function findRunningFlorin(dataDir: string): Promise<EmbeddedConnection | undefined> {
  const superuser = await findRunning(dataDir, florinNames);
  if (superuser === undefined) return undefined;
  const connection = { ...superuser, user: serviceRole };
  return (await isRefused(connection)) ? superuser : connection;
}

/** PostgreSQL's code `invalid_authorization_specification`: there is no such role. */
const noSuchRole = '28000';

async function isRefused(connection: EmbeddedConnection): Promise<boolean> {
  try {
    await (await openSession(connection)).end();
    return false;
  } catch (error) {
    // Any other failure is that of the command which then uses the connection.
    return error instanceof DatabaseError && error.code === noSuchRole;
  }
}
