import type { Queryable } from '../../../platform/postgres/database.ts';
import { openNext } from './open-next.ts';
import { findCharge, findOpenCancellation } from './statements.ts';

/**
 * Opens the cancellation of a payment's charge, unless one is open already. Runs in the transaction that holds the
 * payment's lock; the dispatcher calls the provider. Refuses with `illegal_transition` when the payment has as many
 * operations as it can.
 */
export async function requestCancellation(
  transaction: Queryable,
  { tenant_id, id, status, amount }: { tenant_id: number; id: string; status: string; amount: number },
  nowMs: number,
): Promise<void> {
  const [open] = await transaction.run(findOpenCancellation, [tenant_id, id]);
  const [charge] = await transaction.run(findCharge, [tenant_id, id]);
  if (open !== undefined || charge === undefined) return;
  const { channel_id, provider } = charge;
  await openNext(transaction, [tenant_id, id, 'CANCEL', null, channel_id, provider, amount, nowMs], {
    type: 'illegal_transition',
    wanted: 'cancel',
    field: 'status',
    details: { from: status, to: 'CANCELLED', allowed: [] },
  });
}
