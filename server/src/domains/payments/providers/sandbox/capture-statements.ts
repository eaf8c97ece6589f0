import { statement } from '../../../../platform/postgres/statement.ts';
import { type OperationRecord, operationColumns } from './statements.ts';

/** Whether an authorized charge `c` has not expired. `$2` is now in ms. */
const isLive = `c.state = 'AUTHORIZED' and (c.settles_at is null or c.settles_at <= to_timestamp($2::float8 / 1000))
        and c.expires_at > to_timestamp($2::float8 / 1000)`;

/**
 * Captures some of an authorized charge or refuses that. The charge has succeeded when nothing more can be captured:
 * after a final capture, unless the rest is released apart, and when all is captured. Values: the capture's key, now in
 * ms, whether the rest is released apart.
 */
export const settleCapture = statement<OperationRecord>(
  'sandbox.settle_capture',
  `with capture as materialized (
     select key, charge_key, channel_id, amount, currency, is_final from sandbox_operation
      where key = $1 and kind = 'CAPTURE' and state = 'UNTAKEN'
        for update
   ), charge as (
     update sandbox_operation c
        set captured = c.captured + capture.amount, settles_at = null,
            state = case when c.captured + capture.amount = c.amount or (capture.is_final and not $3::boolean)
                         then 'SUCCEEDED' else c.state end
       from capture
      where c.key = capture.charge_key and c.kind = 'CHARGE' and ${isLive}
        and c.channel_id = capture.channel_id and c.currency = capture.currency
        and capture.amount <= c.amount - c.captured
     returning c.key
   ), result as (
     select capture.key, exists (select from charge) as is_captured from capture
   )
   update sandbox_operation o
      set state = case when is_captured then 'SUCCEEDED' else 'FAILED' end,
          failure_code = case when not is_captured then 'capture_failed' end,
          settles_at = case when is_captured then settles_at end,
          callbacks = case when is_captured then callbacks end,
          callback_due_at = case when is_captured then callback_due_at end,
          disputed_at = case when is_captured then disputed_at end
     from result
    where o.key = result.key
   returning ${operationColumns}`,
);

/**
 * Releases what was not captured of a charge. It succeeds, too, if nothing is left to release, and fails if nothing was
 * captured: such a charge is cancelled. Values: the release's key.
 */
export const settleRelease = statement<OperationRecord>(
  'sandbox.settle_release',
  `with release as materialized (
     select key, charge_key, channel_id from sandbox_operation
      where key = $1 and kind = 'RELEASE' and state = 'UNTAKEN'
        for update
   ), charge as (
     update sandbox_operation c
        set state = 'SUCCEEDED', settles_at = null, callbacks = null, callback_due_at = null
       from release
      where c.key = release.charge_key and c.kind = 'CHARGE' and c.state in ('AUTHORIZED', 'SUCCEEDED')
        and c.channel_id = release.channel_id and c.captured > 0
     returning c.key
   ), result as (
     select release.key, exists (select from charge) as is_released from release
   )
   update sandbox_operation o
      set state = case when is_released then 'SUCCEEDED' else 'FAILED' end,
          failure_code = case when not is_released then 'invalid_operation' end,
          settles_at = case when is_released then settles_at end,
          callbacks = case when is_released then callbacks end,
          callback_due_at = case when is_released then callback_due_at end
     from result
    where o.key = result.key
   returning ${operationColumns}`,
);

/**
 * Ends an authorization whose time is over. What was captured of it stays captured. Values: the charge's key, now in
 * ms.
 */
export const expireAuthorization = statement<OperationRecord>(
  'sandbox.expire_authorization',
  `update sandbox_operation o
      set state = case when o.captured > 0 then 'SUCCEEDED' else 'CANCELLED' end,
          failure_code = case when o.captured = 0 then 'authorization_expired' end
    where key = $1 and state = 'AUTHORIZED' and expires_at <= to_timestamp($2::float8 / 1000)
   returning ${operationColumns}`,
);
