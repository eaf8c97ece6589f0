import type { LeasedDelivery } from '../claiming/claimer.ts';
import { type AttemptOutcome, goneStatus, retryAt } from '../rules.ts';
import type { Sent } from '../sending/sender.ts';

/** What became of one claimed delivery. */
export interface Result {
  tenantId: number;
  deliveryId: string;
  lease: string;
  /** When the lease runs out: from then on the result may be fenced off, and is not kept any longer. */
  leasedUntilMs: number;
  state: 'OPEN' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  /** When to try again. */
  dueMs: number | null;
  endedMs: number;
  /** null: nothing was sent. */
  durationMs: number | null;
  status: number | null;
  outcome: AttemptOutcome | null;
  resent: boolean;
  /** The address that was connected to. */
  address: string | null;
  /** The answer's headers as a JSON object, and the first of its body. */
  headersJson: string | null;
  body: Buffer | null;
}

/** After an attempt. */
export function resultOf(
  delivery: LeasedDelivery,
  sent: Sent,
  endedMs: number,
  intervalsMs: readonly number[],
): Result {
  const { tenant_id: tenantId, id: deliveryId, lease, leasedUntilMs, attempts } = delivery;
  const again =
    sent.outcome === 'ok' || sent.status === goneStatus
      ? undefined
      : retryAt(attempts + 1, endedMs, intervalsMs, sent.retryAfter);
  return {
    tenantId,
    deliveryId,
    lease,
    leasedUntilMs,
    state: sent.outcome === 'ok' ? 'SUCCEEDED' : again === undefined ? 'FAILED' : 'OPEN',
    dueMs: again ?? null,
    endedMs,
    durationMs: Math.round(sent.durationMs),
    status: sent.status ?? null,
    outcome: sent.outcome,
    resent: sent.resent,
    address: sent.address ?? null,
    headersJson: sent.headersJson ?? null,
    body: sent.body,
  };
}

/** Of a delivery whose endpoint is switched off or gone. */
export function unsent(
  { tenant_id: tenantId, id: deliveryId, lease, leasedUntilMs }: LeasedDelivery,
  endedMs: number,
): Result {
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
