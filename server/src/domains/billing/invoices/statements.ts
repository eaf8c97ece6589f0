import { columns } from '../../../platform/postgres/columns.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { MethodRow } from '../../payments/methods/record.ts';
import type { MailedInvoice } from '../customer-mails/invoices.ts';
import type { Seller } from '../sellers/statements.ts';
import type { NumberSeries } from './number.ts';
import { type InvoiceStatus, type PaymentState, permittedTransitions } from './states.ts';

export interface InvoiceRow {
  tenant_id: number;
  id: number;
  livemode: boolean;
  /** The prefix of its number. Test invoices of older versions share the series of live ones. */
  series: NumberSeries;
  /** Null until the invoice is finalized. */
  number: number | null;
  customer_id: number;
  status: InvoiceStatus;
  currency: string;
  subtotal: number;
  tax: number;
  total: number;
  amount_paid: number;
  /** The amount of payments that have not ended. */
  amount_under_way: number;
  /** The refunded amount of what its payments have paid of it. */
  amount_refunded: number;
  /** What its payments took beyond its total, as far as no refund returns it. */
  amount_to_return: number;
  /** When its subscription retries the failed payment; null: no retry is scheduled. */
  next_payment_attempt: string | null;
  /** The number of its payments, including failed ones. */
  payments: number;
  /** The channel to pay through; null: the customer's default channel. */
  channel_id: number | null;
  description: string | null;
  metadata: Record<string, unknown> | null;
  /** As it was when the invoice was finalized; null: a DRAFT, or finalized by a version that did not record it. */
  seller: Seller | null;
  due_date: string | null;
  /** When it was found unpaid after its due date. */
  overdue_at: string | null;
  /** The test clock of the customer; 0: the real time. */
  clock_id: number;
  subscription_id: number | null;
  period_start: string | null;
  period_end: string | null;
  user_id: number;
  version: number;
  created_at: string;
  finalized_at: string | null;
  paid_at: string | null;
  /** When it became VOID or UNCOLLECTIBLE. */
  closed_at: string | null;
  updated_at: string;
}

/**
 * Whether a payment `t` is in progress and reserves its amount on its invoice. One that waits for a person does not:
 * for its payer, who has something to do at the provider, or for money on a channel without a provider.
 */
const isInProgress = `t.status in ('PENDING', 'PROCESSING') and t.provider is not null and t.next_action is null`;

/**
 * A sum over the payments `p` of `invoice i` with their transactions `t`. Sums that change with the transactions are
 * not stored with the invoice, so that those changes need no lock on it. Most rows have no payment and cost nothing.
 */
const sumOfPayments = (amount: string, condition: string) => `case when i.payments = 0 then 0 else (
    select coalesce(sum(${amount}), 0)
      from invoice_payment p
      join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
     where p.tenant_id = i.tenant_id and p.invoice_id = i.id and ${condition}) end::bigint`;

/** What a payment in progress may still take: what it has captured is paid. */
const openAmount = 'p.amount - coalesce(t.amount_captured, 0)';

export const amountReserved = sumOfPayments(openAmount, isInProgress);
const amountUnderWay = sumOfPayments(openAmount, `t.status in ('PENDING', 'PROCESSING')`);
// A refund first returns what the payment took beyond the invoice.
const amountRefunded = sumOfPayments('greatest(t.amount_refunded - p.excess, 0)', `p.state = 'SUCCEEDED'`);
const amountToReturn = sumOfPayments('greatest(p.excess - t.amount_refund_held, 0)', 'p.excess > 0');

/**
 * When a failed payment of an invoice is retried, or an announced debit is sent: its subscription keeps the schedule.
 */
const nextPaymentAttempt = (tenant: string, invoice: string) => `(
    select c.due_at from invoice_collection c
     where c.tenant_id = ${tenant} and c.invoice_id = ${invoice}
       and (c.state = 'FAILED' or c.announced_method_id is not null))`;

/** The columns of `InvoiceRow`, from `invoice i`. */
export const invoiceColumns = `i.tenant_id, i.id, i.livemode, i.series, i.number, i.customer_id, i.status, i.currency,
    i.subtotal, i.tax, i.total,
  i.amount_paid, ${amountUnderWay} as amount_under_way, ${amountRefunded} as amount_refunded,
  ${amountToReturn} as amount_to_return,
  case when i.subscription_id is not null then ${nextPaymentAttempt('i.tenant_id', 'i.id')} end as next_payment_attempt,
  i.payments, i.channel_id, i.description, i.metadata, i.seller, i.due_date, i.overdue_at, i.clock_id,
  i.subscription_id,
  i.period_start, i.period_end, i.user_id, i.version, i.created_at, i.finalized_at, i.paid_at, i.closed_at,
      i.updated_at`;

