import type { Clock } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { RefundRechecker } from '../processing/recheck-refunds.ts';
import { parseOperationKey } from '../processing/rules.ts';
import type { Settler } from '../processing/settle.ts';
import { findByKey, findByReference, makeOperationsDue, type OperationRow } from '../processing/statements.ts';
import { isFinished } from '../processing/states.ts';
import { addNotesTo } from '../transactions/timeline-messages.ts';
import type { CallbackContent } from './rules.ts';
import { callUpEarlier, type DueCallback, type NoticeName } from './statements.ts';

export interface CallbackSettlerDeps {
  database: Queryable;
  settler: Settler;
  /** Asks again about refunds that have succeeded. */
  rechecker: Pick<RefundRechecker, 'recheck'>;
  clock: Clock;
}

/**
 * `unknown`: nothing of this channel is known by what it names, not yet at least, or its provider does not answer. `busy`: an
 * operation of the payment is being asked for at this moment, and the answer may be older than the callback; or earlier
 * callbacks go first.
 */
export type Settled = 'settled' | 'unknown' | 'busy';

/**
 * Does what a callback asks for. Doing it twice does no harm, and neither does doing it late: a final state is never moved
 * backwards (`processing/settle.ts`), and the note is the callback's own.
 */
export async function settleCallback(callback: DueCallback, deps: CallbackSettlerDeps): Promise<Settled> {
  const { notice, channel_id } = callback;
  const found = await operationNamed(notice, channel_id, deps.database);
  if (found === undefined) return 'unknown';
  const { operation, name } = found;
  const earlier = await deps.database.run(callUpEarlier[name], [channel_id, callback.event_id, deps.clock()]);
  if (earlier.length > 0) return 'busy';
  await noteOnTimeline(callback, operation, deps);
  if (notice.outcome !== null) {
    await deps.settler.settle(operation, notice.outcome, 'callback');
    return 'settled';
  }
  return notice.said === 'changed' ? lookUp(operation, deps) : 'settled';
}

/** Only what was asked through this very channel: whoever has its secret can say nothing of others. */
async function operationNamed(
  { key, reference }: CallbackContent,
  channelId: number,
  database: Queryable,
): Promise<{ operation: OperationRow; name: NoticeName } | undefined> {
  const ours = key === null ? undefined : parseOperationKey(key);
  if (ours !== undefined) {
    const [row] = await database.run(findByKey, [channelId, ours.transactionId, ours.number]);
    if (row !== undefined) return { operation: row, name: 'key' };
  }
  if (reference === null) return undefined;
  // A cancellation bears the id of its charge, and what is said under that id is said of the charge.
  const rows = (await database.run(findByReference, [channelId, reference])).filter(({ kind }) => kind !== 'CANCEL');
  const operation = rows.find(({ state }) => !isFinished(state)) ?? rows.at(-1);
  return operation && { operation, name: 'reference' };
}

async function noteOnTimeline(
  { id, event_id: eventId, notice: { said } }: DueCallback,
  { tenant_id: tenantId, id: transactionId, number: operation }: OperationRow,
  { database, clock }: CallbackSettlerDeps,
): Promise<void> {
  const detail = { eventId, said };
  await addNotesTo(database, [{ tenantId, transactionId, id, atMs: clock(), kind: 'callback', operation, detail }]);
}

/**
 * Every open operation of the payment: some providers tell of its refunds under the payment's own id. And refunds that have
 * succeeded: what has changed may be that one came back.
 */
async function lookUp(operation: OperationRow, { database, clock, rechecker }: CallbackSettlerDeps): Promise<Settled> {
  const madeDue = await database.run(makeOperationsDue, [operation.tenant_id, operation.id, clock()]);
  const rechecked = await rechecker.recheck(operation);
  if (rechecked === 'unknown') return 'unknown';
  return rechecked === 'busy' || madeDue.some(({ is_leased }) => is_leased) ? 'busy' : 'settled';
}
