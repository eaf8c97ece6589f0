import { statement } from '../../../platform/postgres/statement.ts';
import type { ProviderName } from '../providers/directory.ts';
import type { FailureCode } from '../providers/failures.ts';
import type { PaymentRow } from '../transactions/record.ts';
import { paymentColumns } from '../transactions/statements.ts';
import type { OperationKind, OperationState } from './states.ts';

/** An operation and its payment, as they were when both were read. */
export interface OperationRow extends PaymentRow {
  number: number;
  kind: OperationKind;
  refund_id: string | null;
  refund_reason: string | null;
  /** Of a capture; of a release, the final capture whose rest it releases, or null if a user asked for it. */
  capture_id: string | null;
  /** Whether nothing is captured after this capture. */
  is_final: boolean | null;
  /** The channel that the provider is called through: the payment's own, or a fallback channel. */
  operation_channel_id: number;
  operation_provider: ProviderName;
  operation_amount: number;
  /** The payment method that a charge through a fallback channel uses, instead of the payment's. */
  operation_method_id: string | null;
  state: OperationState;
  calls: number;
  look_ups: number;
  operation_reference: string | null;
  operation_created_ms: number;
  /** When it was claimed to be sent; null while it is READY. */
  operation_called_ms: number | null;
  /** When a rate limit of the provider first refused it; null: never. */
  operation_limited_ms: number | null;
  /**
   * Whether the charge is cancelled although nobody has asked for that: the charge's own, or that below; and why, null:
   * the payer has not finished in time.
   */
  is_given_up: boolean;
  given_up_code: FailureCode | null;
  /** When the end of the authorization was announced. */
  expiring_at: string | null;
  /** The charge that a refund or a cancellation refers to. */
  charge_number: number | null;
  charge_reference: string | null;
  charge_state: OperationState | null;
  charge_created_ms: number | null;
  charge_called_ms: number | null;
}

/** An operation and the token of the lease it was claimed under. */
export interface LeasedOperation extends OperationRow {
  lease: string;
}

/** The columns of `OperationRow`, without the state. `o` is the operation, `t` its payment; needs `operationJoins`. */
export const operationColumns = `${paymentColumns}, o.number, o.kind, o.refund_id, r.reason as refund_reason,
  o.channel_id as operation_channel_id, o.provider as operation_provider, o.amount as operation_amount,
  o.method_id as operation_method_id, o.calls,
  o.look_ups, o.provider_reference as operation_reference,
  (extract(epoch from o.created_at) * 1000)::float8 as operation_created_ms,
  (extract(epoch from o.called_at) * 1000)::float8 as operation_called_ms,
  (extract(epoch from o.limited_at) * 1000)::float8 as operation_limited_ms,
  coalesce(o.given_up_at, charge.given_up_at) is not null as is_given_up,
  coalesce(o.given_up_code, charge.given_up_code) as given_up_code, o.expiring_at, o.capture_id, o.is_final,
  charge.number as charge_number, charge.provider_reference as charge_reference, charge.state as charge_state,
  (extract(epoch from charge.created_at) * 1000)::float8 as charge_created_ms,
  (extract(epoch from charge.called_at) * 1000)::float8 as charge_called_ms`;

/** Joins the refund and the charge that an operation `o` refers to; a charge has neither. */
export const operationJoins = `
  left join refund r on o.refund_id is not null and r.tenant_id = o.tenant_id and r.id = o.refund_id
  left join lateral (
    select number, provider_reference, state, created_at, called_at, given_up_at, given_up_code
      from provider_operation charge
     where o.kind <> 'CHARGE' and charge.tenant_id = o.tenant_id and charge.transaction_id = o.transaction_id
       and charge.kind = 'CHARGE' and not charge.void
     limit 1
  ) charge on true`;

/** Of a payment whose payer comes back from a provider. Values: tenant, payment. */
export const findReturningPayment = statement<Pick<PaymentRow, 'livemode' | 'return_url' | 'status'>>(
  'operations.find_returning_payment',
  'select livemode, return_url, status from transaction where tenant_id = $1 and id = $2',
);

/** Operations by the provider's own id. Values: channel, reference. */
export const findByReference = statement<OperationRow>(
  'operations.find_by_reference',
  `select ${operationColumns}, o.state
     from provider_operation o
     join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id${operationJoins}
    where o.channel_id = $1 and o.provider_reference = $2
    order by o.number`,
);

/** The operation of an idempotency key, which does not name the tenant. Values: channel, payment, number. */
export const findByKey = statement<OperationRow>(
  'operations.find_by_key',
  `select ${operationColumns}, o.state
     from tenant
     join provider_operation o on o.tenant_id = tenant.id and o.transaction_id = $2 and o.number = $3
     join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id${operationJoins}
    where o.channel_id = $1`,
);

/** Every operation of a payment, in order. Values: tenant, payment. */
export const findOfPayment = statement<OperationRow>(
  'operations.find_of_payment',
  `select ${operationColumns}, o.state
     from provider_operation o
     join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id${operationJoins}
    where o.tenant_id = $1 and o.transaction_id = $2
    order by o.number`,
);
