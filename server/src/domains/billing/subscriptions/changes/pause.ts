import { Refusal } from '../../../../core/errors.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { Call } from '../../../../platform/http/route.ts';
import type { IdempotentAnswer } from '../../../../platform/postgres/idempotency-records.ts';
import type { BillingApp } from '../../app.ts';
import { findOpenCollections } from '../collections/statements.ts';
import type { SubscriptionRecord } from '../record.ts';
import { unbilledTime } from '../renewal/write-changes.ts';
import { timeOf, withChange } from '../rules.ts';
import type { SubscriptionState } from '../states.ts';
import { changeSubscription, requireTransition } from './change-subscription.ts';

/**
 * Pauses a subscription: no further billing period begins. The current, paid period is not refunded. Refused for one
 * that is cancelled at the end of its period.
 */
export function pauseSubscription(
  { body: input, principal, idempotencyKey }: Call<{ id: number }>,
  app: BillingApp,
): Promise<IdempotentAnswer<SubscriptionRecord>> {
  return changeSubscription(
    { path: '/api/subscription/pause', action: 'subscription.pause', input, idempotencyKey },
    principal,
    app,
    async (_, row, nowMs) => {
      requireTransition(row.state, 'PAUSED');
      if (row.cancel_at_period_end) throw endsWithPeriod(row.state);
      return { before: row, after: withChange(row, { state: 'PAUSED', paused_at: timeOf(nowMs) }, nowMs) };
    },
  );
}

/** A paused subscription has no period end at which it could be cancelled. */
function endsWithPeriod(state: SubscriptionState): Refusal {
  return new Refusal('subscription_fixed', rule('cancelled_at_end'), { details: { state } });
}

/**
 * Resumes a paused subscription. Within the paid period it continues unchanged. Later, a period begins now, which
 * becomes the anchor of all periods, and the time since the paid period is not billed.
 */
export function resumeSubscription(
  { body: input, principal, idempotencyKey }: Call<{ id: number }>,
  app: BillingApp,
): Promise<IdempotentAnswer<SubscriptionRecord>> {
  const request = { path: '/api/subscription/resume', action: 'subscription.resume', input, idempotencyKey } as const;
  return changeSubscription(request, principal, app, async (transaction, row, nowMs) => {
    if (row.state !== 'PAUSED') throw notPaused(row.state);
    const collections = await transaction.run(findOpenCollections, [[row.tenant_id], [row.id]]);
    const state = collections.some((collection) => collection.state === 'FAILED') ? 'PAST_DUE' : 'ACTIVE';
    const now = timeOf(nowMs);
    if (row.period_end > now) return { before: row, after: withChange(row, { state, paused_at: null }, nowMs) };
    const restarted = { anchor_at: now, next_number: 0, period_start: now, period_end: now };
    return {
      before: row,
      after: withChange(row, { state, paused_at: null, ...restarted }, nowMs),
      ...unbilledTime('PAUSED', row.period_end, now),
    };
  });
}

function notPaused(state: SubscriptionState): Refusal {
  return new Refusal('illegal_transition', rule('subscription_not_paused', { from: state }), {
    details: { to: 'ACTIVE', allowed: [] },
  });
}
