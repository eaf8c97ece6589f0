import { Group } from '@mantine/core';
import { currencyCodes } from '../../../../server/src/core/currency.ts';
import { useRead } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { DayFilters } from '../../ui/day-filters.tsx';
import { FilterSelect } from '../../ui/filter-select.tsx';
import { SearchFilter } from '../../ui/search-filter.tsx';

export const paymentFilterNames = [
  'status',
  'channelId',
  'startDate',
  'endDate',
  'currency',
  'search',
  'userId',
  'customerId',
] as const;
type Name = (typeof paymentFilterNames)[number];

interface PaymentFiltersProps {
  filters: Record<Name, string>;
  onChange: (changed: Partial<Record<Name, string>>) => void;
}

export function PaymentFilters({ filters, onChange }: PaymentFiltersProps) {
  const text = useText();
  const mayReadChannels = useMay('channel_read');
  const channels = useRead('channels.list', {}, { enabled: mayReadChannels });
  return (
    <Group gap="xs" align="end">
      <SearchFilter value={filters.search} onChange={(search) => onChange({ search })} />
      <DayFilters filters={filters} onChange={onChange} />
      {mayReadChannels && (
        <FilterSelect
          label={text('payments.channel')}
          options={channels.data?.data.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
          value={filters.channelId}
          onChange={(channelId) => onChange({ channelId })}
        />
      )}
      <FilterSelect
        label={text('ledger.currency')}
        options={currencyCodes.map((code) => ({ value: code, label: code }))}
        value={filters.currency}
        onChange={(currency) => onChange({ currency })}
      />
    </Group>
  );
}
