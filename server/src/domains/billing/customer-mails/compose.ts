import { asOneLine } from '../../../core/one-line.ts';
import { Html, html, joined } from '../../../platform/http/html.ts';
import type { Mail } from '../../../platform/mail/mailer.ts';
import type { MailLanguage } from '../../identity/tenants/sellers.ts';
import type { BillingApp } from '../app.ts';
import { dayIn, priceIn } from '../sellers/formats.ts';
import type { MailPlaceholder, MailTextKind, MailTexts } from '../sellers/mail-texts.ts';
import { english } from './english.ts';
import { german } from './german.ts';
import type { MailedInvoice } from './invoices.ts';
import type { QueuedInvoiceMail } from './statements.ts';
import type { MailFacts, Template, Templates } from './templates.ts';

/** Writes a mail to a customer. Undefined if it has no reader any more, or nothing to say. */
export async function composeInvoiceMail(
  queued: QueuedInvoiceMail,
  { mailedInvoices, invoiceLinks }: Pick<BillingApp, 'mailedInvoices' | 'invoiceLinks'>,
): Promise<Mail | undefined> {
  const invoice = { tenantId: queued.tenant_id, invoiceId: queued.invoice_id };
  const content = await mailedInvoices.find(invoice);
  if (content === undefined || content.email === null || !isWanted(queued, content)) return undefined;
  return { to: content.email, ...messageOf(queued, content, await invoiceLinks.find(invoice)) };
}

/** No mail asks for the payment of an invoice that has since been paid or closed. */
const isWanted = ({ kind, requested }: QueuedInvoiceMail, { customer_mails, is_open }: MailedInvoice) =>
  (customer_mails || requested) && (kind === 'RECEIPT' || is_open);

/** The mail as text and as a simple HTML page, in the tenant's language. `link` is the URL of the invoice's page. */
function messageOf(
  {
    kind,
    next_attempt_at,
    retry,
    mandate_reference,
    requested,
  }: Pick<QueuedInvoiceMail, 'kind' | 'next_attempt_at' | 'retry' | 'mandate_reference' | 'requested'>,
  content: MailedInvoice,
  link: string | null,
): { subject: string; text: string; html: string } {
  const { mail_language: language, currency, total, amount_paid } = content;
  const day = (time: string | null) => (time === null ? '' : dayIn(language, time));
  const facts: MailFacts = {
    customer: asOneLine(content.customer),
    seller: asOneLine(content.seller),
    number: content.number,
    amount: priceIn(language, kind === 'RECEIPT' ? amount_paid : total - amount_paid, currency),
    paidOn: day(content.paid_at),
    dueDate: day(content.due_date),
    nextAttempt: day(next_attempt_at),
    debitDate: day(next_attempt_at),
    mandate: mandate_reference ?? '–',
    link: link ?? '',
  };
  const isReminder = requested && kind === 'INVOICE' && content.is_overdue;
  const textKind = isReminder ? 'reminder' : textKindOf({ kind, next_attempt_at, retry });
  const template = templateOf(textKind, language, content.mail_texts);
  const subject = asOneLine(filledIn(template.subject, (name) => facts[name]));
  const paragraphs = paragraphsOf(template, language, link !== null);
  return {
    subject,
    text: paragraphs.map((paragraph) => filledIn(paragraph, (name) => facts[name])).join('\n\n'),
    html: pageOf(language, subject, paragraphs, facts),
  };
}

function textKindOf({
  kind,
  next_attempt_at,
  retry,
}: Pick<QueuedInvoiceMail, 'kind' | 'next_attempt_at' | 'retry'>): MailTextKind {
  if (kind === 'PAYMENT_FAILED') {
    if (next_attempt_at === null) return 'lastPaymentFailed';
    if (retry === 'WITH_PAYER') return 'confirmationNeeded';
    return retry === 'OTHER_METHOD' ? 'otherMethodNeeded' : 'paymentFailed';
  }
  if (kind === 'DEBIT') return 'debitAnnounced';
  return kind === 'RECEIPT' ? 'receipt' : 'invoice';
}

function pageOf(language: MailLanguage, subject: string, paragraphs: readonly string[], facts: MailFacts): string {
  const htmlOf = (name: MailPlaceholder) => {
    const value = facts[name];
    if (value === undefined) return undefined;
    return name === 'link' && value !== '' ? html`<a href="${value}">${value}</a>`.text : html`${value}`.text;
  };
  const paragraphOf = (text: string) => {
    const filled = filledIn(html`${text}`.text, htmlOf).replaceAll(/\r?\n/g, '<br>');
    return html`<p>${new Html(filled)}</p>`;
  };
  return html`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body style="font-family: system-ui, sans-serif; line-height: 1.5; max-width: 36rem">
${joined(paragraphs.map(paragraphOf), '\n')}
</body>
</html>
`.text;
}

const defaultTemplates: Record<MailLanguage, Templates> = { en: english, de: german };

/** The tenant's own text of a mail, or else the default one. */
function templateOf(kind: MailTextKind, language: MailLanguage, tenantTexts: MailTexts | null): Template {
  return tenantTexts?.[language]?.[kind] ?? defaultTemplates[language][kind];
}

/**
 * The paragraphs of a mail. A link to the invoice's page is added when there is one and the text does not include it.
 */
function paragraphsOf({ body }: Template, language: MailLanguage, hasLink: boolean): string[] {
  const paragraphs = body.trim().split(/\r?\n(?:[ \t]*\r?\n)+/);
  return hasLink && !body.includes('{link}') ? [...paragraphs, defaultTemplates[language].toInvoice] : paragraphs;
}

/** Fills in the placeholders in one pass, so that a value that looks like a placeholder is not replaced. */
function filledIn(text: string, valueFor: (name: MailPlaceholder) => string | undefined): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name) => valueFor(name as MailPlaceholder) ?? placeholder);
}
