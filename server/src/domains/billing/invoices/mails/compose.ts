import type { Mail } from '../../../../platform/mail/mailer.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { InvoiceLinks } from './links.ts';
import { messageOf } from './message.ts';
import { findMailContent, type MailContent, type QueuedInvoiceMail } from './statements.ts';

export interface InvoiceMailDeps {
  database: Queryable;
  links: Pick<InvoiceLinks, 'find'>;
}

/** Writes a mail to a customer. Undefined if it has no reader any more, or nothing to say. */
export async function composeInvoiceMail(
  queued: QueuedInvoiceMail,
  { database, links }: InvoiceMailDeps,
): Promise<Mail | undefined> {
  const { tenant_id: tenantId, invoice_id: invoiceId } = queued;
  const [content] = await database.run(findMailContent, [tenantId, invoiceId]);
  if (content === undefined || content.email === null || !isWanted(queued, content)) return undefined;
  return { to: content.email, ...messageOf(queued, content, await links.find({ tenantId, invoiceId })) };
}

/** No mail asks for the payment of an invoice that has since been paid or closed. */
const isWanted = ({ kind }: QueuedInvoiceMail, { customer_mails, status }: MailContent) =>
  customer_mails && (kind === 'RECEIPT' || status === 'OPEN');
