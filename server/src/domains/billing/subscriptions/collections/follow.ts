import type { GenerateUuid } from '../../../../core/id.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { retryOf } from '../../../payments/providers/failures.ts';
import type { ReopenedInvoice, SettledPayment } from '../../invoices/settlement/followers.ts';
import { type Change, writeChanges } from '../renewal/write-changes.ts';
import { inLockOrder, lockSubscriptionIds, lockSubscriptions } from '../statements.ts';
import { applyOutcome, type CollectionOutcome, type DunningState, nextPaymentAttemptOf } from './dunning.ts';
import { withEndEffects } from './end-effects.ts';
import { findCollectionsOfInvoices, findOpenCollections, reopenCollection } from './statements.ts';

/** What the outcomes of collections need, to be written. */
export interface FollowDeps {
  generateUuid: GenerateUuid;
  /** The retry schedule: the wait after each failed attempt (`app.subscription.retry-intervals`). */
  retryIntervalsMs: readonly number[];
}

/** Updates subscriptions after payments of their invoices have ended, in the transaction that settles the invoices. */
export async function followPayments(
  transaction: Queryable,
  settled: readonly SettledPayment[],
  deps: FollowDeps,
): Promise<void> {
  const outcomes = settled
    .filter(({ subscriptionId }) => subscriptionId !== null)
    .flatMap(
      ({ tenantId, invoiceId, invoiceStatus, state, automatic, atMs, failureCode, methodId }): CollectionOutcome[] => {
        if (invoiceStatus === 'PAID') return [{ tenantId, invoiceId, outcome: 'paid', atMs }];
        const failed = state === 'FAILED' ? { methodId, retry: retryOf(failureCode) } : {};
        if (automatic && state === 'FAILED') return [{ tenantId, invoiceId, outcome: 'failed', atMs, ...failed }];
        if (automatic && state === 'CANCELLED') return [{ tenantId, invoiceId, outcome: 'cancelled', atMs }];
        // A payment created by a user does not count as an attempt. A collection that waited for it is now due.
        return [{ tenantId, invoiceId, outcome: 'freed', atMs, ...failed }];
      },
    );
  await applyOutcomes(transaction, outcomes, deps);
}

/** Updates a subscription in the transaction in which one of its invoices becomes VOID or UNCOLLECTIBLE. */
export async function followClosed(
  transaction: Queryable,
  closed: { tenantId: number; invoiceId: number; atMs: number },
  deps: FollowDeps,
): Promise<void> {
  await applyOutcomes(transaction, [{ ...closed, outcome: 'closed' }], deps);
}

/**
 * Begins the schedule of an invoice again that a dispute has reopened, in the same transaction: its subscription is
 * PAST_DUE, unless it has ended.
 */
export async function followReopened(
  transaction: Queryable,
  { tenantId, invoiceId, methodId, retry, atMs }: ReopenedInvoice,
  deps: FollowDeps,
): Promise<void> {
  const keys = await transaction.run(findCollectionsOfInvoices, [[tenantId], [invoiceId]]);
  if (keys.length === 0) return;
  await transaction.run(lockSubscriptionIds, inLockOrder(keys));
  await transaction.run(reopenCollection, [tenantId, invoiceId]);
  await applyOutcomes(transaction, [{ tenantId, invoiceId, outcome: 'failed', atMs, methodId, retry }], deps);
}

/** Locks the subscriptions, applies the outcomes of their collections in order, and writes the changed ones. */
export async function applyOutcomes(
  transaction: Queryable,
  outcomes: readonly CollectionOutcome[],
  { generateUuid, retryIntervalsMs }: FollowDeps,
): Promise<void> {
  if (outcomes.length === 0) return;
  const keys = await transaction.run(findCollectionsOfInvoices, [
    outcomes.map(({ tenantId }) => tenantId),
    outcomes.map(({ invoiceId }) => invoiceId),
  ]);
  const subscriptionOf = new Map(keys.map((key) => [`${key.tenant_id}/${key.invoice_id}`, key.subscription_id]));
  const subscriptions = inLockOrder(keys);
  const rows = await transaction.run(lockSubscriptions, subscriptions);
  const collections = Map.groupBy(
    await transaction.run(findOpenCollections, subscriptions),
    ({ subscription_id }) => subscription_id,
  );
  const outcomesById = Map.groupBy(outcomes, ({ tenantId, invoiceId }) =>
    subscriptionOf.get(`${tenantId}/${invoiceId}`),
  );
  const changes = rows.flatMap((row): Change[] => {
    const before: DunningState = { row, collections: collections.get(row.id) ?? [] };
    const ownOutcomes = outcomesById.get(row.id) ?? [];
    const after = ownOutcomes.reduce((state, outcome) => applyOutcome(state, outcome, retryIntervalsMs), before);
    const changed = after.collections.filter((collection) => !before.collections.includes(collection));
    if (after.row === row && changed.length === 0) return [];
    const next_payment_attempt = nextPaymentAttemptOf(after.collections);
    // An unchanged row gets no new version and no event.
    const afterRow = after.row === row ? row : { ...after.row, next_payment_attempt };
    return [
      { before: row, after: afterRow, atMs: Math.max(...ownOutcomes.map(({ atMs }) => atMs)), collections: changed },
    ];
  });
  await writeChanges(transaction, await withEndEffects(transaction, changes), { generateUuid });
}
