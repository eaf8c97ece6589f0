import type { EventType } from '../../../core/event-types.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { EventRow } from '../events/statements.ts';

/** The newest events after an id, up to a limit for each tenant, oldest first. Values: tenants, id, limit, types. */
export const eventsSince = statement<EventRow & { type: EventType }>(
  'stream.events_since',
  `select near.*
     from unnest($1::bigint[]) as shown (tenant_id)
    cross join lateral (
      select tenant_id, id, livemode, type, object_id, created_at from event
       where tenant_id = shown.tenant_id and id > $2::uuid and type = any ($4::text[])
       order by id desc limit $3::int
    ) as near
    order by near.id`,
);
