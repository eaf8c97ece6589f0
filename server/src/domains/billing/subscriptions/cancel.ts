import type { Principal } from '../../../core/principal.ts';
import { alter, demandMove } from './alter.ts';
import type { Answered } from './create.ts';
import type { SubscriptionDeps } from './payer.ts';
import { changed, ended, timeOf } from './rules.ts';
import { cancelFor } from './update.ts';

/**
 * Cancels a subscription: at once, or when its period ends. Nothing is given back by itself: whoever wants to gives money
 * back by a refund. What has been charged for changes and not been invoiced yet is invoiced.
 */
export function cancelSubscription(
  input: { id: number; cancelAtPeriodEnd?: boolean },
  principal: Principal,
  deps: SubscriptionDeps,
  idempotencyKey?: string,
): Promise<Answered> {
  return alter({ path: '/api/subscription/cancel', input, idempotencyKey }, principal, deps, async (_, row, nowMs) => {
    demandMove(row.state, 'CANCELLED');
    const after =
      input.cancelAtPeriodEnd === true
        ? changed(row, { cancel_at_period_end: cancelFor(row, true) }, nowMs)
        : ended(row, 'CANCELLED', timeOf(nowMs), nowMs);
    return { before: row, after };
  });
}
