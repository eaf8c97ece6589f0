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
   finished as (
     update provider_operation o
        set state = moved.state, void = moved.state in ('FAILED', 'CANCELLED'), lease = null, leased_until = null,
            provider_reference = coalesce(moved.reference, o.provider_reference), failure_code = moved.outcome_code,
            provider_code = moved.provider_code, failure_message = moved.outcome_message, settled_by = moved.settled_by,
            calls = least(o.calls + moved.calls, 32767), look_ups = least(o.look_ups + moved.look_ups, 32767),
            finished_at = case when moved.reverses then o.finished_at else moved.at end
       from ${moved.name} as moved
      where o.tenant_id = moved.tenant_id and o.transaction_id = moved.id and o.number = moved.number
     returning o.tenant_id, o.transaction_id, o.kind, o.channel_id, o.state, o.background, o.finished_at,
         moved.currency,
               moved.amount, moved.next_channel_id, moved.next_provider
   ),
   cancelled_operation as (
     update provider_operation o
        set state = 'CANCELLED', void = true, lease = null, leased_until = null, settled_by = 'nothing',
            finished_at = moved.at
       from ${moved.name} as moved
      where moved.to_status in ('CANCELLED', 'FAILED') and moved.from_status <> moved.to_status
        and o.tenant_id = moved.tenant_id and o.transaction_id = moved.id and o.number <> moved.number
        and o.state in (${openStates})
     returning o.tenant_id, o.kind, o.channel_id, o.state, o.finished_at, moved.currency
   ),
  counted_charges as (
    insert into charge_total_delta (tenant_id, day, channel_id, currency, outcome, count)
    select tenant_id, (finished_at at time zone 'UTC')::date, channel_id, currency, state, count(*)
      from (
        select tenant_id, kind, channel_id, currency, state, finished_at from finished
         union all
        select tenant_id, kind, channel_id, currency, state, finished_at from cancelled_operation
      ) as ended
     where kind = 'CHARGE'
     group by 1, 2, 3, 4, 5
  )`;
