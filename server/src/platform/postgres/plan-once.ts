import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

/** Fewer rows are written sooner than everything is planned anew. */
const worthwhileRows = 50;

const forgetPlans = statement('plans.forget', 'discard plans');
const keepPlans = statement('plans.keep', 'set local plan_cache_mode = auto');

/**
 * For a transaction that is about to write many rows with foreign keys: until it ends, what is run more than once is planned
 * once, with the tables as large as they are now. PostgreSQL checks a foreign key by a statement of its own for each row, and
 * where plans are not kept (docs/decisions, Query plans) it plans that for each row anew: 30 of the 40 µs that a check took.
 *
 * Statements that join what they have written with what they were given come before this: it plans them for ten rows.
 */
export async function planOnce(transaction: Queryable, rows: number): Promise<void> {
  if (rows < worthwhileRows) return;
  await transaction.run(forgetPlans);
  await transaction.run(keepPlans);
}
