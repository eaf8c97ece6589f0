import type { SentType } from '../../../core/event-types.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { belongsToEvents, deliveriesDue, enqueueDeliveries } from '../delivery-queue/enqueue.cte.ts';

export const deliveryStates = ['OPEN', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

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

const columns = `d.tenant_id, d.id, d.event_id, d.endpoint_id, d.state, d.attempts, d.due_at, d.created_at, d.finished_at,
          d.replay_of, event.type, event.object_id, endpoint.url, endpoint.livemode, last.status as last_status,
          last.outcome as last_outcome`;

/** Joins the event, the endpoint and the last attempt of a delivery `d`. */
const joined = `
          join event on event.tenant_id = d.tenant_id and event.id = d.event_id
          join webhook_endpoint endpoint on endpoint.id = d.endpoint_id
          left join delivery_attempt last
            on last.tenant_id = d.tenant_id and last.delivery_id = d.id and last.number = d.attempts`;

/**
 * A page of deliveries, latest events first. It scans at most $5 deliveries of each tenant and returns those that match.
 * `bound`, the same in every row, is the id where the scan stopped early (null: it reached the end); the page is complete
 * down to it. A page without deliveries is one row without an id.
 *
 * Values: tenants, first id, id before which to end, a state that has a partial index (null: scan all states), how many to
 * scan; then the filters endpoint, state, event type, event, patterns that the endpoint may subscribe to (null: any); how
 * many to return; types that the event may have (null: any); modes that the endpoint may have.
 */
export const listDeliveries = statement<DeliveryRow & { bound: string | null }>(
  'deliveries.list_deliveries',
  `with scanned as materialized (
     select near.*
       from unnest($1::bigint[]) as seen (tenant_id)
      cross join lateral (
        select tenant_id, id, event_id, endpoint_id, state from delivery
         where tenant_id = seen.tenant_id and id >= $2::uuid and id < $3::uuid
           and ($4::text is null or (state = $4::text and state in ('FAILED', 'CANCELLED')))
         order by id desc limit $5::int
      ) as near
   ), bound as (
     select max(lowest)::uuid as id
       from (select min(id::text) as lowest from scanned group by tenant_id having count(*) = $5::int) as full_scan
   ), page as materialized (
     select scanned.tenant_id, scanned.id
       from scanned cross join bound
      where (bound.id is null or scanned.id >= bound.id)
        and ($6::bigint is null or scanned.endpoint_id = $6)
        and ($7::text is null or scanned.state = $7)
        and ($9::uuid is null or scanned.event_id = $9)
        and ($8::text is null or exists (
          select from event
           where event.tenant_id = scanned.tenant_id and event.id = scanned.event_id and event.type = $8))
        and exists (
          select from webhook_endpoint endpoint
           where endpoint.id = scanned.endpoint_id and endpoint.livemode = any ($13::boolean[])
             and ($10::text[] is null or endpoint.events <@ $10::text[]))
        and ($12::text[] is null or exists (
          select from event
           where event.tenant_id = scanned.tenant_id and event.id = scanned.event_id and event.type = any ($12)))
      order by scanned.id desc limit $11::int
   )
   select row.*, bound.id as bound
     from bound
     left join (
       select ${columns}
         from page join delivery d on d.tenant_id = page.tenant_id and d.id = page.id ${joined}
     ) as row on true
    order by row.id desc`,
);

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
    where tenant_id = $1 and ${belongsToEvents('id', '$2::uuid', '$2::uuid')} and (id = $2::uuid or replay_of = $2::uuid)
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

/** Enqueues a replay of a delivery, to be sent under its public id. Values: tenant, id of the first delivery, now in ms. */
export const replayDelivery = statement<{ id: string }>(
  'deliveries.repeat_delivery',
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
