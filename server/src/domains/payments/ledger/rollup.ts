import type { Queryable } from '../../../platform/postgres/database.ts';
import { maxDeltasPerRun, rollUpTotals } from './statements.ts';

/** Moves all rows of ledger_total_delta into ledger_total. Several nodes may do so at the same time. */
export async function rollUpLedger(database: Queryable): Promise<void> {
  for (;;) {
    const [row] = await database.run(rollUpTotals);
    if ((row?.rolled_up ?? 0) < maxDeltasPerRun) return;
  }
}
