import { useRead } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { AmountFilter } from '../../ui/filters/amount-filter.tsx';
import { CustomerFilter } from '../../ui/filters/customer-filter.tsx';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { SearchFilter } from '../../ui/filters/search-filter.tsx';
import { TimeFilters } from '../../ui/filters/time-filters.tsx';
import { UserFilter } from '../../ui/filters/user-filter.tsx';

export const paymentFilterNames = [
  'status',
  'channelId',
  'startDate',
  'endDate',
  'currency',
  'amountFrom',
  'amountTo',
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
    <FilterBar>
      <SearchFilter value={filters.search} onChange={(search) => onChange({ search })} />
      <TimeFilters filters={filters} onChange={onChange} />
      {mayReadChannels && (
        <FilterSelect
          label={text('payments.channel')}
          options={channels.data?.data.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
          value={filters.channelId}
          onChange={(channelId) => onChange({ channelId })}
        />
      )}
      <CustomerFilter value={filters.customerId} onChange={(customerId) => onChange({ customerId })} />
      <AmountFilter filters={filters} onChange={onChange} />
      <UserFilter value={filters.userId} onChange={(userId) => onChange({ userId })} />
    </FilterBar>
  );
}
