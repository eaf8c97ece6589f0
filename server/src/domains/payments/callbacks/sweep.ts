import { dayMs } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { sweepSettled } from './statements.ts';

/** Longer than any known provider repeats a callback. */
const retentionMs = 30 * dayMs;

/** Deletes callbacks that were settled or ignored 30 days ago. */
export function sweepCallbacks(database: Queryable, nowMs: number): Promise<number> {
  return deleteInBatches(database, sweepSettled, [nowMs - retentionMs]);
}
