import { dayMs } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { sweepSettled } from './statements.ts';

/** Longer than any known provider repeats a callback. */
const retentionMs = 30 * dayMs;
/** Small batches keep locks short. */
const rowsPerBatch = 5_000;

/** Deletes callbacks that were settled or ignored 30 days ago. */
export async function sweepCallbacks(database: Queryable, nowMs: number): Promise<void> {
  for (;;) {
    const { length } = await database.run(sweepSettled, [nowMs - retentionMs, rowsPerBatch]);
    if (length < rowsPerBatch) return;
  }
}
