import type { Queryable } from '../../../platform/postgres/database.ts';
import { deleteExpiredSessions } from './statements.ts';

/** Rows per statement: few enough that no statement holds its locks for long. */
const batchRows = 5_000;

/** Deletes expired sessions, and returns how many. */
export async function sweepExpiredSessions(database: Queryable, now: Date): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { length } = await database.run(deleteExpiredSessions, [now, batchRows]);
    deleted += length;
    if (length < batchRows) return deleted;
  }
}
