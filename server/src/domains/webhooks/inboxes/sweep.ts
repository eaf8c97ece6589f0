import type { Queryable } from '../../../platform/postgres/database.ts';
import { sweepInboxes } from './statements.ts';

/** Inboxes in one go, each with its messages. */
const inboxesAtOnce = 100;

/** Removes inboxes whose time is over. Meant to run every hour or so. */
export async function sweepExpiredInboxes(database: Queryable, nowMs: number): Promise<void> {
  for (;;) {
    const { length } = await database.run(sweepInboxes, [nowMs, inboxesAtOnce]);
    if (length < inboxesAtOnce) return;
  }
}
