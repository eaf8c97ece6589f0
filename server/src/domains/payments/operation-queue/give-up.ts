import type { Queryable } from '../../../platform/postgres/database.ts';
import { requestCancellation } from './request-cancellation.ts';
import { markGivenUp } from './statements.ts';

/**
 * Asks the provider to cancel a charge whose payer has not finished in time. The payment fails when that is confirmed;
 * a provider that cannot cancel it says itself when nobody can pay any more. Asked once for each charge. Runs in the
 * transaction that holds the payment's lock.
 */
export async function giveUpPayer(
  transaction: Queryable,
  payment: { tenant_id: number; id: string; status: string; amount: number },
  charge: { number: number },
  nowMs: number,
): Promise<void> {
  const marked = await transaction.run(markGivenUp, [payment.tenant_id, payment.id, charge.number, nowMs]);
  if (marked.length > 0) await requestCancellation(transaction, payment, nowMs);
}
