import type { Queryable } from '../../../../platform/postgres/database.ts';
import { isSomethingDue } from '../renewal/invoice-lines.ts';
import type { Change } from '../renewal/write-changes.ts';
import type { CollectionRow } from '../renewal/write-statements.ts';
import { pendingLinesOf } from '../statements.ts';
import { hasEnded } from '../states.ts';
import { withoutRetry } from './dunning.ts';
import { findOpenCollections } from './statements.ts';

/**
 * Completes changes that end subscriptions: failed payments are not retried, and credits and charges that are not on an
 * invoice yet are invoiced if they leave something to pay. Otherwise they lapse: only refunds return money.
 */
export async function withEndEffects(transaction: Queryable, changes: readonly Change[]): Promise<Change[]> {
  const ending = changes.filter(isEnding);
  if (ending.length === 0) return [...changes];
  const rows = ending.map(({ after }) => after);
  const keys = [rows.map(({ tenant_id }) => tenant_id), rows.map(({ id }) => id)];
  const collections = Map.groupBy(
    await transaction.run(findOpenCollections, keys),
    ({ subscription_id }) => subscription_id,
  );
  const pending = Map.groupBy(await pendingLinesOf(transaction, rows), ({ subscription_id }) => subscription_id);
  return changes.map((change) => {
    if (!isEnding(change)) return change;
    const { id } = change.after;
    return {
      ...change,
      collections: change.collections ?? withoutRetries(collections.get(id) ?? []),
      ...(isSomethingDue(pending.get(id) ?? []) && { invoice: { period: undefined } }),
    };
  });
}

const withoutRetries = (collections: readonly CollectionRow[]) =>
  collections.map(withoutRetry).filter((collection) => !collections.includes(collection));

const isEnding = ({ before, after }: Change) => !hasEnded(before.state) && hasEnded(after.state);
