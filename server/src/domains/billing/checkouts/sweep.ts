import type { Queryable } from '../../../platform/postgres/database.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { sweepPortals } from './portal/statements.ts';
import { unpaidRetentionMs } from './rules.ts';
import { sweepCheckouts } from './statements.ts';

/** Deletes expired portal links, and checkouts without a payment 90 days after they expired. */
export async function sweepExpired(database: Queryable, nowMs: number): Promise<void> {
  await deleteInBatches(database, sweepPortals, [nowMs]);
  await deleteInBatches(database, sweepCheckouts, [nowMs - unpaidRetentionMs]);
}
