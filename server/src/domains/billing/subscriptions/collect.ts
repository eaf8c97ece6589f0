import { hourMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { DrawUuid } from '../../../core/id.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import type { FailPoint } from '../../../platform/process/fail-point.ts';
import type { PaymentWriter } from '../../payments/transactions/create.ts';
import { type PaymentAttempt, payInvoices } from '../invoices/automatic-payments.ts';
import type { SettledPayment } from '../invoices/followers.ts';
import {
  type ChargeKey,
  findChargesOfInvoices,
  findDueCharges,
  findOpenCharges,
  markChargesTried,
  postponeCharge,
} from './charge-statements.ts';
import { applyOutcome, type ChargeOutcome, type DunningState } from './dunning.ts';
import { withEndEffects } from './end-effects.ts';
import { inLockOrder, lockSubscriptions, lockWithoutReading } from './statements.ts';
import { type Change, writeChanges } from './write-changes.ts';

/** Charges of one transaction, as with renewals. */
const batchSize = 500;
/** How long one that cannot be tried is left alone. */
const postponeMs = hourMs;

export interface CollectDeps {
  database: Database;
  drawUuid: DrawUuid;
  /** The waits after each failed try: `app.subscription.retry-intervals`. */
  retryIntervalsMs: readonly number[];
  creator: PaymentWriter;
  /** Where a drill ends the process (tests of crashes). */
  failPoint: FailPoint;
  onError: (error: unknown) => void;
}

/**
 * Has invoices of subscriptions paid that are due to be tried: opens their payments and writes down that they were tried, in
 * one transaction. An invoice takes one payment of ours at a time, so that whoever does this at once pays nothing twice; a
 * crash leaves them due. How payments end is told by `followPayments`. Gives back how many there were.
 */
export async function collectDue(clockId: number, nowMs: number, deps: CollectDeps): Promise<number> {
  const due = await deps.database.run(findDueCharges, [clockId, nowMs, batchSize]);
  if (due.length === 0) return 0;
  try {
    await collect(due, nowMs, deps);
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'unavailable') throw error;
    if (error instanceof ChargesTakenError) return due.length;
    for (const charge of due) await collectAlone(charge, nowMs, deps);
  }
  return due.length;
}

/** A charge of the batch was tried by another, and its payment has even ended, since it was seen to be due. */
class ChargesTakenError extends Error {}

async function collect(due: readonly ChargeKey[], nowMs: number, deps: CollectDeps): Promise<void> {
  const { database, failPoint } = deps;
  await database.transaction(async (transaction) => {
    const wanted = due.map(({ tenant_id, invoice_id }) => ({ tenantId: tenant_id, invoiceId: invoice_id }));
    const openings = await payInvoices(transaction, wanted, nowMs, deps);
    await transaction.run(lockWithoutReading, inLockOrder(due));
    const tried = await transaction.run(markChargesTried, [
      due.map(({ tenant_id }) => tenant_id),
      due.map(({ invoice_id }) => invoice_id),
      nowMs,
    ]);
    const wereDue = new Set(tried.map(({ invoice_id }) => invoice_id));
    if (openings.some((opening) => isAttempt(opening) && !wereDue.has(opening.invoiceId)))
      throw new ChargesTakenError();
    const news = openings.flatMap((opening) => outcomesOf(opening, nowMs));
    await applyOutcomes(transaction, news, deps);
    failPoint('collecting');
  });
  failPoint('collected');
}

/** A batch has failed, not for want of the database: whoever is to blame is set aside, so that the others need not wait. */
async function collectAlone(charge: ChargeKey, nowMs: number, deps: CollectDeps): Promise<void> {
  try {
    await collect([charge], nowMs, deps);
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'unavailable') throw error;
    if (error instanceof ChargesTakenError) return;
    deps.onError(error);
    await deps.database.run(postponeCharge, [charge.tenant_id, charge.invoice_id, nowMs + postponeMs]);
  }
}

const isAttempt = ({ outcome }: PaymentAttempt) => outcome === 'opened' || outcome === 'failed';

function outcomesOf({ tenantId, invoiceId, outcome }: PaymentAttempt, atMs: number): ChargeOutcome[] {
  if (outcome === 'failed') return [{ tenantId, invoiceId, outcome, atMs }];
  // Paid by other means, or void: there is nothing to try any more.
  if (outcome === 'not_payable') return [{ tenantId, invoiceId, outcome: 'closed', atMs }];
  return [];
}

/** Has subscriptions follow how payments of their invoices have ended, in the transaction that settles those. */
export async function followPayments(
  transaction: Queryable,
  settled: readonly SettledPayment[],
  deps: Pick<CollectDeps, 'drawUuid' | 'retryIntervalsMs'>,
): Promise<void> {
  const news = settled
    .filter(({ subscriptionId }) => subscriptionId !== null)
    .flatMap(({ tenantId, invoiceId, invoiceStatus, state, automatic, atMs }): ChargeOutcome[] => {
      if (invoiceStatus === 'PAID') return [{ tenantId, invoiceId, outcome: 'paid', atMs }];
      // A payment that someone else made costs no try; what it was in the way of is tried now.
      return [{ tenantId, invoiceId, outcome: automatic && state !== 'SUCCEEDED' ? 'failed' : 'freed', atMs }];
    });
  await applyOutcomes(transaction, news, deps);
}

/** Has a subscription follow an invoice of its own that was made void or given up, in that transaction. */
export async function followClosed(
  transaction: Queryable,
  closed: { tenantId: number; invoiceId: number; atMs: number },
  deps: Pick<CollectDeps, 'drawUuid' | 'retryIntervalsMs'>,
): Promise<void> {
  await applyOutcomes(transaction, [{ ...closed, outcome: 'closed' }], deps);
}

/** Locks the subscriptions, lets each follow its news in order, and writes those that changed. */
async function applyOutcomes(
  transaction: Queryable,
  news: readonly ChargeOutcome[],
  { drawUuid, retryIntervalsMs }: Pick<CollectDeps, 'drawUuid' | 'retryIntervalsMs'>,
): Promise<void> {
  if (news.length === 0) return;
  const keys = await transaction.run(findChargesOfInvoices, [
    news.map(({ tenantId }) => tenantId),
    news.map(({ invoiceId }) => invoiceId),
  ]);
  const subscriptionOf = new Map(keys.map((key) => [`${key.tenant_id}/${key.invoice_id}`, key.subscription_id]));
  const wanted = inLockOrder(keys);
  const rows = await transaction.run(lockSubscriptions, wanted);
  const charges = Map.groupBy(await transaction.run(findOpenCharges, wanted), ({ subscription_id }) => subscription_id);
  const newsOfRow = Map.groupBy(news, ({ tenantId, invoiceId }) => subscriptionOf.get(`${tenantId}/${invoiceId}`));
  const changes = rows.flatMap((row): Change[] => {
    const before: DunningState = { row, charges: charges.get(row.id) ?? [] };
    const own = newsOfRow.get(row.id) ?? [];
    const after = own.reduce((dunned, one) => applyOutcome(dunned, one, retryIntervalsMs), before);
    const written = after.charges.filter((charge) => !before.charges.includes(charge));
    if (after.row === row && written.length === 0) return [];
    return [{ before: row, after: after.row, atMs: Math.max(...own.map(({ atMs }) => atMs)), charges: written }];
  });
  await writeChanges(transaction, await withEndEffects(transaction, changes), { drawUuid });
}
