import { statement } from '../../../platform/postgres/statement.ts';

/**
 * Shortens leases that end later than possible. The holder keeps its lease, so nothing is sent twice. A delivery that
 * is locked is left for the next correction: to wait for many could end in a deadlock with the statement that has
 * locked them. Values: the latest possible end, the end that replaces later ones, in ms.
 */
export const shortenLeases = statement(
  'deliveries.shorten_leases',
  `with beyond as materialized (
     select ctid as place from delivery
      where state = 'OPEN' and leased_until > to_timestamp($1::float8 / 1000)
        for update skip locked
   )
   update delivery set leased_until = to_timestamp($2::float8 / 1000)
     from beyond where delivery.ctid = beyond.place`,
);

/** The interval before the next retry of a delivery. `$2` are the intervals in ms. */
const retryIntervalMs = 'coalesce(($2::float8[])[delivery.attempts], 0)';

/**
 * A delivery without an attempt is due now. One that waits longer than its retry interval (or twice that, which
 * Retry-After permits) falls due one whole interval from now: never earlier than promised. Values: now in ms, the
 * intervals, the tolerance for retries in ms, how many at most.
 */
export const bringForward = statement<{ count: number }>(
  'deliveries.bring_forward',
  `with ahead as materialized (
     select ctid as place from delivery
      where state = 'OPEN' and due_at > to_timestamp($1::float8 / 1000)
        and (attempts = 0 or due_at > to_timestamp(($1::float8 + $3::float8 + 2 * ${retryIntervalMs}) / 1000))
      limit $4 for update skip locked
   ), moved as (
     update delivery set due_at = to_timestamp(($1::float8 + ${retryIntervalMs}) / 1000)
       from ahead where delivery.ctid = ahead.place
     returning 1
   )
   select count(*) as count from moved`,
);
