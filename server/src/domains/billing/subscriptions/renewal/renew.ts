import { hourMs } from '../../../../core/clock.ts';
import { isUnavailable } from '../../../../core/errors.ts';
import type { GenerateUuid } from '../../../../core/id.ts';
import type { Database, Queryable } from '../../../../platform/postgres/database.ts';
import type { FailPoint } from '../../../../platform/process/fail-point.ts';
import { withEndEffects } from '../collections/end-effects.ts';
import { nextStepOf } from '../periods/period.ts';
import { msOf } from '../rules.ts';
import { claimDue, lockSubscriptions, postponeSubscription, type SubscriptionWithTerms } from '../statements.ts';
import { type Change, writeChanges } from './write-changes.ts';

/** Subscriptions in one transaction. Larger batches are not faster and hold their locks longer. */
const batchSize = 500;
/** How long a subscription that cannot be renewed is postponed. */
const postponeMs = hourMs;

export interface RenewDeps {
  database: Database;
  generateUuid: GenerateUuid;
  onError: (error: unknown) => void;
  /** Sections in which fault tests end the process. */
  failPoint: FailPoint;
}

/**
 * Advances due subscriptions by one step each: the next billing period begins and is invoiced, or the subscription
 * ends. One transaction claims up to 500 and runs the same few statements for any number of them; after a crash they
 * are still due. Concurrent callers claim different subscriptions. A subscription that is several periods behind is due
 * again at once and catches up in order. Returns how many were claimed.
 */
export async function renewDue(clockId: number, nowMs: number, deps: RenewDeps): Promise<number> {
  let claimed: SubscriptionWithTerms[] = [];
  try {
    await deps.database.transaction(async (transaction) => {
      claimed = await transaction.run(claimDue, [clockId, nowMs, batchSize]);
      await advanceOneStep(transaction, claimed, nowMs, deps);
      if (claimed.length > 0) deps.failPoint('renewing');
    });
    if (claimed.length > 0) deps.failPoint('renewed');
  } catch (error) {
    if (claimed.length === 0 || isUnavailable(error)) throw error;
    for (const row of claimed) await renewAlone(row, clockId, nowMs, deps);
  }
  return claimed.length;
}

/** Advances locked subscriptions by one step each. */
async function advanceOneStep(
  transaction: Queryable,
  rows: readonly SubscriptionWithTerms[],
  nowMs: number,
  { generateUuid }: { generateUuid: GenerateUuid },
): Promise<void> {
  const changes = await withEndEffects(
    transaction,
    rows.map((row) => renewalOf(row, nowMs)),
  );
  await writeChanges(transaction, changes, { generateUuid });
}

/** The change of a due subscription by its next step. */
export function renewalOf(before: SubscriptionWithTerms, nowMs: number): Change {
  const step = nextStepOf(before, nowMs);
  const { after } = step;
  if (step.kind === 'ends') return { before, after, atMs: nowMs };
  const line = step.isFullPeriod
    ? { description: after.plan_name, quantity: after.quantity, unitAmount: after.unit_amount, ...taxOf(after) }
    : { description: after.plan_name, quantity: 1, unitAmount: step.price, ...taxOf(after) };
  const period = { line, startMs: msOf(after.period_start), endMs: msOf(after.period_end) };
  return { before, after, atMs: nowMs, invoice: { period } };
}

const taxOf = ({ tax_rate }: SubscriptionWithTerms) => (tax_rate === null ? {} : { taxRate: tax_rate });

/**
 * Renews one subscription of a failed batch. If it fails alone, it is postponed so that it does not block the others.
 */
async function renewAlone(row: SubscriptionWithTerms, clockId: number, nowMs: number, deps: RenewDeps): Promise<void> {
  const key = [row.tenant_id, row.id];
  try {
    await deps.database.transaction(async (transaction) => {
      const locked = await transaction.run(lockSubscriptions, [[row.tenant_id], [row.id]]);
      const due = locked.filter(
        ({ clock_id, due_at }) => clock_id === clockId && due_at !== null && msOf(due_at) <= nowMs,
      );
      await advanceOneStep(transaction, due, nowMs, deps);
    });
  } catch (error) {
    if (isUnavailable(error)) throw error;
    deps.onError(error);
    await deps.database.run(postponeSubscription, [...key, nowMs + postponeMs]);
  }
}

/** About ten years of a daily subscription. */
const maxCatchUpSteps = 4_000;

/** Advances a locked subscription until no work is due, and returns its current row. */
export async function catchUp(
  transaction: Queryable,
  row: SubscriptionWithTerms,
  nowMs: number,
  deps: { generateUuid: GenerateUuid },
): Promise<SubscriptionWithTerms> {
  let current = row;
  for (let steps = 0; steps < maxCatchUpSteps; steps++) {
    if (current.due_at === null || msOf(current.due_at) > nowMs) return current;
    await advanceOneStep(transaction, [current], nowMs, deps);
    const [reread] = await transaction.run(lockSubscriptions, [[row.tenant_id], [row.id]]);
    current = reread as SubscriptionWithTerms;
  }
  throw new Error(`Subscription ${row.id} is more than ${maxCatchUpSteps} periods behind.`);
}
