import { hourMs } from '../../../../core/clock.ts';
import { isUnavailable } from '../../../../core/errors.ts';
import type { Database, Queryable } from '../../../../platform/postgres/database.ts';
import type { FailPoint } from '../../../../platform/process/fail-point.ts';
import { retryOf } from '../../../payments/providers/failures.ts';
import type { Payments } from '../../../payments/transactions/payments.ts';
import { lockInvoices, mapKeyOf } from '../../invoices/lock.ts';
import { appendFailureEvents, type PaymentAttempt, payInvoices } from '../../invoices/settlement/automatic-payments.ts';
import { inLockOrder, lockSubscriptionIds } from '../statements.ts';
import { type CollectionOutcome, isRefused } from './dunning.ts';
import { applyOutcomes, type FollowDeps } from './follow.ts';
import {
  type AttemptedCollection,
  type CollectionKey,
  findAwaitingSetups,
  findDueCollections,
  findUnsentAnnouncements,
  markCollectionsAttempted,
  postponeCollection,
} from './statements.ts';

/** Collections in one transaction, as for renewals. */
const batchSize = 500;
/** How long a collection that cannot be attempted, or whose debit is not announced yet, is postponed. */
const postponeMs = hourMs;

export interface CollectDeps extends FollowDeps {
  database: Database;
  payments: Pick<Payments, 'createInTransaction'>;
  /** `app.subscription.debit-notice-days`. */
  debitNoticeMs: number;
  /** Sections in which fault tests end the process. */
  failPoint: FailPoint;
  onError: (error: unknown) => void;
}

/**
 * Attempts due collections: opens payments for their invoices and marks the collections as attempted, in one
 * transaction. An invoice has at most one automatic payment at a time, so concurrent callers pay nothing twice; after a
 * crash the collections are still due. `followPayments` gets the outcomes of the payments. Returns how many were due.
 */
export async function collectDue(clockId: number, nowMs: number, deps: CollectDeps): Promise<number> {
  const due = await deps.database.run(findDueCollections, [clockId, nowMs, batchSize]);
  if (due.length === 0) return 0;
  try {
    await collect(due, nowMs, deps);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    for (const collection of due) await collectAlone(collection, nowMs, deps);
  }
  return due.length;
}

async function collect(due: readonly CollectionKey[], nowMs: number, deps: CollectDeps): Promise<void> {
  const { database, failPoint } = deps;
  await database.transaction(async (transaction) => {
    const keys = due.map(({ tenant_id, invoice_id }) => ({ tenantId: tenant_id, invoiceId: invoice_id }));
    const invoices = await lockInvoices(transaction, keys);
    await transaction.run(lockSubscriptionIds, inLockOrder(due));
    const stillDue = await transaction.run(markCollectionsAttempted, [
      keys.map(({ tenantId }) => tenantId),
      keys.map(({ invoiceId }) => invoiceId),
      nowMs,
    ]);
    // Another node may have attempted a collection since it was read. If that payment has failed, its retry is due
    // later.
    const untold = await untoldDebits(transaction, stillDue, nowMs);
    const untoldIds = new Set(untold.map(({ invoiceId }) => invoiceId));
    const stillDueIds = new Set(stillDue.map(({ invoice_id }) => invoice_id).filter((id) => !untoldIds.has(id)));
    const wanted = keys.filter(({ invoiceId }) => stillDueIds.has(invoiceId));
    const keyOf = ({ tenant_id: tenantId, invoice_id: invoiceId }: CollectionKey) => mapKeyOf({ tenantId, invoiceId });
    const earlier = {
      refusedMethods: new Map(stillDue.filter(isRefused).map((row) => [keyOf(row), row.method_id as string])),
      announcedMethods: new Map(
        stillDue.flatMap((row) => (row.announced_method_id === null ? [] : [[keyOf(row), row.announced_method_id]])),
      ),
      firstAttempts: new Set(stillDue.filter(({ state }) => state === 'DUE').map(keyOf)),
    };
    const attempts = await payInvoices(transaction, wanted, invoices, nowMs, deps, earlier);
    const outcomes = [
      ...attempts.flatMap((attempt) => outcomesOf(attempt, nowMs)),
      ...(await noLongerAwaited(transaction, attempts, nowMs)),
      ...untold,
    ];
    await applyOutcomes(transaction, outcomes, deps);
    // After the outcomes, which schedule the retries that the events show.
    await appendFailureEvents(transaction, attempts, deps.generateUuid);
    failPoint('collecting');
  });
  failPoint('collected');
}

/**
 * Collects one collection of a failed batch. If it fails alone, it is postponed so that it does not block the others.
 */
async function collectAlone(collection: CollectionKey, nowMs: number, deps: CollectDeps): Promise<void> {
  try {
    await collect([collection], nowMs, deps);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    deps.onError(error);
    await deps.database.run(postponeCollection, [collection.tenant_id, collection.invoice_id, nowMs + postponeMs]);
  }
}

function outcomesOf(attempt: PaymentAttempt, atMs: number): CollectionOutcome[] {
  const { tenantId, invoiceId, outcome } = attempt;
  if (outcome === 'failed') return [{ tenantId, invoiceId, outcome, atMs, retry: retryOf(attempt.failure.code) }];
  if (outcome === 'withheld' || outcome === 'skipped') return [{ tenantId, invoiceId, outcome, atMs }];
  if (outcome === 'announced') {
    return [{ tenantId, invoiceId, outcome, atMs: attempt.debitMs, methodId: attempt.methodId }];
  }
  // The invoice is void or has been paid: there is nothing left to collect.
  if (outcome === 'not_payable') return [{ tenantId, invoiceId, outcome: 'closed', atMs }];
  return [];
}

/** Debits whose announcement is not sent yet, because the mail server is down: they wait for it. */
async function untoldDebits(
  transaction: Queryable,
  due: readonly AttemptedCollection[],
  nowMs: number,
): Promise<CollectionOutcome[]> {
  const announced = due.filter(({ announced_method_id }) => announced_method_id !== null);
  if (announced.length === 0) return [];
  const unsent = await transaction.run(findUnsentAnnouncements, [
    announced.map(({ tenant_id }) => tenant_id),
    announced.map(({ invoice_id }) => invoice_id),
  ]);
  const ids = new Set(unsent.map(({ invoice_id }) => invoice_id));
  return announced
    .filter(({ invoice_id }) => ids.has(invoice_id))
    .map(({ tenant_id: tenantId, invoice_id: invoiceId, announced_method_id: methodId }) => {
      return { tenantId, invoiceId, outcome: 'announced', methodId, atMs: nowMs + postponeMs };
    });
}

/**
 * Attempts that wait for a method whose setup was answered since the invoice was read, and whose customer's request to
 * try them (`retryWithNewMethods`) may have passed already. Those that still wait are found by it, because it waits for
 * the lock of the subscription.
 */
async function noLongerAwaited(
  transaction: Queryable,
  attempts: readonly PaymentAttempt[],
  atMs: number,
): Promise<CollectionOutcome[]> {
  const waiting = attempts.filter(({ outcome }) => outcome === 'awaited');
  if (waiting.length === 0) return [];
  const awaiting = await transaction.run(findAwaitingSetups, [
    waiting.map(({ tenantId }) => tenantId),
    waiting.map(({ invoiceId }) => invoiceId),
  ]);
  const ids = new Set(awaiting.map(({ invoice_id }) => invoice_id));
  return waiting
    .filter(({ invoiceId }) => !ids.has(invoiceId))
    .map(({ tenantId, invoiceId }) => ({ tenantId, invoiceId, outcome: 'freed', atMs }));
}
