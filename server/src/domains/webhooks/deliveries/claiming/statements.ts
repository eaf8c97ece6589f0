import { statement } from '../../../../platform/postgres/statement.ts';
import { paceKeptLeastMs, rounding } from './endpoint-queue.ts';

/** An endpoint that was looked at, and what its row says of it. */
export interface ParkedRow {
  endpoint_id: number;
  /** null: nothing was found for it, or it is paused. */
  tenant_id: number | null;
  /** Due deliveries, comma-separated: the driver would spend more on an array than the database on finding it. */
  ids: string | null;
  /** When the first of them was due. */
  due_ms: number | null;
  /** null: there is no such endpoint any more. */
  state: boolean | null;
  origin: string | null;
  open_ms: number | null;
  first_failure_ms: number | null;
  max_in_flight: number | null;
  rate_per_s: number | null;
}

/** An endpoint with something due. */
export type WaitingRow = ParkedRow & { tenant_id: number; ids: string; due_ms: number };

const endpointColumns = `(extract(epoch from waiting.due_at) * 1000)::float8 as due_ms,
          endpoint.state, endpoint.origin, endpoint.max_in_flight, endpoint.rate_per_s,
          (extract(epoch from endpoint.open_until) * 1000)::float8 as open_ms,
          (extract(epoch from endpoint.first_failure_at) * 1000)::float8 as first_failure_ms`;

/** How far a rate is used up ahead of now, in ms; no further than it may be, whatever the clocks say. */
const paceAhead = `least(greatest(pace.used_until_ms - $1::float8, 0), ${paceKept('excluded.rate_per_s')})`;
const paceGranted = `least(excluded.granted, floor((${paceKept('excluded.rate_per_s')} - ${paceAhead})
            * excluded.rate_per_s / 1000 + ${rounding}))`;

/** How long what a rate leaves unused is kept, in ms. */
function paceKept(rate: string): string {
  return `greatest(${paceKeptLeastMs}, 1000 / ${rate}::float8)`;
}

const notLeased = '(leased_until is null or leased_until <= to_timestamp($1::float8 / 1000))';

