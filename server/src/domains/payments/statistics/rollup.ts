import type { Queryable } from '../../../platform/postgres/database.ts';
import { maximumDeltas, rollUpChargeDeltas } from './statements.ts';

/** Rolls up until no deltas of charge totals are left. Nodes may roll up at the same time. */
export async function rollUpCharges(database: Queryable): Promise<void> {
  for (;;) {
    const [row] = await database.run(rollUpChargeDeltas);
    if ((row?.rolled_up ?? 0) < maximumDeltas) return;
  }
}
