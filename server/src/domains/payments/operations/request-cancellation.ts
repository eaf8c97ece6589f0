import type { Queryable } from '../../../platform/postgres/database.ts';
import { findCharge, findOpenCancellation, openOperation } from './statements.ts';

/**
 * Opens the cancellation of a payment's charge, unless one is open already. Runs in the transaction that holds the
 * payment's lock; the dispatcher calls the provider.
 */
export async function requestCancellation(
  transaction: Queryable,
  { tenant_id, id, amount }: { tenant_id: number; id: string; amount: number },
  nowMs: number,
): Promise<void> {
  const [open] = await transaction.run(findOpenCancellation, [tenant_id, id]);
  const [charge] = await transaction.run(findCharge, [tenant_id, id]);
  if (open !== undefined || charge === undefined) return;
  const { channel_id, provider } = charge;
  await transaction.run(openOperation, [tenant_id, id, 'CANCEL', null, channel_id, provider, amount, nowMs]);
}
