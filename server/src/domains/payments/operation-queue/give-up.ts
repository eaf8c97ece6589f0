import type { Queryable } from '../../../platform/postgres/database.ts';
import { requestCancellation } from './request-cancellation.ts';
import { markGivenUp } from './statements.ts';

/**
 * Asks the provider to cancel a charge that cannot be completed: its payer has not finished in time
 * (`payment_expired`), or less than its amount was authorized (`insufficient_funds`). The payment fails with this code
 * when that is confirmed; a provider that cannot cancel it says itself when nobody can pay any more. Asked once for
 * each charge. Runs in the transaction that holds the payment's lock.
 */
export async function giveUpCharge(
  transaction: Queryable,
  payment: { tenant_id: number; id: string; status: string; amount: number },
  charge: { number: number },
  code: 'payment_expired' | 'insufficient_funds',
  nowMs: number,
): Promise<void> {
  const marked = await transaction.run(markGivenUp, [payment.tenant_id, payment.id, charge.number, nowMs, code]);
  if (marked.length > 0) await requestCancellation(transaction, payment, nowMs);
}
