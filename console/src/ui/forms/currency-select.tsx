import { currencyCodes } from '@florin/server/core/currency.ts';
import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../../shell/preferences.tsx';

interface CurrencySelectProps {
  value: string;
  onChange: (currency: string) => void;
  error: ReactNode;
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
