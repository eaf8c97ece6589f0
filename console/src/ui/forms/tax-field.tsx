import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';

interface TaxFieldProps extends NumberInputProps {
  /** In basis points. */
  taxRate: number | null | undefined;
}

/** A field for a tax rate in percent; `basisPointsOf` reads it. Empty: untaxed. */
export function TaxField({ taxRate, ...rest }: TaxFieldProps) {
  const text = useText();
  return (
    <NumberInput
      {...rest}
      label={text('invoices.taxRate')}
      defaultValue={percentOf(taxRate)}
      suffix=" %"
      min={0}
      max={100}
      decimalScale={2}
    />
  );
}

/** `7.75 %` → 775. Undefined if the field is empty. */
export function basisPointsOf(typed: string | undefined): number | undefined {
  const percent = Number.parseFloat(typed ?? '');
  return Number.isNaN(percent) ? undefined : Math.round(percent * 100);
}

function percentOf(taxRate: number | null | undefined): number | undefined {
  return taxRate === null || taxRate === undefined ? undefined : taxRate / 100;
}
