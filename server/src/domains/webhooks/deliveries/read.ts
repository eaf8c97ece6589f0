import type { Static } from 'typebox';
import { timeRangeOf } from '../../../core/days.ts';
import { invalid, notFound } from '../../../core/errors.ts';
import { eventPatterns, pingType, readablePatterns, readableTypes } from '../../../core/event-types.ts';
import { leastUuidAt, publicId, uuidAfter, uuidOfPublicId } from '../../../core/id.ts';
import { visibleModes } from '../../../core/livemode.ts';
import { type Principal, tenantOnWire } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { type CursorList, filtersOf, readSlice, type Selection } from '../../../platform/lists/list.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { defineList, type ListRequest } from '../../identity/tenants/define-list.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import type { AddressGuard } from '../endpoints/address-guard.ts';
import { findManagedEndpoint } from '../endpoints/managed-endpoint.ts';
import { requireReadScopes } from '../endpoints/rules.ts';
import { type deliveryDetail, type deliveryListQuery, deliveryRecord } from './schema.ts';
import {
  type AttemptRow,
  type DeliveryRow,
  deliveryFilters,
  findAttempts,
  findDelivery,
  findRuns,
  hasStateIndex,
  readDeliveries,
  readDeliveriesOfState,
} from './statements.ts';

export type DeliveryRecord = Static<typeof deliveryRecord>;
type DeliveryDetail = Static<typeof deliveryDetail>;

type Query = Static<typeof deliveryListQuery>;

export const listDeliveries = defineList<Query, DeliveryRow, DeliveryRecord>({
  async find(request, { listDatabase }) {
    const { query, principal } = request;
    if (query.endpointId !== undefined) {
      await findManagedEndpoint(listDatabase, query.endpointId, principal, 'endpointId');
    }
    return deliveriesOf(request, listDatabase);
  },
  listedAs: () => recordOf,
  exported: { file: 'deliveries', shape: deliveryRecord, action: 'delivery.export' },
});

/** The deliveries, latest events first: of events that the caller may read, to endpoints that it may manage. */
function deliveriesOf(
  { query, principal, tenantIds }: ListRequest<Query>,
  database: Queryable,
): CursorList<DeliveryRow> {
  const { endpointId, state, eventType } = query;
  const eventId = eventIdOf(query);
  const [fromKey, toKey] = idRangeOf(query, eventId);
  const patterns = readablePatterns(principal.scopes);
  const isRestricted = patterns.length < eventPatterns.length;
  const given = {
    ...{ endpointId, state, eventType, eventId },
    ...(isRestricted && { patterns, readableTypes: [...readableTypes(principal.scopes), pingType] }),
    modes: visibleModes(principal, query.livemode, {
      namesRecord: [endpointId, query.eventId, query.search].some((record) => record !== undefined),
    }),
  };
  const byState = hasStateIndex(state);
  const selection: Selection = {
    tenantIds,
    fromKey,
    toKey,
    values: deliveryFilters.valuesOf(given),
    isFiltered: deliveryFilters.usedIn(given).some((name) => !(byState && name === 'state')),
    hasMode: true,
  };
  return {
    name: 'deliveries',
    filters: filtersOf(query),
    keyType: 'uuid',
    idPrefix: 'dlv',
    givesNext: true,
    read: (slice) => readSlice(database, byState ? readDeliveriesOfState : readDeliveries, selection, slice),
  };
}

/** The event of the deliveries; undefined: any. */
function eventIdOf({ eventId, search = '' }: Query): string | undefined {
  return uuidOfPublicId('evt', eventId ?? search);
}

/** The range of delivery ids to scan, end exclusive. A delivery's id begins with the time of its event. */
function idRangeOf(query: Query, eventId: string | undefined): [string, string] {
  const { fromMs, toMs } = timeRangeOf(query);
  const ranges = [
    [leastUuidAt(fromMs), leastUuidAt(toMs)] as const,
    ...(eventId === undefined ? [] : [idsNear(eventId)]),
    ...(query.search === undefined ? [] : [idsSearched(query.search, query.eventId)]),
  ];
  const from = ranges
    .map(([first]) => first)
    .toSorted()
    .at(-1) as string;
  const to = ranges.map(([, end]) => end).toSorted()[0] as string;
  return [from, to];
}

