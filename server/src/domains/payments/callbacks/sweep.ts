import { dayMs } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { sweepSettled } from './statements.ts';

/** All known providers stop repeating a callback earlier. */
const retentionMs = 30 * dayMs;

/** Deletes callbacks that were settled or ignored 30 days ago. */
export function sweepCallbacks(database: Queryable, nowMs: number): Promise<number> {
  return deleteInBatches(database, sweepSettled, [nowMs - retentionMs]);
}
