import type { Principal } from '../../../core/principal.ts';
import { changeSubscription, requireTransition } from './change-subscription.ts';
import type { SubscriptionReply } from './create.ts';
import type { SubscriptionDeps } from './payer.ts';
import { timeOf, withChange, withEnd } from './rules.ts';
import { cancelAtPeriodEndFor } from './update.ts';

/**
 * Cancels a subscription: at once, or when its period ends. Nothing is given back by itself: whoever wants to gives money
 * back by a refund. What has been charged for changes and not been invoiced yet is invoiced.
 */
export function cancelSubscription(
  input: { id: number; cancelAtPeriodEnd?: boolean },
  principal: Principal,
  deps: SubscriptionDeps,
  idempotencyKey?: string,
): Promise<SubscriptionReply> {
  return changeSubscription(
    { path: '/api/subscription/cancel', input, idempotencyKey },
    principal,
    deps,
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
