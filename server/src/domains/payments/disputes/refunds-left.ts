import type { Transaction } from '../../../platform/postgres/database.ts';
import { lockUnsentRefunds } from '../operation-queue/statements.ts';
import { overdrawnBy, reviewOverdrawn } from '../operations/discrepancies/overdrawn.ts';
import type { Settler } from '../operations/settle.ts';
import { findOfPayment } from '../operations/statements.ts';
import { failure } from '../providers/failures.ts';
import type { Payments } from '../transactions/payments.ts';
import type { PaymentRow } from '../transactions/record.ts';
import type { ApplyDeps } from './apply-deps.ts';

/**
 * After a dispute or a refund made elsewhere has taken money of a locked payment: ends refunds that were not sent and
 * no longer fit, the newest first, and opens a discrepancy if more than the payment took was given back nevertheless.
 */
export async function reviewRefunds(
  transaction: Transaction,
  locked: Pick<PaymentRow, 'tenant_id' | 'id'>,
  { channelId, code }: { channelId: number; code: 'payment_disputed' | 'refund_exceeds_payment' },
  deps: Pick<ApplyDeps, 'clock' | 'generateUuid' | 'onOverdrawn'> & {
    payments: Pick<Payments, 'lock'>;
    settler: Pick<Settler, 'failUnsent'>;
  },
): Promise<void> {
  const { payments, settler } = deps;
  const payment = await payments.lock(transaction, locked);
  let over = overdrawnBy(payment);
  if (over > 0) {
    const key = [payment.tenant_id, payment.id];
    const operations = await transaction.run(findOfPayment, key);
    for (const { number, amount } of await transaction.run(lockUnsentRefunds, key)) {
      if (over <= 0) break;
      const row = operations.find((operation) => operation.number === number);
      if (row === undefined) continue;
      await settler.failUnsent(row, failure(code), transaction);
      over -= amount;
    }
  }
  await reviewOverdrawn(transaction, await payments.lock(transaction, locked), channelId, deps);
}
