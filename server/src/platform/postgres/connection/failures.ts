import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';

/**
 * What a failed statement means for its caller.
 * - `away`: the database could not be reached, or the connection broke; the outcome may be unknown.
 * - `transient`: the same statement may succeed if repeated at once (deadlock, serialization, a lost prepared
 *   statement).
 * - `busy`: the database is reachable and over its limits (connections, statement time, memory).
 * - `full`: there is no room on a disk of the database.
 * - `data`: the values are wrong; a batch without them would succeed.
 */
export type Failure = 'away' | 'transient' | 'busy' | 'full' | 'data' | 'other';

/**
 * Of libuv's errors, those that come from resolving a name, opening a socket, connecting, reading or writing: the
 * network, the server, and the limits of our own process and machine (EMFILE, ENOMEM). EAGAIN is a Unix socket whose
 * backlog is full, EADDRNOTAVAIL a machine out of ports. The rest are errors of files and of programming.
 */
const connectionCodes = new Set([
  ...['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'ENODEV', 'EIO', 'EREMOTEIO'],
  ...['EADDRINUSE', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT', 'EPROTO'],
  ...['EALREADY', 'EAGAIN', 'EINTR', 'ECANCELED'],
  ...['ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'ENOTCONN', 'EPIPE', 'ESHUTDOWN', 'EOF', 'ETIMEDOUT'],
  ...['EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETRESET', 'ENETUNREACH', 'ENONET', 'ENOTFOUND'],
  ...['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'],
]);

/** Name resolution, and Node's codes for broken sockets. */
const connectionCodePattern = /^EAI_|^ERR_(SOCKET|STREAM)_/;
/** TLS, with OpenSSL's codes for certificates. */
const tlsCodePattern = /^ERR_(SSL|TLS)_|(^|_)(CERT|CRL)(_|$)|^(UNABLE_TO|INVALID_(CA|PURPOSE)$|PATH_LENGTH|HOSTNAME)/;

/** Errors that the driver throws without a code. */
const connectionMessages = [
  'Connection terminated',
  'Query read timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Client has encountered',
  'Client was closed',
  'Cannot use a pool after',
  'The server does not support SSL',
  'There was an error establishing an SSL',
];

/** Whole classes of PostgreSQL's Appendix A, by their first two characters. */
const failureOfClass: Record<string, Failure> = {
  '08': 'away', // Connection exception, also from poolers.
  '22': 'data',
  '23': 'data',
  '28': 'away', // The login is refused: only raised when connecting.
  '3D': 'away', // There is no such database: only raised when connecting.
  '53': 'busy', // Insufficient resources.
  '57': 'away', // Operator intervention: shutdown, crash, still starting, idle session.
  '58': 'busy', // System error, I/O.
  F0: 'away', // Its configuration file is broken.
};

const failureOfState: Record<string, Failure> = {
  '25006': 'away', // A standby: the primary is elsewhere.
  '25P03': 'away', // The connection was ended: idle in a transaction, as when we were stalled or cut off.
  '25P04': 'busy', // The same after `transaction_timeout`.
  '26000': 'transient', // A pooler lost a prepared statement; the next try does without.
  '40000': 'transient',
  '40001': 'transient',
  '40002': 'data',
  '40003': 'away', // The outcome is unknown.
  '40P01': 'transient',
  '42P05': 'transient', // As 26000.
  '53100': 'full',
  '55P03': 'busy', // `lock_timeout`.
  '57014': 'busy', // `statement_timeout`.
  '72000': 'transient', // Snapshot too old.
};

export function failureOf(error: unknown): Failure {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  if (typeof code !== 'string') return connectionMessages.some((start) => message.startsWith(start)) ? 'away' : 'other';
  if (connectionCodes.has(code) || connectionCodePattern.test(code) || tlsCodePattern.test(code)) return 'away';
  if (!/^[0-9A-Z]{5}$/.test(code)) return 'other';
  return failureOfState[code] ?? failureOfClass[code.slice(0, 2)] ?? 'other';
}

/** The server answers and refuses the account, or the database does not exist: only another configuration helps. */
export function isLoginRefused(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^(28|3D|F0)...$/.test(code);
}

/** TLS could not be negotiated, or a certificate was refused. */
export function isTlsRefused(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  return (typeof code === 'string' && tlsCodePattern.test(code)) || /does not support SSL/.test(message);
}

/** The refusal for the caller when the database failed; undefined when the statement or its values are wrong. */
export function refusalOfFailure(error: unknown): Refusal | undefined {
  switch (failureOf(error)) {
    case 'away':
      return databaseUnavailable(error);
    case 'transient':
    case 'busy':
      return new Refusal('overloaded', rule('database_over_limits'), {
        retryAfterSeconds: 1,
        cause: error,
      });
    case 'full':
      return storageFull(error);
    default:
      return undefined;
  }
}

/** Somebody has to make room, which takes longer than the other failures last. */
export function storageFull(cause: unknown): Refusal {
  const message = rule('disk_full');
  return new Refusal('storage_full', message, { retryAfterSeconds: 10, cause });
}

export function databaseUnavailable(cause: unknown): Refusal {
  const message = rule('database_away');
  return new Refusal('database_unavailable', message, { retryAfterSeconds: 1, cause });
}

/** The unique constraint that the statement violated, if that was the error. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === '23505' ? constraint : undefined;
}
