import { statement } from '../../../platform/postgres/statement.ts';
import type { DisabledReason } from './rules.ts';

/** An endpoint as its owners manage it. */
export interface ManagedRow {
  tenant_id: number;
  id: number;
  url: string;
  events: string[];
  state: boolean;
  disabled_reason: DisabledReason | null;
  first_failure_at: string | null;
  open_until: string | null;
  max_in_flight: number | null;
  rate_per_s: number | null;
  has_next_secret: boolean;
  promote_at: string | null;
  created_at: string;
  updated_at: string | null;
  removed_at: string | null;
}

const columns = `tenant_id, id, url, events, state, disabled_reason, first_failure_at, open_until, max_in_flight,
  rate_per_s, next_secret_sealed is not null as has_next_secret, promote_at, created_at, updated_at, removed_at`;

/** In whichever of these tenants it is, removed or not. Values: tenants, id. */
export const findEndpoint = statement<ManagedRow>(
  'webhooks.find_endpoint',
  `select ${columns} from webhook_endpoint where id = $2 and tenant_id = any ($1::bigint[])`,
);

/** The same, for whoever changes it or adds deliveries to it: they take turns. Payments only read it, and do not wait. */
export const lockEndpoint = statement<ManagedRow>(
  'webhooks.lock_endpoint',
  `select ${columns} from webhook_endpoint where id = $2 and tenant_id = any ($1::bigint[]) for no key update`,
);

const listed = 'tenant_id = any ($1::bigint[]) and removed_at is null and events <@ $2::text[]';

/** Newest first. Values: tenants, what its subscriptions may be, how many, after how many. */
export const listEndpoints = statement<ManagedRow>(
  'webhooks.list_endpoints',
  `select ${columns} from webhook_endpoint where ${listed} order by id desc limit $3 offset $4`,
);

export const countEndpoints = statement<{ total: number }>(
  'webhooks.count_endpoints',
  `select count(*) as total from webhook_endpoint where ${listed}`,
);

/**
 * Values: id, url, events, state (null leaves each as it is), whether the cap is given, the cap, whether the rate is, the
 * rate, now in ms. What was held against an endpoint is forgotten when it is switched on, or leads elsewhere.
 */
export const modifyEndpoint = statement<ManagedRow>(
  'webhooks.modify_endpoint',
  `with change as (
     select $2::text as new_url, $3::text[] as new_events, $4::boolean as new_state
   )
   update webhook_endpoint
      set url = coalesce(new_url, url),
          events = coalesce(new_events, events),
          state = coalesce(new_state, state),
          disabled_reason = case when coalesce(new_state, state) = state then disabled_reason end,
          open_until = case when new_state and not state or new_url <> url then null else open_until end,
          first_failure_at = case when new_state and not state or new_url <> url then null else first_failure_at end,
          max_in_flight = case when $5::boolean then $6::int else max_in_flight end,
          rate_per_s = case when $7::boolean then $8::int else rate_per_s end,
          updated_at = to_timestamp($9::float8 / 1000)
     from change
    where id = $1
   returning ${columns}`,
);

/** A type of event that waits for an endpoint and is none of these. Values: id, types. */
export const findWaitingBeyond = statement<{ type: string }>(
  'webhooks.find_waiting_beyond',
  `select event.type
     from (select tenant_id, event_id from delivery where state = 'OPEN' and aside and endpoint_id = $1
            union all
           select tenant_id, event_id from delivery where state = 'OPEN' and not aside and endpoint_id = $1) as waiting
     join event on event.tenant_id = waiting.tenant_id and event.id = waiting.event_id
    where event.type <> all ($2::text[]) limit 1`,
);

/** Values: id, now in ms. */
export const removeEndpoint = statement<ManagedRow>(
  'webhooks.remove_endpoint',
  `update webhook_endpoint
      set state = false, removed_at = to_timestamp($2::float8 / 1000), updated_at = to_timestamp($2::float8 / 1000),
          next_secret_sealed = null, promote_at = null
    where id = $1
   returning ${columns}`,
);

const unleased = '(leased_until is null or leased_until <= to_timestamp($3::float8 / 1000))';

/**
 * Calls off what waits for an endpoint and is not being sent right now. The two indexes of open deliveries are asked one
 * after the other: neither is of use without its own condition. Values: tenant, endpoint, now in ms, how many at most.
 */
export const cancelDeliveries = statement<{ cancelled: number }>(
  'webhooks.cancel_deliveries',
  `with waiting as (
     (select id from delivery where state = 'OPEN' and aside and endpoint_id = $2 and ${unleased} limit $4)
      union all
     (select id from delivery where state = 'OPEN' and not aside and endpoint_id = $2 and ${unleased} limit $4)
   ), gone as (
     update delivery
        set state = 'CANCELLED', finished_at = to_timestamp($3::float8 / 1000), lease = null, leased_until = null
      where tenant_id = $1 and id in (select id from waiting) and state = 'OPEN' and ${unleased}
     returning 1
   )
   select count(*) as cancelled from gone`,
);

/** What a promotion that is due has not written yet: the staged secret is the present one already. */
const promoted = 'promote_at <= to_timestamp($2::float8 / 1000)';

/** Stages a secret. Values: id, now in ms, the sealed secret, when it is promoted in ms (null: when told to). */
export const stageSecret = statement<ManagedRow>(
  'webhooks.stage_secret',
  `update webhook_endpoint
      set secret_sealed = case when ${promoted} then next_secret_sealed else secret_sealed end,
          next_secret_sealed = $3, promote_at = to_timestamp($4::float8 / 1000),
          updated_at = to_timestamp($2::float8 / 1000)
    where id = $1
   returning ${columns}`,
);

/** Says when the staged secret is promoted. Values: id, now, when, in ms. */
export const schedulePromotion = statement<ManagedRow>(
  'webhooks.schedule_promotion',
  `update webhook_endpoint
      set promote_at = to_timestamp($3::float8 / 1000), updated_at = to_timestamp($2::float8 / 1000)
    where id = $1 and next_secret_sealed is not null
   returning ${columns}`,
);

/** The staged secret takes the place of the present one, which is gone for good. Values: id, now in ms. */
export const promoteSecret = statement<ManagedRow>(
  'webhooks.promote_secret',
  `update webhook_endpoint
      set secret_sealed = next_secret_sealed, next_secret_sealed = null, promote_at = null,
          updated_at = to_timestamp($2::float8 / 1000)
    where id = $1 and next_secret_sealed is not null
   returning ${columns}`,
);

/** Promotions that came due by themselves. Values: now in ms. */
export const settlePromotions = statement(
  'webhooks.settle_promotions',
  `update webhook_endpoint
      set secret_sealed = next_secret_sealed, next_secret_sealed = null, promote_at = null
    where promote_at <= to_timestamp($1::float8 / 1000)`,
);
