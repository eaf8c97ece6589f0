import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** With fewer rows, planning everything again costs more than it saves. */
const minimumRows = 50;

export const forgetPlans = statement('plans.forget', 'discard plans');
const keepPlans = statement('plans.keep', 'set local plan_cache_mode = auto');

/**
 * Call it before a transaction writes many rows with foreign keys: until the transaction ends, repeated statements are
 * planned once, for the present size of the tables. PostgreSQL checks a foreign key with one internal statement per
 * row, and where plans are not kept (docs/decisions/database.md) plans it for every row: 30 of the 40 µs that a check
 * took.
 *
 * Run statements that join written rows with input values before this: they would be planned for ten rows.
 */
export async function planOnce(transaction: Queryable, rows: number): Promise<void> {
  if (rows < minimumRows) return;
  await transaction.run(forgetPlans);
  await transaction.run(keepPlans);
}
