/** The interface of the embedded database. */

/** The log methods in use; a pino logger has them. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Connection settings for `pg`: `host` is the folder of a Unix socket, so there is no password and no TLS. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** A running PostgreSQL. If it ends unexpectedly it is restarted; its connections stay the same. */
export interface EmbeddedPostgres {
  /** As the role of the service, which owns the tables and has no right over the server. */
  readonly connection: EmbeddedConnection;
  /** As the superuser, for what that role may not do. The service never gets it. */
  readonly superuser: EmbeddedConnection;
  /** Ends all sessions, writes a checkpoint, waits for the end and releases the folder. Safe to call twice. */
  stop(): Promise<void>;
}

/** A PostgreSQL that is not running yet. `stop` waits for a start that is under way. */
export interface PreparedPostgres extends EmbeddedPostgres {
  /**
   * Resolves when the role of the service can use the database. The signal ends a wait for tables that others have
   * locked.
   */
  start(signal?: AbortSignal): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The data folder; created if it does not exist. */
  readonly dataDir: string;
  readonly log: Log;
  /** PostgreSQL settings that override the defaults. Those that protect committed data cannot be changed. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder is deleted afterwards: PostgreSQL does not wait for the disk, and a crash of the machine loses it. */
  readonly isDisposable?: boolean;
}

/** The start is refused. The message is one line: what is wrong, and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** The superuser of every embedded cluster, made by initdb, and the role with which the service runs. */
export const embeddedSuperuser = 'florin';
export const embeddedUser = 'florin_service';
/** Database and port of every embedded cluster; the port is only part of the name of the socket. */
export const embeddedDatabase = 'florin';
export const embeddedPort = 5432;

/** The `code` of a system error such as `EACCES`; an empty string for anything else. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
