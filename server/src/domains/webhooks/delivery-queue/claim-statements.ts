import { statement } from '../../../platform/postgres/statement.ts';
import { type EndpointSnapshot, msOf, snapshotColumns } from './endpoint-snapshot.ts';

/** Deliveries in one claim at most. Twice as many take PostgreSQL 6 to 9 % less, but each claim twice as long. */
export const maxClaimSize = 200;

/** SQL condition: the delivery is not leased. `$1` is now, in ms since the epoch. */
const notLeased = '(leased_until is null or leased_until <= to_timestamp($1::float8 / 1000))';
const timeOf = (ms: string) => `to_timestamp((${ms})::float8 / 1000)`;
/**
 * SQL condition: the delivery is open, of this endpoint, and due in this time. Written so that only the index by
 * endpoint serves it: a planner with old statistics preferred the index by due time, and read the deliveries of all
 * endpoints.
 */
const isDueTo = (endpointId: string, from: string) =>
  `state = 'OPEN' and (endpoint_id, due_at) >= (${endpointId}, ${from})
            and (endpoint_id, due_at) <= (${endpointId}, ${timeOf('$1')})`;
const oldestFirst = 'order by endpoint_id, due_at';

/** An endpoint's row, and when the first delivery that was found for it was due. */
export interface FoundEndpoint extends EndpointSnapshot {
  id: number;
  /** null: none is due. */
  dueMs: number | null;
}

/**
 * Finds the endpoints of deliveries that came due within a time: when the first and the last were due, and how many.
 * The order makes the planner read the index by due time. Values: now and the begin of that time, in ms; how many
 * deliveries.
 */
export const findFresh = statement<FoundEndpoint & { dueMs: number; lastMs: number; count: number }>(
  'deliveries.find_fresh',
  `with fresh as (
     select endpoint_id, min(due_at) as first, max(due_at) as last, count(*)
       from (
         select endpoint_id, due_at from delivery
          where state = 'OPEN' and due_at between ${timeOf('$2')} and ${timeOf('$1')} and ${notLeased}
          order by due_at limit $3
       ) as due
      group by endpoint_id
   )
   select ${snapshotColumns}, ${msOf('fresh.first')} as "dueMs", ${msOf('fresh.last')} as "lastMs", fresh.count
     from fresh join webhook_endpoint endpoint on endpoint.id = fresh.endpoint_id`,
);

/**
 * Finds the oldest due delivery of each of the next endpoints by id; none of a paused endpoint. Two index probes for
 * each, however many deliveries it has. Values: now in ms, the `due_at` in ms before which all deliveries of an
 * endpoint have ended, by its id, as JSON; the endpoint after which to begin, how many.
 */
export const scan = statement<FoundEndpoint & { openMs: number | null }>(
  'deliveries.scan_endpoints',
  `select ${snapshotColumns}, ${msOf('oldest.due_at')} as "openMs", ${msOf('waiting.due_at')} as "dueMs"
     from (select * from webhook_endpoint where id > $3 order by id limit $4) as endpoint
     left join lateral (
       select due_at from delivery
        where ${isDueTo('endpoint.id', timeOf(`coalesce(($2::jsonb ->> endpoint.id::text)::float8, 0)`))}
        ${oldestFirst} limit 1
     ) as oldest on true
     left join lateral (
       select due_at from delivery
        where ${isDueTo('endpoint.id', 'oldest.due_at')} and ${notLeased}
          and (endpoint.open_until is null or endpoint.open_until <= ${timeOf('$1')})
        ${oldestFirst} limit 1
     ) as waiting on true`,
);

/**
 * For the poller: whether a delivery has come due in the last 2 seconds. The worker polls by itself for older ones; the
 * lower bound keeps the poller from stepping over index entries of finished deliveries, which stay while any
 * transaction is open.
 */
export const recentlyDueQuery = `select from delivery
   where state = 'OPEN' and due_at between ${timeOf('$1::float8 - 2000')} and ${timeOf('$1')} and ${notLeased}`;

export interface ClaimedDelivery {
  tenant_id: number;
  id: string;
  event_id: string;
  endpoint_id: number;
  /** The first delivery of which this is a replay; it is sent under that id. */
  replay_of: string | null;
  /** Attempts recorded so far. */
  attempts: number;
  /** Claims so far, this one included. */
  claims: number;
  due_ms: number;
  type: string;
  body: string;
}

/**
 * Claims the oldest due deliveries of endpoints, and returns them with their events. Values: now and the end of the
 * lease in ms since the epoch, the lease token; ids of endpoints, how many deliveries of each at most, and the `due_at`
 * in ms from which to search: earlier ones have ended, but their index entries stay until a vacuum.
 *
 * `picked` is materialized so that each row is locked once and then found again by its ctid, which cannot change while
 * it is locked. Its constant limit tells the planner how many rows a claim can have, and the other limit makes the
 * event a lookup by key, whatever size the planner assumes for the table.
 */
export const claimDeliveries = statement<ClaimedDelivery>(
  'deliveries.claim_deliveries',
  `with picked as materialized (
     select found.*
       from unnest($4::bigint[], $5::int[], $6::float8[]) as granted (endpoint_id, count, from_ms)
       cross join lateral (
         select ctid as place, tenant_id, event_id from delivery
          where ${isDueTo('granted.endpoint_id', timeOf('from_ms'))} and ${notLeased}
          ${oldestFirst} limit granted.count
            for update skip locked
       ) as found
      limit ${maxClaimSize}
   )
   update delivery
      set lease = $3, leased_until = ${timeOf('$2')}, claims = claims + 1
     from picked
     cross join lateral (
       select type, body from event where event.tenant_id = picked.tenant_id and event.id = picked.event_id limit 1
     ) as event
    where delivery.ctid = picked.place
   returning delivery.tenant_id, delivery.id, delivery.event_id, delivery.endpoint_id, delivery.attempts,
             delivery.claims, delivery.replay_of, date_part('epoch', delivery.due_at) * 1000 as due_ms, event.type,
                 event.body`,
);

/**
 * Whether another claim of the delivery may not have ended: its sender has died, was frozen, or is this one, which
 * waits for an answer or has not recorded it yet. After each claim that ends with a recorded attempt there are as many
 * of both.
 */
export const isClaimedAgain = ({ claims, attempts }: ClaimedDelivery): boolean => claims > attempts + 1;
