import { statement } from '../../../../platform/postgres/statement.ts';

/** SQL condition: the delivery is not leased. `$1` is now, in ms since the epoch. */
export const notLeased = '(leased_until is null or leased_until <= to_timestamp($1::float8 / 1000))';

/** The due deliveries that a peek found for one endpoint, and the endpoint's row. */
export interface PeekedEndpoint {
  endpoint_id: number;
  /** null: no delivery was found, or the endpoint is paused. */
  tenant_id: number | null;
  /** Ids of due deliveries, comma-separated: parsing an array costs the driver more than the database spends on the read. */
  ids: string | null;
  /** When the first of them was due. */
  due_ms: number | null;
  /** null: the endpoint does not exist any more. */
  state: boolean | null;
  origin: string | null;
  open_ms: number | null;
  first_failure_ms: number | null;
  max_in_flight: number | null;
  rate_per_s: number | null;
}

export type EndpointWithDue = PeekedEndpoint & { tenant_id: number; ids: string; due_ms: number };

const endpointColumns = `(extract(epoch from waiting.due_at) * 1000)::float8 as due_ms,
          endpoint.state, endpoint.origin, endpoint.max_in_flight, endpoint.rate_per_s,
          (extract(epoch from endpoint.open_until) * 1000)::float8 as open_ms,
          (extract(epoch from endpoint.first_failure_at) * 1000)::float8 as first_failure_ms`;

const peekDue = (name: string, order: string, first: string) =>
  statement<EndpointWithDue>(
    name,
    `with due as materialized (
       select tenant_id, endpoint_id, id, due_at from delivery
        where state = 'OPEN' and not aside
          and due_at between to_timestamp($2::float8 / 1000) and to_timestamp($1::float8 / 1000)
          and ${notLeased}
        order by due_at ${order}
        limit $3
     ), waiting as (
       select tenant_id, endpoint_id, string_agg(id::text, ',') as ids, ${first}(due_at) as due_at
         from due group by tenant_id, endpoint_id
     )
     select waiting.tenant_id, waiting.endpoint_id, waiting.ids, ${endpointColumns}
       from waiting left join webhook_endpoint endpoint on endpoint.id = waiting.endpoint_id`,
  );

/**
 * Reads the oldest due deliveries of the common queue, grouped by endpoint, without locking them: the caller decides which
 * to claim. Values: now and the lower bound of `due_at`, both in ms since the epoch; how many deliveries at most.
 */
export const peekOldestDue = peekDue('deliveries.peek_oldest_due', '', 'min');
/** Reads the newest due deliveries. The same values. */
export const peekNewestDue = peekDue('deliveries.peek_newest_due', 'desc', 'max');

/**
 * Reads parked deliveries by endpoint: first of the requested endpoints, as many deliveries as requested of each; then of
 * the next endpoints after a given one, a few of each. One index probe leads from each endpoint to the next, however many
 * deliveries it has; the deliveries of a paused endpoint are not read. One row for each endpoint, in no order.
 *
 * Values: now in ms, ids of the requested endpoints, how many deliveries of each, the endpoint after which the rotation
 * continues, how many endpoints it visits at most (0: none), how many deliveries of each.
 */
export const peekParked = statement<PeekedEndpoint>(
  'deliveries.peek_parked',
  `with recursive visited (endpoint_id, step) as (
     (select endpoint_id, 1 from delivery
       where state = 'OPEN' and aside and endpoint_id > $4::bigint and $5::int > 0
       order by endpoint_id limit 1)
     union all
     select next.endpoint_id, visited.step + 1
       from visited cross join lateral (
         select endpoint_id from delivery
          where state = 'OPEN' and aside and endpoint_id > visited.endpoint_id
          order by endpoint_id limit 1
       ) as next
      where visited.step < $5::int
   ), requested (endpoint_id, rows) as (
     select * from unnest($2::bigint[], $3::int[])
     union all
     select endpoint_id, $6::int from visited where endpoint_id <> all ($2::bigint[])
   )
   select waiting.tenant_id, requested.endpoint_id, waiting.ids, ${endpointColumns}
     from requested
     left join webhook_endpoint endpoint on endpoint.id = requested.endpoint_id
     cross join lateral (
       select min(tenant_id) as tenant_id, string_agg(id::text, ',') as ids, min(due_at) as due_at
         from (select tenant_id, id, due_at from delivery
                where state = 'OPEN' and aside and endpoint_id = requested.endpoint_id
                  and due_at <= to_timestamp($1::float8 / 1000) and ${notLeased}
                  and (endpoint.open_until is null or endpoint.open_until <= to_timestamp($1::float8 / 1000))
                order by due_at limit requested.rows) as first
     ) as waiting`,
);

/**
 * For the poller: whether a delivery has come due in the last 2 seconds. The worker polls by itself for older ones; the
 * lower bound keeps the poller from stepping over index entries of finished deliveries, which stay while any transaction
 * is open.
 */
export const recentlyDueQuery = `select from delivery
   where state = 'OPEN' and not aside
     and due_at between to_timestamp($1::float8 / 1000 - 2) and to_timestamp($1::float8 / 1000) and ${notLeased}`;

/** When the oldest delivery of the common queue was due. Value: the lower bound of `due_at`, in ms. */
export const findOldestDue = statement<{ due_ms: number | null }>(
  'deliveries.oldest_due',
  `select (extract(epoch from min(due_at)) * 1000)::float8 as due_ms
     from delivery where state = 'OPEN' and not aside and due_at >= to_timestamp($1::float8 / 1000)`,
);

/** Counting stops here: beyond it the exact number does not matter, and the query stays cheap. */
const maxCounted = 100_000;

export const countBacklog = statement<{ queued: number; parked: number; oldest_due_ms: number | null }>(
  'deliveries.backlog',
  `select (select count(*) from (
             select from delivery where state = 'OPEN' and not aside limit ${maxCounted}) as counted) as queued,
          (select count(*) from (
             select from delivery where state = 'OPEN' and aside limit ${maxCounted}) as counted) as parked,
          (select (extract(epoch from min(due_at)) * 1000)::float8
             from delivery where state = 'OPEN' and not aside) as oldest_due_ms`,
);
