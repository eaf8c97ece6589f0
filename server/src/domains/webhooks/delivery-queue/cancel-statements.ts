import { statement } from '../../../platform/postgres/statement.ts';

const unleased = '(leased_until is null or leased_until <= to_timestamp($3::float8 / 1000))';

/** Cancels open deliveries of an endpoint, except those in flight. Values: tenant, endpoint, now in ms, limit. */
export const cancelDeliveries = statement<{ cancelled: number }>(
  'webhooks.cancel_deliveries',
  `with waiting as (
     select id from delivery where state = 'OPEN' and endpoint_id = $2 and ${unleased} limit $4
   ), gone as (
     update delivery
        set state = 'CANCELLED', finished_at = to_timestamp($3::float8 / 1000), lease = null, leased_until = null
      where tenant_id = $1 and id in (select id from waiting) and state = 'OPEN' and ${unleased}
     returning 1
   )
   select count(*) as cancelled from gone`,
);
