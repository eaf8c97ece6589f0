import { type Statement, statement } from '../../../platform/postgres/statement.ts';
import { wakesSenders } from '../../webhooks/events/append-events.cte.ts';
import { openOperationsCte, operationsDue } from '../operations/open.cte.ts';
import { openStates } from '../operations/statements.ts';
import { settleRefundsCte } from '../refunds/settle.cte.ts';
import { rollupsDue } from '../transactions/totals.cte.ts';
import { transitionInput } from '../transactions/transition.cte.ts';
import type { PaymentTransitions } from '../transactions/transitions.ts';
import { countChargesCte } from './charge-totals.cte.ts';

/** What settling an operation takes besides the move of its payment, one array a column (`valuesOfSettlements`). */
const told = [
  ['number', 'smallint'],
  // Null: whoever holds it.
  ['lease', 'uuid'],
  ['state', 'text'],
  ['reference', 'text'],
  ['told_code', 'text'],
  ['provider_code', 'text'],
  ['told_message', 'text'],
  ['settled_by', 'text'],
  // What it took to learn this, besides what is counted already.
  ['calls', 'smallint'],
  ['look_ups', 'smallint'],
  // Null: it is no refund.
  ['refund_status', 'text'],
  // A refund that had succeeded has failed.
  ['reverses', 'boolean'],
  // Null: no other channel is tried.
  ['next_channel_id', 'bigint'],
  ['next_provider', 'text'],
] as const;

/**
 * Settles operations: what a provider said for good, with everything that follows from it, in one statement.
 *
 * The operation is locked first and must be open (where a refund is reversed: SUCCEEDED); then the payment moves, guarded by its version; only what has moved goes
 * on. What is not given back was left as it stands, to be read again and settled anew. The next charge comes out of
 * `finished`, after the last one is void: two that are not void cannot stand side by side.
 *
 * The lock stands in a lateral subquery, which is always looked up by the whole key, in the order of the input (that of
 * the payments' ids, or two settlers would wait for each other). A join could be planned as a scan of all operations, and
 * was: 63 settlements took 90 ms instead of 4.
 */
export function settleOperations(
  transitions: PaymentTransitions,
): Statement<{ id: string; deliveries: number; has_operation: boolean }> {
  return statement<{ id: string; deliveries: number; has_operation: boolean }>(
    'processing.settle',
    `with asked as (
     ${transitionInput(told)}
   ), move as materialized (
     select asked.*
       from asked
      cross join lateral (
        select 1 from provider_operation o
         where o.tenant_id = asked.tenant_id and o.transaction_id = asked.id and o.number = asked.number
           and case when asked.reverses then o.kind = 'REFUND' and o.state = 'SUCCEEDED'
                    else o.state in (${openStates}) end
           and (asked.lease is null or o.lease = asked.lease)
           for update
      ) as held
   ),
   ${transitions.cte(told)},
   finished as (
     update provider_operation o
        set state = moved.state, void = moved.state in ('FAILED', 'CANCELLED'), lease = null, leased_until = null,
            provider_reference = coalesce(moved.reference, o.provider_reference), failure_code = moved.told_code,
            provider_code = moved.provider_code, failure_message = moved.told_message, settled_by = moved.settled_by,
            calls = least(o.calls + moved.calls, 32767), look_ups = least(o.look_ups + moved.look_ups, 32767),
            finished_at = case when moved.reverses then o.finished_at else moved.at end
       from moved
      where o.tenant_id = moved.tenant_id and o.transaction_id = moved.id and o.number = moved.number
     returning o.tenant_id, o.transaction_id, o.kind, o.channel_id, o.state, o.finished_at, moved.currency, moved.amount,
               moved.next_channel_id, moved.next_provider
   ),
   called_off as (
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
   refund_news as (
     select tenant_id, refund_id as id, refund_status as status, reference, told_code as failure_code,
            told_message as failure_message, reverses, at
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
        wakesSenders,
        { topic: operationsDue, when: (rows) => rows.some(({ has_operation }) => has_operation) },
      ],
    },
  );
}
