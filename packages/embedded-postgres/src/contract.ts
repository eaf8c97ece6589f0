import type { Client } from 'pg';

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

/** A running PostgreSQL. If it ends unexpectedly it is restarted; its connection stays the same. */
export interface EmbeddedPostgres {
  /** As the superuser. */
  readonly connection: EmbeddedConnection;
  /** Ends all sessions, writes a checkpoint, waits for the end and releases the folder. Safe to call twice. */
  stop(): Promise<void>;
}

/** What every connection to a cluster has to know. The same values must be given each time a folder is used. */
export interface ClusterNames {
  /** The superuser, made by initdb. Default: `postgres`. */
  readonly superuser?: string;
  /** The database, created if there is none of this name. Default: `postgres`. */
  readonly database?: string;
  /** Only part of the socket's name: nothing listens on a port. Default: 5432. */
  readonly port?: number;
}

export interface EmbeddedPostgresOptions extends ClusterNames {
  /** The data folder; created if it does not exist. */
  readonly dataDir: string;
  /** Default: nothing is logged. */
  readonly log?: Log;
  /** PostgreSQL settings that override the defaults. Those that protect committed data cannot be changed. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder is deleted afterwards: PostgreSQL does not wait for the disk, and a crash of the machine loses it. */
  readonly isDisposable?: boolean;
  /**
   * Runs in a session of the superuser at each start, before the database is handed out: makes roles, extensions and
   * the like. It must be repeatable, because a kill may interrupt it. When it fails, so does the start.
   */
  readonly setUp?: (session: Client) => Promise<void>;
}

/** The names with their defaults. */
export function namesOf({ superuser = 'postgres', database = 'postgres', port = 5432 }: ClusterNames) {
  return { superuser, database, port };
}

/**
 * - `in_use`: another process uses the folder
 * - `unusable_folder`: it cannot be read or written, belongs to another account, or something else is in its place
 * - `other_version`: it holds data of another major version
 * - `damaged`: parts of its data are missing
 * - `cannot_run`: the programs are not installed, or may not be run by this account
 * - `failed`: PostgreSQL or initdb ended, or refused; the message has its reason
 * - `fixed_setting`: the setting cannot be chosen
 */
export type EmbeddedPostgresFailure =
  | 'in_use'
  | 'unusable_folder'
  | 'other_version'
  | 'damaged'
  | 'cannot_run'
  | 'failed'
  | 'fixed_setting';

/** The start is refused. The message is one line: what is wrong, and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  readonly failure: EmbeddedPostgresFailure;

  constructor(failure: EmbeddedPostgresFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/** The names of everything that is made outside of the data folder begin with this, and those of its processes. */
export const namePrefix = 'florin';

/** The `code` of a system error such as `EACCES`; an empty string for anything else. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
