import { Refusal } from '../../../../core/errors.ts';
import type { Principal } from '../../../../core/principal.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../../platform/postgres/idempotency-records.ts';
import type { AuditAction } from '../../../identity/audit/actions.ts';
import { type Actor, appendAudit } from '../../../identity/audit/append.ts';
import { readVisible } from '../../../identity/tenants/read-visible.ts';
import type { BillingApp } from '../../app.ts';
import { withEndEffects } from '../collections/end-effects.ts';
import { subscriptionNowMs } from '../periods/subscription-time.ts';
import { readSubscription } from '../read.ts';
import { recordOf, type SubscriptionRecord } from '../record.ts';
import { catchUp } from '../renewal/renew.ts';
import { type Change, writeChanges } from '../renewal/write-changes.ts';
import { lockSubscription, type SubscriptionWithTerms } from '../statements.ts';
import { hasEnded, mayBecome, type SubscriptionState, transitions } from '../states.ts';

/** A request to change one subscription. */
export interface ChangeRequest {
  path: string;
  action: AuditAction;
  input: { id: number };
  idempotencyKey: string | undefined;
  /** The actor in the audit log. Default: the caller. */
  actor?: Actor | undefined;
}

/** Decides the change of a locked subscription. Its due periods and ends have been applied. */
export type DecideChange = (
  transaction: Queryable,
  row: SubscriptionWithTerms,
  nowMs: number,
) => Promise<Omit<Change, 'atMs'>>;

/**
 * Changes one subscription in one transaction under its lock. Due periods and ends are applied before the decision.
 * With an idempotency key, a repeated request gets the first answer.
 */
export async function changeSubscription(
  { path, action, input, idempotencyKey, actor }: ChangeRequest,
  principal: Principal,
  app: BillingApp,
  decide: DecideChange,
): Promise<IdempotentAnswer<SubscriptionRecord>> {
  // Checked before a stored answer is repeated: a key must not see a subscription of the other mode.
  await readSubscription(app.database, input.id, principal);
  const run = async (transaction: Queryable) => {
    const found = await readVisible(transaction, lockSubscription, { noun: 'subscription', id: input.id }, principal);
    const nowMs = await subscriptionNowMs(transaction, found, app.clock);
    const row = await catchUp(transaction, found, nowMs, app);
    requireNotEnded(row);
    const decided = await decide(transaction, row, nowMs);
    const changes = await withEndEffects(transaction, [{ ...decided, atMs: nowMs }]);
    await writeChanges(transaction, changes, app);
    // A resumed subscription may be due at once.
    const after = recordOf(await catchUp(transaction, (changes[0] as Change).after, nowMs, app));
    const [tenantId, before] = [row.tenant_id, recordOf(row)];
    await appendAudit(transaction, actor ?? principal, { action, tenantId, recordId: row.id, before, after });
    return after;
  };
  const request = { tenantId: principal.tenantId, path, key: idempotencyKey, input, nowMs: app.clock() };
  return answerOnce(app.database, request, run);
}

function requireNotEnded({ state }: SubscriptionWithTerms): void {
  if (!hasEnded(state)) return;
  throw new Refusal('illegal_transition', rule('subscription_ended', { from: state }), {
    details: { allowed: [] },
  });
}

/** Refuses a transition that the table does not allow. */
export function requireTransition(from: SubscriptionState, to: SubscriptionState): void {
  if (mayBecome(from, to)) return;
  const allowed = Object.keys(transitions[from]);
  throw new Refusal('illegal_transition', rule('subscription_cannot_become', { from, to, allowed }));
}
