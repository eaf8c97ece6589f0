import type { EventType, SentType } from '../../../core/event-types.ts';
import { publicId, uuidTimeMs } from '../../../core/id.ts';
import { byteaArray } from '../../../platform/postgres/array-literal.ts';
import { columns } from '../../../platform/postgres/columns.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type Relation, relation, same } from '../../../platform/postgres/relation.ts';
import { statement, type Topic, type Wake } from '../../../platform/postgres/statement.ts';
import { deliveriesDue, enqueueDeliveries } from '../delivery-queue/enqueue.cte.ts';
import { digestFor } from './digests.ts';

/** For statements that append events and return the number of deliveries: wakes the senders if there are any. */
export const wakesDeliveries: Wake<{ deliveries: number }> = {
  topic: deliveriesDue,
  when: (rows) => rows.some(({ deliveries }) => deliveries > 0),
};

/** Events were written: streams have something to show. */
export const eventsWritten: Topic = 'events';

/** For statements that append an event for each of their rows. */
export const wakesStreams: Wake<unknown> = { topic: eventsWritten, when: (rows) => rows.length > 0 };

/** An event that is not written yet. */
export interface EventDraft {
  tenantId: number;
  id: string;
  /** The mode of the record that the event is about. */
  livemode: boolean;
  type: EventType;
  /** The public id of the record that the event is about. */
  objectId: string;
  createdMs: number;
  /** The exact bytes that every receiver gets; never rendered again. */
  body: string;
}

/** The version of the interface whose records the payloads show. Within it fields are only added. */
export const payloadVersion = '1.0.1';

/** What an event's body says before the record. */
type EventHead = Pick<EventDraft, 'id' | 'createdMs' | 'livemode'> & { type: SentType };

/**
 * The payload (interface, Events, Payload): id, type, created in Unix seconds, data.object; besides apiVersion and
 * livemode.
 */
export function eventBody({ id, type, createdMs, livemode }: EventHead, object: object): string {
  const created = Math.floor(createdMs / 1000);
  return JSON.stringify({
    ...{ id: publicId('evt', id), type, created, apiVersion: payloadVersion, livemode },
    data: { object },
  });
}

/** The record that an event shows. */
export function objectOf(body: string): unknown {
  return JSON.parse(body).data.object;
}

/** The record that an event is about, with the mode that it has. */
export interface EventSubject {
  tenantId: number;
  livemode: boolean;
  objectId: string;
  object: object;
}

/** An event about a record as its detail route shows it, created at the time of the event's id. */
export function eventDraft(
  type: EventType,
  { tenantId, livemode, objectId, object }: EventSubject,
  id: string,
): EventDraft {
  const createdMs = uuidTimeMs(id);
  const body = eventBody({ id, type, createdMs, livemode }, object);
  return { tenantId, livemode, id, type, objectId, createdMs, body };
}

/**
 * SQL for a digest without a key: the first 8 bytes of the body's SHA-256. Older releases made it for every event; now
 * it stands where nothing has a key, such as in a test without a node.
 */
export const unkeyedDigestOf = (body: string) => `substring(sha256(convert_to(${body}, 'UTF8')) for 8)`;

/** Events to write: the columns of `EventDraft`, and `digest` (`digestFor`). */
type Drafts = Relation<'tenant_id' | 'id' | 'livemode' | 'type' | 'object_id' | 'created_at' | 'body' | 'digest'>;

/**
 * The outbox: CTEs that write events, and for each event one delivery to every active endpoint of its tenant and mode
 * that subscribes to its type. They belong in the statement of the change itself, so that a change and its events are
 * written together or not at all. Later CTEs may read `event_subscribers` and `enqueued`.
 */
export const appendEventDrafts = (drafts: Drafts) => `
  event_subscribers as materialized (
    select tenant_id, livemode, type,
           array(select endpoint.id from webhook_endpoint endpoint
                  where endpoint.tenant_id = event_type.tenant_id and endpoint.state
                    and endpoint.livemode = event_type.livemode
                    and endpoint.events && array['*', split_part(event_type.type, '.', 1) || '.*', event_type.type])
                        as endpoints
      from (select distinct tenant_id, livemode, type from ${drafts.name}) as event_type
  ),
  routed_event as (
    select draft.tenant_id, draft.id, draft.livemode, draft.type, draft.object_id, draft.created_at, draft.body,
           draft.digest, event_subscribers.endpoints
      from ${drafts.name} as draft
      join event_subscribers on event_subscribers.tenant_id = draft.tenant_id
       and event_subscribers.livemode = draft.livemode and event_subscribers.type = draft.type
  ),
  recorded as (
    insert into event (tenant_id, id, livemode, type, object_id, created_at, body, deliveries, digest)
    select tenant_id, id, livemode, type, object_id, created_at, body, cardinality(endpoints),
        coalesce(digest, ${unkeyedDigestOf('body')})
      from routed_event
  ),
  enqueued as (
    ${enqueueDeliveries(
      { tenantId: 'tenant_id', eventId: 'id', endpointId: 'endpoint_id', createdAt: 'created_at' },
      'routed_event cross join lateral unnest(endpoints) as endpoint_id',
    )}
    returning 1
  )`;

