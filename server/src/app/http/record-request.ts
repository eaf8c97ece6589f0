import { modeName } from '../../core/livemode.ts';
import type { RequestRecorder } from '../../domains/identity/requests/recorder.ts';
import type { RepliedRequest, ReplyFacts } from '../../platform/http/server/server.ts';

/** Records an answered request in the request log of the caller's tenant. */
export function recordRequest(
  reply: ReplyFacts,
  { principal, headers, mode }: RepliedRequest,
  requestRecorder: Pick<RequestRecorder, 'record'>,
): void {
  const idempotencyKey = headers['idempotency-key'];
  requestRecorder.record({
    ...reply,
    principal,
    livemode: mode === undefined ? undefined : mode === modeName(true),
    userAgent: headers['user-agent'],
    idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : undefined,
  });
}
