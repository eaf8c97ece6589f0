import { statement } from '../../../platform/postgres/statement.ts';
import type { OperationKind, OperationState, SettledBy } from '../operations/states.ts';
import type { DisputeReason, DisputeStage, DisputeStatus } from '../providers/dispute.ts';
import type { FailureCode } from '../providers/failures.ts';
import type { RefundStatus } from '../refunds/states.ts';
import type { TimelineMessageKind } from '../transactions/timeline-message-statements.ts';

export interface OperationRecord {
  number: number;
  kind: OperationKind;
  refund_id: string | null;
  capture_id: string | null;
  channel_id: number;
  provider: string;
  amount: number;
  state: OperationState;
  calls: number;
  look_ups: number;
  reference: string | null;
  failure_code: FailureCode | null;
  provider_code: string | null;
  settled_by: SettledBy | null;
  due_at: string;
  created_at: string;
  called_at: string | null;
  finished_at: string | null;
  /** Whether its charge is cancelled because the payer has not finished. */
  is_given_up: boolean;
  /** When the provider authorized the charge, to be captured later. */
  authorized_at: string | null;
}

/** The newest operations of a payment. Values: tenant, payment, limit. */
export const findOperations = statement<OperationRecord>(
  'timeline.operations',
  `select number, kind, refund_id, capture_id, authorized_at, channel_id, provider, amount, state, calls, look_ups,
          provider_reference as reference, failure_code, provider_code, settled_by, due_at, created_at, called_at,
          finished_at,
          case kind when 'CHARGE' then given_up_at is not null when 'CANCEL' then exists (
            select from provider_operation charge
             where charge.tenant_id = o.tenant_id and charge.transaction_id = o.transaction_id
               and charge.kind = 'CHARGE' and charge.given_up_at <= o.created_at) else false end as is_given_up
     from provider_operation o
    where tenant_id = $1 and transaction_id = $2
    order by number desc
    limit $3`,
);

export interface RefundRecord {
  id: string;
  amount: number;
  status: RefundStatus;
  /** Null: nobody asked for it here. */
  user_id: number | null;
  origin: 'PROVIDER' | null;
  created_at: string;
  updated_at: string;
  /** When the refund failed after it had succeeded. */
  reversed_at: string | null;
}

/** The newest refunds of a payment. Values as above. */
export const findRefunds = statement<RefundRecord>(
  'timeline.refunds',
  `select id, amount, status, user_id, origin, created_at, updated_at, reversed_at
     from refund
    where tenant_id = $1 and transaction_id = $2
    order by id desc
    limit $3`,
);

export interface MessageRecord {
  at: string;
  kind: TimelineMessageKind;
  operation: number | null;
  detail: Record<string, unknown>;
}

/** The newest timeline messages of a payment. Values as above. */
export const findMessages = statement<MessageRecord>(
  'timeline.messages',
  `select at, kind, operation, detail
     from timeline_message
    where tenant_id = $1 and transaction_id = $2
    order by id desc
    limit $3`,
);

export interface DisputeOfTimeline {
  id: string;
  channel_id: number;
  provider: string;
  stage: DisputeStage;
  status: DisputeStatus;
  amount: number;
  currency: string;
  reason: DisputeReason;
  reference: string;
  created_at: string;
  closed_at: string | null;
}

/** The newest disputes of a payment. Values as above. */
export const findDisputes = statement<DisputeOfTimeline>(
  'timeline.disputes',
  `select id, channel_id, provider, stage, status, amount, currency, reason, provider_reference as reference,
          created_at, closed_at
     from dispute
    where tenant_id = $1 and transaction_id = $2
    order by id desc
    limit $3`,
);

export interface DisputeStepRecord {
  dispute_id: string;
  at: string;
  kind: 'WITHDRAWN' | 'REINSTATED' | 'SUBMIT' | 'ACCEPT';
  amount: number | null;
  currency: string | null;
  failure_code: FailureCode | null;
}

/** The funds of the disputes of a payment, and the answers to them that have ended. Values as above. */
export const findDisputeSteps = statement<DisputeStepRecord>(
  'timeline.dispute_steps',
  `select step.* from (
     select m.dispute_id, m.created_at as at, m.kind, m.amount, m.currency, null as failure_code
       from dispute d
       join dispute_movement m on m.tenant_id = d.tenant_id and m.dispute_id = d.id
      where d.tenant_id = $1 and d.transaction_id = $2 and m.kind in ('WITHDRAWN', 'REINSTATED')
      union all
     select o.dispute_id, o.finished_at, o.kind, null, null, o.failure_code
       from dispute d
       join dispute_operation o on o.tenant_id = d.tenant_id and o.dispute_id = d.id
      where d.tenant_id = $1 and d.transaction_id = $2 and o.state in ('SUCCEEDED', 'FAILED')
   ) as step
    order by at desc
    limit $3`,
);