export interface LineRow {
  tenant_id: number;
  invoice_id: number;
  number: number;
  description: string;
  quantity: number;
  unit_amount: number;
  amount: number;
  tax_rate: number | null;
  tax_amount: number;
}

export interface PaymentRow {
  tenant_id: number;
  invoice_id: number;
  number: number;
  transaction_id: string | null;
  amount: number;
  /** What it took beyond what was left to pay when it succeeded. */
  excess: number;
  automatic: boolean;
  state: PaymentState;
  failure_code: string | null;
  failure_message: string | null;
  created_at: string;
  finished_at: string | null;
}

/** A locked invoice with the payment defaults of its customer. */
export interface LockedInvoice extends InvoiceRow {
  default_channel_id: number | null;
  /** The method that its automatic payment charges: the subscription's, or else the customer's default. */
  method: MethodOfInvoice | null;
  /** Whether a method is being set up that may become the default, and the provider has not answered yet. */
  is_method_being_set_up: boolean;
  /** Whether its channel, or else the customer's, has a provider. */
  has_provider: boolean;
  /** The subscription's own channel, if it has no provider: it is paid there, whatever methods the customer has. */
  offline_channel_id: number | null;
  /** What the plan of its subscription puts on statements; null: nothing, or it has no plan. */
  statement_descriptor: string | null;
  /** The time of the customer's test clock; null: the customer has none. */
  clock_now: string | null;
}

/** A payment method, as far as charging it for an invoice needs it. */
export interface MethodOfInvoice
  extends Pick<
    MethodRow,
    'id' | 'channel_id' | 'status' | 'failure_code' | 'type' | 'provider' | 'mandate_reference'
  > {}

/** An open payment of a locked invoice. */
export interface OpenPayment {
  tenant_id: number;
  invoice_id: number;
  transaction_id: string;
  amount: number;
  automatic: boolean;
  /** The provider that charges it; null: it waits until an update reports the money. */
  provider: string | null;
  /** Whether it waits for its payer at the provider. */
  waits_for_payer: boolean;
}

/**
 * The open payments of invoices. Run it after the invoices are locked: a statement that waits for a lock sees other
 * tables as they were before it waited. Values: arrays of tenants and invoices.
 */
export const findOpenPayments = statement<OpenPayment>(
  'invoices.find_open_payments',
  `select p.tenant_id, p.invoice_id, p.transaction_id, ${openAmount} as amount, p.automatic, t.provider,
          t.provider is not null and t.next_action is not null as waits_for_payer
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
    cross join lateral (
      select * from invoice_payment
       where tenant_id = wanted.tenant_id and invoice_id = wanted.id and state = 'OPEN' offset 0
    ) as p
    cross join lateral (
      select provider, next_action, amount_captured
        from transaction
       where tenant_id = p.tenant_id and id = p.transaction_id
       limit 1
    ) as t`,
);

/** Values: visible tenants, id. */
export const findInvoice = statement<InvoiceRow>(
  'invoices.find',
  `select ${invoiceColumns}
     from unnest($1::bigint[]) as visible (tenant_id)
     join invoice i on i.tenant_id = visible.tenant_id and i.id = $2`,
);

/** When failed payments are retried. Values: arrays of tenants and invoices. */
export const findNextPaymentAttempts = statement<{ tenant_id: number; id: number; at: string | null }>(
  'invoices.find_next_payment_attempts',
  `select tenant_id, id, ${nextPaymentAttempt('wanted.tenant_id', 'wanted.id')} as at
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)`,
);

/**
 * Whether the invoice exists: a payment may name one of another system. Invoices are never deleted. Values: tenant, id.
 */
export const invoiceExists = statement<{ id: number }>(
  'invoices.exists',
  'select id from invoice where tenant_id = $1 and id = $2',
);

/** The lines of invoices, in the order of the lines. Values: arrays of tenants and invoices. */
export const findLines = statement<LineRow>(
  'invoices.find_lines',
  `select line.*
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
    cross join lateral (
      select tenant_id, invoice_id, number, description, quantity, unit_amount, amount, tax_rate, tax_amount
        from invoice_line where tenant_id = wanted.tenant_id and invoice_id = wanted.id order by number limit 1000
    ) as line`,
);

/** The newest 100 payments of invoices, newest first. Values: arrays of tenants and invoices. */
export const findPayments = statement<PaymentRow>(
  'invoices.find_payments',
  `select payment.*
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
    cross join lateral (
      select tenant_id, invoice_id, number, transaction_id, amount, excess, automatic, state, failure_code,
          failure_message,
             created_at, finished_at
        from invoice_payment where tenant_id = wanted.tenant_id and invoice_id = wanted.id
            order by number desc limit 100
    ) as payment`,
);

/** Whether the provider has not answered the setup of `payment_method m`, which may become the default. */
export const isBeingSetUp = `m.status = 'PENDING' and m.next_action is null and m.wants_default is not false`;

