import type { ReplyFacts } from '../platform/http/server.ts';
import type { Log } from '../platform/process/log.ts';

/** A request slower than this is worth a line, whatever came of it. */
const slowMs = 1_000;

/**
 * A line a request would cost the hot path more than the request's own work: what is refused is logged, what is slow
 * is logged, and everything only at debug.
 */
export function logReply({ refusal, ...facts }: ReplyFacts, log: Log): void {
  if (refusal !== undefined) {
    const { type, field, message, cause } = refusal;
    const about = { ...facts, type, field, reason: message, ...(refusal.kind === 'unavailable' && { cause }) };
    if (facts.status >= 500) log.warn(about, 'Refused');
    else log.info(about, 'Refused');
  } else if (facts.durationMs > slowMs) log.warn(facts, 'Slow');
  else if (log.isLevelEnabled('debug')) log.debug(facts, 'Answered');
}
