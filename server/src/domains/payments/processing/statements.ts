import { statement } from '../../../platform/postgres/statement.ts';
import { operationsDue } from '../operations/open.cte.ts';
import type { ProviderName } from '../providers/directory.ts';
import { paymentColumns, type TransactionRow } from '../transactions/statements.ts';

export type OperationKind = 'CHARGE' | 'REFUND' | 'CANCEL';
export type OperationState = 'READY' | 'CALLING' | 'UNKNOWN' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
export type SettledBy = 'answer' | 'look_up' | 'callback' | 'nothing';

/** An operation with its payment as it was when both were read. */
export interface OperationRow extends TransactionRow {
  number: number;
  kind: OperationKind;
  refund_id: string | null;
  refund_reason: string | null;
  /** The channel it is called through: the payment's own, or one to fall back on. */
  operation_channel_id: number;
  operation_provider: ProviderName;
  operation_amount: number;
  state: OperationState;
  calls: number;
  look_ups: number;
  operation_reference: string | null;
  operation_created_ms: number;
  /** The charge that a refund or a cancellation is about. */
  charge_number: number | null;
  charge_reference: string | null;
  charge_state: OperationState | null;
}

/** What is asked of a provider, with all it takes to ask. `o` is the operation, `t` its payment. */
export const operationColumns = `${paymentColumns}, o.number, o.kind, o.refund_id, r.reason as refund_reason,
  o.channel_id as operation_channel_id, o.provider as operation_provider, o.amount as operation_amount, o.calls,
  o.look_ups, o.provider_reference as operation_reference,
  (extract(epoch from o.created_at) * 1000)::float8 as operation_created_ms,
  charge.number as charge_number, charge.provider_reference as charge_reference, charge.state as charge_state`;

/** The refund and the charge that an operation `o` is about; a charge has neither. */
export const about = `
  left join refund r on o.refund_id is not null and r.tenant_id = o.tenant_id and r.id = o.refund_id
  left join lateral (
    select number, provider_reference, state from provider_operation charge
     where o.kind <> 'CHARGE' and charge.tenant_id = o.tenant_id and charge.transaction_id = o.transaction_id
       and charge.kind = 'CHARGE' and not charge.void
     limit 1
  ) charge on true`;

/** Operations that stand under a provider's own id, of one channel. */
export const findByReference = statement<OperationRow>(
  'processing.find_by_reference',
  `select ${operationColumns}, o.state
     from provider_operation o
     join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id${about}
    where o.channel_id = $1 and o.provider_reference = $2
    order by o.number`,
);

/** The operation under a key of ours, of one channel; its tenant need not be known. */
export const findByKey = statement<OperationRow>(
  'processing.find_by_key',
  `select ${operationColumns}, o.state
     from tenant
     join provider_operation o on o.tenant_id = tenant.id and o.transaction_id = $2 and o.number = $3
     join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id${about}
    where o.channel_id = $1`,
);

/** Every operation of a payment, in order. */
export const findOfPayment = statement<OperationRow>(
  'processing.find_of_payment',
  `select ${operationColumns}, o.state
     from provider_operation o
     join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id${about}
    where o.tenant_id = $1 and o.transaction_id = $2
    order by o.number`,
);

/**
 * Makes the open operations of a payment due now, so that they are looked up: its provider says that something changed. One
 * that is held is being asked for already, perhaps from before the change: what is written of it puts it off again.
 */
export const hurryOperations = statement<{ number: number; is_held: boolean }>(
  'processing.hurry',
  `update provider_operation
      set due_at = least(due_at, to_timestamp($3::float8 / 1000))
    where tenant_id = $1 and transaction_id = $2 and state in ('CALLING', 'UNKNOWN', 'WAITING')
   returning number, coalesce(leased_until > to_timestamp($3::float8 / 1000), false) as is_held`,
  { wakes: [{ topic: operationsDue, when: (rows) => rows.length > 0 }] },
);
