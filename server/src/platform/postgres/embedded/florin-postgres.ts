import {
  type EmbeddedConnection,
  EmbeddedPostgresError,
  type EmbeddedPostgresFailure,
  type EmbeddedPostgresOptions,
  findRunning,
  openSession,
  prepareEmbeddedPostgres,
} from '@florin/embedded-postgres';
import { DatabaseError } from 'pg';
import { ensureServiceRole, serviceRole } from './service-role.ts';

/** What every embedded cluster of Florin has: the superuser, the database, and the port in the name of its socket. */
export const florinNames = { superuser: 'florin', database: 'florin', port: 5432 };

/** Events are vacuumed before the next checkpoint (migration 0032), which comes every 30 s under load. */
const settings = { autovacuum_naptime: '10s' };

/** Florin's PostgreSQL in its data folder. `stop` waits for a start that is under way, and may be called twice. */
export interface FlorinPostgres {
  /** As the role of the service, which owns the tables and has no right over the server. */
  readonly connection: EmbeddedConnection;
  /** As the superuser, for what that role may not do. The service never gets it. */
  readonly superuser: EmbeddedConnection;
  stop(): Promise<void>;
}

export interface PreparedFlorinPostgres extends FlorinPostgres {
  /** Resolves when the role of the service can use the database. The signal ends a wait for locked tables. */
  start(signal?: AbortSignal): Promise<void>;
}

type FlorinPostgresOptions = Required<Pick<EmbeddedPostgresOptions, 'dataDir' | 'log'>> &
  Pick<EmbeddedPostgresOptions, 'settings' | 'isDisposable'>;

/**
 * Locks the data folder. The connections are then known.
 *
 * @throws EmbeddedPostgresError with one line that says what to do; `start` does so too
 */
export async function prepareFlorinPostgres(options: FlorinPostgresOptions): Promise<PreparedFlorinPostgres> {
  const { log } = options;
  const postgres = await withHints(
    prepareEmbeddedPostgres({
      ...options,
      ...florinNames,
      settings: { ...settings, ...options.settings },
      setUp: (session, signal) => ensureServiceRole(session, { log, signal }),
    }),
  );
  return {
    connection: { ...postgres.connection, user: serviceRole },
    superuser: postgres.connection,
    start: (signal) => withHints(postgres.start(signal)),
    stop: () => postgres.stop(),
  };
}

/** @throws EmbeddedPostgresError as `prepareFlorinPostgres` */
export async function startFlorinPostgres(options: FlorinPostgresOptions): Promise<FlorinPostgres> {
  const postgres = await prepareFlorinPostgres(options);
  await postgres.start();
  return postgres;
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
