import { hourMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { DrawUuid } from '../../../core/id.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import type { FailPoint } from '../../../platform/process/fail-point.ts';
import { type Change, writeChanges } from './change.ts';
import { withEndings } from './ending.ts';
import { msOf, stepOf } from './rules.ts';
import { claimDue, type HeldSubscription, lockMany, postpone } from './statements.ts';

/** Subscriptions of one transaction: beyond some hundreds a batch gains nothing, and its locks are held longer. */
const batchSize = 500;
/** How long one that cannot be worked off is left alone. */
const setAsideMs = hourMs;

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
  let claimed: HeldSubscription[] = [];
  try {
    await deps.database.transaction(async (transaction) => {
      claimed = await transaction.run(claimDue, [clockId, nowMs, batchSize]);
      await advance(transaction, claimed, nowMs, deps);
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
export async function advance(
  transaction: Queryable,
  rows: readonly HeldSubscription[],
  nowMs: number,
  { drawUuid }: { drawUuid: DrawUuid },
): Promise<void> {
  const changes = await withEndings(
    transaction,
    rows.map((row) => changeOf(row, nowMs)),
  );
  await writeChanges(transaction, changes, { drawUuid });
}

export function changeOf(before: HeldSubscription, nowMs: number): Change {
  const step = stepOf(before, nowMs);
  const { after } = step;
  if (step.kind === 'ends') return { before, after, atMs: nowMs };
  const line = step.isWhole
    ? { description: after.plan_name, quantity: after.quantity, unitAmount: after.unit_amount }
    : { description: after.plan_name, quantity: 1, unitAmount: step.price };
  const period = { line, startMs: msOf(after.period_start), endMs: msOf(after.period_end) };
  return { before, after, atMs: nowMs, invoice: { period } };
}

/** A batch has failed, not for want of the database: whoever is to blame is set aside, so that the others need not wait. */
async function renewAlone(row: HeldSubscription, clockId: number, nowMs: number, deps: RenewDeps): Promise<void> {
  const key = [row.tenant_id, row.id];
  try {
    await deps.database.transaction(async (transaction) => {
      const locked = await transaction.run(lockMany, [[row.tenant_id], [row.id]]);
      const due = locked.filter(
        ({ clock_id, due_at }) => clock_id === clockId && due_at !== null && msOf(due_at) <= nowMs,
      );
      await advance(transaction, due, nowMs, deps);
    });
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'unavailable') throw error;
    deps.onError(error);
    await deps.database.run(postpone, [...key, nowMs + setAsideMs]);
  }
}

/** Steps taken at once at most: a daily subscription of some years. */
const mostSteps = 4_000;

/** A subscription as it stands now, with all that was due to it. Its lock is held. */
export async function caughtUp(
  transaction: Queryable,
  row: HeldSubscription,
  nowMs: number,
  deps: { drawUuid: DrawUuid },
): Promise<HeldSubscription> {
  let current = row;
  for (let steps = 0; steps < mostSteps; steps++) {
    if (current.due_at === null || msOf(current.due_at) > nowMs) return current;
    await advance(transaction, [current], nowMs, deps);
    const [again] = await transaction.run(lockMany, [[row.tenant_id], [row.id]]);
    current = again as HeldSubscription;
  }
  throw new Error(`Subscription ${row.id} is more than ${mostSteps} periods behind.`);
}
