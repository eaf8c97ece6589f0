import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { Change } from '../renewal/write-changes.ts';
import type { ChargeRow } from '../renewal/write-statements.ts';
import { pendingLinesOf } from '../statements.ts';
import { hasEnded } from '../states.ts';
import { findOpenCharges } from './charge-statements.ts';
import { withoutRetry } from './dunning.ts';

/**
 * Completes changes that end subscriptions: failed payments are not retried, and a positive balance of credits and charges
 * that are not on an invoice yet is invoiced. A negative balance lapses: only refunds return money.
 */
export async function withEndEffects(transaction: Queryable, changes: readonly Change[]): Promise<Change[]> {
  const ending = changes.filter(isEnding);
  if (ending.length === 0) return [...changes];
  const rows = ending.map(({ after }) => after);
  const keys = [rows.map(({ tenant_id }) => tenant_id), rows.map(({ id }) => id)];
  const charges = Map.groupBy(await transaction.run(findOpenCharges, keys), ({ subscription_id }) => subscription_id);
  const unbilled = new Map<number, number>();
  for (const { subscription_id, amount } of await pendingLinesOf(transaction, rows)) {
    unbilled.set(subscription_id, (unbilled.get(subscription_id) ?? 0) + amount);
  }
  return changes.map((change) => {
    if (!isEnding(change)) return change;
    const { id } = change.after;
    return {
      ...change,
      charges: change.charges ?? withoutRetries(charges.get(id) ?? []),
      ...((unbilled.get(id) ?? 0) > 0 && { invoice: { period: undefined } }),
    };
  });
}

const withoutRetries = (charges: readonly ChargeRow[]) =>
  charges.map(withoutRetry).filter((charge) => !charges.includes(charge));

const isEnding = ({ before, after }: Change) => !hasEnded(before.state) && hasEnded(after.state);
