import type { Retry } from '../../../payments/providers/failures.ts';
import type { CollectionRow } from '../renewal/write-statements.ts';
import { timeOf, withChange, withEnd } from '../rules.ts';
import type { SubscriptionWithTerms } from '../statements.ts';
import { hasEnded } from '../states.ts';

/** The outcome of the collection for an invoice. */
export interface CollectionOutcome {
  tenantId: number;
  invoiceId: number;
  /**
   * `freed`: a payment by a user has ended, or one of several partial payments, and an amount is left to pay.
   * `cancelled`: the automatic payment was cancelled, which is no failure. `withheld`: nothing was sent, because the
   * method was refused before. `skipped`: nothing was sent, because its network allows no further attempt yet.
   * `announced`: the debit is sent at `atMs`.
   */
  outcome: 'paid' | 'failed' | 'withheld' | 'skipped' | 'announced' | 'cancelled' | 'closed' | 'freed';
  /**
   * Of a failed attempt, and of a payment by a user that has failed: the method that was charged, and what its failure
   * allows. Of an announced debit: its method.
   */
  methodId?: string | null;
  retry?: Retry | null;
  /** In the customer's time. */
  atMs: number;
}

/** A locked subscription with all its unsettled collections. */
export interface DunningState {
  row: SubscriptionWithTerms;
  collections: readonly CollectionRow[];
}

/**
 * Applies the outcome of a collection to its subscription. A failed payment makes the subscription PAST_DUE and is
 * retried after the intervals in `retryIntervalsMs`, each counted from the failure before; after the last failure the
 * subscription is CANCELLED and nothing is retried. After a payment that was cancelled, and an attempt that was
 * skipped, the next one waits as long as after a failed one, but the subscription does not change, and nothing is
 * counted. An attempt that was withheld counts as failed. One outside of the schedule (`scheduled_at`) counts as none
 * of it: the schedule goes on as before. When no failed collection is left, the subscription is ACTIVE again. An ended
 * subscription gets no retries.
 */
export function applyOutcome(
  { row, collections }: DunningState,
  { invoiceId, outcome, atMs, methodId = null, retry = null }: CollectionOutcome,
  retryIntervalsMs: readonly number[],
): DunningState {
  const collection = collections.find(({ invoice_id }) => invoice_id === invoiceId);
  if (collection === undefined) return { row, collections };
  const others = collections.filter((other) => other !== collection);
  if (outcome === 'freed') {
    // What a user's payment has shown of a method binds the schedule as well.
    const isEnded = retry === 'OTHER_METHOD' && !isRefused(collection);
    const known = isEnded ? { ...collection, method_id: methodId, retry } : collection;
    const isScheduled = collection.due_at !== null || hasEnded(row.state);
    return { row, collections: [...others, isScheduled ? known : { ...known, due_at: timeOf(atMs) }] };
  }
  if (outcome === 'cancelled' || outcome === 'skipped') {
    if (collection.scheduled_at !== null) return resumeSchedule(row, collection, others);
    const waitMs = retryIntervalsMs[collection.failures];
    const isScheduled = collection.due_at !== null || hasEnded(row.state) || waitMs === undefined;
    return {
      row,
      collections: isScheduled ? collections : [...others, { ...collection, due_at: timeOf(atMs + waitMs) }],
    };
  }
  if (outcome === 'failed') {
    return scheduleRetry(row, { ...collection, method_id: methodId, retry }, others, atMs, retryIntervalsMs);
  }
  if (outcome === 'announced') {
    return { row, collections: [...others, { ...collection, announced_method_id: methodId, due_at: timeOf(atMs) }] };
  }
  if (outcome === 'withheld') return scheduleRetry(row, collection, others, atMs, retryIntervalsMs);
  return settleCollection(row, collection, others, atMs);
}

function settleCollection(
  row: SubscriptionWithTerms,
  collection: CollectionRow,
  others: readonly CollectionRow[],
  atMs: number,
): DunningState {
  const settled: CollectionRow = { ...collection, state: 'SETTLED', due_at: null, scheduled_at: null };
  const isRecovered = row.state === 'PAST_DUE' && others.every(({ state }) => state !== 'FAILED');
  return { row: isRecovered ? withChange(row, { state: 'ACTIVE' }, atMs) : row, collections: [...others, settled] };
}

function scheduleRetry(
  row: SubscriptionWithTerms,
  collection: CollectionRow,
  others: readonly CollectionRow[],
  atMs: number,
  retryIntervalsMs: readonly number[],
): DunningState {
  if (collection.scheduled_at !== null) return resumeSchedule(row, collection, others);
  const failures = collection.failures + 1;
  const failed: CollectionRow = { ...collection, state: 'FAILED', failures, due_at: null };
  if (hasEnded(row.state)) return { row, collections: [...others, failed] };
  const waitMs = retryIntervalsMs[failures - 1];
  if (waitMs === undefined) {
    return { row: withEnd(row, 'CANCELLED', timeOf(atMs), atMs), collections: [...others, failed].map(withoutRetry) };
  }
  const scheduled = { ...failed, due_at: timeOf(atMs + waitMs) };
  const isFirstFailure = row.state === 'ACTIVE';
  return {
    row: isFirstFailure ? withChange(row, { state: 'PAST_DUE' }, atMs) : row,
    collections: [...others, scheduled],
  };
}

/** After an attempt outside of the schedule, which counts as none of it. */
function resumeSchedule(
  row: SubscriptionWithTerms,
  collection: CollectionRow,
  others: readonly CollectionRow[],
): DunningState {
  const due_at = hasEnded(row.state) ? null : collection.scheduled_at;
  return { row, collections: [...others, { ...collection, due_at, scheduled_at: null }] };
}

/**
 * The failed collections that are tried at once with a new method, outside of the schedule. One whose attempt is under
 * way keeps it.
 */
export function retriedAtOnce(collections: readonly CollectionRow[], nowMs: number): CollectionRow[] {
  return collections.flatMap((collection) => {
    const { state, due_at, scheduled_at } = collection;
    if (state !== 'FAILED' || due_at === null) return [];
    return [{ ...collection, due_at: timeOf(nowMs), scheduled_at: scheduled_at ?? due_at }];
  });
}

/** Whether a method must not be charged for this collection again: it never succeeds, or only with the payer. */
export function isRefused({ method_id, retry }: Pick<CollectionRow, 'method_id' | 'retry'>): boolean {
  return method_id !== null && retry !== null && retry !== 'LATER';
}

/** When the first of the failed collections is retried; null: none is. */
export function nextPaymentAttemptOf(collections: readonly CollectionRow[]): string | null {
  const times = collections.flatMap(({ state, due_at }) => (state === 'FAILED' && due_at !== null ? [due_at] : []));
  return times.toSorted()[0] ?? null;
}

/** A collection of an ended subscription. A failed payment is not retried, but a first attempt is still made. */
export function withoutRetry(collection: CollectionRow): CollectionRow {
  return collection.state === 'FAILED' && collection.due_at !== null ? { ...collection, due_at: null } : collection;
}
