import { utcDay } from '../../../../core/clock.ts';
import type { PricedLines } from '../../../../core/price-lines.ts';
import { columns } from '../../../../platform/postgres/columns.ts';
import { statement } from '../../../../platform/postgres/statement.ts';
import type { Seller } from '../../sellers/statements.ts';
import { seriesOf } from '../number.ts';
import type { InvoiceStatus } from '../states.ts';
import { lineColumns, type NumberedLine } from './line-columns.ts';

/** The facts of an invoice, without its lines. */
export interface InvoiceFacts {
  tenantId: number;
  /** The mode of its customer. */
  livemode: boolean;
  customerId: number;
  /** The user in whose name automatic payments of the invoice are created. */
  userId: number;
  currency: string;
  /** The channel to pay through; null: the customer's default channel. */
  channelId: number | null;
  subscriptionId: number | null;
  /** The test clock of the customer; 0: the real time. */
  clockId: number;
  /** A subscription can be invoiced once for each period start. Null when the invoice is for no period. */
  periodStartMs: number | null;
  periodEndMs: number | null;
  description: string | null;
  /** Copied to the payments of the invoice. */
  metadata: Record<string, unknown> | null;
}

/** An invoice to insert, with its totals. */
export interface NewInvoice extends InvoiceFacts {
  dueMs: number | null;
  totals: PricedLines;
  status: InvoiceStatus;
  /** Null for a DRAFT. */
  number: number | null;
  /** Null for a DRAFT. */
  seller: Seller | null;
  createdMs: number;
}

/** With its position among the invoices of one statement, from 1. Lines refer to it. */
type PlacedInvoice = NewInvoice & { place: number };
type PlacedLine = NumberedLine & { place: number };

const json = (value: object | null) => (value === null ? null : JSON.stringify(value));

export const invoicesToInsert = columns<PlacedInvoice>([
  ['tenant_id', 'bigint', ({ tenantId }) => tenantId],
  ['place', 'int', ({ place }) => place],
  ['livemode', 'boolean', ({ livemode }) => livemode],
  ['series', 'text', ({ livemode }) => seriesOf(livemode)],
  ['number', 'bigint', ({ number }) => number],
  ['customer_id', 'bigint', ({ customerId }) => customerId],
  ['status', 'text', ({ status }) => status],
  ['currency', 'text', ({ currency }) => currency],
  ['subtotal', 'bigint', ({ totals }) => totals.subtotal],
  ['tax', 'bigint', ({ totals }) => totals.tax],
  ['total', 'bigint', ({ totals }) => totals.total],
  ['channel_id', 'bigint', ({ channelId }) => channelId],
  ['description', 'text', ({ description }) => description],
  ['metadata', 'text', ({ metadata }) => json(metadata)],
  ['due_date', 'date', ({ dueMs }) => (dueMs === null ? null : utcDay(dueMs))],
  ['subscription_id', 'bigint', ({ subscriptionId }) => subscriptionId],
  ['period_start_ms', 'float8', ({ periodStartMs }) => periodStartMs],
  ['period_end_ms', 'float8', ({ periodEndMs }) => periodEndMs],
  ['user_id', 'bigint', ({ userId }) => userId],
  ['created_ms', 'float8', ({ createdMs }) => createdMs],
  ['clock_id', 'bigint', ({ clockId }) => clockId],
  ['seller', 'text', ({ seller }) => json(seller)],
]);

export const linesToInsert = columns<PlacedLine>([['place', 'int', ({ place }) => place], ...lineColumns.list]);

/**
 * Inserts invoices and their lines. Lines get the tenant and the id of their invoice from arrays: with a join to
 * `input`, PostgreSQL compared each of 500 lines with 500 invoices. Values: those of `invoicesToInsert`, then those of
 * `linesToInsert`.
 */
export const insertInvoicesWithLines = statement<{ place: number; id: number }>(
  'invoices.insert_many',
  `with input as (
     select row.*, next_id('invoice_id_seq') as id
       from (${invoicesToInsert.relation()}) as row
   ), inserted as (
     insert into invoice (tenant_id, id, livemode, series, number, customer_id, status, currency, subtotal, tax,
         total, channel_id,
                          description, metadata, due_date, subscription_id, period_start, period_end, user_id,
                          created_at, finalized_at, paid_at, updated_at, clock_id, seller, events_complete)
     select tenant_id, id, livemode, series, number, customer_id, status, currency, subtotal, tax, total, channel_id,
         description,
            metadata::json, due_date, subscription_id, to_timestamp(period_start_ms / 1000),
            to_timestamp(period_end_ms / 1000), user_id, to_timestamp(created_ms / 1000),
            case when status <> 'DRAFT' then to_timestamp(created_ms / 1000) end,
            case when status = 'PAID' then to_timestamp(created_ms / 1000) end, to_timestamp(created_ms / 1000),
                clock_id,
            seller::json, true
       from input
   ), drawn as (
     select array_agg(id order by place) as ids, array_agg(tenant_id order by place) as tenant_ids from input
   ), lines as (
     insert into invoice_line (tenant_id, invoice_id, number, description, quantity, unit_amount, amount, tax_rate,
         tax_amount)
     select tenant_ids[place], ids[place], number, description, quantity, unit_amount, amount, tax_rate, tax_amount
       from drawn
      cross join (${linesToInsert.relation([], invoicesToInsert.list.length + 1)}) as line
   )
   select place, id from input order by place`,
);
