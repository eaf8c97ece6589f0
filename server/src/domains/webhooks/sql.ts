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
  next_secret_sealed: Buffer | null;
  /** When the next secret takes the other's place; null: when it is told to. */
  promote_at: string | null;
  state: boolean;
}

/** Where an endpoint's deliveries go, and what they are signed with. */
export const findTarget = statement<TargetRow>(
  'webhooks.find_target',
  `select tenant_id, id, url, secret_sealed, next_secret_sealed, promote_at, state from webhook_endpoint
    where id = $1`,
);

export interface DisabledEndpoint {
  tenant_id: number;
  id: number;
  url: string;
}

/** Switches an endpoint off; gives it back if it was on. Values: id, why, now in ms. */
export const disableEndpoint = statement<DisabledEndpoint>(
  'webhooks.disable_endpoint',
  `update webhook_endpoint
      set state = false, disabled_reason = $2, updated_at = to_timestamp($3::float8 / 1000)
    where id = $1 and state
   returning tenant_id, id, url`,
);

/** Nothing is sent to an endpoint until then. Values: id, until when, since when it has been failing, in ms. */
export const pauseEndpoint = statement(
  'webhooks.pause_endpoint',
  `update webhook_endpoint
      set open_until = to_timestamp($2::float8 / 1000),
          first_failure_at = coalesce(first_failure_at, to_timestamp($3::float8 / 1000))
    where id = $1 and state`,
);

/** An endpoint answers again. Values: id, whether it was a success. */
export const recoverEndpoint = statement(
  'webhooks.recover_endpoint',
  `update webhook_endpoint
      set open_until = null, first_failure_at = case when not $2::boolean then first_failure_at end
    where id = $1 and (open_until is not null or $2::boolean and first_failure_at is not null)`,
);

/**
 * A delivery has used up its tries: notes since when its endpoint has been failing, or switches it off when that was
 * too long ago. Gives back what was changed. Values: id, failing since, the time before which is too long ago, why, now.
 */
export const recordExhaustion = statement<DisabledEndpoint & { state: boolean }>(
  'webhooks.record_exhaustion',
  `update webhook_endpoint
      set first_failure_at = coalesce(first_failure_at, to_timestamp($2::float8 / 1000)),
          state = first_failure_at is null,
          disabled_reason = case when first_failure_at is not null then $4 end,
          updated_at = case when first_failure_at is null then updated_at else to_timestamp($5::float8 / 1000) end
    where id = $1 and state and (first_failure_at is null or first_failure_at <= to_timestamp($3::float8 / 1000))
   returning tenant_id, id, url, state`,
);

/**
 * Records what became of claimed deliveries, one array a column: tenant, id, lease, new state, when to try again (ms,
 * null: not), when it ended (ms), how long the try took (ms, null: nothing was sent), status, outcome, resent, address,
 * headers as JSON, body.
 *
 * The lease is the fence: a row whose lease was taken over since is left alone, and its neighbours are still written.
 * Only an open delivery has one. Nested loops over the primary key: 4 ms for 200 with 10^6 finished.
 */
export const recordResults = statement<{ applied: number }>(
  'webhooks.record_results',
  `with result as (
     select * from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::float8[], $6::float8[], $7::int[],
                          $8::smallint[], $9::text[], $10::boolean[], $11::text[], $12::text[], $13::bytea[])
       as result (tenant_id, id, lease, state, due_ms, ended_ms, duration_ms, status, outcome, resent, address,
                  headers, body)
   ), settled as (
     update delivery
        set state = result.state,
            attempts = attempts + (result.duration_ms is not null)::int,
            due_at = coalesce(to_timestamp(result.due_ms / 1000), due_at),
            lease = null,
            leased_until = null,
            aside = false,
            finished_at = case when result.state <> 'OPEN' then to_timestamp(result.ended_ms / 1000) end
       from result
      where delivery.tenant_id = result.tenant_id and delivery.id = result.id
        and delivery.lease = result.lease
     returning delivery.tenant_id, delivery.id, delivery.attempts, result.ended_ms, result.duration_ms, result.status,
               result.outcome, result.resent, result.address, result.headers, result.body
   ), tried as (
     insert into delivery_attempt (tenant_id, delivery_id, number, attempted_at, duration_ms, status, outcome, resent,
                                   address, response_headers, response_body)
     select tenant_id, id, attempts, to_timestamp((ended_ms - duration_ms) / 1000), duration_ms, status, outcome,
            resent, address, headers::json, body
       from settled
      where duration_ms is not null
   )
   select count(*) as applied from settled`,
);
