import { decimalOf } from '../../../core/money.ts';
import type { MailLanguage } from '../../identity/tenants/sellers.ts';

/** The languages of mails, invoices and pages for customers. */
export type Language = MailLanguage;

const formats: Readonly<
  Record<Language, { locale: string; thousands: string; decimal: string; isCodeFirst: boolean }>
> = {
  en: { locale: 'en-GB', thousands: ',', decimal: '.', isCodeFirst: true },
  de: { locale: 'de-DE', thousands: '.', decimal: ',', isCodeFirst: false },
};

/** 123456 EUR → `EUR 1,234.56`, in German `1.234,56 EUR`. It never breaks across lines. */
export function priceIn(language: Language, amount: number | bigint, currency: string): string {
  const parts = [currency, amountIn(language, amount, currency)];
  return (formats[language].isCodeFirst ? parts : parts.toReversed()).join('\u00a0');
}

/** 123456 → `1,234.56`, with the decimals of ISO 4217, exact beyond 2^53 − 1. The minus sign is as wide as a digit. */
export function amountIn(language: Language, amount: number | bigint, currency: string): string {
  const [whole = '', fraction] = decimalOf(amount < 0 ? -amount : amount, currency).split('.');
  const decimals = fraction === undefined ? '' : `${formats[language].decimal}${fraction}`;
  return `${amount < 0 ? '−' : ''}${grouped(language, whole)}${decimals}`;
}

export const numberIn = (language: Language, number: number) => grouped(language, String(number));

const grouped = (language: Language, digits: string) =>
  digits.replace(/\B(?=(?:\d{3})+$)/g, formats[language].thousands);

/** 1900 basis points → `19 %`; 725 → `7.25 %`. */
export function percentIn(language: Language, basisPoints: number): string {
  const fraction = String(basisPoints % 100)
    .padStart(2, '0')
    .replace(/0+$/, '');
  const decimals = fraction === '' ? '' : `${formats[language].decimal}${fraction}`;
  return `${Math.floor(basisPoints / 100)}${decimals}\u00a0%`;
}

/** `30 June 2027`, in UTC: unambiguous in all countries. */
export const dayIn = (language: Language, time: string) =>
  new Date(time).toLocaleDateString(formats[language].locale, { dateStyle: 'long', timeZone: 'UTC' });
