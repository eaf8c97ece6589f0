import { statement } from '../../../platform/postgres/statement.ts';

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

/** Pauses that end later than they can, since the clock was set back, end then. Values: the latest that can be, then; in ms. */
export const shortenPauses = statement(
  'webhooks.shorten_pauses',
  `update webhook_endpoint set open_until = to_timestamp($2::float8 / 1000)
    where open_until > to_timestamp($1::float8 / 1000)`,
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
 * Takes the right to try endpoints whose pause is over, and gives back which it got: nobody else tries one until then.
 * Values: now in ms, until when, ids.
 */
export const takeTrials = statement<{ id: number }>(
  'webhooks.take_trials',
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

/** Gives that right back, unused. Values: now in ms, until when it was taken, ids. */
export const returnTrials = statement(
  'webhooks.return_trials',
  `update webhook_endpoint set open_until = to_timestamp($1::float8 / 1000)
    where id = any ($3::bigint[]) and open_until = to_timestamp($2::float8 / 1000)`,
);
