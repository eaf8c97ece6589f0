import { TextInput } from '@mantine/core';
import { currencyCodes } from '../../../../server/src/core/currency.ts';
import { useRead } from '../../api/hooks.ts';
import { readingsOf, typedAmount } from '../../format/read-amount.ts';
import { useMay } from '../../session/session.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { SearchFilter } from '../../ui/filters/search-filter.tsx';
import { TimeFilters } from '../../ui/filters/time-filters.tsx';

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
      <FilterSelect
        label={text('ledger.currency')}
        options={currencyCodes.map((code) => ({ value: code, label: code }))}
        value={filters.currency}
        // An amount needs its currency.
        onChange={(currency) => onChange({ currency, amountFrom: '', amountTo: '' })}
      />
      {filters.currency !== '' && <AmountFilters filters={filters} onChange={onChange} />}
    </FilterBar>
  );
}

/** Entered in major units, sent in minor units. */
function AmountFilters({ filters, onChange }: PaymentFiltersProps) {
  const text = useText();
  const { currency } = filters;
  const { locale } = usePreferences();
  const fields = [
    ['amountFrom', text('filters.amountFrom')],
    ['amountTo', text('filters.amountTo')],
  ] as const;
  return fields.map(([name, label]) => (
    <TextInput
      key={`${name} ${filters[name]} ${currency}`}
      size="xs"
      w={130}
      label={label}
      inputMode="decimal"
      rightSection={currency}
      rightSectionWidth={44}
      defaultValue={/^\d+$/.test(filters[name]) ? typedAmount(Number(filters[name]), currency, locale) : ''}
      onBlur={({ currentTarget }) => {
        const [amount, other] = readingsOf(currentTarget.value, currency, locale).map(String);
        if (other === undefined && amount !== filters[name]) onChange({ [name]: amount ?? '' });
      }}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
    />
  ));
}
