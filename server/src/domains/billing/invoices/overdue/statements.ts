import { statement, type Topic } from '../../../../platform/postgres/statement.ts';
import { type InvoiceRow, invoiceColumns } from '../statements.ts';

/** Published when due dates of unpaid invoices may have passed. */
export const overdueInvoicesDue: Topic = 'overdue-invoices';

/** SQL for the UTC day of a time in ms. */
const utcDayOf = (ms: string) => `(to_timestamp(${ms}::float8 / 1000) at time zone 'UTC')::date`;

const isNotYetOverdue = `status = 'OPEN' and overdue_at is null`;

/**
 * For the poller: whether an invoice is overdue in real time (clock 0). The test clock worker wakes this worker for
 * test clocks.
 */
export const overdueInvoiceDue = `select from invoice where clock_id = 0 and ${isNotYetOverdue}
    and due_date < ${utcDayOf('$1')}`;

/**
 * Records that invoices are overdue, those with the earliest due date first. It skips locked invoices and so never
 * waits, which allows any lock order. Values: clock, now (ms), limit.
 */
export const markOverdue = statement<InvoiceRow>(
  'invoices.mark_overdue',
  `with overdue as materialized (
     select tenant_id, id from invoice
      where clock_id = $1 and ${isNotYetOverdue} and due_date < ${utcDayOf('$2')}
      order by due_date limit $3 for update skip locked
   )
   update invoice i
      set overdue_at = to_timestamp($2::float8 / 1000), version = i.version + 1,
          updated_at = greatest(to_timestamp($2::float8 / 1000), i.updated_at)
     from overdue
    where i.tenant_id = overdue.tenant_id and i.id = overdue.id
   returning ${invoiceColumns}`,
);

/** Test clocks that have passed the due date of an unpaid invoice. */
export const clocksWithOverdueInvoices = statement<{ id: number; now_at: string }>(
  'invoices.overdue_clocks',
  `select k.id, k.now_at from clock k
    where exists (select from invoice
                   where clock_id = k.id and ${isNotYetOverdue} and due_date < (k.now_at at time zone 'UTC')::date)`,
);

/** The earliest due date among a test clock's unpaid invoices. Values: clock. */
export const nextDueDate = statement<{ day: string | null }>(
  'invoices.next_due_date',
  `select min(due_date) as day from invoice where clock_id = $1 and ${isNotYetOverdue}`,
);
