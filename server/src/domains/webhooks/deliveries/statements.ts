import type { SentType } from '../../../core/event-types.ts';
import { listFilters } from '../../../platform/lists/filters.ts';
import { firstFilter, type RowSource, readStatement } from '../../../platform/lists/list-statements.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { belongsToEvents, deliveriesDue, enqueueDeliveries } from '../delivery-queue/enqueue.cte.ts';

export const deliveryStates = ['OPEN', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Few deliveries have these states: an index finds them. */
const indexedStates: readonly DeliveryState[] = ['FAILED', 'CANCELLED'];

export const hasStateIndex = (state: DeliveryState | undefined) => state !== undefined && indexedStates.includes(state);

export interface DeliveryRow {
  tenant_id: number;
  id: string;
  event_id: string;
  endpoint_id: number;
  livemode: boolean;
  state: DeliveryState;
  attempts: number;
  due_at: string;
  created_at: string;
  finished_at: string | null;
  replay_of: string | null;
  type: SentType;
  object_id: string;
  url: string;
  last_status: number | null;
  last_outcome: string | null;
}

const columns = `d.tenant_id, d.id, d.event_id, d.endpoint_id, d.state, d.attempts, d.due_at, d.created_at,
    d.finished_at,
          d.replay_of, event.type, event.object_id, endpoint.url, endpoint.livemode, last.status as last_status,
          last.outcome as last_outcome`;

/** Joins the event, the endpoint and the last attempt of a delivery `d`. */
const joined = `
          join event on event.tenant_id = d.tenant_id and event.id = d.event_id
          join webhook_endpoint endpoint on endpoint.id = d.endpoint_id
          left join delivery_attempt last
            on last.tenant_id = d.tenant_id and last.delivery_id = d.id and last.number = d.attempts`;

/** The filters of the list, on `delivery d`. */
export const deliveryFilters = listFilters({
  endpointId: { type: 'bigint', condition: (value) => `d.endpoint_id = ${value}` },
  state: { type: 'text', condition: (value) => `d.state = ${value}` },
  eventId: { type: 'uuid', condition: (value) => `d.event_id = ${value}` },
  eventType: { type: 'text', condition: (value) => ofEvent(`event.type = ${value}`) },
  /** The types that the caller may read; null: all. */
  readableTypes: { type: 'text[]', condition: (value) => ofEvent(`event.type = any (${value})`) },
  /** The subscriptions of the endpoints that the caller may manage; null: all. */
  patterns: { type: 'text[]', condition: (value) => toEndpoint(`endpoint.events <@ ${value}`) },
  modes: { type: 'boolean[]', condition: (value) => toEndpoint(`endpoint.livemode = any (${value})`), isMode: true },
});

function ofEvent(condition: string): string {
  return `exists (select from event where event.tenant_id = d.tenant_id and event.id = d.event_id and ${condition})`;
}

function toEndpoint(condition: string): string {
  return `exists (select from webhook_endpoint endpoint where endpoint.id = d.endpoint_id and ${condition})`;
}

const source: RowSource = { from: 'delivery d', alias: 'd', key: 'uuid', joins: joined };

const ofState = deliveryFilters.conditionOf('state', firstFilter);

/** Deliveries of a state that has an index (`hasStateIndex`), latest events first. */
export const readDeliveriesOfState = readStatement<DeliveryRow>(
  'deliveries.read_of_state',
  { ...source, condition: `${ofState} and d.state in (${indexedStates.map((state) => `'${state}'`).join(', ')})` },
  columns,
  deliveryFilters,
);

/** Deliveries, latest events first. */
export const readDeliveries = readStatement<DeliveryRow>('deliveries.read_all', source, columns, deliveryFilters);

/** Finds a delivery in any of the given tenants. Values: tenants, id. */
export const findDelivery = statement<DeliveryRow>(
  'deliveries.find_delivery',
  `select ${columns}
     from unnest($1::bigint[]) as seen (tenant_id)
     join delivery d on d.tenant_id = seen.tenant_id and d.id = $2 ${joined}`,
);

/** A delivery and its replays, oldest first. Values: tenant, id of the first delivery. */
export const findRuns = statement<{ id: string; state: DeliveryState; created_at: string }>(
  'deliveries.find_runs',
  `select id, state, created_at from delivery d
    where tenant_id = $1 and ${belongsToEvents('id', '$2::uuid', '$2::uuid')}
        and (id = $2::uuid or replay_of = $2::uuid)
    order by created_at, id`,
);

export interface AttemptRow {
  number: number;
  attempted_at: string;
  duration_ms: number;
  status: number | null;
  outcome: string;
  resent: boolean;
  address: string | null;
  response_headers: Record<string, string | string[]> | null;
  response_body: Buffer | null;
}

/** Values: tenant, delivery. */
export const findAttempts = statement<AttemptRow>(
  'deliveries.find_attempts',
  `select number, attempted_at, duration_ms, status, outcome, resent, address, response_headers, response_body
     from delivery_attempt where tenant_id = $1 and delivery_id = $2 order by number`,
);

/**
 * Enqueues a replay of a delivery, to be sent under its public id. Values: tenant, id of the first delivery, now in ms.
 */
export const replayDelivery = statement<{ id: string }>(
  'deliveries.replay_delivery',
  `${enqueueDeliveries(
    {
      tenantId: 'tenant_id',
      eventId: 'event_id',
      endpointId: 'endpoint_id',
      createdAt: 'to_timestamp($3::float8 / 1000)',
      replayOf: 'id',
    },
    'delivery where tenant_id = $1 and id = $2',
  )}
   returning id`,
  { wakes: [{ topic: deliveriesDue }] },
);

/** Counting stops here: beyond it the exact number does not matter, and the query stays cheap. */
const maxCounted = 100_000;

/**
 * Counts open and due deliveries, and finds the oldest due one of an endpoint that is not failing. Value: now in ms.
 */
export const countBacklog = statement<{ open: number; due: number; oldest_ms: number | null }>(
  'deliveries.backlog',
  `select (select count(*) from (select from delivery where state = 'OPEN' limit ${maxCounted}) as counted) as open,
          (select count(*) from (
             select from delivery where state = 'OPEN' and due_at <= to_timestamp($1::float8 / 1000) limit ${maxCounted}
           ) as counted) as due,
          (select (extract(epoch from min(oldest.due_at)) * 1000)::float8
             from webhook_endpoint endpoint
            cross join lateral (
              select due_at from delivery where endpoint_id = endpoint.id and state = 'OPEN' order by due_at limit 1
            ) as oldest
            where endpoint.state and endpoint.first_failure_at is null) as oldest_ms`,
);
