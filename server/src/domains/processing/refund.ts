import type { Queryable } from '../../platform/postgres/database.ts';
import type { RefundRow } from '../refunds/sql.ts';
import type { TransactionRow } from '../transactions/sql.ts';
import { findCharge, openNext } from './sql.ts';

/**
 * Asks the provider that took the money to give some back, through the channel that it went through. Runs in the
 * transaction that holds the payment's lock; the dispatcher does the asking.
 */
export async function askToRefund(
  transaction: Queryable,
  payment: TransactionRow,
  { id, amount }: RefundRow,
  nowMs: number,
): Promise<void> {
  const [charge] = await transaction.run(findCharge, [payment.tenant_id, payment.id]);
  if (charge === undefined) throw new Error(`Payment ${payment.id} succeeded without a charge.`);
  const { channel_id, provider } = charge;
  await transaction.run(openNext, [payment.tenant_id, payment.id, 'REFUND', id, channel_id, provider, amount, nowMs]);
}
