import type { Queryable } from '../../../platform/postgres/database.ts';
import { sweepPortals } from './portal/statements.ts';
import { unpaidRetentionMs } from './rules.ts';
import { sweepCheckouts } from './statements.ts';

/** Small batches keep locks short. */
const rowsPerBatch = 5_000;

/** Deletes links to portals that have expired, and 90 days after they expired, checkouts that nobody paid on. */
export async function sweepExpired(database: Queryable, nowMs: number): Promise<void> {
  while ((await database.run(sweepPortals, [nowMs, rowsPerBatch])).length === rowsPerBatch);
  while ((await database.run(sweepCheckouts, [nowMs - unpaidRetentionMs, rowsPerBatch])).length === rowsPerBatch);
}
