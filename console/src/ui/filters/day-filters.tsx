import { Stack, Text, TextInput } from '@mantine/core';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { FilterChip } from './filter-chip.tsx';

interface DayFiltersProps {
  filters: { startDate: string; endDate: string };
  onChange: (changed: { startDate?: string; endDate?: string }) => void;
}

/** The first and the last day, which the API counts in UTC. */
export function DayFilters({ filters, onChange }: DayFiltersProps) {
  const text = useText();
  const { locale } = usePreferences();
  const { startDate, endDate } = filters;
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const shown = (day: string) => day && format.format(Date.parse(day));
  return (
    <FilterChip
      label={text('filters.time')}
      value={startDate || endDate ? `${shown(startDate)} – ${shown(endDate)}` : undefined}
      onClear={() => onChange({ startDate: '', endDate: '' })}
    >
      {() => (
        <Stack gap="xs">
          <TextInput
            type="date"
            size="xs"
            label={text('filters.from')}
            value={startDate}
            max={endDate}
            onChange={({ currentTarget }) => onChange({ startDate: currentTarget.value })}
          />
          <TextInput
            type="date"
            size="xs"
            label={text('filters.to')}
            value={endDate}
            min={startDate}
            onChange={({ currentTarget }) => onChange({ endDate: currentTarget.value })}
          />
          <Text size="xs" c="dimmed">
            {text('filters.zone', { zone: 'UTC' })}
          </Text>
        </Stack>
      )}
    </FilterChip>
  );
}
