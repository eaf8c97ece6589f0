import { statement } from '../../../platform/postgres/statement.ts';
import type { DisabledReason } from './rules.ts';

/** The targets of endpoints by id (`EndpointDirectory`). */
export const cachedTargets = 'webhook-endpoints';

/** The cached target of a row. */
const itsTarget = { cache: cachedTargets, key: ({ id }: EndpointRow) => id };

export interface EndpointRow {
  tenant_id: number;
  id: number;
  /** The mode of the events that it receives. Never changes. */
  livemode: boolean;
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

/** The columns of `EndpointRow`, from `webhook_endpoint`. */
export const endpointColumns = `tenant_id, id, livemode, url, events, state, disabled_reason, first_failure_at,
    open_until, max_in_flight,
  rate_per_s, next_secret_sealed is not null as has_next_secret, promote_at, created_at, updated_at, removed_at`;

/** Removed or not. Values: tenants, id. */
export const findEndpoint = statement<EndpointRow>(
  'webhooks.find_endpoint',
  `select ${endpointColumns} from webhook_endpoint where id = $2 and tenant_id = any ($1::bigint[])`,
);

/**
 * Locks the endpoint, for changing it or adding deliveries to it. Statements of payments read endpoints without a lock,
 * so they do not wait. Values: tenants, id.
 */
export const lockEndpoint = statement<EndpointRow>(
  'webhooks.lock_endpoint',
  `select ${endpointColumns} from webhook_endpoint where id = $2 and tenant_id = any ($1::bigint[]) for no key update`,
);

const listed =
  'tenant_id = any ($1::bigint[]) and removed_at is null and events <@ $2::text[] and livemode = any ($3::boolean[])';

/** Newest first. Values: tenants, event patterns that the caller may read, modes, limit, offset. */
export const listEndpoints = statement<EndpointRow>(
  'webhooks.list_endpoints',
  `select ${endpointColumns} from webhook_endpoint where ${listed} order by id desc limit $4 offset $5`,
);

export const countEndpoints = statement<{ total: number }>(
  'webhooks.count_endpoints',
  `select count(*) as total from webhook_endpoint where ${listed}`,
);

/** An endpoint that was just registered. */
export type RegisteredRow = Pick<
  EndpointRow,
  'tenant_id' | 'id' | 'livemode' | 'url' | 'events' | 'state' | 'created_at'
>;

export const nextEndpointId = statement<{ id: number }>(
  'webhooks.next_endpoint_id',
  `select next_id('webhook_endpoint_id_seq') as id`,
);

/** Serialises the registrations of a tenant until the transaction ends, so that its limit holds. Values: tenant. */
export const lockRegistrations = statement(
  'webhooks.lock_registrations',
  `select pg_advisory_xact_lock(hashtextextended('webhook_endpoint/' || $1::bigint, 0))`,
);

/** Inserts nothing and returns no row when the tenant has as many endpoints as the last value allows. */
export const insertEndpoint = statement<RegisteredRow>(
  'webhooks.insert_endpoint',
  `insert into webhook_endpoint (tenant_id, id, user_id, url, reaches_private, events, secret_sealed, created_at,
       livemode)
   select $1::bigint, $2::bigint, $3::bigint, $4::text, $5::boolean, $6::text[], $7::bytea, $8::timestamptz,
       $10::boolean
    where (select count(*) from webhook_endpoint where tenant_id = $1::bigint and removed_at is null) < $9::int
   returning tenant_id, id, livemode, url, events, state, created_at`,
);

/**
 * Enabling an endpoint or changing its URL clears its pause and its failures. Values: id; url, events and state (null
 * keeps the present value); whether max_in_flight is given, its value; whether rate_per_s is given, its value; now in
 * ms; whether the new URL may reach private addresses; whether a pause ends.
 */
export const updateEndpoint = statement<EndpointRow>(
  'webhooks.update_endpoint',
  `with change as (
     select $2::text as new_url, $3::text[] as new_events, $4::boolean as new_state
   )
   update webhook_endpoint
      set url = coalesce(new_url, url),
          reaches_private = case when new_url is null then reaches_private else $10::boolean end,
          events = coalesce(new_events, events),
          state = coalesce(new_state, state),
          disabled_reason = case when coalesce(new_state, state) = state then disabled_reason end,
          open_until = case when new_state and not state or new_url <> url or $11::boolean then null
                            else open_until end,
          first_failure_at = case when new_state and not state or new_url <> url then null else first_failure_at end,
          max_in_flight = case when $5::boolean then $6::int else max_in_flight end,
          rate_per_s = case when $7::boolean then $8::int else rate_per_s end,
          updated_at = to_timestamp($9::float8 / 1000)
     from change
    where id = $1
   returning ${endpointColumns}`,
  { invalidates: itsTarget },
);

/** Finds an event type of an open delivery that is not among these types. Values: id, types. */
export const findOpenDeliveryBeyond = statement<{ type: string }>(
  'webhooks.find_open_delivery_beyond',
  `select event.type
     from (select tenant_id, event_id from delivery where state = 'OPEN' and endpoint_id = $1) as waiting
     join event on event.tenant_id = waiting.tenant_id and event.id = waiting.event_id
    where event.type <> all ($2::text[]) limit 1`,
);

/** Values: id, now in ms. */
export const markRemoved = statement<EndpointRow>(
  'webhooks.mark_removed',
  `update webhook_endpoint
      set state = false, removed_at = to_timestamp($2::float8 / 1000), updated_at = to_timestamp($2::float8 / 1000),
          next_secret_sealed = null, promote_at = null
    where id = $1
   returning ${endpointColumns}`,
  { invalidates: itsTarget },
);

/** Whether a promotion is due and not written yet: the staged secret signs as the present one. */
const isPromotionDue = 'promote_at <= to_timestamp($2::float8 / 1000)';

/** Values: id, now in ms, sealed secret, time of its promotion in ms (null: on request). */
export const stageSecret = statement<EndpointRow>(
  'webhooks.stage_secret',
  `update webhook_endpoint
      set secret_sealed = case when ${isPromotionDue} then next_secret_sealed else secret_sealed end,
          secret_is_legacy = case when ${isPromotionDue} then next_secret_is_legacy else secret_is_legacy end,
          next_secret_sealed = $3, next_secret_is_legacy = false, promote_at = to_timestamp($4::float8 / 1000),
          updated_at = to_timestamp($2::float8 / 1000)
    where id = $1
   returning ${endpointColumns}`,
  { invalidates: itsTarget },
);

/** Sets when the staged secret is promoted. Values: id, now in ms, time of the promotion in ms. */
export const schedulePromotion = statement<EndpointRow>(
  'webhooks.schedule_promotion',
  `update webhook_endpoint
      set promote_at = to_timestamp($3::float8 / 1000), updated_at = to_timestamp($2::float8 / 1000)
    where id = $1 and next_secret_sealed is not null
   returning ${endpointColumns}`,
  { invalidates: itsTarget },
);

/** The staged secret replaces the present one. Values: id, now in ms. */
export const promoteSecret = statement<EndpointRow>(
  'webhooks.promote_secret',
  `update webhook_endpoint
      set secret_sealed = next_secret_sealed, secret_is_legacy = next_secret_is_legacy, next_secret_sealed = null,
          promote_at = null, updated_at = to_timestamp($2::float8 / 1000)
    where id = $1 and next_secret_sealed is not null
   returning ${endpointColumns}`,
  { invalidates: itsTarget },
);

/** Writes the promotions that are due, which deletes the replaced secrets. Values: now in ms. */
export const promoteDueSecrets = statement(
  'webhooks.promote_due_secrets',
  `update webhook_endpoint
      set secret_sealed = next_secret_sealed, secret_is_legacy = next_secret_is_legacy, next_secret_sealed = null,
          promote_at = null
    where promote_at <= to_timestamp($1::float8 / 1000)`,
);

export interface TargetRow {
  tenant_id: number;
  id: number;
  url: string;
  reaches_private: boolean;
  secret_sealed: Buffer;
  next_secret_sealed: Buffer | null;
  /** A secret set by a release that decoded only padded base64 after `whsec_`. */
  secret_is_legacy: boolean;
  next_secret_is_legacy: boolean;
  /** When the next secret replaces the present one; null: on request. */
  promote_at: string | null;
  state: boolean;
}

/** Values: id. */
export const findTarget = statement<TargetRow>(
  'webhooks.find_target',
  `select tenant_id, id, url, reaches_private, secret_sealed, next_secret_sealed, secret_is_legacy,
       next_secret_is_legacy,
          promote_at, state
     from webhook_endpoint where id = $1`,
);

export type LegacySecretRow = Pick<TargetRow, 'tenant_id' | 'id' | 'url' | 'secret_sealed'>;

/** Present secrets that were set by a release that decoded only padded base64 after `whsec_`. */
export const listLegacySecrets = statement<LegacySecretRow>(
  'webhooks.list_legacy_secrets',
  `select tenant_id, id, url, secret_sealed from webhook_endpoint where secret_is_legacy and removed_at is null
       order by id`,
);
