import { uuidTimeMs } from '../../../core/id.ts';
import { columns } from '../../../platform/postgres/columns.ts';
import { statement, type Topic } from '../../../platform/postgres/statement.ts';
import { mailQueue, type QueuedMail } from '../../identity/mails/queue-statements.ts';
import type { Retry } from '../../payments/providers/failures.ts';

/** Published when mails to customers are queued. */
export const invoiceMailsDue: Topic = 'invoice-mails';

export type MailKind = 'INVOICE' | 'DEBIT' | 'RECEIPT' | 'PAYMENT_FAILED';

/** A debit of which the payer is notified before it is sent. */
export interface AnnouncedDebit {
  atMs: number;
  mandateReference: string | null;
}

/** A mail to send. */
export interface QueuedInvoiceMail extends QueuedMail {
  invoice_id: number;
  kind: MailKind;
  /** Of a failed payment: when it is tried again. Of an announced debit: when it is sent. */
  next_attempt_at: string | null;
  /** Of a failed payment: what its failure allows; null: a mail of an earlier release, or another failure. */
  retry: Retry | null;
  /** Of an announced debit. */
  mandate_reference: string | null;
  /** A person asked for it. */
  requested: boolean;
}

/** A change of an invoice that its customer is mailed about. */
export interface MailOccasion {
  kind: MailKind;
  /** Of a failed payment: what its failure allows. */
  retry?: Retry | null;
  /** Of an announced debit. */
  debit?: AnnouncedDebit;
  invoice: {
    tenant_id: number;
    id: number;
    customer_id: number;
    livemode: boolean;
    /** When the payment is tried again; null: it is not. */
    next_payment_attempt: string | null;
  };
}

/** A mail to queue. */
interface MailDraft extends MailOccasion {
  id: string;
}

export const mailColumns = columns<MailDraft>([
  ['id', 'uuid', ({ id }) => id],
  ['tenant_id', 'bigint', ({ invoice }) => invoice.tenant_id],
  ['invoice_id', 'bigint', ({ invoice }) => invoice.id],
  ['customer_id', 'bigint', ({ invoice }) => invoice.customer_id],
  ['kind', 'text', ({ kind }) => kind],
  [
    'next_attempt_at',
    'text',
    ({ invoice, debit }) => (debit === undefined ? invoice.next_payment_attempt : new Date(debit.atMs).toISOString()),
  ],
  ['retry', 'text', ({ retry = null }) => retry],
  ['mandate_reference', 'text', ({ debit }) => debit?.mandateReference ?? null],
  ['due_ms', 'float8', ({ id }) => uuidTimeMs(id)],
]);

/** Queues mails of tenants with `customerMails` to customers with an address. Values: those of `mailColumns`. */
export const insertMails = statement<{ id: string }>(
  'invoice_mails.insert',
  `insert into invoice_mail (tenant_id, id, invoice_id, kind, next_attempt_at, retry, mandate_reference, due_at)
   select row.tenant_id, row.id, row.invoice_id, row.kind, row.next_attempt_at::timestamptz, row.retry,
          row.mandate_reference, to_timestamp(row.due_ms / 1000)
     from (${mailColumns.relation()}) as row
     join seller s on s.tenant_id = row.tenant_id and s.customer_mails
    where exists (select from customer c
                   where c.tenant_id = row.tenant_id and c.id = row.customer_id and c.email is not null)
   returning id`,
  { wakes: [{ topic: invoiceMailsDue, when: (rows) => rows.length > 0 }] },
);

export const invoiceMails = mailQueue<QueuedInvoiceMail>({
  table: 'invoice_mail',
  name: 'invoice_mails',
  topic: invoiceMailsDue,
  columns: ['invoice_id', 'kind', 'next_attempt_at', 'retry', 'mandate_reference', 'requested'],
});