/**
 * Locks invoices. One array for each column, sorted and without duplicates (`lockInvoices`): tenant, id.
 *
 * To avoid deadlocks, a transaction locks rows in one order: invoices by key, then subscriptions by key, then the
 * number counters by tenant (`advanceCounters`). Rows that belong to an invoice or a subscription are written only
 * under its lock.
 *
 * Lateral subqueries look rows up by the whole key, in the order of the input. PostgreSQL planned a join as 500
 * invoices against each customer of the tenant: 82 ms with 1,000 customers, more than the statement timeout of 10 s
 * with 100,000.
 */
export const lockInvoiceRows = statement<LockedInvoice>(
  'invoices.lock',
  `select ${invoiceColumns}, c.default_channel_id, k.now_at as clock_now,
          (select json_build_object('id', m.id, 'channel_id', m.channel_id, 'status', m.status,
                                    'failure_code', m.failure_code, 'type', m.type, 'provider', m.provider,
                                    'mandate_reference', m.mandate_reference)
             from payment_method m
            where m.tenant_id = i.tenant_id and m.id = coalesce(s.method_id, (
                    select id from payment_method
                     where tenant_id = i.tenant_id and customer_id = i.customer_id and is_default))) as method,
          exists (select from payment_method m
                   where m.tenant_id = i.tenant_id and m.customer_id = i.customer_id
                     and ${isBeingSetUp}) as is_method_being_set_up,
          coalesce((select channel.provider is not null from channel
                     where channel.id = coalesce(i.channel_id, c.default_channel_id)), false) as has_provider,
          (select channel.id from channel where channel.id = s.channel_id and channel.provider is null)
            as offline_channel_id,
          (select plan.statement_descriptor from plan where plan.tenant_id = i.tenant_id and plan.id = s.plan_id)
            as statement_descriptor
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
    cross join lateral (
      select * from invoice where tenant_id = wanted.tenant_id and id = wanted.id for update
    ) as i
    cross join lateral (
      select default_channel_id, clock_id
        from customer where tenant_id = i.tenant_id and id = i.customer_id limit 1
    ) as c
     left join lateral (
      select now_at from clock where tenant_id = i.tenant_id and id = c.clock_id limit 1
    ) as k on true
     left join lateral (
      select channel_id, method_id, plan_id from subscription
       where tenant_id = i.tenant_id and id = i.subscription_id limit 1
    ) as s on true`,
);

/** A payment to record on an invoice. */
export interface InvoicePaymentDraft {
  tenantId: number;
  invoiceId: number;
  /** The payment's UUID. */
  transactionId: string;
  /** In minor units. */
  amount: number;
  /** A subscription created the payment, not a user. */
  automatic: boolean;
}

export const paymentColumns = columns<InvoicePaymentDraft & { atMs: number }>([
  ['tenant_id', 'bigint', ({ tenantId }) => tenantId],
  ['invoice_id', 'bigint', ({ invoiceId }) => invoiceId],
  ['transaction_id', 'uuid', ({ transactionId }) => transactionId],
  ['amount', 'bigint', ({ amount }) => amount],
  ['automatic', 'boolean', ({ automatic }) => automatic],
  ['at_ms', 'float8', ({ atMs }) => atMs],
]);

/** Records payments on locked invoices, at most one for each. Values: those of `paymentColumns`. */
export const insertPayments = statement(
  'invoices.insert_payments',
  `with input as (
     ${paymentColumns.relation()}
   ), counted as (
     update invoice i
        set payments = i.payments + 1, version = i.version + 1,
            updated_at = greatest(to_timestamp(input.at_ms / 1000), i.updated_at)
       from input
      where i.tenant_id = input.tenant_id and i.id = input.invoice_id
     returning i.tenant_id, i.id, i.payments, input.transaction_id, input.amount, input.automatic, input.at_ms
   )
   insert into invoice_payment (tenant_id, invoice_id, number, transaction_id, amount, automatic, created_at)
   select tenant_id, id, payments, transaction_id, amount, automatic, to_timestamp(at_ms / 1000) from counted`,
);

/** A payment of an invoice that could not be created. */
export interface FailedPayment {
  invoice: LockedInvoice;
  amount: number;
  failure: { code: string; message: string };
  atMs: number;
}

export const failedPaymentColumns = columns<FailedPayment>([
  ['tenant_id', 'bigint', ({ invoice }) => invoice.tenant_id],
  ['invoice_id', 'bigint', ({ invoice }) => invoice.id],
  ['amount', 'bigint', ({ amount }) => amount],
  ['failure_code', 'text', ({ failure }) => failure.code],
  ['failure_message', 'text', ({ failure }) => failure.message],
  ['at_ms', 'float8', ({ atMs }) => atMs],
]);

