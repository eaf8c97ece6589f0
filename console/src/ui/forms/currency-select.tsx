import { Select } from '@mantine/core';
import { currencyCodes } from '../../../../server/src/core/currency.ts';
import { useText } from '../../shell/preferences.tsx';

interface CurrencySelectProps {
  value: string;
  onChange: (currency: string) => void;
  error: string | undefined;
}

export function CurrencySelect({ value, onChange, error }: CurrencySelectProps) {
  const text = useText();
  return (
    <Select
      label={text('ledger.currency')}
      data={[...currencyCodes]}
      value={value}
      onChange={(chosen) => chosen !== null && onChange(chosen)}
      error={error}
      searchable
      allowDeselect={false}
    />
  );
}
