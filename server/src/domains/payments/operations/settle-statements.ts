import { relation, same } from '../../../platform/postgres/relation.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { finishOperations } from '../operation-queue/finish.cte.ts';
import { openOperations, operationsDue } from '../operation-queue/open.cte.ts';
import { openStates } from '../operation-queue/statements.ts';
import { settleRefunds } from '../refunds/settle.cte.ts';
import {
  applyTransitions,
  type TransitionedRow,
  transitionedColumns,
  transitionInput,
  wakesByTransition,
} from '../transactions/transition.cte.ts';

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

const transitions = applyTransitions(settlementColumns);

const refundOutcomes = relation(
  'refund_outcome',
  {
    tenant_id: 'tenant_id',
    id: 'refund_id',
    status: 'refund_status',
    reference: 'reference',
    failure_code: 'outcome_code',
    failure_message: 'outcome_message',
    ...same(['reverses', 'at']),
  },
  'from moved where refund_status is not null',
);

const nextCharges = relation(
  'operation',
  {
    ...same(['tenant_id', 'transaction_id']),
    number: `(select max(number) + 1 from provider_operation o
              where o.tenant_id = finished.tenant_id and o.transaction_id = finished.transaction_id)`,
    kind: `'CHARGE'`,
    refund_id: 'null::uuid',
    channel_id: 'next_channel_id',
    provider: 'next_provider',
    ...same(['amount', 'background']),
    at: 'finished_at',
  },
  'from finished where next_channel_id is not null',
);

/**
 * Settles operations: writes final outcomes with everything that follows from them, in one statement.
 *
 * Locks the operation, which must be open (SUCCEEDED, to reverse a refund), then changes the payment, guarded by its
 * version. Everything else follows from `moved`. A payment that is not returned was not changed: read it again and
 * retry. The next charge is inserted from `finished`, because a payment can have only one charge that is not void.
 *
 * The lock is taken in a lateral subquery, so that operations are always found by their full key and in the order of
 * the input (by payment id: two settlers would deadlock otherwise). A join was planned as a scan of all operations: 63
 * settlements took 90 ms instead of 4.
 */
export const settleOperations = statement<TransitionedRow>(
  'operations.settle',
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
   ${transitions.ctes},
   ${finishOperations(transitions.moved)},
   ${refundOutcomes.cte},
   ${settleRefunds(refundOutcomes)},
   ${nextCharges.cte},
   ${openOperations(nextCharges)}
   select ${transitionedColumns}, next_channel_id is not null as has_operation from moved`,
  {
    wakes: [
      ...wakesByTransition,
      { topic: operationsDue, when: (rows) => rows.some(({ has_operation }) => has_operation) },
    ],
  },
);