const look = (name: string, order: string, first: string) =>
  statement<WaitingRow>(
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
 * What has been due longest and is not set aside. Nothing is locked: which of it is taken is for the caller to choose.
 * Values: now, since when it may have been due (both in ms since the epoch), how many at most.
 */
export const lookLongestDue = look('deliveries.look_longest_due', '', 'min');
/** What has come due last. The same values. */
export const lookLastDue = look('deliveries.look_last_due', 'desc', 'max');

/**
 * Looks at what is set aside, endpoint by endpoint: those named, as many deliveries of each as asked for; then the next
 * endpoints after a place, a few of each. It steps from endpoint to endpoint by one look into the index each, however
 * long their queues are, and does not look into the queue of one that is paused. A row for each endpoint, in no order.
 *
 * Values: now in ms, ids of endpoints, how many of each, the endpoint after which to begin, how many endpoints at most
 * (0: only those named), how many of each.
 */
export const lookAside = statement<ParkedRow>(
  'deliveries.look_aside',
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
   ), asked (endpoint_id, rows) as (
     select * from unnest($2::bigint[], $3::int[])
     union all
     select endpoint_id, $6::int from visited where endpoint_id <> all ($2::bigint[])
   )
   select waiting.tenant_id, asked.endpoint_id, waiting.ids, ${endpointColumns}
     from asked
     left join webhook_endpoint endpoint on endpoint.id = asked.endpoint_id
     cross join lateral (
       select min(tenant_id) as tenant_id, string_agg(id::text, ',') as ids, min(due_at) as due_at
         from (select tenant_id, id, due_at from delivery
                where state = 'OPEN' and aside and endpoint_id = asked.endpoint_id
                  and due_at <= to_timestamp($1::float8 / 1000) and ${notLeased}
                  and (endpoint.open_until is null or endpoint.open_until <= to_timestamp($1::float8 / 1000))
                order by due_at limit asked.rows) as first
     ) as waiting`,
);

/** Sets due deliveries aside, unless they are leased or done. Values: now in ms, tenants, ids. */
export const setAside = statement(
  'deliveries.set_aside',
  `with chosen as materialized (
     select found.place
       from unnest($2::bigint[], $3::uuid[]) as named (tenant_id, id)
       cross join lateral (
         select ctid as place from delivery
          where delivery.tenant_id = named.tenant_id and delivery.id = named.id and state = 'OPEN' and ${notLeased}
            for update skip locked
       ) as found
   )
   update delivery set aside = true from chosen where delivery.ctid = chosen.place`,
);

/**
 * For a lookout: whether anything has come due in the last seconds. Its worker knows of what it has seen waiting, and looks
 * by itself for what is older: done rows of long ago, which a transaction held open keeps in the index, are not stepped over.
 */
export const deliveryDue = `select from delivery
   where state = 'OPEN' and not aside
     and due_at between to_timestamp($1::float8 / 1000 - 2) and to_timestamp($1::float8 / 1000) and ${notLeased}`;

/** Since when the delivery that is longest due has been due, of those not set aside. Value: where to begin, in ms. */
export const oldestDue = statement<{ due_ms: number | null }>(
  'deliveries.oldest_due',
  `select (extract(epoch from min(due_at)) * 1000)::float8 as due_ms
     from delivery where state = 'OPEN' and not aside and due_at >= to_timestamp($1::float8 / 1000)`,
);

export interface ClaimedDelivery {
  tenant_id: number;
  id: string;
  event_id: string;
  endpoint_id: number;
  /** The delivery it repeats, under whose id it is sent. */
  replay_of: string | null;
  /** Tries recorded so far. */
  attempts: number;
  due_ms: number;
  type: string;
  body: string;
}

/** Deliveries in one claim at most. */
export const maximumClaim = 200;

const claimed = `delivery.tenant_id, delivery.id, delivery.event_id, delivery.endpoint_id, delivery.attempts,
             delivery.replay_of, date_part('epoch', delivery.due_at) * 1000 as due_ms, event.type, event.body`;

/** What each of `picked` carries. `limit` keeps it a look by key, whatever the planner thinks of the sizes of tables. */
const withEvent = `cross join lateral (
       select type, body from event where event.tenant_id = picked.tenant_id and event.id = picked.event_id limit 1
     ) as event`;

/**
 * Takes deliveries under a lease, with what they carry: those chosen that are still due and nobody's. Values: now and
 * the lease's end in ms since the epoch, tenants, ids, the lease's token.
 *
 * `picked` is materialized, so that each row is locked once and then found again by its place, which nobody can change
 * meanwhile. Nested loops over the primary keys: 4 ms for 200 of 10^5 due among 10^6 done.
 */
export const claimDeliveries = statement<ClaimedDelivery>(
  'deliveries.claim_deliveries',
  `with picked as materialized (
     select found.*
       from unnest($3::bigint[], $4::uuid[]) as chosen (tenant_id, id)
       cross join lateral (
         select ctid as place, tenant_id, event_id from delivery
          where delivery.tenant_id = chosen.tenant_id and delivery.id = chosen.id
            and state = 'OPEN' and due_at <= to_timestamp($1::float8 / 1000) and ${notLeased}
            for update skip locked
       ) as found
   )
   update delivery
      set lease = $5, leased_until = to_timestamp($2::float8 / 1000), claims = claims + 1
     from picked ${withEvent}
    where delivery.ctid = picked.place
   returning ${claimed}`,
);

/**
 * The same without a look before it, for endpoints that can take whatever comes: those longest due of theirs. Values:
 * now, the lease's end, since when they may have been due, how many at most, the lease's token, the endpoints.
 *
 * The constant limit of `capped` tells the planner how many rows a claim can be: with the limit a parameter alone it expects
 * a tenth of all that are due.
 */
export const claimOfEndpoints = statement<ClaimedDelivery>(
  'deliveries.claim_of_endpoints',
  `with picked as materialized (
     select ctid as place, tenant_id, event_id from delivery
      where state = 'OPEN' and not aside
        and due_at between to_timestamp($3::float8 / 1000) and to_timestamp($1::float8 / 1000)
        and ${notLeased}
        and endpoint_id = any ($6::bigint[])
      order by due_at
      limit $4
        for update skip locked
   ), capped as (
     select * from picked limit ${maximumClaim}
   )
   update delivery
      set lease = $5, leased_until = to_timestamp($2::float8 / 1000), claims = claims + 1
     from capped as picked ${withEvent}
    where delivery.ctid = picked.place
   returning ${claimed}`,
);

/** Gives leases back, so that what was claimed and not sent is due again at once. Values: tenants, ids, leases. */
export const releaseDeliveries = statement(
  'deliveries.release_deliveries',
  `update delivery
      set lease = null, leased_until = null
     from unnest($1::bigint[], $2::uuid[], $3::uuid[]) as given (tenant_id, id, lease)
     cross join lateral (
       select ctid as place from delivery
        where delivery.tenant_id = given.tenant_id and delivery.id = given.id limit 1
     ) as found
    where delivery.ctid = found.place and delivery.lease = given.lease`,
);

/**
 * Gives back whatever stands under these leases, after a claim whose answer never came. Once for each index of what is open.
 * Value: leases.
 */
export const giveBackDue = statement(
  'deliveries.give_back_due',
  `update delivery set lease = null, leased_until = null where state = 'OPEN' and not aside and lease = any ($1::uuid[])`,
);
export const giveBackAside = statement(
  'deliveries.give_back_aside',
  `update delivery set lease = null, leased_until = null where state = 'OPEN' and aside and lease = any ($1::uuid[])`,
);

/**
 * Takes from what endpoints' rates allow now, on all nodes together: as many as asked for or fewer. Values: now in ms;
 * ids in rising order, how many are wanted, how many a second are allowed, one array each.
 */
export const takePace = statement<{ endpoint_id: number; granted: number; used_until_ms: number }>(
  'deliveries.take_pace',
  `insert into webhook_pace as pace (endpoint_id, rate_per_s, used_until_ms, granted)
   select id, rate, $1::float8 + allowed * 1000 / rate::float8, allowed
     from unnest($2::bigint[], $3::int[], $4::int[]) as asked (id, wanted, rate)
     cross join lateral (
       select least(wanted, floor(${paceKept('rate')} * rate / 1000 + ${rounding})) as allowed
     ) as first
   on conflict (endpoint_id) do update
      set rate_per_s = excluded.rate_per_s,
          granted = ${paceGranted},
          used_until_ms = $1::float8 + ${paceAhead} + ${paceGranted} * 1000 / excluded.rate_per_s
   returning endpoint_id, granted, used_until_ms`,
);
