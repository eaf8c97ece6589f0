import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useRead } from '../../api/hooks.ts';
import { useCustomerName } from '../../pages/customers/customer-name.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FilterChip } from './filter-chip.tsx';
import { OptionList } from './option-list.tsx';

interface CustomerFilterProps {
  value: string;
  onChange: (customerId: string) => void;
}

/** Only records of one customer, who is found by name or mail address. */
export function CustomerFilter({ value, onChange }: CustomerFilterProps) {
  const text = useText();
  const name = useCustomerName(value);
  return (
    <FilterChip label={text('customers.one')} value={value === '' ? undefined : name} onClear={() => onChange('')}>
      {(close) => (
        <CustomerOptions
          chosen={value}
          onChoose={(customerId) => {
            onChange(customerId);
            close();
          }}
        />
      )}
    </FilterChip>
  );
}

function CustomerOptions({ chosen, onChoose }: { chosen: string; onChoose: (customerId: string) => void }) {
  const [typed, setTyped] = useState('');
  const [sought] = useDebouncedValue(typed.trim(), 200);
  const isSought = sought.length >= 2;
  const newest = useRead('customers.list', { pageSize: 20 }, { enabled: !isSought });
  const found = useRead('search.find', { q: sought }, { enabled: isSought });
  const customers = isSought ? found.data?.data.customers : newest.data?.data;
  return (
    <OptionList
      options={(customers ?? []).map(({ id, name, email }) => ({
        value: String(id),
        label: email ? `${name} · ${email}` : name,
      }))}
      chosen={chosen}
      onChoose={onChoose}
      onType={setTyped}
    />
  );
}
