import type { Static } from 'typebox';
import { hourMs } from '../../../../core/clock.ts';
import { invalid, Refusal } from '../../../../core/errors.ts';
import { leastUuidAt, publicId, uuidTimeMs } from '../../../../core/id.ts';
import type { Principal } from '../../../../core/principal.ts';
import { rule } from '../../../../core/refusal-rules.ts';
import type { Call } from '../../../../platform/http/route.ts';
import { appendAudit } from '../../../identity/audit/append.ts';
import type { WebhooksApp } from '../../app.ts';
import { lockManagedEndpoint, requireActive } from '../../endpoints/managed-endpoint.ts';
import { findReadable } from '../read.ts';
import { replayedStates, type replayInput } from '../schema.ts';
import { findRuns, replayDelivery } from '../statements.ts';
import { findRunning, insertReplay, lockReplays, type ReplayRow } from './statements.ts';

type ReplayInput = Static<typeof replayInput>;

/**
 * Replays one delivery at once, or creates a replay of all events of an endpoint since a time, which a worker performs.
 */
export async function createReplay(
  { body: input, principal }: Call<ReplayInput>,
  app: WebhooksApp,
): Promise<{ deliveryId: string | null; replayId: string | null }> {
  const { deliveryId, endpointId } = input;
  if (deliveryId === undefined) {
    if (endpointId === undefined) throw invalid('deliveryId', rule('delivery_or_endpoint'));
    return { deliveryId: null, replayId: publicId('rpl', await replayEvents(endpointId, input, principal, app)) };
  }
  const extra = (['endpointId', 'since', 'until', 'states'] as const).find((name) => input[name] !== undefined);
  if (extra !== undefined) throw invalid(extra, rule('not_with_delivery'));
  return { deliveryId: publicId('dlv', await replayOne(deliveryId, principal, app)), replayId: null };
}

/**
 * Enqueues a new delivery of the same event under the same public id, with retries of its own. If one is still open,
 * returns that one instead, so that a repeated request sends only once.
 */
async function replayOne(text: string, principal: Principal, app: WebhooksApp): Promise<string> {
  const { database, clock } = app;
  const row = await findReadable(database, text, principal, 'deliveryId');
  const firstId = row.replay_of ?? row.id;
  return database.transaction(async (transaction) => {
    requireActive(await lockManagedEndpoint(transaction, row.endpoint_id, principal, 'deliveryId'));
    const runs = await transaction.run(findRuns, [row.tenant_id, firstId]);
    const open = runs.find(({ state }) => state === 'OPEN');
    if (open !== undefined) return open.id;
    const [enqueued] = (await transaction.run(replayDelivery, [row.tenant_id, firstId, clock()])) as [{ id: string }];
    await appendAudit(transaction, principal, {
      action: 'delivery.replay',
      tenantId: row.tenant_id,
      recordId: publicId('dlv', firstId),
      details: { endpointId: row.endpoint_id },
    });
    return enqueued.id;
  });
}

/**
 * Creates a replay of the events between two times. A tenant has one at a time: the same request while it is running
 * returns the same replay, another one is refused.
 */
async function replayEvents(
  endpointId: number,
  input: ReplayInput,
  principal: Principal,
  { database, clock, generateUuid, keepDeliveriesMs }: WebhooksApp,
): Promise<string> {
  const nowMs = clock();
  const sinceMs = timeOf('since', input.since, nowMs);
  const id = generateUuid();
  // Ids never run backwards, so after the clock was set back those of past events may contain later times than now.
  const untilMs = input.until === undefined ? Math.max(nowMs, uuidTimeMs(id)) : timeOf('until', input.until, nowMs);
  if (sinceMs >= untilMs) throw invalid('since', rule('before', { other: 'until' }));
  requireKeptDeliveries(sinceMs, nowMs, keepDeliveriesMs);
  const states = replayedStates.filter((state) => input.states === undefined || input.states.includes(state));
  const row = await database.transaction(async (transaction) => {
    const endpoint = await lockManagedEndpoint(transaction, endpointId, principal, 'endpointId');
    requireActive(endpoint);
    const { tenant_id: tenantId } = endpoint;
    await transaction.run(lockReplays, [tenantId]);
    const [running] = await transaction.run(findRunning, [tenantId, endpointId]);
    if (running !== undefined) return running;
    const [inserted] = await transaction.run(insertReplay, [
      tenantId,
      id,
      endpointId,
      principal.userId,
      sinceMs,
      untilMs,
      states,
      leastUuidAt(sinceMs),
      nowMs,
    ]);
    if (inserted === undefined) return undefined;
    await appendAudit(transaction, principal, {
      action: 'webhook.replay',
      tenantId,
      recordId: endpointId,
      details: { replayId: publicId('rpl', id), since: inserted.from_at, until: inserted.until_at, states },
    });
    return inserted;
  });
  if (row === undefined) throw new Error(`A replay of webhook ${endpointId} was neither inserted nor found.`);
  const isSame =
    row.endpoint_id === endpointId &&
    Date.parse(row.from_at) === sinceMs &&
    (input.until === undefined || Date.parse(row.until_at) === untilMs) &&
    row.states.join() === states.join();
  if (!isSame) throw runningReplay(row);
  return row.id;
}

function runningReplay(row: ReplayRow): Refusal {
  const replayId = publicId('rpl', row.id);
  return new Refusal('replay_running', rule('replay_running', { replayId, webhookId: row.endpoint_id }), {
    field: 'endpointId',
  });
}

/** A replay that takes longer than this may find deliveries deleted that existed when it was created. */
const maxReplayMs = hourMs;

/** Refuses a time from which deliveries may have been deleted: whether those events were delivered is unknown. */
function requireKeptDeliveries(sinceMs: number, nowMs: number, keepDeliveriesMs: number | undefined): void {
  if (keepDeliveriesMs === undefined) return;
  const keptSinceMs = nowMs - keepDeliveriesMs + maxReplayMs;
  if (sinceMs >= keptSinceMs) return;
  const keptSince = new Date(keptSinceMs).toISOString();
  throw invalid('since', rule('deliveries_kept_since', { time: keptSince }));
}

/** A past time in ms, at least 0. */
function timeOf(field: 'since' | 'until', text: string | undefined, nowMs: number): number {
  if (text === undefined) throw invalid(field, rule('required_with', { other: 'endpointId' }));
  const atMs = Date.parse(text);
  if (!(atMs <= nowMs)) throw invalid(field, rule('past_time'));
  return Math.max(0, atMs);
}
