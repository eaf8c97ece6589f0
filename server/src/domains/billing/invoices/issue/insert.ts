import { utcDay } from '../../../../core/clock.ts';
import { plainArray, textArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { seriesOf } from '../number.ts';
import type { InvoiceRow, Seller } from '../statements.ts';
import type { InvoiceStatus } from '../states.ts';
import { insertInvoicesWithLines } from './insert-statements.ts';
import type { PricedLines } from './price-lines.ts';

/** What an invoice is about, apart from its lines. */
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

/** An invoice to insert, with the amounts that follow from its lines. */
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

/** Inserts invoices with their lines in one statement. Returns the rows in the order of the drafts. */
export async function insertInvoices(transaction: Queryable, drafts: readonly NewInvoice[]): Promise<InvoiceRow[]> {
  const column = <Value extends string | number | boolean | null>(value: (draft: NewInvoice) => Value) =>
    drafts.map(value);
  const lines = drafts.flatMap(({ totals }, i) =>
    totals.lines.map((line, number) => ({ ...line, place: i + 1, number: number + 1 })),
  );
  const placed = await transaction.run(insertInvoicesWithLines, [
    plainArray(column(({ tenantId }) => tenantId)),
    plainArray(column(({ customerId }) => customerId)),
    plainArray(column(({ userId }) => userId)),
    textArray(column(({ currency }) => currency)),
    textArray(column(({ status }) => status)),
    plainArray(column(({ number }) => number)),
    plainArray(column(({ totals }) => totals.subtotal)),
    plainArray(column(({ totals }) => totals.tax)),
    plainArray(column(({ totals }) => totals.total)),
    plainArray(column(({ channelId }) => channelId)),
    textArray(column(({ description }) => description)),
    textArray(column(({ metadata }) => (metadata === null ? null : JSON.stringify(metadata)))),
    plainArray(column(({ dueMs }) => (dueMs === null ? null : utcDay(dueMs)))),
    plainArray(column(({ subscriptionId }) => subscriptionId)),
    plainArray(column(({ periodStartMs }) => periodStartMs)),
    plainArray(column(({ periodEndMs }) => periodEndMs)),
    plainArray(column(({ createdMs }) => createdMs)),
    plainArray(lines.map(({ place }) => place)),
    plainArray(lines.map(({ number }) => number)),
    textArray(lines.map(({ description }) => description)),
    plainArray(lines.map(({ quantity }) => quantity)),
    plainArray(lines.map(({ unitAmount }) => unitAmount)),
    plainArray(lines.map(({ amount }) => amount)),
    plainArray(lines.map(({ taxRate }) => taxRate)),
    plainArray(lines.map(({ taxAmount }) => taxAmount)),
    plainArray(column(({ livemode }) => livemode)),
    plainArray(column(({ livemode }) => seriesOf(livemode))),
    plainArray(column(({ clockId }) => clockId)),
    textArray(column(({ seller }) => (seller === null ? null : JSON.stringify(seller)))),
  ]);
  return drafts.map((draft, i) => rowOf(draft, (placed[i] as { id: number }).id));
}

/** The inserted row, derived from the draft: it is not read back. */
function rowOf(draft: NewInvoice, id: number): InvoiceRow {
  const created = new Date(draft.createdMs).toISOString();
  const { totals, status } = draft;
  return {
    tenant_id: draft.tenantId,
    id,
    livemode: draft.livemode,
    series: seriesOf(draft.livemode),
    number: draft.number,
    customer_id: draft.customerId,
    status,
    currency: draft.currency,
    subtotal: totals.subtotal,
    tax: totals.tax,
    total: totals.total,
    amount_paid: 0,
    amount_held: 0,
    amount_refunded: 0,
    next_payment_attempt: null,
    payments: 0,
    channel_id: draft.channelId,
    description: draft.description,
    metadata: draft.metadata,
    seller: draft.seller,
    due_date: draft.dueMs === null ? null : utcDay(draft.dueMs),
    overdue_at: null,
    clock_id: draft.clockId,
    subscription_id: draft.subscriptionId,
    period_start: timeOf(draft.periodStartMs),
    period_end: timeOf(draft.periodEndMs),
    user_id: draft.userId,
    version: 1,
    created_at: created,
    finalized_at: status === 'DRAFT' ? null : created,
    paid_at: status === 'PAID' ? created : null,
    closed_at: null,
    updated_at: created,
  };
}

const timeOf = (atMs: number | null) => (atMs === null ? null : new Date(atMs).toISOString());
