import { currencyCodes } from '@florin/server/core/currency.ts';
import { readingsOf, typedAmount } from '@florin/server/core/read-amount.ts';
import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { moneyText } from '../../format/money.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { FilterChip } from './filter-chip.tsx';

type Name = 'currency' | 'amountFrom' | 'amountTo';

interface AmountFilterProps {
  filters: Record<Name, string>;
  onChange: (changed: Partial<Record<Name, string>>) => void;
}

/** The currency, and a range of amounts in it: entered in major units, sent in minor units. */
export function AmountFilter({ filters, onChange }: AmountFilterProps) {
  const text = useText();
  const { locale } = usePreferences();
  const { currency, amountFrom, amountTo } = filters;
  const shown = (amount: string) => (/^\d+$/.test(amount) ? moneyText(amount, currency, locale) : '');
  const range = amountFrom === amountTo ? shown(amountFrom) : `${shown(amountFrom)} – ${shown(amountTo)}`;
  const value = amountFrom || amountTo ? range : currency;
  return (
    <FilterChip
      label={text('payments.amount')}
      value={currency === '' ? undefined : value}
      onClear={() => onChange({ currency: '', amountFrom: '', amountTo: '' })}
    >
      {(close) => (
        <Stack gap="xs" w={220}>
          {/* The list of another select would be outside of the chip, which a click there closes. */}
          <NativeSelect
            size="xs"
            label={text('ledger.currency')}
            data={['', ...currencyCodes]}
            value={currency}
            // An amount needs its currency.
            onChange={({ currentTarget }) => onChange({ currency: currentTarget.value, amountFrom: '', amountTo: '' })}
          />
          {currency !== '' && <AmountFields filters={filters} onChange={onChange} onEnter={close} />}
        </Stack>
      )}
    </FilterChip>
  );
}

function AmountFields({ filters, onChange, onEnter }: AmountFilterProps & { onEnter: () => void }) {
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
      label={label}
      inputMode="decimal"
      rightSection={currency}
      rightSectionWidth={44}
      defaultValue={/^\d+$/.test(filters[name]) ? typedAmount(Number(filters[name]), currency, locale) : ''}
      onBlur={({ currentTarget }) => {
        const [amount, other] = readingsOf(currentTarget.value, currency, locale).map(String);
        if (other === undefined && (amount ?? '') !== filters[name]) onChange({ [name]: amount ?? '' });
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Enter') return;
        currentTarget.blur();
        onEnter();
      }}
    />
  ));
}
