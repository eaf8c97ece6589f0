import type { Tracing } from '../../../platform/tracing/tracing.ts';
import type { EndedAttempt } from './deliver.ts';

/** Records an attempt in the trace of the payment. Events without a payment are in no trace. */
export function traceAttempt(
  { delivery, outcome, durationMs, lagMs }: EndedAttempt,
  tracing: Tracing,
  nowMs: number,
): void {
  const transactionId = paymentOf(delivery.body);
  if (transactionId === undefined) return;
  tracing.record({
    name: `deliver ${delivery.type}`,
    transactionId,
    kind: 'client',
    endMs: nowMs,
    durationMs,
    attributes: {
      'florin.endpoint': delivery.endpoint_id,
      'florin.attempt': delivery.attempts + 1,
      'florin.outcome': outcome,
      'florin.lag_ms': lagMs,
    },
    failure: outcome === 'ok' ? undefined : outcome,
  });
}

const paymentId = /^txn_[0-9a-f]{32}$/;

/**
 * The payment that an event is about: its record is a payment, or names one. What a merchant stores in `metadata` names
 * none.
 */
function paymentOf(eventBody: string): string | undefined {
  const { id, transactionId } = JSON.parse(eventBody).data.object as { id?: unknown; transactionId?: unknown };
  return [id, transactionId].find((value): value is string => typeof value === 'string' && paymentId.test(value));
}
