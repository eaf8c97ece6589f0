import { exponentOf } from '../../../core/currency.ts';
import { decimalOf } from '../../../core/money.ts';
import type { MailLanguage } from '../../identity/tenants/schema.ts';

/** The languages of mails, invoices and pages for customers. */
export type Language = MailLanguage;

const locales: Record<Language, string> = { en: 'en-GB', de: 'de-DE' };

/** With the decimals of ISO 4217. Formats a decimal string, because a float would round large amounts. */
export function priceIn(language: Language, amount: number, currency: string): string {
  const digits = exponentOf(currency) ?? 0;
  const format = new Intl.NumberFormat(locales[language], {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const decimal = amount < 0 ? `-${decimalOf(-amount, currency)}` : decimalOf(amount, currency);
  return format.format(decimal as Intl.StringNumericLiteral);
}

/** `30 June 2027`, in UTC. */
export const dayIn = (language: Language, time: string) =>
  new Date(time).toLocaleDateString(locales[language], { dateStyle: 'long', timeZone: 'UTC' });

export const numberIn = (language: Language, number: number) => number.toLocaleString(locales[language]);

/** 1900 basis points → `19 %`. */
export const percentIn = (language: Language, basisPoints: number) =>
  `${(basisPoints / 100).toLocaleString(locales[language], { maximumFractionDigits: 2 })}\u00a0%`;
