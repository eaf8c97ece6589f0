import { type Statement, statement } from '../../../platform/postgres/statement.ts';
import { wakesDeliveries } from '../../webhooks/events/append-events.cte.ts';
import { openOperationsCte, operationsDue } from '../operations/open.cte.ts';
import { openStates } from '../operations/statements.ts';
import { settleRefundsCte } from '../refunds/settle.cte.ts';
import { rollupsDue } from '../transactions/totals.cte.ts';
import { transitionInput } from '../transactions/transition.cte.ts';
import type { PaymentTransitions } from '../transactions/transitions.ts';
import { countChargesCte } from './charge-totals.cte.ts';

/** Input columns besides those of the transition: one array each, in the order of `valuesOfSettlements`. */
const settlementColumns = [
  ['number', 'smallint'],
  // Null: whatever lease the operation has.
  ['lease', 'uuid'],
  ['state', 'text'],
  ['reference', 'text'],
  ['outcome_code', 'text'],
  ['provider_code', 'text'],
  ['outcome_message', 'text'],
  ['settled_by', 'text'],
  // To be added to those of the operation.
  ['calls', 'smallint'],
  ['look_ups', 'smallint'],
  // Null: not a refund.
  ['refund_status', 'text'],
  // A refund that had succeeded has failed.
  ['reverses', 'boolean'],
  // Null: no fallback channel is tried.
  ['next_channel_id', 'bigint'],
  ['next_provider', 'text'],
] as const;

/**
 * Settles operations: writes final outcomes with everything that follows from them, in one statement.
 *
 * Locks the operation, which must be open (SUCCEEDED, to reverse a refund), then moves the payment, guarded by its version.
 * Everything else follows from `moved`. A payment that is not returned was left unchanged: read it again and retry. The next
 * charge is inserted from `finished`, because a payment can have one charge that is not void.
 *
 * The lock is taken in a lateral subquery, so that operations are always found by their full key and in the order of the
 * input (by payment id: two settlers would deadlock otherwise). A join was planned as a scan of all operations: 63
 * settlements took 90 ms instead of 4.
 */
export function settleOperations(
  transitions: PaymentTransitions,
): Statement<{ id: string; deliveries: number; has_operation: boolean }> {
  return statement<{ id: string; deliveries: number; has_operation: boolean }>(
    'processing.settle',
    `with settlement as (
     ${transitionInput(settlementColumns)}
   ), move as materialized (
     select settlement.*
       from settlement
      cross join lateral (
        select 1 from provider_operation o
         where o.tenant_id = settlement.tenant_id and o.transaction_id = settlement.id and o.number = settlement.number
           and case when settlement.reverses then o.kind = 'REFUND' and o.state = 'SUCCEEDED'
                    else o.state in (${openStates}) end
           and (settlement.lease is null or o.lease = settlement.lease)
           for update
      ) as locked
   ),
   ${transitions.cte(settlementColumns)},
   finished as (
     update provider_operation o
        set state = moved.state, void = moved.state in ('FAILED', 'CANCELLED'), lease = null, leased_until = null,
            provider_reference = coalesce(moved.reference, o.provider_reference), failure_code = moved.outcome_code,
            provider_code = moved.provider_code, failure_message = moved.outcome_message, settled_by = moved.settled_by,
            calls = least(o.calls + moved.calls, 32767), look_ups = least(o.look_ups + moved.look_ups, 32767),
            finished_at = case when moved.reverses then o.finished_at else moved.at end
       from moved
      where o.tenant_id = moved.tenant_id and o.transaction_id = moved.id and o.number = moved.number
     returning o.tenant_id, o.transaction_id, o.kind, o.channel_id, o.state, o.finished_at, moved.currency, moved.amount,
               moved.next_channel_id, moved.next_provider
   ),
   cancelled_operation as (
     update provider_operation o
        set state = 'CANCELLED', void = true, lease = null, leased_until = null, settled_by = 'nothing',
            finished_at = moved.at
       from moved
      where moved.to_status = 'CANCELLED' and moved.from_status <> 'CANCELLED'
        and o.tenant_id = moved.tenant_id and o.transaction_id = moved.id and o.number <> moved.number
        and o.state in (${openStates})
     returning o.tenant_id, o.kind, o.channel_id, o.state, o.finished_at, moved.currency
   ),
   ${countChargesCte},
   refund_outcome as (
     select tenant_id, refund_id as id, refund_status as status, reference, outcome_code as failure_code,
            outcome_message as failure_message, reverses, at
       from moved
      where refund_status is not null
   ),
   ${settleRefundsCte},
   operation as (
     select tenant_id, transaction_id,
            (select max(number) + 1 from provider_operation o
              where o.tenant_id = finished.tenant_id and o.transaction_id = finished.transaction_id) as number,
            'CHARGE' as kind, null::uuid as refund_id, next_channel_id as channel_id, next_provider as provider, amount,
            finished_at as at
       from finished
      where next_channel_id is not null
   ),
   ${openOperationsCte}
   select id, (select count(*) from enqueued) as deliveries, next_channel_id is not null as has_operation from moved`,
    {
      wakes: [
        { topic: rollupsDue, when: (rows) => rows.length > 0 },
        wakesDeliveries,
        { topic: operationsDue, when: (rows) => rows.some(({ has_operation }) => has_operation) },
      ],
    },
  );
}
