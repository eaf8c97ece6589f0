import { Refusal } from '../../core/errors.ts';
import { withoutSecrets } from '../../core/without-secrets.ts';
import type { ReplyFacts } from '../../platform/http/server/server.ts';
import type { Log } from '../../platform/process/log.ts';

/** A request that takes longer is logged, whatever its result. */
const slowMs = 1_000;

/** Logs refused and slow requests; all of them only at level debug, since a line costs more than the request itself. */
export function logReply(reply: ReplyFacts, log: Log): void {
  if (reply.refusal !== undefined) logRefusal(reply, reply.refusal, log);
  else if (reply.durationMs > slowMs) log.warn(reply, 'Slow');
  else if (log.isLevelEnabled('debug')) log.debug(reply, 'Answered');
}

function logRefusal(
  { refusal: _, ...facts }: ReplyFacts,
  { type, field, message, kind, cause }: Refusal,
  log: Log,
): void {
  const about = {
    ...facts,
    type,
    field: field && withoutSecrets(field),
    reason: withoutSecrets(message),
    ...(kind === 'unavailable' && { cause }),
    ...(cause instanceof Refusal && { because: cause.message }),
  };
  if (facts.status >= 500) log.warn(about, 'Refused');
  else log.info(about, 'Refused');
}
