import { utcDay } from '../../../../core/clock.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { seriesOf } from '../number.ts';
import type { InvoiceRow } from '../statements.ts';
import { insertInvoicesWithLines, invoicesToInsert, linesToInsert, type NewInvoice } from './insert-statements.ts';
import { numbered } from './line-columns.ts';

/** Inserts invoices with their lines in one statement. Returns the rows in the order of the drafts. */
export async function insertInvoices(transaction: Queryable, drafts: readonly NewInvoice[]): Promise<InvoiceRow[]> {
  const invoices = drafts.map((draft, i) => ({ ...draft, place: i + 1 }));
  const lines = invoices.flatMap(({ place, totals }) => numbered(totals.lines).map((line) => ({ ...line, place })));
  const inserted = await transaction.run(insertInvoicesWithLines, [
    ...invoicesToInsert.parametersOf(invoices),
    ...linesToInsert.parametersOf(lines),
  ]);
  return drafts.map((draft, i) => rowOf(draft, (inserted[i] as { id: number }).id));
}

/** The inserted row, derived from the draft instead of read back. */
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
    amount_under_way: 0,
    amount_refunded: 0,
    amount_to_return: 0,
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
