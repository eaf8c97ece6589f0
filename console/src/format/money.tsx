import { exponentOf } from '@florin/server/core/currency.ts';
import { decimalOf } from '@florin/server/core/money.ts';
import { usePreferences } from '../shell/preferences.tsx';

const formats = new Map<string, Intl.NumberFormat>();

/** `amount` in minor units. Uses the digits of ISO 4217, because those of browsers differ for some currencies. */
export function moneyText(amount: number | bigint | string, currency: string, locale: string): string {
  const digits = exponentOf(currency);
  if (digits === undefined) return `${amount} ${currency}`;
  const key = `${locale} ${currency}`;
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'code',
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
  formats.set(key, format);
  const value = BigInt(amount);
  const decimal = decimalOf(value < 0n ? -value : value, currency);
  // As a string, because a number would round sums above 2^53.
  return format.format((value < 0n ? `-${decimal}` : decimal) as Intl.StringNumericLiteral);
}

interface MoneyProps {
  amount: number | bigint | string;
  currency: string;
}

export function Money({ amount, currency }: MoneyProps) {
  const { locale } = usePreferences();
  // Isolated, because Arabic digits would otherwise reorder the text next to them.
  return <bdi style={{ whiteSpace: 'nowrap' }}>{moneyText(amount, currency, locale)}</bdi>;
}
