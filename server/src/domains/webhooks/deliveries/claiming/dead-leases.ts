import type { Queryable } from '../../../../platform/postgres/database.ts';
import { statement } from '../../../../platform/postgres/statement.ts';

/** Twice the same, so that each finds its rows by its own index of what is open. */
const freeDue = statement(
  'deliveries.free_due',
  `update delivery set lease = null, leased_until = null where state = 'OPEN' and not aside and lease is not null`,
);
const freeAside = statement(
  'deliveries.free_aside',
  `update delivery set lease = null, leased_until = null where state = 'OPEN' and aside and lease is not null`,
);
const freeReplays = statement(
  'deliveries.free_replays',
  `update webhook_replay set lease = null, leased_until = null where state = 'RUNNING' and lease is not null`,
);

/**
 * Where nobody else can be at work on this database: what a process that died held is due at once, not when its leases
 * run out. To be called before a sender starts.
 */
export async function freeDeadLeases(database: Queryable): Promise<void> {
  for (const free of [freeDue, freeAside, freeReplays]) await database.run(free);
}
