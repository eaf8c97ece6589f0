import { asOneLine } from '../../../../core/one-line.ts';
import { Html, html, joined } from '../../../../platform/http/html.ts';
import type { MailLanguage } from '../../../identity/tenants/sellers.ts';
import type { MailPlaceholder, MailTextKind } from '../../sellers/mail-texts.ts';
import { dayIn, priceIn } from '../formats.ts';
import { numberText } from '../number.ts';
import { filledIn, paragraphsOf, templateOf } from './fill-in.ts';
import type { MailContent, QueuedInvoiceMail } from './statements.ts';
import type { MailFacts } from './templates.ts';

/** The mail as text and as a simple HTML page, in the tenant's language. `link` is the URL of the invoice's page. */
export function messageOf(
  { kind, next_attempt_at }: Pick<QueuedInvoiceMail, 'kind' | 'next_attempt_at'>,
  content: MailContent,
  link: string | null,
): { subject: string; text: string; html: string } {
  const { mail_language: language, currency, total, amount_paid } = content;
  const day = (time: string | null) => (time === null ? '' : dayIn(language, time));
  const facts: MailFacts = {
    customer: asOneLine(content.customer),
    seller: asOneLine(content.seller),
    number: numberText(content.number, content.series),
    amount: priceIn(language, kind === 'RECEIPT' ? amount_paid : total - amount_paid, currency),
    paidOn: day(content.paid_at),
    dueDate: day(content.due_date),
    nextAttempt: day(next_attempt_at),
    link: link ?? '',
  };
  const template = templateOf(textKindOf(kind, next_attempt_at), language, content.mail_texts);
  const subject = asOneLine(filledIn(template.subject, (name) => facts[name]));
  const paragraphs = paragraphsOf(template, language, link !== null);
  return {
    subject,
    text: paragraphs.map((paragraph) => filledIn(paragraph, (name) => facts[name])).join('\n\n'),
    html: pageOf(language, subject, paragraphs, facts),
  };
}

function textKindOf(kind: QueuedInvoiceMail['kind'], nextAttempt: string | null): MailTextKind {
  if (kind === 'PAYMENT_FAILED') return nextAttempt === null ? 'lastPaymentFailed' : 'paymentFailed';
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
