import type { Queryable } from '../../../platform/postgres/database.ts';
import { deleteExpiredResets } from './statements.ts';

/** Rows per statement: few enough that no statement holds its locks for long. */
const batchRows = 5_000;

/** Deletes expired password reset tokens. */
export async function sweepExpiredResets(database: Queryable, now: Date): Promise<void> {
  for (;;) {
    const { length } = await database.run(deleteExpiredResets, [now, batchRows]);
    if (length < batchRows) return;
  }
}
