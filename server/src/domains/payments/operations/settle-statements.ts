import { relation, same } from '../../../platform/postgres/relation.ts';
import { type Statement, statement } from '../../../platform/postgres/statement.ts';
import { settleCaptures } from '../captures/settle.cte.ts';
import { finishAuthorizedOperations, finishOperations } from '../operation-queue/finish.cte.ts';
import { openCaptureOperations, openOperations, operationsDue } from '../operation-queue/open.cte.ts';
import { openStates } from '../operation-queue/statements.ts';
import { settleRefunds } from '../refunds/settle.cte.ts';
import {
  applyTransitions,
  type TransitionedRow,
  type TransitionVariant,
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

/** Of payments that are captured by requests. */
const captureColumns = [
  ...settlementColumns,
  // Null: not a capture.
  ['capture_status', 'text'],
  // When an operation that stays open is due again.
  ['due_ms', 'float8'],
  ['is_authorization', 'boolean'],
  ['tells_expiring', 'boolean'],
  // The rest to release after a final capture; null: nothing.
  ['release_amount', 'bigint'],
] as const;

const transitions = {
  AUTOMATIC: applyTransitions('AUTOMATIC', settlementColumns),
  ANY: applyTransitions('ANY', captureColumns),
};

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

const captureOutcomes = relation(
  'capture_outcome',
  {
    tenant_id: 'tenant_id',
    id: 'capture_id',
    status: 'capture_status',
    reference: 'reference',
    failure_code: 'outcome_code',
    at: 'at',
  },
  'from moved where capture_status is not null',
);

const nextReleases = relation(
  'release_operation',
  {
    tenant_id: 'moved.tenant_id',
    transaction_id: 'moved.id',
    number: `(select max(number) + 1 from provider_operation o
              where o.tenant_id = moved.tenant_id and o.transaction_id = moved.id)`,
    kind: `'RELEASE'`,
    refund_id: 'null::uuid',
    channel_id: 'finished.channel_id',
    provider: 'finished.provider',
    amount: 'release_amount',
    background: 'false',
    at: 'at',
    capture_id: 'capture_id',
    is_final: 'null::boolean',
  },
  `from moved
     join finished on finished.tenant_id = moved.tenant_id and finished.transaction_id = moved.id
    where release_amount is not null`,
);

const wakesBySettlement = [
  ...wakesByTransition,
  { topic: operationsDue, when: (rows: readonly TransitionedRow[]) => rows.some(({ has_operation }) => has_operation) },
];

/** Whether a settlement may end an operation `o`. */
const isEndable = `o.tenant_id = settlement.tenant_id and o.transaction_id = settlement.id
           and o.number = settlement.number
           and case when settlement.reverses then o.kind = 'REFUND' and o.state = 'SUCCEEDED'
                    else o.state in (${openStates}) end
           and (settlement.lease is null or o.lease = settlement.lease)`;

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
const settleOperations = statement<TransitionedRow>(
  'operations.settle',
  `with settlement as (
     ${transitionInput('AUTOMATIC', settlementColumns)}
   ), move as materialized (
     select settlement.*
       from settlement
      cross join lateral (
        select 1 from provider_operation o
         where ${isEndable}
           for update
      ) as locked
   ),
   ${transitions.AUTOMATIC.ctes},
   ${finishOperations(transitions.AUTOMATIC.moved)},
   ${refundOutcomes.cte},
   ${settleRefunds(refundOutcomes)},
   ${nextCharges.cte},
   ${openOperations(nextCharges)}
   select ${transitionedColumns}, next_channel_id is not null as has_operation from moved`,
  { wakes: wakesBySettlement },
);

/**
 * The same for payments that are captured by requests, with their captures and releases. A capture ends the charge,
 * too, so all open operations of the payment are locked, in one order.
 */
const settleAuthorizedOperations = statement<TransitionedRow>(
  'operations.settle_authorized',
  `with settlement as (
     ${transitionInput('ANY', captureColumns)}
   ), move as materialized (
     select settlement.*
       from settlement
      cross join lateral (
        select count(*) as operations from (
          select from provider_operation o
           where o.tenant_id = settlement.tenant_id and o.transaction_id = settlement.id
             and (o.state in (${openStates}) or o.number = settlement.number)
           order by o.number
             for update
        ) as each_locked
      ) as all_locked
      cross join lateral (
        select 1 from provider_operation o
         where ${isEndable} and all_locked.operations > 0
           for update
      ) as locked
   ),
   ${transitions.ANY.ctes},
   ${finishAuthorizedOperations(transitions.ANY.moved)},
   ${refundOutcomes.cte},
   ${settleRefunds(refundOutcomes)},
   ${captureOutcomes.cte},
   ${settleCaptures(captureOutcomes)},
   ${nextCharges.cte},
   ${openOperations(nextCharges)},
   ${nextReleases.cte},
   ${openCaptureOperations(nextReleases)}
   select ${transitionedColumns},
          next_channel_id is not null or release_amount is not null or capture_status = 'FAILED' as has_operation
     from moved`,
  { wakes: wakesBySettlement },
);

/** Settles operations. Values: `transitionParameters`, then `valuesOfSettlements`. */
export const settleBy: Record<TransitionVariant, Statement<TransitionedRow>> = {
  AUTOMATIC: settleOperations,
  ANY: settleAuthorizedOperations,
};
