import type { Queryable } from '../../../platform/postgres/database.ts';
import { findCharge, findOpenCancel, openNext } from './statements.ts';

/**
 * Asks the provider to call a charge off that it has begun: once, however often it is asked for. Runs in the transaction
 * that holds the payment's lock; the dispatcher does the asking.
 */
export async function requestCancellation(
  transaction: Queryable,
  row: { tenant_id: number; id: string; amount: number },
  nowMs: number,
): Promise<void> {
  const [asked] = await transaction.run(findOpenCancel, [row.tenant_id, row.id]);
  const [charge] = await transaction.run(findCharge, [row.tenant_id, row.id]);
  if (asked !== undefined || charge === undefined) return;
  const { channel_id, provider } = charge;
  await transaction.run(openNext, [row.tenant_id, row.id, 'CANCEL', null, channel_id, provider, row.amount, nowMs]);
}
