import type { Relation } from '../../../platform/postgres/relation.ts';
import { openStates } from './statements.ts';

/** Payments after their transitions, with the outcomes of their operations. */
type Moved = Relation<
  | 'tenant_id'
  | 'id'
  | 'number'
  | 'from_status'
  | 'to_status'
  | 'currency'
  | 'amount'
  | 'at'
  | 'reverses'
  | 'next_channel_id'
  | 'next_provider'
  | 'state'
  | 'reference'
  | 'outcome_code'
  | 'provider_code'
  | 'outcome_message'
  | 'settled_by'
  | 'calls'
  | 'look_ups'
>;

/**
 * CTEs that end operations in the statement that changes their payments: the operation of each row, and the other open
 * operations of a payment that is cancelled or fails.
 *
 * `counted_charges` counts the charges that end: one delta row for each tenant, channel, currency and outcome of the
 * batch. Written in the same statement, so the totals are exact.
 */
export const finishOperations = (moved: Moved) => `
   ${finished(moved, '')},
   ${cancelledOperations(moved)},
   ${countedCharges('')}`;

/** Payments that are captured by requests, after their transitions. */
type MovedAuthorized = Moved & Relation<'due_ms' | 'is_authorization' | 'tells_expiring' | 'capture_status'>;

/**
 * The same for payments that are captured by requests. An operation that becomes WAITING stays open, and is due at
 * `due_ms`: an authorized charge. It has succeeded when the payment succeeds by a capture or a release, and is looked
 * up when a capture fails, because the authorization may have ended.
 */
export const finishAuthorizedOperations = (moved: MovedAuthorized) => `
   ${finished(
     moved,
     `, due_at = coalesce(to_timestamp(moved.due_ms / 1000), o.due_at),
            authorized_at = case when moved.is_authorization then moved.at else o.authorized_at end,
            expiring_at = case when moved.tells_expiring then moved.at else o.expiring_at end`,
     `when moved.state = 'WAITING' then null`,
   )},
   ${cancelledOperations(moved)},
   ended_by_success as (
     update provider_operation o
        set state = case o.kind when 'CHARGE' then 'SUCCEEDED' else 'CANCELLED' end, void = o.kind <> 'CHARGE',
            settled_by = case o.kind when 'CHARGE' then moved.settled_by else 'nothing' end, finished_at = moved.at,
            lease = null, leased_until = null
       from ${moved.name} as moved
      where moved.to_status = 'SUCCESS' and moved.from_status in ('PENDING', 'PROCESSING')
        and o.tenant_id = moved.tenant_id and o.transaction_id = moved.id and o.number <> moved.number
        and o.state in (${openStates})
     returning o.tenant_id, o.kind, o.channel_id, o.state, o.finished_at, moved.currency
   ),
   charge_to_look_up as (
     update provider_operation o
        set due_at = least(o.due_at, moved.at)
       from ${moved.name} as moved
      where moved.capture_status = 'FAILED'
        and o.tenant_id = moved.tenant_id and o.transaction_id = moved.id and o.number <> moved.number
        and o.kind = 'CHARGE' and o.state in ('UNKNOWN', 'WAITING')
   ),
   ${countedCharges(`
         union all
        select tenant_id, kind, channel_id, currency, state, finished_at from ended_by_success`)}`;

const finished = (moved: Moved, furtherColumns: string, furtherEnd = '') => `finished as (
     update provider_operation o
        set state = moved.state, void = moved.state in ('FAILED', 'CANCELLED'), lease = null, leased_until = null,
            provider_reference = coalesce(moved.reference, o.provider_reference), failure_code = moved.outcome_code,
            provider_code = moved.provider_code, failure_message = moved.outcome_message, settled_by = moved.settled_by,
            calls = least(o.calls + moved.calls, 32767), look_ups = least(o.look_ups + moved.look_ups, 32767),
            finished_at = case when moved.reverses then o.finished_at ${furtherEnd} else moved.at end${furtherColumns}
       from ${moved.name} as moved
      where o.tenant_id = moved.tenant_id and o.transaction_id = moved.id and o.number = moved.number
     returning o.tenant_id, o.transaction_id, o.kind, o.channel_id, o.provider, o.state, o.background, o.finished_at,
         moved.currency,
               moved.amount, moved.next_channel_id, moved.next_provider
   )`;

const cancelledOperations = (moved: Moved) => `cancelled_operation as (
     update provider_operation o
        set state = 'CANCELLED', void = true, lease = null, leased_until = null, settled_by = 'nothing',
            finished_at = moved.at
       from ${moved.name} as moved
      where moved.to_status in ('CANCELLED', 'FAILED') and moved.from_status <> moved.to_status
        and o.tenant_id = moved.tenant_id and o.transaction_id = moved.id and o.number <> moved.number
        and o.state in (${openStates})
     returning o.tenant_id, o.kind, o.channel_id, o.state, o.finished_at, moved.currency
   )`;

const countedCharges = (further: string) => `counted_charges as (
    insert into charge_total_delta (tenant_id, day, hour, channel_id, currency, outcome, count)
    select tenant_id, (finished_at at time zone 'UTC')::date, date_part('hour', finished_at at time zone 'UTC'),
           channel_id, currency, state, count(*)
      from (
        select tenant_id, kind, channel_id, currency, state, finished_at from finished
         union all
        select tenant_id, kind, channel_id, currency, state, finished_at from cancelled_operation${further}
      ) as ended
     where kind = 'CHARGE' and finished_at is not null
     group by 1, 2, 3, 4, 5, 6
  )`;
