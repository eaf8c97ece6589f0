import { exponentOf } from '../../../../core/currency.ts';
import { decimalOf } from '../../../../core/money.ts';
import { escaped } from '../../../../platform/http/html.ts';
import type { MailLanguage } from '../../../identity/tenants/schema.ts';
import { numberText } from '../number.ts';
import { english } from './english.ts';
import { german } from './german.ts';
import type { DueMail, MailContent } from './statements.ts';
import type { MailFacts, Templates } from './templates.ts';

const templates: Record<MailLanguage, Templates> = { en: english, de: german };
const locales: Record<MailLanguage, string> = { en: 'en-GB', de: 'de-DE' };

/** The mail as text and as a simple HTML page, in the tenant's language. */
export function messageOf(
  { kind, next_attempt_at }: Pick<DueMail, 'kind' | 'next_attempt_at'>,
  content: MailContent,
): { subject: string; text: string; html: string } {
  const { mail_language: language, currency, total, amount_paid } = content;
  const facts: MailFacts = {
    customer: content.customer,
    seller: content.seller,
    number: numberText(content.number, content.series),
    amount: priceOf(kind === 'RECEIPT' ? amount_paid : total - amount_paid, currency, language),
    paidOn: content.paid_at === null ? '' : dayOf(content.paid_at, language),
    nextAttempt: next_attempt_at === null ? null : dayOf(next_attempt_at, language),
  };
  const { receipt, paymentFailed } = templates[language];
  const { subject, paragraphs } = kind === 'RECEIPT' ? receipt(facts) : paymentFailed(facts);
  return {
    subject: subject.replace(/\s+/g, ' '),
    text: paragraphs.join('\n\n'),
    html: pageOf(language, subject, paragraphs),
  };
}

function pageOf(language: MailLanguage, subject: string, paragraphs: readonly string[]): string {
  const body = paragraphs.map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br>')}</p>`).join('\n');
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${escaped(subject)}</title></head>
<body style="font-family: system-ui, sans-serif; line-height: 1.5; max-width: 36rem">
${body}
</body>
</html>
`;
}

/** With the decimals of ISO 4217, from the exact decimal: a float would round large amounts. */
function priceOf(amount: number, currency: string, language: MailLanguage): string {
  const digits = exponentOf(currency) ?? 0;
  const format = new Intl.NumberFormat(locales[language], {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(decimalOf(amount, currency) as Intl.StringNumericLiteral);
}

const dayOf = (time: string, language: MailLanguage) =>
  new Date(time).toLocaleDateString(locales[language], { dateStyle: 'long', timeZone: 'UTC' });
