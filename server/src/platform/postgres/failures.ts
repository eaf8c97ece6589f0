import { Refusal } from '../../vocabulary/errors.ts';

/**
 * What a failed statement means for whoever asked.
 * - `away`: the database could not be reached, or the connection broke; the outcome may be unknown.
 * - `transient`: the same statement may succeed at once (deadlock, serialization, a statement that a pooler lost).
 * - `busy`: the database is there and over its limits (connections, statement time, disk).
 * - `data`: the values are to blame; another batch without them would succeed.
 */
export type Failure = 'away' | 'transient' | 'busy' | 'data' | 'other';

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
  'EACCES',
]);

/** From the SQLSTATE classes of PostgreSQL's Appendix A, and what the driver throws when the wire breaks. */
export function failureOf(error: unknown): Failure {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string };
  if (code === undefined)
    return /connection|timeout exceeded|not queryable|client was closed/i.test(message) ? 'away' : 'other';
  if (networkCodes.has(code)) return 'away';
  if (code === '40001' || code === '40P01') return 'transient';
  if (code === '26000' || code === '42P05') return 'transient'; // A pooler lost a prepared statement; the next try does without.
  if (code === '57014' || code === '55P03' || code.startsWith('53') || code.startsWith('58')) return 'busy';
  if (code.startsWith('08') || code.startsWith('57P')) return 'away';
  if (code === '25006') return 'away'; // A standby: the primary is elsewhere.
  if (code.startsWith('22') || code.startsWith('23')) return 'data';
  return 'other';
}

/** The refusal a caller is owed when the database is to blame; undefined when the statement or its values are. */
export function refusalOfFailure(error: unknown): Refusal | undefined {
  switch (failureOf(error)) {
    case 'away':
      return new Refusal('database_unavailable', 'The database cannot be reached just now. Try again shortly.', {
        retryAfterSeconds: 1,
        cause: error,
      });
    case 'transient':
    case 'busy':
      return new Refusal('overloaded', 'The database is over its limits just now. Try again shortly.', {
        retryAfterSeconds: 1,
        cause: error,
      });
    default:
      return undefined;
  }
}

/** The unique constraint that refused a row, if that is what happened. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === '23505' ? constraint : undefined;
}
