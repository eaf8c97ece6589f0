import type { Answer } from '../connections/answer.ts';
import type { LeasedDelivery } from '../queues/claimer.ts';
import { type AttemptOutcome, goneStatus, retryAt } from '../rules.ts';

/** The new state of a claimed delivery and, if a request was sent, its attempt. */
export interface DeliveryResult {
  tenantId: number;
  deliveryId: string;
  /** The fence: the result counts only while the delivery is under this lease. */
  lease: string;
  /** When the lease runs out. A result that could not be written by then is discarded. */
  leasedUntilMs: number;
  state: 'OPEN' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  /** When to retry; null: not at all. */
  dueMs: number | null;
  endedMs: number;
  /** null: nothing was sent, so there is no attempt to record. */
  durationMs: number | null;
  status: number | null;
  outcome: AttemptOutcome | null;
  resent: boolean;
  /** IP address of the connection. */
  address: string | null;
  /** Headers of the answer as a JSON object, and the start of its body. */
  headersJson: string | null;
  body: Buffer | null;
}

/** The result of an attempt: success, retry, or failure for good. */
export function attemptResult(
  delivery: LeasedDelivery,
  answer: Answer,
  endedMs: number,
  intervalsMs: readonly number[],
): DeliveryResult {
  const { tenant_id: tenantId, id: deliveryId, lease, leasedUntilMs, attempts } = delivery;
  const retryMs =
    answer.outcome === 'ok' || answer.status === goneStatus
      ? undefined
      : retryAt(attempts + 1, endedMs, intervalsMs, answer.retryAfter);
  return {
    tenantId,
    deliveryId,
    lease,
    leasedUntilMs,
    state: answer.outcome === 'ok' ? 'SUCCEEDED' : retryMs === undefined ? 'FAILED' : 'OPEN',
    dueMs: retryMs ?? null,
    endedMs,
    durationMs: Math.round(answer.durationMs),
    status: answer.status ?? null,
    outcome: answer.outcome,
    resent: answer.resent,
    address: answer.address ?? null,
    headersJson: answer.headersJson ?? null,
    body: answer.body,
  };
}

/** The result of a delivery whose endpoint is switched off or removed: cancelled without a request. */
export function cancelledResult(
  { tenant_id: tenantId, id: deliveryId, lease, leasedUntilMs }: LeasedDelivery,
  endedMs: number,
): DeliveryResult {
  return {
    tenantId,
    deliveryId,
    lease,
    leasedUntilMs,
    state: 'CANCELLED',
    dueMs: null,
    endedMs,
    durationMs: null,
    status: null,
    outcome: null,
    resent: false,
    address: null,
    headersJson: null,
    body: null,
  };
}
