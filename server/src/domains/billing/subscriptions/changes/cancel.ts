import type { Principal } from '../../../../core/principal.ts';
import type { IdempotentAnswer } from '../../../../platform/postgres/idempotency-records.ts';
import type { Actor } from '../../../identity/audit/append.ts';
import type { BillingApp } from '../../app.ts';
import type { SubscriptionRecord } from '../record.ts';
import { timeOf, withChange, withEnd } from '../rules.ts';
import { changeSubscription, requireTransition } from './change-subscription.ts';
import { cancelAtPeriodEndFor } from './update.ts';

/**
 * Cancels a subscription at once or at the end of its period. Nothing is refunded automatically. Charges for changes
 * that are not on an invoice yet are invoiced. The audit log names `actor`, by default the caller.
 */
export function cancelSubscription(
  input: { id: number; cancelAtPeriodEnd?: boolean },
  principal: Principal,
  app: BillingApp,
  { idempotencyKey, actor }: { idempotencyKey?: string | undefined; actor?: Actor } = {},
): Promise<IdempotentAnswer<SubscriptionRecord>> {
  return changeSubscription(
    { path: '/api/subscription/cancel', action: 'subscription.cancel', input, idempotencyKey, actor },
    principal,
    app,
    async (_, row, nowMs) => {
      requireTransition(row.state, 'CANCELLED');
      const after =
        input.cancelAtPeriodEnd === true
          ? withChange(row, { cancel_at_period_end: cancelAtPeriodEndFor(row, true) }, nowMs)
          : withEnd(row, 'CANCELLED', timeOf(nowMs), nowMs);
      return { before: row, after };
    },
  );
}
