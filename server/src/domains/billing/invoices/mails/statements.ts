import { uuidTimeMs } from '../../../../core/id.ts';
import { columns } from '../../../../platform/postgres/columns.ts';
import { statement, type Topic } from '../../../../platform/postgres/statement.ts';
import { mailQueue, type QueuedMail } from '../../../identity/mails/queue-statements.ts';
import type { MailLanguage } from '../../../identity/tenants/sellers.ts';
import type { MailTexts } from '../../sellers/mail-texts.ts';
import type { NumberSeries } from '../number.ts';
import type { InvoiceRow } from '../statements.ts';
import type { InvoiceStatus } from '../states.ts';

/** Published when mails to customers are queued. */
export const invoiceMailsDue: Topic = 'invoice-mails';

export type MailKind = 'INVOICE' | 'RECEIPT' | 'PAYMENT_FAILED';

/** A mail to send. */
export interface QueuedInvoiceMail extends QueuedMail {
  invoice_id: number;
  kind: MailKind;
  next_attempt_at: string | null;
}

/** A mail to queue. */
export interface MailDraft {
  id: string;
  kind: MailKind;
  invoice: Pick<InvoiceRow, 'tenant_id' | 'id' | 'customer_id' | 'next_payment_attempt'>;
}

export const mailColumns = columns<MailDraft>([
  ['id', 'uuid', ({ id }) => id],
  ['tenant_id', 'bigint', ({ invoice }) => invoice.tenant_id],
  ['invoice_id', 'bigint', ({ invoice }) => invoice.id],
  ['customer_id', 'bigint', ({ invoice }) => invoice.customer_id],
  ['kind', 'text', ({ kind }) => kind],
  ['next_attempt_at', 'text', ({ invoice }) => invoice.next_payment_attempt],
  ['due_ms', 'float8', ({ id }) => uuidTimeMs(id)],
]);

/** Queues mails of tenants with `customerMails` to customers with an address. Values: those of `mailColumns`. */
export const insertMails = statement<{ id: string }>(
  'invoice_mails.insert',
  `insert into invoice_mail (tenant_id, id, invoice_id, kind, next_attempt_at, due_at)
   select row.tenant_id, row.id, row.invoice_id, row.kind, row.next_attempt_at::timestamptz, to_timestamp(row.due_ms / 1000)
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
  columns: ['invoice_id', 'kind', 'next_attempt_at'],
});

/** The content of a mail, read when it is sent. */
export interface MailContent {
  number: number;
  series: NumberSeries;
  status: InvoiceStatus;
  currency: string;
  total: number;
  amount_paid: number;
  paid_at: string | null;
  seller: string;
  customer: string;
  email: string | null;
  customer_mails: boolean;
  mail_language: MailLanguage;
  /** The tenant's own texts. */
  mail_texts: MailTexts | null;
  due_date: string | null;
}

/** Values: tenant, invoice. */
export const findMailContent = statement<MailContent>(
  'invoice_mails.find_content',
  `select i.number, i.series, i.status, i.currency, i.total, i.amount_paid, i.paid_at,
          coalesce(i.seller ->> 'name', t.name) as seller, c.name as customer, c.email, s.customer_mails, s.mail_language,
          s.mail_texts, i.due_date
     from invoice i
     join tenant t on t.id = i.tenant_id
     join seller s on s.tenant_id = i.tenant_id
     join customer c on c.tenant_id = i.tenant_id and c.id = i.customer_id
    where i.tenant_id = $1 and i.id = $2`,
);
