import { statement } from '../../../platform/postgres/statement.ts';
import { userMailsDue } from '../../identity/mails/statements.ts';
import { queueDisabledMailsCte } from './disabled-endpoint-statements.ts';
import { cachedTargets, type EndpointRow, endpointColumns } from './statements.ts';

/** The cached target of a row, if the endpoint is disabled now: nothing else of its health is cached. */
const disabledTarget = { cache: cachedTargets, key: ({ id, state }: EndpointRow) => (state ? undefined : id) };

const hasDisabled = (rows: readonly EndpointRow[]) => rows.some(({ state }) => !state);

/**
 * Disables an endpoint, and queues mails to its administrators. Returns it if it was enabled. Values: id, reason, now
 * in ms.
 */
export const disableEndpoint = statement<EndpointRow>(
  'webhooks.disable_endpoint',
  `with changed as (
     update webhook_endpoint
        set state = false, disabled_reason = $2, updated_at = to_timestamp($3::float8 / 1000)
      where id = $1 and state
     returning ${endpointColumns}
   ), ${queueDisabledMailsCte('changed', '$3')}
   select * from changed`,
  { invalidates: disabledTarget, wakes: [{ topic: userMailsDue, when: hasDisabled }] },
);

/** Deliveries that wait are counted up to this many. */
const maxWaiting = 10_000;

/**
 * Pauses an endpoint. Returns it if it was not paused, with how many of its deliveries wait. Values: id, end of the
 * pause in ms, time of the first failure in ms.
 */
export const pauseEndpoint = statement<{ tenant_id: number; id: number; url: string; waiting: number }>(
  'webhooks.pause_endpoint',
  `with before as (
     select id, open_until from webhook_endpoint where id = $1 and state for no key update
   ), paused as (
     update webhook_endpoint endpoint
        set open_until = to_timestamp($2::float8 / 1000),
            first_failure_at = coalesce(endpoint.first_failure_at, to_timestamp($3::float8 / 1000))
       from before
      where endpoint.id = before.id
     returning endpoint.tenant_id, endpoint.id, endpoint.url, before.open_until is null as is_new
   )
   select tenant_id, id, url,
          (select count(*) from (
             select from delivery where endpoint_id = $1 and state = 'OPEN' limit ${maxWaiting}
           ) as counted) as waiting
     from paused
    where is_new`,
);

/**
 * After the clock was set back: shortens pauses that end later than possible, and lets failures have begun now at the
 * latest. Values: latest possible end, new end, now, in ms.
 */
export const shortenPauses = statement(
  'webhooks.shorten_pauses',
  `update webhook_endpoint
      set open_until = case when open_until > to_timestamp($1::float8 / 1000) then to_timestamp($2::float8 / 1000)
                            else open_until end,
          first_failure_at = least(first_failure_at, to_timestamp($3::float8 / 1000))
    where open_until > to_timestamp($1::float8 / 1000) or first_failure_at > to_timestamp($3::float8 / 1000)`,
);

/**
 * Ends the pause of an endpoint that answers again. Returns it if it was paused. Values: id, whether the delivery
 * succeeded.
 */
export const recoverEndpoint = statement<{ tenant_id: number; id: number; url: string }>(
  'webhooks.recover_endpoint',
  `with before as (
     select id, open_until from webhook_endpoint
      where id = $1 and (open_until is not null or $2::boolean and first_failure_at is not null)
        for no key update
   ), recovered as (
     update webhook_endpoint endpoint
        set open_until = null, first_failure_at = case when not $2::boolean then endpoint.first_failure_at end
       from before
      where endpoint.id = before.id
     returning endpoint.tenant_id, endpoint.id, endpoint.url, before.open_until is not null as was_paused
   )
   select tenant_id, id, url from recovered where was_paused`,
);

/**
 * A delivery has used up its attempts: records the time of the endpoint's first failure, or disables the endpoint if
 * that was too long ago and queues mails to its administrators. Returns a row if it changed anything. Values: id, first
 * failure, the time before which a first failure disables the endpoint, reason, now; times in ms.
 */
export const recordExhaustion = statement<EndpointRow>(
  'webhooks.record_exhaustion',
  `with changed as (
     update webhook_endpoint
        set first_failure_at = coalesce(first_failure_at, to_timestamp($2::float8 / 1000)),
            state = first_failure_at is null,
            disabled_reason = case when first_failure_at is not null then $4 end,
            updated_at = case when first_failure_at is null then updated_at else to_timestamp($5::float8 / 1000) end
      where id = $1 and state and (first_failure_at is null or first_failure_at <= to_timestamp($3::float8 / 1000))
     returning ${endpointColumns}
   ), ${queueDisabledMailsCte('changed', '$5')}
   select * from changed`,
  { invalidates: disabledTarget, wakes: [{ topic: userMailsDue, when: hasDisabled }] },
);

/**
 * Reserves trials of endpoints whose pause is over: until the reservation ends, no other node tries them. Returns the
 * endpoints reserved. Values: now in ms, end of the reservation in ms, ids.
 */
export const reserveTrials = statement<{ id: number }>(
  'webhooks.reserve_trials',
  `with free as materialized (
     select id from webhook_endpoint
      where id = any ($3::bigint[]) and state and open_until <= to_timestamp($1::float8 / 1000)
        for update skip locked
   )
   update webhook_endpoint set open_until = to_timestamp($2::float8 / 1000)
     from free
    where webhook_endpoint.id = free.id
   returning webhook_endpoint.id`,
);

/** Ends a pause, so that the next delivery is a trial. Values: endpoint, now in ms. */
export const endPause = statement(
  'webhooks.end_pause',
  `update webhook_endpoint set open_until = to_timestamp($2::float8 / 1000)
    where id = $1 and open_until > to_timestamp($2::float8 / 1000)`,
);

/** Returns unused trials. Values: now in ms, end of the reservation in ms, ids. */
export const releaseTrials = statement(
  'webhooks.release_trials',
  `update webhook_endpoint set open_until = to_timestamp($1::float8 / 1000)
    where id = any ($3::bigint[]) and open_until = to_timestamp($2::float8 / 1000)`,
);
