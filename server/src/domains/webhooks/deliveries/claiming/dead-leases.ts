import type { Queryable } from '../../../../platform/postgres/database.ts';
import { freeReplayLeases } from '../replay/statements.ts';
import { freeLeases } from './statements.ts';

/**
 * Makes the deliveries and replays of dead processes due at once, instead of when their leases run out. Only for a node
 * that is alone with its database, before its workers start.
 */
export async function freeDeadLeases(database: Queryable): Promise<void> {
  for (const free of [freeLeases, freeReplayLeases]) await database.run(free);
}
