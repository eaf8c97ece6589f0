import type { SentType } from '../../../core/event-types.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { deliveriesDue, deliveryIdFrom, nearEvents } from '../events/append-events.cte.ts';

export const deliveryStates = ['OPEN', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface DeliveryRow {
  tenant_id: number;
  id: string;
  event_id: string;
  endpoint_id: number;
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
          d.replay_of, event.type, event.object_id, endpoint.url, last.status as last_status,
          last.outcome as last_outcome`;

/** What belongs to a delivery `d`: its event, its endpoint, its last try. */
const joined = `
          join event on event.tenant_id = d.tenant_id and event.id = d.event_id
          join webhook_endpoint endpoint on endpoint.id = d.endpoint_id
          left join delivery_attempt last
            on last.tenant_id = d.tenant_id and last.delivery_id = d.id and last.number = d.attempts`;

/**
 * A page, those of the latest events first: of each tenant at most $5 deliveries are looked at, and those among them given
 * back that fit. `bound` is where the look ended before there was nothing left; a page is whole down to there. In every
 * row; a page without rows is one row without an id.
 *
 * Values: tenants, from which id, before which id, states that an index of their own holds (null: look at all), how many
 * to look at; then endpoint, state, event type, event, what its endpoint may subscribe to (null: any); how many to give
 * back; of which types its event may be (null: any).
 */
export const listDeliveries = statement<DeliveryRow & { bound: string | null }>(
  'deliveries.list_deliveries',
  `with looked as materialized (
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
       from (select min(id::text) as lowest from looked group by tenant_id having count(*) = $5::int) as full_look
   ), page as materialized (
     select looked.tenant_id, looked.id
       from looked cross join bound
      where (bound.id is null or looked.id >= bound.id)
        and ($6::bigint is null or looked.endpoint_id = $6)
        and ($7::text is null or looked.state = $7)
        and ($9::uuid is null or looked.event_id = $9)
        and ($8::text is null or exists (
          select from event
           where event.tenant_id = looked.tenant_id and event.id = looked.event_id and event.type = $8))
        and ($10::text[] is null or exists (
          select from webhook_endpoint endpoint
           where endpoint.id = looked.endpoint_id and endpoint.events <@ $10::text[]))
        and ($12::text[] is null or exists (
          select from event
           where event.tenant_id = looked.tenant_id and event.id = looked.event_id and event.type = any ($12)))
      order by looked.id desc limit $11::int
   )
   select row.*, bound.id as bound
     from bound
     left join (
       select ${columns}
         from page join delivery d on d.tenant_id = page.tenant_id and d.id = page.id ${joined}
     ) as row on true
    order by row.id desc`,
);

/** In whichever of these tenants it is. Values: tenants, id. */
export const findDelivery = statement<DeliveryRow>(
  'deliveries.find_delivery',
  `select ${columns}
     from unnest($1::bigint[]) as seen (tenant_id)
     join delivery d on d.tenant_id = seen.tenant_id and d.id = $2 ${joined}`,
);

/** What repeats a delivery, or it itself. Values: tenant, the id of the first of them. Oldest first. */
export const findRuns = statement<{ id: string; state: DeliveryState; created_at: string }>(
  'deliveries.find_runs',
  `select id, state, created_at from delivery d
    where tenant_id = $1 and ${nearEvents('id', '$2::uuid', '$2::uuid')} and (id = $2::uuid or replay_of = $2::uuid)
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

/** Sends a delivery once more, as a new one under the same public id. Values: tenant, the first of its kind, now in ms. */
export const repeatDelivery = statement<{ id: string }>(
  'deliveries.repeat_delivery',
  `insert into delivery (tenant_id, id, event_id, endpoint_id, due_at, created_at, replay_of)
   select tenant_id, ${deliveryIdFrom('event_id')}, event_id,
          endpoint_id, to_timestamp($3::float8 / 1000), to_timestamp($3::float8 / 1000), id
     from delivery where tenant_id = $1 and id = $2
   returning id`,
  { wakes: [{ topic: deliveriesDue }] },
);
