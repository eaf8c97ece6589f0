import { dayMs } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { sweepSettled } from './statements.ts';

/** As long as any provider repeats itself, and as long as anyone is likely to ask. */
const keptForMs = 30 * dayMs;
/** Rows in one go: each go is short, so that it holds nobody up. */
const rowsAtOnce = 5_000;

/** Removes callbacks that were settled or ignored 30 days ago. Meant to run every hour or so. */
export async function sweepCallbacks(database: Queryable, nowMs: number): Promise<void> {
  for (;;) {
    const { length } = await database.run(sweepSettled, [nowMs - keptForMs, rowsAtOnce]);
    if (length < rowsAtOnce) return;
  }
}
