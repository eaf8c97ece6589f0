import type { Queryable } from '../../../platform/postgres/database.ts';
import { findCharge, openNext } from './statements.ts';

/**
 * Asks the provider that took the money to give some back, through the channel that it went through. Runs in the
 * transaction that holds the payment's lock; the dispatcher does the asking.
 */
export async function requestRefund(
  transaction: Queryable,
  payment: { tenant_id: number; id: string },
  { id, amount }: { id: string; amount: number },
  nowMs: number,
): Promise<void> {
  const [charge] = await transaction.run(findCharge, [payment.tenant_id, payment.id]);
  if (charge === undefined) throw new Error(`Payment ${payment.id} succeeded without a charge.`);
  const { channel_id, provider } = charge;
  await transaction.run(openNext, [payment.tenant_id, payment.id, 'REFUND', id, channel_id, provider, amount, nowMs]);
}
