import type { Clock } from '../../../core/clock.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Statement } from '../../../platform/postgres/statement.ts';
import { sweepResets, sweepSessions } from './statements.ts';

/** Rows in one go: each go is short, so that it holds nobody up. */
const rowsAtOnce = 5_000;

/** Removes sessions and reset tokens that have expired, by their index on time. Meant to run every hour or so. */
export async function sweepExpired(database: Database, clock: Clock): Promise<{ sessions: number; resets: number }> {
  const now = new Date(clock());
  const sweep = async (statement: Statement<unknown>) => {
    let removed = 0;
    for (;;) {
      const { length } = await database.run(statement, [now, rowsAtOnce]);
      removed += length;
      if (length < rowsAtOnce) return removed;
    }
  };
  return { sessions: await sweep(sweepSessions), resets: await sweep(sweepResets) };
}