/** The ids of a delivery or of an event's deliveries. */
function idsSearched(search: string, eventId: string | undefined): readonly [string, string] {
  const delivery = uuidOfPublicId('dlv', search);
  if (delivery !== undefined) return [delivery, uuidAfter(delivery)];
  const event = uuidOfPublicId('evt', search);
  if (event === undefined) throw invalid('search', rule('delivery_search'));
  if (eventId !== undefined && eventId !== search) throw invalid('search', rule('leave_out', { other: 'eventId' }));
  return idsNear(event);
}

/** All ids of the event's millisecond. */
const idsNear = (eventId: string) =>
  [`${eventId.slice(0, 13)}-0000-0000-000000000000`, `${eventId.slice(0, 13)}-ffff-ffff-ffffffffffff`] as const;

/**
 * A delivery with its attempts and the other deliveries that were sent under the same id, all of one moment: a delivery
 * that is being tried lists as many attempts as it counts.
 */
export function readDelivery(
  database: Pick<Database, 'snapshot'>,
  id: string,
  principal: Principal,
  guard: Pick<AddressGuard, 'keepsAnswersOf'>,
): Promise<DeliveryDetail> {
  return database.snapshot(async (snapshot) => {
    const row = await findReadable(snapshot, id, principal);
    const attempts = await snapshot.run(findAttempts, [row.tenant_id, row.id]);
    const runs = await snapshot.run(findRuns, [row.tenant_id, row.replay_of ?? row.id]);
    return {
      ...recordOf(row),
      attempts: attempts.map((attempt) => attemptOf(attempt, guard)),
      runs: runs.map((run) => ({ id: publicId('dlv', run.id), state: run.state, createdTime: run.created_at })),
    };
  });
}

/** The delivery with this public id, if the caller may read its event and manage its endpoint. */
export async function findReadable(
  database: Queryable,
  text: string,
  principal: Principal,
  field = 'id',
): Promise<DeliveryRow> {
  const id = uuidOfPublicId('dlv', text);
  if (id === undefined) throw notFound('delivery', text, field);
  const [row] = await database.run(findDelivery, [await visibleTenants(database, principal), id]);
  if (row === undefined) throw notFound('delivery', text, field);
  await findManagedEndpoint(database, row.endpoint_id, principal, field);
  // The endpoint may subscribe to fewer types by now, so that managing it does not imply reading this one.
  requireReadScopes([row.type], principal);
  return row;
}

export function recordOf(row: DeliveryRow): DeliveryRecord {
  return {
    id: publicId('dlv', row.id),
    sentAs: publicId('dlv', row.replay_of ?? row.id),
    tenantId: tenantOnWire(row.tenant_id),
    endpointId: row.endpoint_id,
    livemode: row.livemode,
    url: row.url,
    eventId: publicId('evt', row.event_id),
    eventType: row.type,
    objectId: row.object_id,
    state: row.state,
    attemptCount: row.attempts,
    lastStatus: row.last_status,
    lastOutcome: row.last_outcome,
    nextAttemptTime: row.state === 'OPEN' ? row.due_at : null,
    createdTime: row.created_at,
    finishedTime: row.finished_at,
  };
}

function attemptOf(row: AttemptRow, guard: Pick<AddressGuard, 'keepsAnswersOf'>): DeliveryDetail['attempts'][number] {
  // Older versions kept every answer.
  const isShown = row.address !== null && guard.keepsAnswersOf(row.address);
  return {
    number: row.number,
    time: row.attempted_at,
    durationMs: row.duration_ms,
    status: row.status,
    outcome: row.outcome,
    resent: row.resent,
    address: row.address,
    responseHeaders: isShown ? row.response_headers : null,
    responseBody: isShown && row.response_body !== null ? row.response_body.toString('utf8') : null,
  };
}
