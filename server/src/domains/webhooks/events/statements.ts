import type { EventType } from '../../../core/event-types.ts';
import { statement } from '../../../platform/postgres/statement.ts';

export interface EventRow {
  tenant_id: number;
  id: string;
  livemode: boolean;
  type: EventType;
  object_id: string;
  created_at: string;
}

/** A row of the list. */
export type ListedRow = EventRow & {
  /** Read only if it was asked for. */
  body: string | null;
};

/**
 * A page, newest first. Reads at most $4 events of each tenant, and returns those of the types $5. `bound` is the lowest id
 * down to which the page is complete, or null when every event was read; each row repeats it, and an empty page is one row
 * without an id. Values: tenants, first id, id after the last, events to read for each tenant, types, limit, modes, whether to
 * read the payload.
 */
export const listEvents = statement<ListedRow & { bound: string | null }>(
  'events.list',
  `with scanned as materialized (
     select near.*
       from unnest($1::bigint[]) as visible (tenant_id)
      cross join lateral (
        select tenant_id, id, livemode, type from event
         where tenant_id = visible.tenant_id and id >= $2::uuid and id < $3::uuid
         order by id desc limit $4::int
      ) as near
   ), bound as (
     select max(lowest)::uuid as id
       from (select min(id::text) as lowest from scanned group by tenant_id having count(*) = $4::int) as cut_off
   ), page as materialized (
     select scanned.tenant_id, scanned.id
       from scanned cross join bound
      where (bound.id is null or scanned.id >= bound.id) and scanned.type = any ($5::text[])
        and scanned.livemode = any ($7::boolean[])
      order by scanned.id desc limit $6::int
   )
   select row.*, bound.id as bound
     from bound
     left join (
       select event.tenant_id, event.id, event.livemode, event.type, event.object_id, event.created_at,
              case when $8::boolean then event.body end as body
         from page join event on event.tenant_id = page.tenant_id and event.id = page.id
     ) as row on true
    order by row.id desc`,
);

/**
 * A page of the events about one record, newest first, by their own index. `transaction.created` events are not in that
 * index: they are found by their id, which is the payment's. Values: tenants, first id, id after the last, record, id of
 * the payment (null: the record is not a payment), types, limit, modes, whether to read the payload.
 */
export const listEventsOfObject = statement<ListedRow>(
  'events.list_of_object',
  `select near.*
     from unnest($1::bigint[]) as visible (tenant_id)
    cross join lateral (
      (select tenant_id, id, livemode, type, object_id, created_at, case when $9::boolean then body end as body from event
        where tenant_id = visible.tenant_id and object_id = $4 and livemode = any ($8::boolean[])
          and type <> 'transaction.created' and id >= $2::uuid and id < $3::uuid and type = any ($6::text[])
        order by id desc limit $7::int)
      union all
      (select tenant_id, id, livemode, type, object_id, created_at, case when $9::boolean then body end as body from event
        where tenant_id = visible.tenant_id and livemode = any ($8::boolean[]) and id = $5::uuid and object_id = $4
          and type = 'transaction.created'
          and id >= $2::uuid and id < $3::uuid and type = any ($6::text[]))
    ) as near
    order by near.id desc limit $7::int`,
);

/** Values: tenants, id, types. */
export const findEvent = statement<EventRow & { body: string }>(
  'events.find',
  `select event.tenant_id, event.id, event.livemode, event.type, event.object_id, event.created_at, event.body
     from unnest($1::bigint[]) as visible (tenant_id)
     join event on event.tenant_id = visible.tenant_id and event.id = $2
    where event.type = any ($3::text[])`,
);
