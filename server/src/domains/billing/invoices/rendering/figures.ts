import { decimalOf } from '../../../../core/money.ts';
import type { Language } from '../formats.ts';

const separators: Readonly<Record<Language, { thousands: string; decimal: string; isCodeFirst: boolean }>> = {
  en: { thousands: ',', decimal: '.', isCodeFirst: true },
  de: { thousands: '.', decimal: ',', isCodeFirst: false },
};

/** The figures of a rendered invoice, exact beyond 2^53 − 1, with a minus sign as long as a digit, and without line breaks. */
export class Figures {
  readonly #currency: string;
  readonly #separators: (typeof separators)[Language];

  constructor(language: Language, currency: string) {
    this.#currency = currency;
    this.#separators = separators[language];
  }

  /** 123456 EUR → `EUR 1,234.56`, in German `1.234,56 EUR`. */
  price(amount: number | bigint): string {
    const parts = [this.#currency, this.amount(amount)];
    return (this.#separators.isCodeFirst ? parts : parts.toReversed()).join('\u00a0');
  }

  /** 123456 → `1,234.56`, where the currency has two decimals. */
  amount(amount: number | bigint): string {
    const [whole = '', fraction] = decimalOf(amount < 0 ? -amount : amount, this.#currency).split('.');
    const decimals = fraction === undefined ? '' : `${this.#separators.decimal}${fraction}`;
    return `${amount < 0 ? '−' : ''}${this.grouped(whole)}${decimals}`;
  }

  grouped(digits: string): string {
    return digits.replace(/\B(?=(?:\d{3})+$)/g, this.#separators.thousands);
  }

  /** 1900 basis points → `19 %`; 725 → `7.25 %`. */
  percent(basisPoints: number): string {
    const fraction = String(basisPoints % 100)
      .padStart(2, '0')
      .replace(/0+$/, '');
    const decimals = fraction === '' ? '' : `${this.#separators.decimal}${fraction}`;
    return `${Math.floor(basisPoints / 100)}${decimals}\u00a0%`;
  }
}
