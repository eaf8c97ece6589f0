import { columns } from '../../../../platform/postgres/columns.ts';
import { statement, type Topic } from '../../../../platform/postgres/statement.ts';
import type { InvoiceRow, PaymentRow } from '../statements.ts';
import { type PaymentState, permittedTransitions } from '../states.ts';

/** Published by earlier releases when payments of invoices had ended. */
export const invoicesDue: Topic = 'invoices';

/** A payment that has ended and is not settled on its invoice yet, or a part of it that was captured. */
export interface EndedPayment
  extends Omit<PaymentRow, 'state' | 'excess' | 'transaction_id' | 'created_at' | 'finished_at'> {
  transaction_id: string;
  state: Exclude<PaymentState, 'OPEN'>;
  finished_at: string;
  /** The payment method that was charged. */
  method_id: string | null;
  /** The money that it takes now: all of it, or a capture. */
  takes: number;
  /** Whether nothing more follows. */
  ends: boolean;
  /** What its earlier captures took beyond what was left to pay. */
  excessBefore: number;
}

/** An open payment of an invoice, as it was recorded. */
export type RecordedPayment = Pick<
  EndedPayment,
  'tenant_id' | 'invoice_id' | 'number' | 'transaction_id' | 'amount' | 'automatic'
> & { excess: number };

/** The open payments among these, unordered. Values: arrays of tenants and payments. */
export const findRecordedPayments = statement<RecordedPayment>(
  'invoices.find_recorded_payments',
  `select p.tenant_id, p.invoice_id, p.number, p.transaction_id, p.amount, p.automatic, p.excess
     from unnest($1::bigint[], $2::uuid[]) as wanted (tenant_id, id)
    cross join lateral (
      select * from invoice_payment
       where tenant_id = wanted.tenant_id and transaction_id = wanted.id and state = 'OPEN' limit 1
    ) as p`,
);

/** For the poller: whether a node of an earlier release has ended a payment without settling its invoice. */
export const endedPaymentDue = `select from invoice_payment where state <> 'OPEN' and applied_at is null`;

/**
 * Locks the oldest ended payments until the transaction ends, and skips those that another node has locked. Values:
 * limit.
 */
export const claimEndedPayments = statement<EndedPayment>(
  'invoices.claim_ended_payments',
  `select tenant_id, invoice_id, number, transaction_id, amount, automatic, state, failure_code, failure_message,
       finished_at, null::uuid as method_id, case state when 'SUCCEEDED' then amount else 0 end as takes, true as ends,
       excess as "excessBefore"
     from invoice_payment
    where state <> 'OPEN' and applied_at is null
    order by finished_at
    limit $1
      for update skip locked`,
);

/** The end or a capture of a payment, with what it took beyond what was left to pay. */
export type SettledEnd = EndedPayment & { excess: number };

export const endColumns = columns<SettledEnd>([
  ['tenant_id', 'bigint', ({ tenant_id }) => tenant_id],
  ['invoice_id', 'bigint', ({ invoice_id }) => invoice_id],
  ['number', 'int', ({ number }) => number],
  ['state', 'text', ({ state }) => state],
  ['failure_code', 'text', ({ failure_code }) => failure_code],
  ['failure_message', 'text', ({ failure_message }) => failure_message],
  ['finished_at', 'text', ({ finished_at }) => finished_at],
  ['excess', 'bigint', ({ excess }) => excess],
  ['amount', 'bigint', ({ amount }) => amount],
  ['ends', 'boolean', ({ ends }) => ends],
]);

/**
 * Records the ends and the captures of payments that are settled on their locked invoices. Values: those of
 * `endColumns`.
 */
export const endPayments = statement(
  'invoices.end_payments',
  `update invoice_payment p
      set state = case when ended.ends then ended.state else p.state end, failure_code = ended.failure_code,
          failure_message = ended.failure_message, excess = p.excess + ended.excess, amount = ended.amount,
          finished_at = case when ended.ends then ended.finished_at::timestamptz end,
          applied_at = case when ended.ends then ended.finished_at::timestamptz end
     from (${endColumns.relation()}) as ended
    where p.tenant_id = ended.tenant_id and p.invoice_id = ended.invoice_id and p.number = ended.number`,
);

export const settledColumns = columns<InvoiceRow>([
  ['tenant_id', 'bigint', ({ tenant_id }) => tenant_id],
  ['id', 'bigint', ({ id }) => id],
  ['status', 'text', ({ status }) => status],
  ['amount_paid', 'bigint', ({ amount_paid }) => amount_paid],
  ['paid_at', 'text', ({ paid_at }) => paid_at],
  ['version', 'int', ({ version }) => version],
  ['updated_at', 'text', ({ updated_at }) => updated_at],
]);

/** Writes settled invoices; the transition table guards the statuses. Values: those of `settledColumns`. */
export const updateSettledInvoices = statement<{ id: number }>(
  'invoices.update_settled',
  `update invoice i
      set status = settled.status, amount_paid = settled.amount_paid,
          paid_at = settled.paid_at::timestamptz, version = settled.version,
              updated_at = settled.updated_at::timestamptz
     from (${settledColumns.relation()}) as settled
    where i.tenant_id = settled.tenant_id and i.id = settled.id
        and (i.status, settled.status) in (${permittedTransitions})
   returning i.id`,
);

/**
 * Whether a test clock's customers have payments that proceed without further requests: a provider operation is due, or
 * the payment has ended and its invoice is not settled yet; or payment methods that are being set up. A payment that
 * waits for its payer or for an update does not count. Values: tenant, clock.
 */
export const hasPaymentsInProgress = statement<{ under_way: boolean }>(
  'invoices.has_payments_in_progress',
  `select exists (
     select 1
       from customer c
       join invoice i on i.tenant_id = c.tenant_id and i.customer_id = c.id
       join invoice_payment p on p.tenant_id = i.tenant_id and p.invoice_id = i.id
      where c.tenant_id = $1 and c.clock_id = $2
        and ((p.state <> 'OPEN' and p.applied_at is null)
             or (p.state = 'OPEN' and exists (
               select 1 from provider_operation o
                where o.tenant_id = p.tenant_id and o.transaction_id = p.transaction_id
                  and o.state in ('READY', 'CALLING', 'UNKNOWN'))))
   ) or exists (
     select 1
       from customer c
       join payment_method m on m.tenant_id = c.tenant_id and m.customer_id = c.id and m.status = 'PENDING'
       join payment_method_operation o on o.tenant_id = m.tenant_id and o.method_id = m.id
      where c.tenant_id = $1 and c.clock_id = $2 and o.state in ('READY', 'CALLING', 'UNKNOWN')
   ) as under_way`,
);
