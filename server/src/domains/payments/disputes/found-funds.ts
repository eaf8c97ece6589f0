import { isoTime } from '../../../core/clock.ts';
import { invalid } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { DisputeFunds } from '../operations/discrepancies/dispute-funds.ts';
import { reviewOverdrawn } from '../operations/discrepancies/overdrawn.ts';
import { capturedAmountOf } from '../transactions/captured.ts';
import { bookMovements, writeDispute } from './apply.ts';
import type { ApplyDeps } from './apply-deps.ts';
import { lockedDispute } from './read.ts';
import type { MovementRow } from './statements.ts';

/** Books what a person has found that a dispute in another currency took of its payment. */
export function disputeFundsOf(
  deps: Pick<ApplyDeps, 'payments' | 'clock' | 'generateUuid' | 'observeDispute' | 'onOverdrawn'>,
): DisputeFunds {
  return {
    async book(transaction: Queryable, { tenantId: tenant_id, disputeId, amount }) {
      const before = await lockedDispute(transaction, { tenant_id, id: disputeId });
      const payment = await deps.payments.lock(transaction, { tenant_id, id: before.transaction_id });
      const captured = capturedAmountOf(payment);
      if (amount > captured)
        throw invalid('withdrawn', rule('captured_only', { left: captured, currency: payment.currency }));
      if (amount === 0) return;
      const after = { ...before, amount_withdrawn: before.amount_withdrawn + amount };
      const row = await writeDispute(transaction, before, after, ['dispute.funds_withdrawn'], deps);
      const movement: MovementRow = {
        ...{ tenant_id, id: deps.generateUuid(), dispute_id: disputeId, reference: 'found', kind: 'WITHDRAWN', amount },
        ...{ currency: payment.currency, booked: true, created_at: isoTime(deps.clock()) },
      };
      await bookMovements(transaction, row, [movement], deps);
      const current = await deps.payments.lock(transaction, payment);
      await reviewOverdrawn(transaction, current, row.channel_id, deps);
    },
  };
}