/** Records payments of locked invoices that could not be created. Values: those of `failedPaymentColumns`. */
export const insertFailedPayments = statement(
  'invoices.insert_failed_payments',
  `with input as (
     ${failedPaymentColumns.relation()}
   ), counted as (
     update invoice i
        set payments = i.payments + 1, version = i.version + 1,
            updated_at = greatest(to_timestamp(input.at_ms / 1000), i.updated_at)
       from input
      where i.tenant_id = input.tenant_id and i.id = input.invoice_id
     returning i.tenant_id, i.id, i.payments, input.amount, input.failure_code, input.failure_message,
               to_timestamp(input.at_ms / 1000) as at
   )
   insert into invoice_payment (tenant_id, invoice_id, number, amount, automatic, state, failure_code, failure_message,
                                created_at, finished_at, applied_at)
   select tenant_id, id, payments, amount, true, 'FAILED', failure_code, failure_message, at, at, at from counted`,
);

/** Values: tenant, id, status, number or null, due date or null, now (ms), seller as JSON or null. */
export const updateStatus = statement<InvoiceRow>(
  'invoices.update_status',
  `update invoice i
      set status = $3, number = coalesce($4, i.number), due_date = coalesce($5::date, i.due_date),
          seller = coalesce($7::json, i.seller),
          finalized_at = case when $3 in ('OPEN', 'PAID') then to_timestamp($6::float8 / 1000) else i.finalized_at end,
          paid_at = case when $3 = 'PAID' then to_timestamp($6::float8 / 1000) else i.paid_at end,
          closed_at = case when $3 in ('VOID', 'UNCOLLECTIBLE') then to_timestamp($6::float8 / 1000)
              else i.closed_at end,
          version = i.version + 1, updated_at = greatest(to_timestamp($6::float8 / 1000), i.updated_at)
    where i.tenant_id = $1 and i.id = $2 and (i.status, $3) in (${permittedTransitions})
   returning ${invoiceColumns}`,
);

export interface OpenRow {
  currency: string;
  open: number;
  overdue: number;
  /** Sums in minor units, as decimal digits. */
  remaining: string;
  remaining_overdue: string;
}

/**
 * What is left to pay of open invoices, by currency, most invoices first. Values: visible tenants, mode, customer
 * (null: all), today. Test clocks are not considered.
 */
export const sumOpen = statement<OpenRow>(
  'invoices.sum_open',
  `select i.currency, count(*) as open, count(*) filter (where i.due_date < $4::date) as overdue,
          sum(i.total - i.amount_paid)::text as remaining,
          coalesce(sum(i.total - i.amount_paid) filter (where i.due_date < $4::date), 0)::text as remaining_overdue
     from unnest($1::bigint[]) as visible (tenant_id)
     join invoice i on i.tenant_id = visible.tenant_id
    where i.livemode = $2 and i.status = 'OPEN' and ($3::bigint is null or i.customer_id = $3)
    group by i.currency
    order by open desc, i.currency`,
);

/** How many days a customer, or else its seller, has for payment. Values: tenant, customer. */
export const findDueDays = statement<{ days: number }>(
  'invoices.find_due_days',
  `select coalesce(c.due_days, s.due_days, 0)::int as days
     from customer c
     left join seller s on s.tenant_id = c.tenant_id
    where c.tenant_id = $1 and c.id = $2`,
);

/** Advances the number counters, in the order of tenants and series and after every other lock (`lockInvoiceRows`). */
export const advanceCounters = statement<{ tenant_id: number; series: NumberSeries; last: number }>(
  'invoices.advance_counters',
  `insert into invoice_counter as counter (tenant_id, series, last)
   select tenant_id, series, count(*)
     from unnest($1::bigint[], $2::text[]) as wanted (tenant_id, series)
    group by tenant_id, series order by tenant_id, series
   on conflict (tenant_id, series) do update set last = counter.last + excluded.last
   returning tenant_id, series, last`,
);

/** What a mail says of an invoice. Values: tenant, invoice. */
export const findMailedInvoice = statement<
  Omit<MailedInvoice, 'number' | 'is_open'> & { number: number; series: NumberSeries; status: InvoiceStatus }
>(
  'invoices.find_mailed',
  `select i.number, i.series, i.status, i.currency, i.total, i.amount_paid, i.paid_at,
          coalesce(i.seller ->> 'name', t.name) as seller, c.name as customer, c.email,
          s.customer_mails, s.mail_language, s.mail_texts, i.due_date,
          i.overdue_at is not null as is_overdue
     from invoice i
     join tenant t on t.id = i.tenant_id
     join seller s on s.tenant_id = i.tenant_id
     join customer c on c.tenant_id = i.tenant_id and c.id = i.customer_id
    where i.tenant_id = $1 and i.id = $2`,
);
