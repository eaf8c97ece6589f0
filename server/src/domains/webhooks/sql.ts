import { statement } from '../../platform/postgres/statement.ts';

export interface EndpointRow {
  tenant_id: number;
  id: number;
  url: string;
  events: string[];
  state: boolean;
  created_at: string;
}

export const nextEndpointId = statement<{ id: number }>(
  'webhooks.next_endpoint_id',
  `select nextval(pg_get_serial_sequence('webhook_endpoint', 'id')) as id`,
);

export const insertEndpoint = statement<EndpointRow>(
  'webhooks.insert_endpoint',
  `insert into webhook_endpoint (tenant_id, id, user_id, url, events, secret_sealed, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)
   returning tenant_id, id, url, events, state, created_at`,
);

export interface TargetRow {
  tenant_id: number;
  id: number;
  url: string;
  secret_sealed: Buffer;
  state: boolean;
}

/** Where an endpoint's deliveries go, and what they are signed with. */
export const findTarget = statement<TargetRow>(
  'webhooks.find_target',
  'select tenant_id, id, url, secret_sealed, state from webhook_endpoint where id = $1',
);

export const disableEndpoint = statement(
  'webhooks.disable_endpoint',
  `update webhook_endpoint
      set state = false, disabled_reason = $2, updated_at = to_timestamp($3::float8 / 1000)
    where id = $1 and state`,
);

export interface ClaimedDelivery {
  tenant_id: number;
  id: string;
  event_id: string;
  endpoint_id: number;
  /** Tries recorded so far. */
  attempts: number;
  due_ms: number;
  type: string;
  body: string;
}

/** Deliveries in one claim at most. */
export const maximumClaim = 200;

/**
 * Takes due deliveries under a lease, with what they carry. Values: now and the lease's end in ms since the epoch, how
 * many at most, the lease's token.
 *
 * `picked` is materialized, or the planner may join it anew and take more than its limit. The constant limit of
 * `capped` changes nothing but the planner's estimate: with the limit a parameter alone it expects a tenth of all due
 * rows, and would hash the whole of `event` for them. So the plan is nested loops over the primary keys, generic or not,
 * with statistics or without: 1.7 ms for 200 of 10^5 due among 10^6 finished.
 */
export const claimDeliveries = statement<ClaimedDelivery>(
  'webhooks.claim_deliveries',
  `with picked as materialized (
     select tenant_id, id from delivery
      where state = 'OPEN'
        and due_at <= to_timestamp($1::float8 / 1000)
        and (leased_until is null or leased_until <= to_timestamp($1::float8 / 1000))
      order by due_at
      limit $3
        for update skip locked
   ), capped as (
     select * from picked limit ${maximumClaim}
   )
   update delivery
      set lease = $4, leased_until = to_timestamp($2::float8 / 1000), claims = claims + 1
     from capped, event
    where delivery.tenant_id = capped.tenant_id and delivery.id = capped.id
      and event.tenant_id = delivery.tenant_id and event.id = delivery.event_id
   returning delivery.tenant_id, delivery.id, delivery.event_id, delivery.endpoint_id, delivery.attempts,
             (extract(epoch from delivery.due_at) * 1000)::float8 as due_ms, event.type, event.body`,
);

/**
 * Records what became of claimed deliveries, one array a column: tenant, id, lease, new state, when to try again (ms,
 * null: not), when it ended (ms), how long the try took (ms, null: nothing was sent), status, outcome, resent.
 *
 * The lease is the fence: a row whose lease was taken over since is left alone, and its neighbours are still written.
 * Only an open delivery has one. To ask for `state = 'OPEN'` as well would let the planner read all that are open.
 * Nested loops over the primary key: 4 ms for 200 with 10^6 finished.
 */
export const recordResults = statement<{ applied: number }>(
  'webhooks.record_results',
  `with result as (
     select * from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::float8[], $6::float8[], $7::int[],
                          $8::smallint[], $9::text[], $10::boolean[])
       as result (tenant_id, id, lease, state, due_ms, ended_ms, duration_ms, status, outcome, resent)
   ), settled as (
     update delivery
        set state = result.state,
            attempts = attempts + (result.duration_ms is not null)::int,
            due_at = coalesce(to_timestamp(result.due_ms / 1000), due_at),
            lease = null,
            leased_until = null,
            finished_at = case when result.state <> 'OPEN' then to_timestamp(result.ended_ms / 1000) end
       from result
      where delivery.tenant_id = result.tenant_id and delivery.id = result.id
        and delivery.lease = result.lease
     returning delivery.tenant_id, delivery.id, delivery.attempts, result.ended_ms, result.duration_ms, result.status,
               result.outcome, result.resent
   ), tried as (
     insert into delivery_attempt (tenant_id, delivery_id, number, attempted_at, duration_ms, status, outcome, resent)
     select tenant_id, id, attempts, to_timestamp((ended_ms - duration_ms) / 1000), duration_ms, status, outcome, resent
       from settled
      where duration_ms is not null
   )
   select count(*) as applied from settled`,
);

/** Gives leases back, so that what was claimed and not sent is due again at once. Values: tenants, ids, leases. */
export const releaseDeliveries = statement(
  'webhooks.release_deliveries',
  `update delivery
      set lease = null, leased_until = null
     from unnest($1::bigint[], $2::uuid[], $3::uuid[]) as given (tenant_id, id, lease)
    where delivery.tenant_id = given.tenant_id and delivery.id = given.id
      and delivery.lease = given.lease`,
);
