import type { Principal } from '../../vocabulary/principal.ts';
import { alter, demandMove } from './alter.ts';
import type { Answered } from './create.ts';
import type { SubscriptionDeps } from './deps.ts';
import { changed, ended, timeOf } from './rules.ts';

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
    // Paused, it has no period that could end by itself.
    const isLater = input.cancelAtPeriodEnd === true && row.state !== 'PAUSED';
    const after = isLater
      ? changed(row, { cancel_at_period_end: true }, nowMs)
      : ended(row, 'CANCELLED', timeOf(nowMs), nowMs);
    return { before: row, after };
  });
}
