import { secondMs } from '../../../core/clock.ts';
import { retryAfterMs } from '../../../core/retry-after.ts';

/** How one attempt ended. Only `ok` is a success; `http_status` is any answer other than 2xx, redirects included. */
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

/** HTTP 410 Gone switches the endpoint off (docs/decisions/webhooks.md). */
export const goneStatus = 410;

/** This many failures in a row open the circuit breaker for this long; then one delivery is sent as a trial. */
export const breakerFailures = 5;
export const breakerOpenMs = 30 * secondMs;

/**
 * Whether an attempt counts against its endpoint's health: no answer, or a 5xx. Any other status proves that the
 * endpoint works, even if it refuses the delivery.
 */
export function countsAsFailure(outcome: AttemptOutcome, status: number | undefined): boolean {
  if (status !== undefined) return status >= 500;
  // A forbidden address is refused before a connection is made: it costs nothing, so no pause is needed.
  return outcome !== 'forbidden_address';
}

/** An answer within this time is prompt: its slot is free again soon. */
export const promptMs = secondMs;

/** What an attempt says about its endpoint. */
export type AttemptVerdict = 'prompt' | 'slow' | 'failed';

export function verdictOf(outcome: AttemptOutcome, status: number | undefined, durationMs: number): AttemptVerdict {
  if (countsAsFailure(outcome, status)) return 'failed';
  return durationMs <= promptMs ? 'prompt' : 'slow';
}

/**
 * The receiver's Retry-After may extend a retry interval up to twice and never shortens it
 * (docs/decisions/webhooks.md).
 */
const maxExtension = 2;

/**
 * When to retry after attempt number `attempt` (from 1), in ms since the epoch; undefined when no retries are left.
 * Each interval begins at the end of the failed attempt.
 */
export function retryAt(
  attempt: number,
  endedMs: number,
  intervalsMs: readonly number[],
  retryAfter: string | undefined,
): number | undefined {
  const intervalMs = intervalsMs[attempt - 1];
  if (intervalMs === undefined) return undefined;
  const requestedMs = retryAfterMs(retryAfter, endedMs) ?? 0;
  return endedMs + Math.min(Math.max(intervalMs, requestedMs), intervalMs * maxExtension);
}
