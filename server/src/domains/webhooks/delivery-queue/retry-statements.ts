import { statement } from '../../../platform/postgres/statement.ts';
import { deliveriesDue } from './enqueue.cte.ts';

/**
 * Makes open deliveries of an endpoint due now that wait for a retry, the next ones first; none that is being sent.
 * Values: endpoint, now in ms, how many at most.
 */
export const retryNow = statement<{ count: number }>(
  'deliveries.retry_now',
  `with waiting as materialized (
     select ctid as place from delivery
      where state = 'OPEN' and endpoint_id = $1 and due_at > to_timestamp($2::float8 / 1000)
        and (leased_until is null or leased_until <= to_timestamp($2::float8 / 1000))
      order by endpoint_id, due_at limit $3
        for update skip locked
   ), moved as (
     update delivery set due_at = to_timestamp($2::float8 / 1000)
       from waiting where delivery.ctid = waiting.place
     returning 1
   )
   select count(*) as count from moved`,
  { wakes: [{ topic: deliveriesDue }] },
);

/** Makes a delivery the next one to its endpoint. Values: tenant, delivery, endpoint. */
export const sendNext = statement(
  'deliveries.send_next',
  `update delivery
      set due_at = least(due_at, (
            select other.due_at - interval '1 millisecond' from delivery other
             where other.state = 'OPEN' and other.endpoint_id = $3 and other.id <> $2
             order by other.endpoint_id, other.due_at limit 1))
    where tenant_id = $1 and id = $2`,
  { wakes: [{ topic: deliveriesDue }] },
);
