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

/** A running PostgreSQL. If it ends unexpectedly it is restarted; `connection` stays the same. */
export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
  /** Ends all sessions, writes a checkpoint, waits for the end and releases the folder. Safe to call twice. */
  stop(): Promise<void>;
}

/** A PostgreSQL that is not running yet. `stop` waits for a start that is under way. */
export interface PreparedPostgres extends EmbeddedPostgres {
  /** Resolves when it accepts sessions. */
  start(): Promise<void>;
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

/** Role, database and port of every embedded cluster; the port is only part of the name of the socket. */
export const embeddedUser = 'florin';
export const embeddedDatabase = 'florin';
export const embeddedPort = 5432;

/** The `code` of a system error such as `EACCES`; an empty string for anything else. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
