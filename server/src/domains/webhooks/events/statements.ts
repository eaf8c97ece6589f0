import type { EventType } from '../../../core/event-types.ts';
import { listFilters, noCondition } from '../../../platform/lists/filters.ts';
import { firstFilter, readStatement } from '../../../platform/lists/list-statements.ts';
import { modeFilter } from '../../../platform/lists/modes.cte.ts';
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
  /** Null unless the query asks for the payload. */
  body: string | null;
};

/** The filters of the list: `types` from the caller's scopes and the query, the others from the query. */
export const eventFilters = listFilters({
  types: { type: 'text[]', condition: (value) => `event.type = any (${value})` },
  modes: modeFilter('event.livemode'),
  withPayload: { type: 'boolean', condition: noCondition },
});

const withPayload = eventFilters.value('withPayload', firstFilter);

export const readEvents = readStatement<ListedRow>(
  'events.read',
  { from: 'event', alias: 'event', key: 'uuid' },
  `event.tenant_id, event.id, event.livemode, event.type, event.object_id, event.created_at,
   case when ${withPayload} then event.body end as body`,
  eventFilters,
);

/**
 * A page of the events about one record, newest first, by their own index. `transaction.created` events are not in that
 * index: they are found by their id, which is the payment's. Values: tenants, first id, id after the last, record, id
 * of the payment (null: the record is not a payment), types, limit, modes, whether to read the payload.
 */
export const listEventsOfObject = statement<ListedRow>(
  'events.list_of_object',
  `select near.*
     from unnest($1::bigint[]) as visible (tenant_id)
    cross join lateral (
      (select tenant_id, id, livemode, type, object_id, created_at, case when $9::boolean then body end as body
          from event
        where tenant_id = visible.tenant_id and object_id = $4 and livemode = any ($8::boolean[])
          and type <> 'transaction.created' and id >= $2::uuid and id < $3::uuid and type = any ($6::text[])
        order by id desc limit $7::int)
      union all
      (select tenant_id, id, livemode, type, object_id, created_at, case when $9::boolean then body end as body
          from event
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
