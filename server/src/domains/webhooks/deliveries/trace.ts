import type { Tracing } from '../../../platform/tracing/tracing.ts';
import type { EndedAttempt } from './deliverer.ts';

/** The payment that an event is about: its record is a payment, or names one. */
const paymentOf = /"object":\{"id":"(txn_[0-9a-f]{32})"|"transactionId":"(txn_[0-9a-f]{32})"/;

/** Records an attempt in the trace of the payment. Events without a payment are in no trace. */
export function traceAttempt(
  { delivery, outcome, durationMs, lagMs }: EndedAttempt,
  tracing: Tracing,
  nowMs: number,
): void {
  const [, own, named] = paymentOf.exec(delivery.body) ?? [];
  const transactionId = own ?? named;
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
