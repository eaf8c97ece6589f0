import type { Clock } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { DisputeNotices } from '../disputes/notices.ts';
import type { MethodNotices } from '../methods/notices.ts';
import { makeOperationsDue } from '../operation-queue/statements.ts';
import { isManualCharge } from '../operations/discrepancies/rules.ts';
import type { FinishedRechecker } from '../operations/recheck-finished.ts';
import { parseOperationKey } from '../operations/rules.ts';
import type { Settler } from '../operations/settle.ts';
import { findByKey, findByReference, type OperationRow } from '../operations/statements.ts';
import { isFinished } from '../operations/states.ts';
import { addTimelineMessage } from '../transactions/timeline-message-statements.ts';
import type { CallbackContent } from './rules.ts';
import { type DueCallback, type Identifier, makeEarlierDue } from './statements.ts';

export interface CallbackSettlerDeps {
  database: Queryable;
  settler: Settler;
  rechecker: Pick<FinishedRechecker, 'recheck'>;
  methodNotices: Pick<MethodNotices, 'settle'>;
  disputeNotices: Pick<DisputeNotices, 'settle'>;
  clock: Clock;
}

/**
 * `unknown`: the channel has no such operation, at least not yet, or the provider did not answer a look-up; retry by
 * `retryWaitsMs`. `busy`: the operation is being called or looked up, and its answer may be older than the callback, or
 * earlier callbacks of the operation must be settled first; retry soon.
 */
export type SettleResult = 'settled' | 'unknown' | 'busy';

/**
 * Settles the operation of a callback, or has it looked up. Repeating it is harmless: a final state never moves
 * backwards (`processing/settle.ts`), and the timeline message has the id of the callback.
 */
export async function settleCallback(callback: DueCallback, deps: CallbackSettlerDeps): Promise<SettleResult> {
  const { notice: content, channel_id } = callback;
  const { of, money } = content;
  if (of !== undefined) return deps.methodNotices.settle(channel_id, { ...content, of });
  const isOfOperation = content.key !== null || content.reference !== null;
  const found = isOfOperation ? await findOperation(content, channel_id, deps.database) : undefined;
  const result = found === undefined ? 'unknown' : await settleOperation(callback, found, deps);
  if (money === undefined || result === 'busy') return result;
  // A charge that ends only now has no disputes yet.
  if (money.of === 'CHARGE' && found !== undefined && !isFinished(found.operation.state)) return result;
  const followed = await deps.disputeNotices.settle(channel_id, money);
  return followed === 'settled' && found !== undefined ? result : followed;
}

async function settleOperation(
  callback: DueCallback,
  { operation, identifier }: FoundOperation,
  deps: CallbackSettlerDeps,
): Promise<SettleResult> {
  const { notice: content, channel_id, event_id } = callback;
  const earlier = await deps.database.run(makeEarlierDue[identifier], [channel_id, event_id, deps.clock()]);
  if (earlier.length > 0) return 'busy';
  const detail = { eventId: event_id, said: content.said };
  const message = { id: callback.id, atMs: deps.clock(), kind: 'callback', detail } as const;
  await addTimelineMessage(deps.database, operation, message);
  const { said: kind, reference, livemode } = content;
  const reported = isManualCharge(operation) ? null : content.outcome;
  const report = { kind, reference, ...(livemode !== undefined && { livemode }), ...reported };
  if (await deps.settler.reportDifference(operation, report, 'callback')) return 'settled';
  // The callback does not say what the charge has kept, nor what was captured of it in all.
  const mustLookUp =
    isManualCharge(operation) || (operation.save_method !== null && content.outcome?.kind === 'succeeded');
  if (content.outcome !== null && !mustLookUp) {
    await deps.settler.settle(operation, content.outcome, 'callback');
    return 'settled';
  }
  return content.said === 'changed' || mustLookUp ? lookUp(operation, content.reference, deps) : 'settled';
}

interface FoundOperation {
  operation: OperationRow;
  identifier: Identifier;
}

/** Finds only operations of this channel: its secret authenticates nothing about the operations of others. */
async function findOperation(
  { key, reference }: CallbackContent,
  channelId: number,
  database: Queryable,
): Promise<FoundOperation | undefined> {
  const parsed = key === null ? undefined : parseOperationKey(key);
  if (parsed !== undefined) {
    const [operation] = await database.run(findByKey, [channelId, parsed.transactionId, parsed.number]);
    if (operation !== undefined) return { operation, identifier: 'key' };
  }
  if (reference === null) return undefined;
  // Cancellations and releases have the reference of their charge; a callback with that reference is about the charge.
  const found = await database.run(findByReference, [channelId, reference]);
  const rows = found.filter(({ kind }) => kind !== 'CANCEL' && kind !== 'RELEASE');
  const operation = rows.find(({ state }) => !isFinished(state)) ?? rows.at(-1);
  return operation && { operation, identifier: 'reference' };
}

/**
 * Makes every open operation of the payment due for a look-up, because some providers report changes of refunds under
 * the id of the payment. Also looks up what has ended, because a closed payment may have been paid, or a refund have
 * failed.
 */
async function lookUp(
  operation: OperationRow,
  reference: string | null,
  { database, clock, rechecker }: CallbackSettlerDeps,
): Promise<SettleResult> {
  const open = await database.run(makeOperationsDue, [operation.tenant_id, operation.id, clock()]);
  const rechecked = await rechecker.recheck(operation, reference);
  if (rechecked === 'unknown') return 'unknown';
  return rechecked === 'busy' || open.some(({ is_leased }) => is_leased) ? 'busy' : 'settled';
}
