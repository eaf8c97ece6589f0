import { statement } from '../../../platform/postgres/statement.ts';
import type { InvoiceStatus, PaymentState } from './states.ts';

export interface InvoiceRow {
  tenant_id: number;
  id: number;
  /** Given when it is finalized. */
  number: number | null;
  customer_id: number;
  status: InvoiceStatus;
  currency: string;
  subtotal: number;
  tax: number;
  total: number;
  amount_paid: number;
  /** Of payments that succeeded or may yet. */
  amount_held: number;
  /** How many payments have been begun. */
  payments: number;
  /** Through which channel it is to be paid; null: the customer's default. */
  channel_id: number | null;
  description: string | null;
  metadata: Record<string, unknown> | null;
  due_date: string | null;
  subscription_id: number | null;
  period_start: string | null;
  period_end: string | null;
  user_id: number;
  version: number;
  created_at: string;
  finalized_at: string | null;
  paid_at: string | null;
  /** When it was made void or given up. */
  closed_at: string | null;
  updated_at: string;
}

/** An invoice as `InvoiceRow`, from `invoice i`. */
export const invoiceColumns = `i.tenant_id, i.id, i.number, i.customer_id, i.status, i.currency, i.subtotal, i.tax, i.total,
  i.amount_paid, i.amount_held, i.payments, i.channel_id, i.description, i.metadata, i.due_date, i.subscription_id,
  i.period_start, i.period_end, i.user_id, i.version, i.created_at, i.finalized_at, i.paid_at, i.closed_at, i.updated_at`;

export interface LineRow {
  number: number;
  description: string;
  quantity: number;
  unit_amount: number;
  amount: number;
  tax_rate: number | null;
  tax_amount: number;
}

export interface PaymentRow {
  number: number;
  transaction_id: string | null;
  amount: number;
  automatic: boolean;
  state: PaymentState;
  failure_code: string | null;
  failure_message: string | null;
  created_at: string;
  finished_at: string | null;
}

/** An invoice whose lock is held, with what its customer has to say about its payment. */
export interface LockedInvoice extends InvoiceRow {
  default_channel_id: number | null;
  payment_method: string | null;
  /** What the customer's test clock shows; null: it has none. */
  clock_now: string | null;
}

/** In whichever of these tenants it is. Values: tenants, id. */
export const findInvoice = statement<InvoiceRow>(
  'invoices.find',
  `select ${invoiceColumns}
     from unnest($1::bigint[]) as seen (tenant_id)
     join invoice i on i.tenant_id = seen.tenant_id and i.id = $2`,
);

/** Whether an id that a payment names is one of ours. Invoices are never removed. */
export const invoiceExists = statement<{ id: number }>(
  'invoices.is_ours',
  'select id from invoice where tenant_id = $1 and id = $2',
);

export const findLines = statement<LineRow>(
  'invoices.find_lines',
  `select number, description, quantity, unit_amount, amount, tax_rate, tax_amount
     from invoice_line where tenant_id = $1 and invoice_id = $2 order by number`,
);

export const findPayments = statement<PaymentRow>(
  'invoices.find_payments',
  `select number, transaction_id, amount, automatic, state, failure_code, failure_message, created_at, finished_at
     from invoice_payment where tenant_id = $1 and invoice_id = $2 order by number desc limit 100`,
);

/**
 * Locks invoices. One array a column, in rising order and each once (`lock`): tenant, id.
 *
 * Whoever locks more than one row takes them in one order: invoices by their keys, then subscriptions by theirs, then the
 * numbers of tenants by theirs (`count_on`). What hangs on an invoice or a subscription is written only under its lock. So
 * nobody waits for one who waits for him.
 *
 * Lateral subqueries are always looked up by the whole key, in the order of the input. A join was planned as 500 invoices
 * against each customer of the tenant: 82 ms with 1,000 of them, more than the 10 s that a statement may take with 100,000.
 */
export const lockInvoiceRows = statement<LockedInvoice>(
  'invoices.lock',
  `select ${invoiceColumns}, c.default_channel_id, c.payment_method, k.now_at as clock_now
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
    cross join lateral (
      select * from invoice where tenant_id = wanted.tenant_id and id = wanted.id for update
    ) as i
    cross join lateral (
      select default_channel_id, payment_method, clock_id
        from customer where tenant_id = i.tenant_id and id = i.customer_id limit 1
    ) as c
     left join lateral (
      select now_at from clock where tenant_id = i.tenant_id and id = c.clock_id limit 1
    ) as k on true`,
);

/**
 * Holds what payments take of invoices whose locks are held. One array a column: tenant, invoice, the payment, amount,
 * whether it is made without being asked for, when (ms). At most one for each invoice.
 */
export const reservePayments = statement(
  'invoices.hold',
  `with asked as (
     select * from unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::bigint[], $5::boolean[], $6::float8[])
       as row (tenant_id, invoice_id, transaction_id, amount, automatic, at_ms)
   ), held as (
     update invoice i
        set amount_held = i.amount_held + asked.amount, payments = i.payments + 1, version = i.version + 1,
            updated_at = greatest(to_timestamp(asked.at_ms / 1000), i.updated_at)
       from asked
      where i.tenant_id = asked.tenant_id and i.id = asked.invoice_id
     returning i.tenant_id, i.id, i.payments, asked.transaction_id, asked.amount, asked.automatic, asked.at_ms
   )
   insert into invoice_payment (tenant_id, invoice_id, number, transaction_id, amount, automatic, created_at)
   select tenant_id, id, payments, transaction_id, amount, automatic, to_timestamp(at_ms / 1000) from held`,
);

/**
 * Payments that could not even be begun, of invoices whose locks are held. One array a column: tenant, invoice, amount,
 * the refusal's word and sentence, when (ms).
 */
export const insertFailedPayments = statement(
  'invoices.fail_payments',
  `with asked as (
     select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::float8[])
       as row (tenant_id, invoice_id, amount, failure_code, failure_message, at_ms)
   ), counted as (
     update invoice i
        set payments = i.payments + 1, version = i.version + 1,
            updated_at = greatest(to_timestamp(asked.at_ms / 1000), i.updated_at)
       from asked
      where i.tenant_id = asked.tenant_id and i.id = asked.invoice_id
     returning i.tenant_id, i.id, i.payments, asked.amount, asked.failure_code, asked.failure_message,
               to_timestamp(asked.at_ms / 1000) as at
   )
   insert into invoice_payment (tenant_id, invoice_id, number, amount, automatic, state, failure_code, failure_message,
                                created_at, finished_at, applied_at)
   select tenant_id, id, payments, amount, true, 'FAILED', failure_code, failure_message, at, at, at from counted`,
);
