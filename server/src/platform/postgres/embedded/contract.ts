/** What the embedded database promises to its caller, and what it asks of it. */

/** The few log calls needed here; a pino logger fits. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** How to reach the database with `pg`: `host` is the folder of a Unix socket, so there is no password and no TLS. */
export interface EmbeddedConnection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** A running PostgreSQL. When it ends without being asked it is started again; `connection` stays the same. */
export interface EmbeddedPostgres {
  readonly connection: EmbeddedConnection;
  /** Ends every session, writes a checkpoint, waits for the end and frees the folder. Calling it twice is safe. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The folder that holds everything; it is made when it does not exist. */
  readonly dataDir: string;
  readonly log: Log;
  /** PostgreSQL settings by name, over the defaults. Those that guard committed data cannot be changed. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A refusal to start. The message is one plain line: what is wrong, and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** Database role, database and port (which only names the socket file) of every embedded cluster. */
export const embeddedUser = 'florin';
export const embeddedDatabase = 'florin';
export const embeddedPort = 5432;

/** The `code` of a system error such as `EACCES`; an empty string for anything else. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
