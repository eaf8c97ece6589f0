import { statement } from '../../../../platform/postgres/statement.ts';
import { minBurstMs, roundingTolerance } from './endpoint-queue.ts';
import { notLeased } from './peek-statements.ts';

export interface ClaimedDelivery {
  tenant_id: number;
  id: string;
  event_id: string;
  endpoint_id: number;
  /** The first delivery of which this is a replay; it is sent under that id. */
  replay_of: string | null;
  /** Attempts recorded so far. */
  attempts: number;
  due_ms: number;
  type: string;
  body: string;
}

/** Deliveries in one claim at most. */
export const maxClaimSize = 200;

const claimed = `delivery.tenant_id, delivery.id, delivery.event_id, delivery.endpoint_id, delivery.attempts,
             delivery.replay_of, date_part('epoch', delivery.due_at) * 1000 as due_ms, event.type, event.body`;

/** The event of each `picked` delivery. `limit` makes it a lookup by key, whatever size the planner assumes for the table. */
const withEvent = `cross join lateral (
       select type, body from event where event.tenant_id = picked.tenant_id and event.id = picked.event_id limit 1
     ) as event`;

/**
 * Claims those of the given deliveries that are still due and not leased, and returns them with their events. Values: now
 * and the end of the lease in ms since the epoch, tenants, ids, the lease token.
 *
 * `picked` is materialized so that each row is locked once and then found again by its ctid, which cannot change while it
 * is locked. Nested loops over the primary keys: 4 ms for 200 of 10^5 due among 10^6 finished.
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
 * A direct claim: the oldest due deliveries of the given endpoints, without a peek. Values: now and the end of the lease in
 * ms, the lower bound of `due_at` in ms, how many at most, the lease token, ids of endpoints.
 *
 * The constant limit of `capped` tells the planner how many rows a claim can have: with the limit as a parameter alone it
 * expects a tenth of all that are due.
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
     select * from picked limit ${maxClaimSize}
   )
   update delivery
      set lease = $5, leased_until = to_timestamp($2::float8 / 1000), claims = claims + 1
     from capped as picked ${withEvent}
    where delivery.ctid = picked.place
   returning ${claimed}`,
);

/** Parks due deliveries, unless they are leased or finished. Values: now in ms, tenants, ids. */
export const parkDeliveries = statement(
  'deliveries.park',
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

/** Releases leases: deliveries that were claimed and not sent are due again at once. Values: tenants, ids, leases. */
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
 * Release all deliveries under the given leases, after a claim whose answer was lost. One statement for each partial index
 * of open deliveries. Value: leases.
 */
export const releaseDueLeases = statement(
  'deliveries.give_back_due',
  `update delivery set lease = null, leased_until = null where state = 'OPEN' and not aside and lease = any ($1::uuid[])`,
);
export const releaseParkedLeases = statement(
  'deliveries.give_back_aside',
  `update delivery set lease = null, leased_until = null where state = 'OPEN' and aside and lease = any ($1::uuid[])`,
);

/** Release the leases of all deliveries. One statement for each partial index of open deliveries. */
export const freeDueLeases = statement(
  'deliveries.free_due',
  `update delivery set lease = null, leased_until = null where state = 'OPEN' and not aside and lease is not null`,
);
export const freeParkedLeases = statement(
  'deliveries.free_aside',
  `update delivery set lease = null, leased_until = null where state = 'OPEN' and aside and lease is not null`,
);

/** How far ahead of now a rate is used up, in ms; never more than the burst, whatever the clocks say. */
const rateAheadMs = `least(greatest(pace.used_until_ms - $1::float8, 0), ${burstMs('excluded.rate_per_s')})`;
const rateGranted = `least(excluded.granted, floor((${burstMs('excluded.rate_per_s')} - ${rateAheadMs})
            * excluded.rate_per_s / 1000 + ${roundingTolerance}))`;

/** For how long unused rate accumulates, in ms. */
function burstMs(rate: string): string {
  return `greatest(${minBurstMs}, 1000 / ${rate}::float8)`;
}

/**
 * Takes deliveries from the rates of endpoints, for all nodes together, and returns how many each may send now. Values: now
 * in ms; ids in rising order, how many deliveries are wanted, the rate per second, one array each.
 */
export const takeRateAllowance = statement<{ endpoint_id: number; granted: number; used_until_ms: number }>(
  'deliveries.take_pace',
  `insert into webhook_pace as pace (endpoint_id, rate_per_s, used_until_ms, granted)
   select id, rate, $1::float8 + allowed * 1000 / rate::float8, allowed
     from unnest($2::bigint[], $3::int[], $4::int[]) as requested (id, wanted, rate)
     cross join lateral (
       select least(wanted, floor(${burstMs('rate')} * rate / 1000 + ${roundingTolerance})) as allowed
     ) as first
   on conflict (endpoint_id) do update
      set rate_per_s = excluded.rate_per_s,
          granted = ${rateGranted},
          used_until_ms = $1::float8 + ${rateAheadMs} + ${rateGranted} * 1000 / excluded.rate_per_s
   returning endpoint_id, granted, used_until_ms`,
);
