import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useRead } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';

interface CustomerSelectProps {
  value: string | null;
  onChange: (customerId: string | null) => void;
  error: ReactNode;
  required?: boolean;
}

const pauseMs = 200;
const leastLength = 2;

/** One of all customers, who is found by name or mail address. The newest are offered at first. */
export function CustomerSelect({ value, onChange, error, required = true }: CustomerSelectProps) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<{ value: string; label: string }>();
  const [sought] = useDebouncedValue(typed === chosen?.label ? '' : typed.trim(), pauseMs);
  const isSought = sought.length >= leastLength;
  const newest = useRead('customers.list', { pageSize: 50 }, { isFresh: true });
  const found = useRead('search.find', { q: sought }, { enabled: isSought });
  const offered = (isSought ? found.data?.data.customers : newest.data?.data) ?? [];
  const options = offered.map(({ id, name, email }) => ({
    value: String(id),
    label: email ? `${name} · ${email}` : name,
  }));
  const isOffered = chosen === undefined || options.some((option) => option.value === chosen.value);
  return (
    <Select
      name="customerId"
      label={text('payment.customer')}
      data={isOffered ? options : [chosen, ...options]}
      value={value}
      onChange={(next, option) => {
        setChosen(option ?? undefined);
        onChange(next);
      }}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The service has searched already.
      filter={isSought ? ({ options: all }) => all : undefined}
      nothingFoundMessage={text('search.none')}
      error={error}
      required={required}
      clearable={!required}
    />
  );
}
