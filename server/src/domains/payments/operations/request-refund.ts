import type { Queryable } from '../../../platform/postgres/database.ts';
import { openNext } from './open-next.ts';
import { findCharge } from './statements.ts';

/**
 * Opens a refund at the provider and on the channel that took the money. Runs in the transaction that holds the payment's
 * lock; the dispatcher calls the provider. Refuses with `not_refundable` when the payment has as many operations as it can.
 */
export async function requestRefund(
  transaction: Queryable,
  { tenant_id, id: transactionId, status }: { tenant_id: number; id: string; status: string },
  { id, amount }: { id: string; amount: number },
  nowMs: number,
): Promise<void> {
  const [charge] = await transaction.run(findCharge, [tenant_id, transactionId]);
  if (charge === undefined) throw new Error(`Payment ${transactionId} succeeded without a charge.`);
  const { channel_id, provider } = charge;
  await openNext(transaction, [tenant_id, transactionId, 'REFUND', id, channel_id, provider, amount, nowMs], {
    type: 'not_refundable',
    instead: 'Refund the rest at the provider.',
    field: 'transactionId',
    details: { status },
  });
}
