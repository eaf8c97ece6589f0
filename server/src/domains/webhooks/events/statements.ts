import type { EventType } from '../../../core/event-types.ts';
import { statement } from '../../../platform/postgres/statement.ts';

export interface EventRow {
  tenant_id: number;
  id: string;
  type: EventType;
  object_id: string;
  created_at: string;
}

/**
 * A page, newest first: of each tenant at most $4 events are looked at, and those among them given back that are of types
 * $5. `bound` is where the look ended before there was nothing left; a page is whole down to there. In every row; a page
 * without rows is one row without an id. Values: tenants, from which id, before which id, how many to look at, types, how
 * many to give back.
 */
export const listEvents = statement<EventRow & { bound: string | null }>(
  'events.list',
  `with looked as materialized (
     select near.*
       from unnest($1::bigint[]) as seen (tenant_id)
      cross join lateral (
        select tenant_id, id, type from event
         where tenant_id = seen.tenant_id and id >= $2::uuid and id < $3::uuid
         order by id desc limit $4::int
      ) as near
   ), bound as (
     select max(lowest)::uuid as id
       from (select min(id::text) as lowest from looked group by tenant_id having count(*) = $4::int) as full_look
   ), page as materialized (
     select looked.tenant_id, looked.id
       from looked cross join bound
      where (bound.id is null or looked.id >= bound.id) and looked.type = any ($5::text[])
      order by looked.id desc limit $6::int
   )
   select row.*, bound.id as bound
     from bound
     left join (
       select event.tenant_id, event.id, event.type, event.object_id, event.created_at
         from page join event on event.tenant_id = page.tenant_id and event.id = page.id
     ) as row on true
    order by row.id desc`,
);

/**
 * The same of one record, by an index of its own. What created a payment is not in that index: it has the payment's id.
 * Values: tenants, from which id, before which id, the record, its own id (null: it has none of that kind), types, how
 * many to give back.
 */
export const listEventsOfObject = statement<EventRow>(
  'events.list_of_object',
  `select near.*
     from unnest($1::bigint[]) as seen (tenant_id)
    cross join lateral (
      (select tenant_id, id, type, object_id, created_at from event
        where tenant_id = seen.tenant_id and object_id = $4 and type <> 'transaction.created'
          and id >= $2::uuid and id < $3::uuid and type = any ($6::text[])
        order by id desc limit $7::int)
      union all
      (select tenant_id, id, type, object_id, created_at from event
        where tenant_id = seen.tenant_id and id = $5::uuid and object_id = $4 and type = 'transaction.created'
          and id >= $2::uuid and id < $3::uuid and type = any ($6::text[]))
    ) as near
    order by near.id desc limit $7::int`,
);

/** In whichever of these tenants it is; of these types alone. Values: tenants, id, types. */
export const findEvent = statement<EventRow & { body: string }>(
  'events.find',
  `select event.tenant_id, event.id, event.type, event.object_id, event.created_at, event.body
     from unnest($1::bigint[]) as seen (tenant_id)
     join event on event.tenant_id = seen.tenant_id and event.id = $2
    where event.type = any ($3::text[])`,
);
