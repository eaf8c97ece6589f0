import { Refusal } from '../../core/errors.ts';
import { withoutSecrets } from '../../core/without-secrets.ts';
import type { ReplyFacts } from '../../platform/http/server/server.ts';
import type { Log } from '../../platform/process/log.ts';

/** A request that takes longer is logged, whatever its result. */
const slowMs = 1_000;

/** Logs refused and slow requests; all of them only at level debug, since a line costs more than the request itself. */
export function logReply(reply: ReplyFacts, log: Log): void {
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

/** The facts in every line about a reply, which include neither the headers of the request nor anything else of the caller. */
function factsOf({ method, path, status, durationMs, requestId }: ReplyFacts): object {
  return { method, path, status, durationMs, requestId };
}
