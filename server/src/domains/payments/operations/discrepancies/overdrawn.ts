import { type Clock, hourMs } from '../../../../core/clock.ts';
import type { GenerateUuid } from '../../../../core/id.ts';
import { afterCommit, type Queryable } from '../../../../platform/postgres/database.ts';
import { capturedAmountOf } from '../../transactions/captured.ts';
import type { PaymentRow } from '../../transactions/record.ts';
import { appendDiscrepancyEvent, type DiscrepancyRow } from './record.ts';
import { endOverdrawn, insertOverdrawn } from './statements.ts';

export interface OverdrawnDeps {
  clock: Clock;
  generateUuid: GenerateUuid;
  /** Logs and counts a discrepancy that is new, after the commit. */
  onOverdrawn: (row: DiscrepancyRow) => void;
}

/** How much more of a payment was given back, or is about to be, than it took: by refunds and by disputes. */
export function overdrawnBy(payment: PaymentRow): number {
  const given = payment.amount_refund_held + (payment.amount_disputed ?? 0);
  return Math.max(given - capturedAmountOf(payment), 0);
}

/**
 * Opens a discrepancy about a locked payment of which more was given back than it took, and ends it when that is no
 * longer so. `channelId`: of what has taken the money; null: it is only reviewed.
 */
export async function reviewOverdrawn(
  transaction: Queryable,
  payment: PaymentRow,
  channelId: number | null,
  { clock, generateUuid, onOverdrawn }: OverdrawnDeps,
): Promise<void> {
  const { tenant_id, id, currency } = payment;
  const amount = overdrawnBy(payment);
  const nowMs = clock();
  if (amount === 0) {
    const [ended] = await transaction.run(endOverdrawn, [tenant_id, id, nowMs]);
    if (ended !== undefined) await appendDiscrepancyEvent(transaction, 'discrepancy.closed', ended, generateUuid);
    return;
  }
  if (channelId === null) return;
  const values = [tenant_id, generateUuid(), id, channelId, amount, currency, nowMs, nowMs + hourMs];
  const [opened] = await transaction.run(insertOverdrawn, values);
  if (!opened?.is_new) return;
  await appendDiscrepancyEvent(transaction, 'discrepancy.opened', opened, generateUuid);
  afterCommit(transaction, () => onOverdrawn(opened));
}
