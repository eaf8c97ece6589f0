import type { Static } from 'typebox';
import { publicId } from '../../../core/id.ts';
import { plainArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { keyOfRow, mapKeyOf } from './lock.ts';
import { numberText } from './number.ts';
import type { invoiceRecord, listedInvoice } from './schema.ts';
import { findLines, findPayments, type InvoiceRow, type LineRow, type PaymentRow } from './statements.ts';

export type ListedInvoice = Static<typeof listedInvoice>;
export type InvoiceRecord = Static<typeof invoiceRecord>;

export function recordOf(row: InvoiceRow): ListedInvoice {
  const amountDue = row.status === 'VOID' ? 0 : row.total;
  return {
    id: row.id,
    livemode: row.livemode,
    number: row.number === null ? null : numberText(row.number, row.series),
    customerId: row.customer_id,
    status: row.status,
    currency: row.currency,
    subtotal: row.subtotal,
    tax: row.tax,
    total: row.total,
    amountDue,
    amountPaid: row.amount_paid,
    amountRemaining: amountDue - row.amount_paid,
    amountUnderWay: row.amount_under_way,
    amountRefunded: row.amount_refunded,
    amountToReturn: row.amount_to_return,
    nextPaymentAttempt: row.next_payment_attempt,
    channelId: row.channel_id,
    description: row.description,
    metadata: row.metadata,
    seller: row.seller,
    dueDate: row.due_date,
    overdueTime: row.overdue_at,
    subscriptionId: row.subscription_id,
    periodStart: row.period_start,
    periodEnd: row.period_end,
    userId: row.user_id,
    version: row.version,
    createdTime: row.created_at,
    finalizedTime: row.finalized_at,
    paidTime: row.paid_at,
    closedTime: row.closed_at,
    updatedTime: row.updated_at,
  };
}

/** Reads the lines and payments of an invoice and builds its API record. */
export async function detailOf(database: Queryable, row: InvoiceRow): Promise<InvoiceRecord> {
  const [record] = (await detailsOf(database, [row])) as [InvoiceRecord];
  return record;
}

/** The same for many invoices, in two statements. An invoice that is named twice is read once. */
export async function detailsOf(database: Queryable, rows: readonly InvoiceRow[]): Promise<InvoiceRecord[]> {
  const distinct = [...new Map(rows.map((row) => [mapKeyOf(keyOfRow(row)), row])).values()];
  const keys = [plainArray(distinct.map(({ tenant_id }) => tenant_id)), plainArray(distinct.map(({ id }) => id))];
  const keyOf = ({ tenant_id: tenantId, invoice_id: invoiceId }: { tenant_id: number; invoice_id: number }) =>
    mapKeyOf({ tenantId, invoiceId });
  const lines = Map.groupBy(await database.run(findLines, keys), keyOf);
  const payments = Map.groupBy(await database.run(findPayments, keys), keyOf);
  return rows.map((row) => {
    const key = mapKeyOf(keyOfRow(row));
    return detailRecordOf(row, lines.get(key) ?? [], payments.get(key) ?? []);
  });
}

function detailRecordOf(row: InvoiceRow, lines: readonly LineRow[], payments: readonly PaymentRow[]): InvoiceRecord {
  return {
    ...recordOf(row),
    lines: lines.map((line) => ({
      description: line.description,
      quantity: line.quantity,
      unitAmount: line.unit_amount,
      amount: line.amount,
      taxRate: line.tax_rate,
      taxAmount: line.tax_amount,
    })),
    payments: payments.map((payment) => ({
      transactionId: payment.transaction_id === null ? null : publicId('txn', payment.transaction_id),
      amount: payment.amount,
      amountExcess: payment.excess,
      state: payment.state,
      automatic: payment.automatic,
      failureCode: payment.failure_code,
      failureMessage: payment.failure_message,
      createdTime: payment.created_at,
      finishedTime: payment.finished_at,
    })),
  };
}
