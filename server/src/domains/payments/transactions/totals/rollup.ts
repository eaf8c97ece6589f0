import { untilNoneLeft } from '../../../../platform/jobs/rollup-statements.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { lockRollup, rollUp } from './rollup-statements.ts';

/**
 * Payments in a bucket before a day's next bucket begins. Reading past 4,096 entries of an index takes a quarter of a
 * millisecond; a bucket costs one row of transaction_bucket_total for each combination of channel, user and status in
 * use, some tens.
 */
export const rowsPerBucket = 4_096;

/** Rolls up until no deltas are left. Only one node rolls up at a time. */
export async function rollUpTransactionTotals(database: Database, bucketSize: number = rowsPerBucket): Promise<void> {
  await untilNoneLeft(() =>
    database.transaction(async (transaction) => {
      await transaction.run(lockRollup);
      return (await transaction.run(rollUp, [bucketSize]))[0]?.rolled_up;
    }),
  );
}
