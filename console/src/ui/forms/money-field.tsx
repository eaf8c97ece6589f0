import { exponentOf } from '@florin/server/core/currency.ts';
import { readingsOf, typedAmount } from '@florin/server/core/read-amount.ts';
import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { moneyText } from '../../format/money.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';

interface MoneyFieldProps extends Omit<TextInputProps, 'type' | 'pattern' | 'value' | 'defaultValue' | 'onChange'> {
  /** The field of the form with the amount in minor units, which `minorUnits` reads. */
  name: string;
  currency: string;
  /** In minor units. Until something is typed the field follows it: it may change while a dialog is open. */
  defaultAmount?: number | undefined;
}

/**
 * A field for an amount in major units, as people write it in the chosen format or in the other one. While it cannot be
 * read, or in two ways, it says so and the form is not sent.
 */
export function MoneyField({ name, currency, defaultAmount, error, ...rest }: MoneyFieldProps) {
  const text = useText();
  const { locale } = usePreferences();
  const input = useRef<HTMLInputElement>(null);
  const [ofDefault] = useState(currency);
  const [changed, setChanged] = useState<string>();
  const typed = changed ?? (defaultAmount === undefined ? '' : typedAmount(defaultAmount, ofDefault, locale));
  const readings = readingsOf(typed, currency, locale);
  const [amount] = readings;
  const complaint =
    typed.trim() === '' || readings.length === 1
      ? ''
      : readings.length === 0
        ? text('amount.unreadable', { currency })
        : text('amount.ambiguous', {
            first: moneyText(readings[0] as number, currency, locale),
            second: moneyText(readings[1] as number, currency, locale),
          });
  // The browser does not send a form with a complaint.
  useEffect(() => input.current?.setCustomValidity(complaint), [complaint]);
  return (
    <>
      <TextInput
        {...rest}
        ref={input}
        inputMode="decimal"
        value={typed}
        onChange={({ currentTarget }) => setChanged(currentTarget.value)}
        placeholder={new Intl.NumberFormat(locale, { minimumFractionDigits: exponentOf(currency) ?? 2 }).format(0)}
        rightSection={currency}
        rightSectionWidth={56}
        error={complaint === '' ? error : complaint}
      />
      <input type="hidden" name={name} value={typed.trim() === '' ? '' : complaint === '' ? amount : 'unreadable'} />
    </>
  );
}

/**
 * The amount of a field in minor units, as the API takes it. null, which the API refuses, if the field is empty or
 * cannot be read: without an amount the API would take the whole rest.
 */
export function minorUnits(field: string | undefined): number | null {
  return field !== undefined && /^\d+$/.test(field) ? Number(field) : null;
}
