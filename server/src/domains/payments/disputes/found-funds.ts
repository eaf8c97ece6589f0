import { isoTime } from '../../../core/clock.ts';
import { invalid } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Transaction } from '../../../platform/postgres/database.ts';
import type { DisputeFunds } from '../operations/discrepancies/dispute-funds.ts';
import { capturedAmountOf } from '../transactions/captured.ts';
import { bookMovements, writeDispute } from './apply.ts';
import type { ApplyDeps } from './apply-deps.ts';
import { lockedDispute } from './read.ts';
import { reviewRefunds } from './refunds-left.ts';
import { findMovements, type MovementRow } from './statements.ts';

/** Books what a person has found that a dispute in another currency took of its payment. */
export function disputeFundsOf(
  deps: Pick<ApplyDeps, 'payments' | 'settler' | 'clock' | 'generateUuid' | 'observeDispute' | 'onOverdrawn'>,
): DisputeFunds {
  return {
    async book(transaction: Transaction, { tenantId: tenant_id, disputeId, amount }) {
      const before = await lockedDispute(transaction, { tenant_id, id: disputeId });
      const payment = await deps.payments.lock(transaction, { tenant_id, id: before.transaction_id });
      const captured = capturedAmountOf(payment);
      if (amount > captured)
        throw invalid('withdrawn', rule('captured_only', { left: captured, currency: payment.currency }));
      if (amount === 0) return;
      const after = { ...before, amount_withdrawn: before.amount_withdrawn + amount };
      const row = await writeDispute(transaction, before, after, ['dispute.funds_withdrawn'], deps);
      const known = await transaction.run(findMovements, [tenant_id, disputeId]);
      const reference = `found ${known.length + 1}`;
      const movement: MovementRow = {
        ...{ tenant_id, id: deps.generateUuid(), dispute_id: disputeId, reference, kind: 'WITHDRAWN', amount },
        ...{ currency: payment.currency, booked: true, created_at: isoTime(deps.clock()) },
      };
      await bookMovements(transaction, row, [movement], deps);
      await reviewRefunds(transaction, payment, { channelId: row.channel_id, code: 'payment_disputed' }, deps);
    },
  };
}