const oneDraft = relation(
  'event_draft',
  {
    tenant_id: '$1::bigint',
    id: '$2::uuid',
    type: '$3::text',
    object_id: '$4::text',
    created_at: 'to_timestamp($5::float8 / 1000)',
    body: '$6::text',
    livemode: '$7::boolean',
    digest: '$8::bytea',
  },
  '',
);

const insertEvent = statement<{ deliveries: number }>(
  'events.insert',
  `with ${oneDraft.cte}, ${appendEventDrafts(oneDraft)}
   select (select count(*) from enqueued) as deliveries`,
  { wakes: [wakesDeliveries, wakesStreams] },
);

/** Records an event and its deliveries, in the transaction of the change itself. Returns the number of deliveries. */
export async function appendEvent(transaction: Queryable, event: EventDraft): Promise<number> {
  const { tenantId, id, type, objectId, createdMs, body, livemode } = event;
  const values = [tenantId, id, type, objectId, createdMs, body, livemode, digestFor(transaction, event)];
  const [row] = await transaction.run(insertEvent, values);
  return row?.deliveries ?? 0;
}

const eventColumns = columns<EventDraft>([
  ['tenant_id', 'bigint', ({ tenantId }) => tenantId],
  ['id', 'uuid', ({ id }) => id],
  ['livemode', 'boolean', ({ livemode }) => livemode],
  ['type', 'text', ({ type }) => type],
  ['object_id', 'text', ({ objectId }) => objectId],
  ['created_ms', 'float8', ({ createdMs }) => createdMs],
  ['body', 'text', ({ body }) => body],
]);

const manyDrafts = relation(
  'event_draft',
  {
    ...same(['tenant_id', 'id', 'livemode', 'type', 'object_id']),
    created_at: 'to_timestamp(created_ms / 1000)',
    ...same(['body', 'digest']),
  },
  `from (${eventColumns.relation([['digest', 'bytea']])}) as draft`,
);

const insertEvents = statement<{ deliveries: number }>(
  'events.insert_many',
  `with ${manyDrafts.cte}, ${appendEventDrafts(manyDrafts)}
   select (select count(*) from enqueued) as deliveries`,
  { wakes: [wakesDeliveries, wakesStreams] },
);

/** Records many events and their deliveries with one statement. Returns the number of deliveries. */
export async function appendEvents(transaction: Queryable, events: readonly EventDraft[]): Promise<number> {
  if (events.length === 0) return 0;
  const digests = byteaArray(events.map((event) => digestFor(transaction, event)));
  const [row] = await transaction.run(insertEvents, [...eventColumns.parametersOf(events), digests]);
  return row?.deliveries ?? 0;
}

/** An event for one endpoint only, whatever its subscriptions. */
export interface DirectEventDraft extends Omit<EventDraft, 'type'> {
  type: SentType;
  endpointId: number;
}

const insertEventForEndpoint = statement<{ id: string }>(
  'events.insert_for_endpoint',
  `with event_draft as (
     select $1::bigint as tenant_id, $2::uuid as id, to_timestamp($5::float8 / 1000) as created_at
   ), recorded as (
     insert into event (tenant_id, id, livemode, type, object_id, created_at, body, deliveries, digest)
     select tenant_id, id, $8::boolean, $3, $4, created_at, $6, 1, coalesce($9::bytea, ${unkeyedDigestOf('$6::text')})
       from event_draft
   )
   ${enqueueDeliveries(
     { tenantId: 'tenant_id', eventId: 'id', endpointId: '$7', createdAt: 'created_at' },
     'event_draft',
   )}
   returning id`,
  { wakes: [{ topic: deliveriesDue }] },
);

/** Records an event with one delivery, and returns the id of the delivery. */
export async function appendEventForEndpoint(transaction: Queryable, event: DirectEventDraft): Promise<string> {
  const { tenantId, id, type, objectId, createdMs, body, endpointId, livemode } = event;
  const digest = digestFor(transaction, event);
  const values = [tenantId, id, type, objectId, createdMs, body, endpointId, livemode, digest];
  const [row] = (await transaction.run(insertEventForEndpoint, values)) as [{ id: string }];
  return row.id;
}
