import type { Static } from 'typebox';
import { hourMs } from '../../../../core/clock.ts';
import { invalid, notFound, Refusal } from '../../../../core/errors.ts';
import { leastUuidAt, publicId, uuidOfPublicId, uuidTimeMs } from '../../../../core/id.ts';
import type { Principal } from '../../../../core/principal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { tenantsSeen } from '../../../identity/tenants/visible-tenants.ts';
import { demandActive, findManaged, lockManaged, type ManagementDeps } from '../../endpoints/endpoints.ts';
import { findReadable } from '../read.ts';
import { replayedStates, type replayInput, type replayRecord } from '../schema.ts';
import { findRuns, repeatDelivery } from '../statements.ts';
import { findReplay, findRunning, insertReplay, type ReplayRow } from './statements.ts';

export interface ReplayDeps extends ManagementDeps {
  /** `app.webhook.keep-deliveries`, in ms: what became of older events is not known any more. */
  keepDeliveriesMs?: number | undefined;
}

type ReplayInput = Static<typeof replayInput>;

/** Sends again: one delivery at once, or all that happened since a time, which a worker does by and by. */
export async function replay(
  input: ReplayInput,
  principal: Principal,
  deps: ReplayDeps,
): Promise<{ deliveryId: string | null; replayId: string | null }> {
  const { deliveryId, endpointId } = input;
  if (deliveryId === undefined) {
    if (endpointId === undefined) throw invalid('deliveryId', 'Name a delivery, or an endpoint and since when.');
    return { deliveryId: null, replayId: publicId('rpl', await replayAll(endpointId, input, principal, deps)) };
  }
  const stray = (['endpointId', 'since', 'until', 'states'] as const).find((name) => input[name] !== undefined);
  if (stray !== undefined) throw invalid(stray, `${stray} does not go with deliveryId.`);
  return { deliveryId: publicId('dlv', await replayOne(deliveryId, principal, deps)), replayId: null };
}

/**
 * A new delivery of the same event under the same public id, with tries of its own. While one is under way there is
 * nothing to repeat: it is given back instead, so that asking twice sends once.
 */
async function replayOne(text: string, principal: Principal, deps: ReplayDeps): Promise<string> {
  const { database, clock } = deps;
  const row = await findReadable(database, text, principal, 'deliveryId');
  const first = row.replay_of ?? row.id;
  const id = await database.transaction(async (transaction) => {
    demandActive(await lockManaged(transaction, row.endpoint_id, principal, 'deliveryId'));
    const runs = await transaction.run(findRuns, [row.tenant_id, first]);
    const underWay = runs.find(({ state }) => state === 'OPEN');
    if (underWay !== undefined) return underWay.id;
    const [repeated] = (await transaction.run(repeatDelivery, [row.tenant_id, first, clock()])) as [{ id: string }];
    return repeated.id;
  });
  return id;
}

/** Begins to send again what happened in a stretch of time; asked for once more while that runs, it is the same one. */
async function replayAll(
  endpointId: number,
  input: ReplayInput,
  principal: Principal,
  { database, clock, drawUuid, keepDeliveriesMs }: ReplayDeps,
): Promise<string> {
  const nowMs = clock();
  const sinceMs = timeOf('since', input.since, nowMs);
  const id = drawUuid();
  // After the clock was set back, what has happened so far may bear times ahead of it: ids never run backwards.
  const untilMs = input.until === undefined ? Math.max(nowMs, uuidTimeMs(id)) : timeOf('until', input.until, nowMs);
  if (sinceMs >= untilMs) throw invalid('since', 'since must be before until.');
  demandKnown(sinceMs, nowMs, keepDeliveriesMs);
  const states = replayedStates.filter((state) => input.states === undefined || input.states.includes(state));
  const row = await database.transaction(async (transaction) => {
    const { tenant_id } = await activeEndpoint(transaction, endpointId, principal);
    const values = [tenant_id, id, endpointId, principal.userId, sinceMs, untilMs, states, leastUuidAt(sinceMs), nowMs];
    const [begun] = await transaction.run(insertReplay, values);
    return begun ?? (await transaction.run(findRunning, [endpointId]))[0];
  });
  if (row === undefined) throw new Error(`A replay of webhook ${endpointId} was neither begun nor found.`);
  const isSame =
    Date.parse(row.from_at) === sinceMs &&
    (input.until === undefined || Date.parse(row.until_at) === untilMs) &&
    row.states.join() === states.join();
  if (!isSame) {
    const replayId = publicId('rpl', row.id);
    throw new Refusal('replay_running', `Replay ${replayId} of this webhook is running: wait until it is done.`, {
      field: 'endpointId',
      details: { replayId },
    });
  }
  return row.id;
}

async function activeEndpoint(transaction: Queryable, id: number, principal: Principal) {
  const row = await lockManaged(transaction, id, principal, 'endpointId');
  demandActive(row);
  return row;
}

/** A replay that takes longer than this may find deliveries gone that were there when it was asked for. */
const replayedWithinMs = hourMs;

/** Whether an event was ever delivered can only be told as long as its deliveries are kept. */
function demandKnown(sinceMs: number, nowMs: number, keepDeliveriesMs: number | undefined): void {
  if (keepDeliveriesMs === undefined) return;
  const knownSinceMs = nowMs - keepDeliveriesMs + replayedWithinMs;
  if (sinceMs >= knownSinceMs) return;
  const knownSince = new Date(knownSinceMs).toISOString();
  throw invalid(
    'since',
    `since must not be before ${knownSince}: older deliveries are not kept (app.webhook.keep-deliveries).`,
  );
}

/** In ms. A time before the first there can be is that one; what has not happened yet cannot be sent again. */
function timeOf(field: 'since' | 'until', text: string | undefined, nowMs: number): number {
  if (text === undefined) throw invalid(field, `${field} is required with endpointId.`);
  const atMs = Date.parse(text);
  if (!(atMs <= nowMs)) throw invalid(field, `${field} must be a time in the past.`);
  return Math.max(0, atMs);
}

/** How far a replay has come. */
export async function readReplay(
  database: Queryable,
  text: string,
  principal: Principal,
): Promise<Static<typeof replayRecord>> {
  const id = uuidOfPublicId('rpl', text);
  const [row] = id === undefined ? [] : await database.run(findReplay, [await tenantsSeen(database, principal), id]);
  if (row === undefined) throw notFound('replay', text);
  await findManaged(database, row.endpoint_id, principal);
  return recordOf(row);
}

function recordOf(row: ReplayRow): Static<typeof replayRecord> {
  return {
    id: publicId('rpl', row.id),
    endpointId: row.endpoint_id,
    since: row.from_at,
    until: row.until_at,
    states: row.states,
    state: row.state,
    reachedTime: row.state === 'DONE' ? row.until_at : new Date(uuidTimeMs(row.last_event_id)).toISOString(),
    eventCount: row.looked,
    deliveryCount: row.enqueued,
    createdTime: row.created_at,
    finishedTime: row.finished_at,
  };
}
