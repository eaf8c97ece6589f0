import { secondMs } from '../../../core/clock.ts';

/** How one attempt ended. Only `ok` is a success; `http_status` is any answer that is not 2xx, redirects included. */
export type AttemptOutcome =
  | 'ok'
  | 'http_status'
  | 'timeout'
  | 'refused'
  | 'unreachable'
  | 'reset'
  | 'dns'
  | 'tls'
  | 'protocol'
  | 'forbidden_address';

/** The receiver is gone for good and says so: its endpoint is switched off (decisions, Webhooks). */
export const goneStatus = 410;

/** So many failures in a row, and sending is paused for so long; then one delivery tries. */
export const breakerFailures = 5;
export const breakerOpenMs = 30 * secondMs;

/** What an attempt says of its endpoint. Whoever answers is there, also when it refuses what it is sent. */
export type Standing = 'answering' | 'failing';

export function standingOf(outcome: AttemptOutcome, status: number | undefined): Standing {
  if (status !== undefined) return status >= 500 ? 'failing' : 'answering';
  // No connection was made, and none will be: it costs nothing.
  return outcome === 'forbidden_address' ? 'answering' : 'failing';
}

/** A wait may be lengthened up to twice by the receiver's Retry-After, and never shortened (decisions, Webhooks). */
const longestLengthening = 2;

/**
 * When to try again after the attempt with this number (from 1) ended, in ms since the epoch; undefined when all
 * tries are used up. Each interval counts from the end of the failed attempt.
 */
export function retryAt(
  attempt: number,
  endedMs: number,
  intervalsMs: readonly number[],
  retryAfter: string | undefined,
): number | undefined {
  const intervalMs = intervalsMs[attempt - 1];
  if (intervalMs === undefined) return undefined;
  const askedMs = retryAfterMs(retryAfter, endedMs) ?? 0;
  return endedMs + Math.min(Math.max(intervalMs, askedMs), intervalMs * longestLengthening);
}

/** Retry-After (RFC 9110, section 10.2.3): seconds, or a date. What is neither is ignored. */
function retryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  if (/^\d{1,15}$/.test(trimmed)) return Number(trimmed) * 1_000;
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(trimmed)) return undefined;
  const at = Date.parse(trimmed);
  return Number.isNaN(at) ? undefined : at - nowMs;
}
