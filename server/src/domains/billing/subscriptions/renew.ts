import { hourMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { DrawUuid } from '../../../core/id.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import type { FailPoint } from '../../../platform/process/fail-point.ts';
import { withEndEffects } from './end-effects.ts';
import { msOf, nextStepOf } from './rules.ts';
import { claimDue, lockSubscriptions, postponeSubscription, type SubscriptionWithTerms } from './statements.ts';
import { type Change, writeChanges } from './write-changes.ts';

/** Subscriptions of one transaction: beyond some hundreds a batch gains nothing, and its locks are held longer. */
const batchSize = 500;
/** How long one that cannot be worked off is left alone. */
const postponeMs = hourMs;

export interface RenewDeps {
  database: Database;
  drawUuid: DrawUuid;
  onError: (error: unknown) => void;
  /** Where a drill ends the process (tests of crashes). */
  failPoint: FailPoint;
}

/**
 * Takes subscriptions to which something is due one step further each: their next period begins and is invoiced, or they end.
 * In one transaction under their locks, in the same few statements however many they are; a crash leaves them due. Two who do
 * this at once take different ones. Whoever is behind by several periods is due again and catches up in order. Gives back
 * how many there were.
 */
export async function renewDue(clockId: number, nowMs: number, deps: RenewDeps): Promise<number> {
  let claimed: SubscriptionWithTerms[] = [];
  try {
    await deps.database.transaction(async (transaction) => {
      claimed = await transaction.run(claimDue, [clockId, nowMs, batchSize]);
      await renewAll(transaction, claimed, nowMs, deps);
      if (claimed.length > 0) deps.failPoint('renewing');
    });
    if (claimed.length > 0) deps.failPoint('renewed');
  } catch (error) {
    if (claimed.length === 0 || (error instanceof Refusal && error.kind === 'unavailable')) throw error;
    for (const row of claimed) await renewAlone(row, clockId, nowMs, deps);
  }
  return claimed.length;
}

/** One step of each. The locks are held. */
export async function renewAll(
  transaction: Queryable,
  rows: readonly SubscriptionWithTerms[],
  nowMs: number,
  { drawUuid }: { drawUuid: DrawUuid },
): Promise<void> {
  const changes = await withEndEffects(
    transaction,
    rows.map((row) => renewalOf(row, nowMs)),
  );
  await writeChanges(transaction, changes, { drawUuid });
}

export function renewalOf(before: SubscriptionWithTerms, nowMs: number): Change {
  const step = nextStepOf(before, nowMs);
  const { after } = step;
  if (step.kind === 'ends') return { before, after, atMs: nowMs };
  const line = step.isFullPeriod
    ? { description: after.plan_name, quantity: after.quantity, unitAmount: after.unit_amount }
    : { description: after.plan_name, quantity: 1, unitAmount: step.price };
  const period = { line, startMs: msOf(after.period_start), endMs: msOf(after.period_end) };
  return { before, after, atMs: nowMs, invoice: { period } };
}

/** A batch has failed, not for want of the database: whoever is to blame is set aside, so that the others need not wait. */
async function renewAlone(row: SubscriptionWithTerms, clockId: number, nowMs: number, deps: RenewDeps): Promise<void> {
  const key = [row.tenant_id, row.id];
  try {
    await deps.database.transaction(async (transaction) => {
      const locked = await transaction.run(lockSubscriptions, [[row.tenant_id], [row.id]]);
      const due = locked.filter(
        ({ clock_id, due_at }) => clock_id === clockId && due_at !== null && msOf(due_at) <= nowMs,
      );
      await renewAll(transaction, due, nowMs, deps);
    });
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'unavailable') throw error;
    deps.onError(error);
    await deps.database.run(postponeSubscription, [...key, nowMs + postponeMs]);
  }
}

/** Steps taken at once at most: a daily subscription of some years. */
const maxCatchUpSteps = 4_000;

/** A subscription as it stands now, with all that was due to it. Its lock is held. */
export async function catchUp(
  transaction: Queryable,
  row: SubscriptionWithTerms,
  nowMs: number,
  deps: { drawUuid: DrawUuid },
): Promise<SubscriptionWithTerms> {
  let current = row;
  for (let steps = 0; steps < maxCatchUpSteps; steps++) {
    if (current.due_at === null || msOf(current.due_at) > nowMs) return current;
    await renewAll(transaction, [current], nowMs, deps);
    const [again] = await transaction.run(lockSubscriptions, [[row.tenant_id], [row.id]]);
    current = again as SubscriptionWithTerms;
  }
  throw new Error(`Subscription ${row.id} is more than ${maxCatchUpSteps} periods behind.`);
}
