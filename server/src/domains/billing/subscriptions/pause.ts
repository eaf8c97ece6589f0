import { Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { changeSubscription, requireTransition } from './change-subscription.ts';
import { findOpenCharges } from './charge-statements.ts';
import type { SubscriptionReply } from './create.ts';
import type { SubscriptionDeps } from './payer.ts';
import { timeOf, withChange } from './rules.ts';
import type { SubscriptionState } from './states.ts';
import { unbilledTime } from './write-changes.ts';

/** Pauses a subscription: no further period begins. What has been paid for stays paid for. */
export function pauseSubscription(
  input: { id: number },
  principal: Principal,
  deps: SubscriptionDeps,
  idempotencyKey?: string,
): Promise<SubscriptionReply> {
  return changeSubscription(
    { path: '/api/subscription/pause', input, idempotencyKey },
    principal,
    deps,
    async (_, row, nowMs) => {
      requireTransition(row.state, 'PAUSED');
      return { before: row, after: withChange(row, { state: 'PAUSED', paused_at: timeOf(nowMs) }, nowMs) };
    },
  );
}

/**
 * Goes on with a subscription. Within the period that was paid for, nothing has happened; after it, the time until now is
 * charged to nobody, a period begins now, and all periods are counted from now on.
 */
export function resumeSubscription(
  input: { id: number },
  principal: Principal,
  deps: SubscriptionDeps,
  idempotencyKey?: string,
): Promise<SubscriptionReply> {
  const asked = { path: '/api/subscription/resume', input, idempotencyKey };
  return changeSubscription(asked, principal, deps, async (transaction, row, nowMs) => {
    if (row.state !== 'PAUSED') throw notPaused(row.state);
    const charges = await transaction.run(findOpenCharges, [[row.tenant_id], [row.id]]);
    const state = charges.some((charge) => charge.state === 'FAILED') ? 'PAST_DUE' : 'ACTIVE';
    const now = timeOf(nowMs);
    if (row.period_end > now) return { before: row, after: withChange(row, { state, paused_at: null }, nowMs) };
    const anew = { anchor_at: now, next_number: 0, period_start: now, period_end: now };
    return {
      before: row,
      after: withChange(row, { state, paused_at: null, ...anew }, nowMs),
      ...unbilledTime('PAUSED', row.period_end, now),
    };
  });
}

function notPaused(state: SubscriptionState): Refusal {
  return new Refusal('illegal_transition', `This subscription is ${state}: only one that is PAUSED can be resumed.`, {
    details: { from: state, to: 'ACTIVE', allowed: [] },
  });
}
