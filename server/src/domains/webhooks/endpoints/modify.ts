import type { Static } from 'typebox';
import { invalid } from '../../../core/errors.ts';
import { eventTypes, pingType, readableTypes } from '../../../core/event-types.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { findWaitingBeyond, type ManagedRow, modifyEndpoint } from './endpoint-statements.ts';
import { lockManaged, type ManagementDeps } from './endpoints.ts';
import { demandReachable } from './register.ts';
import { demandReading } from './rules.ts';
import type { modifyInput } from './schema.ts';

/**
 * Changes an endpoint: what is left out stays. Deliveries that wait follow it to its new address. One that is switched on
 * again begins as if nothing had been wrong with it; what happened meanwhile can be replayed.
 */
export async function modifyWebhook(
  { id, url, events, state, maxInFlight, ratePerSecond }: Static<typeof modifyInput>,
  principal: Principal,
  { database, directory, guard, clock }: ManagementDeps,
): Promise<ManagedRow> {
  const changes = [url, events, state, maxInFlight, ratePerSecond];
  if (changes.every((change) => change === undefined)) {
    throw invalid('id', 'Name something to change: url, events, state, maxInFlight or ratePerSecond.');
  }
  if (events !== undefined) demandReading(events, principal);
  if (url !== undefined) await demandReachable(url, guard);
  const saved = await database.transaction(async (transaction) => {
    await lockManaged(transaction, id, principal);
    if (url !== undefined) await demandReadingWaiting(transaction, id, principal);
    const [row] = await transaction.run(modifyEndpoint, [
      id,
      url ?? null,
      events === undefined ? null : [...new Set(events)],
      state ?? null,
      maxInFlight !== undefined,
      maxInFlight ?? null,
      ratePerSecond !== undefined,
      ratePerSecond ?? null,
      clock(),
    ]);
    return row as ManagedRow;
  });
  await directory.changed(database, id);
  return saved;
}

/** What waits follows the endpoint to its new address, also of types that it has been told to ask for no more. */
async function demandReadingWaiting(transaction: Queryable, id: number, principal: Principal): Promise<void> {
  const readable = readableTypes(principal.scopes);
  if (readable.length === eventTypes.length) return;
  const [waiting] = await transaction.run(findWaitingBeyond, [id, [...readable, pingType]]);
  if (waiting !== undefined) demandReading([waiting.type], principal);
}
