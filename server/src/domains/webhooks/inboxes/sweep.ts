import type { Queryable } from '../../../platform/postgres/database.ts';
import { deleteExpiredInboxes } from './statements.ts';

/** Inboxes per statement; their messages are deleted with them. */
const batchRows = 100;

/** Deletes expired inboxes. */
export async function sweepExpiredInboxes(database: Queryable, nowMs: number): Promise<void> {
  for (;;) {
    const { length } = await database.run(deleteExpiredInboxes, [nowMs, batchRows]);
    if (length < batchRows) return;
  }
}
