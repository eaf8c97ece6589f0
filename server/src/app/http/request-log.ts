import { Refusal } from '../../core/errors.ts';
import { withoutSecrets } from '../../core/without-secrets.ts';
import type { ReplyFacts } from '../../platform/http/server/steps.ts';
import type { Log } from '../../platform/process/log.ts';

/** A request that takes longer is logged, whatever its result. */
const slowMs = 1_000;

const countEveryMs = 1_000;

/**
 * Logs refused and slow requests; all of them only at level debug, since a line costs more than the request itself.
 * While more is asked for than can be served, refusals come by the thousand: the first is logged, and then their number
 * once a second.
 */
export function requestLog(log: Log): (reply: ReplyFacts) => void {
  let uncounted: number | undefined;
  const logCount = () => {
    if (uncounted === 0) uncounted = undefined;
    else {
      log.warn({ refused: uncounted }, 'Requests were refused because of overload');
      uncounted = 0;
      setTimeout(logCount, countEveryMs).unref();
    }
  };
  return (reply) => {
    if (reply.refusal?.type !== 'overloaded') logReply(reply, log);
    else if (uncounted !== undefined) uncounted++;
    else {
      uncounted = 0;
      setTimeout(logCount, countEveryMs).unref();
      logReply(reply, log);
    }
  };
}

function logReply(reply: ReplyFacts, log: Log): void {
  if (reply.refusal !== undefined) logRefusal(reply, reply.refusal, log);
  else if (reply.durationMs > slowMs) log.warn(factsOf(reply), 'Slow');
  else if (log.isLevelEnabled('debug')) log.debug(factsOf(reply), 'Answered');
}

function logRefusal(reply: ReplyFacts, { type, field, message, kind, cause }: Refusal, log: Log): void {
  const about = {
    ...factsOf(reply),
    type,
    field: field && withoutSecrets(field),
    reason: withoutSecrets(message),
    ...(kind === 'unavailable' && { cause }),
    ...(cause instanceof Refusal && { because: cause.message }),
  };
  if (reply.status >= 500) log.warn(about, 'Refused');
  else log.info(about, 'Refused');
}

/**
 * The facts in every line about a reply, which include neither the headers of the request nor anything else of the
 * caller.
 */
function factsOf({ method, path, status, durationMs, requestId }: ReplyFacts): object {
  return { method, path, status, durationMs, requestId };
}
