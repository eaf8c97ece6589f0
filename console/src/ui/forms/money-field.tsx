import { TextInput, type TextInputProps } from '@mantine/core';
import { exponentOf } from '../../../../server/src/core/currency.ts';
import { amountOfDecimal } from '../../../../server/src/core/money.ts';
import { usePreferences } from '../../shell/preferences.tsx';

const arabicZero = '٠'.charCodeAt(0);

interface MoneyFieldProps extends Omit<TextInputProps, 'type' | 'pattern'> {
  name: string;
  currency: string;
}

/** A field for an amount in major units, with the decimal separator of the locale; `minorUnitsOf` reads it. */
export function MoneyField({ currency, ...rest }: MoneyFieldProps) {
  const { locale } = usePreferences();
  const digits = exponentOf(currency) ?? 2;
  const fraction = digits === 0 ? '' : `([.,٫][\\d٠-٩]{1,${digits}})?`;
  return (
    <TextInput
      {...rest}
      inputMode="decimal"
      pattern={`[\\d٠-٩]{1,16}${fraction}`}
      placeholder={new Intl.NumberFormat(locale, { minimumFractionDigits: digits }).format(0)}
      rightSection={currency}
      rightSectionWidth={56}
    />
  );
}

/** `19,99` EUR → 1999, also in Arabic digits. Undefined if it is not an amount of this currency. */
export function minorUnitsOf(typed: string | undefined, currency: string): number | undefined {
  if (typed === undefined || typed === '') return undefined;
  const digits = typed.replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - arabicZero));
  return amountOfDecimal(digits.replace(/[,٫]/, '.'), currency);
}
