import { dayMs } from '../../../core/clock.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { deleteAbandoned } from './statements.ts';

/** Longer than any request, and than a client repeats one. */
const abandonedAfterMs = dayMs;
/** Each may have thousands of parts, which are deleted with it. */
const batchBodies = 10;

/** Deletes bodies that no record has: their client has left, their process has died, or they were refused. */
export function sweepRawBodies(database: Database, nowMs: number): Promise<number> {
  return deleteInBatches(database, deleteAbandoned, [nowMs - abandonedAfterMs], batchBodies);
}
