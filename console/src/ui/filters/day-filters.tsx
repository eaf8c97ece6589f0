import { TextInput } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';

interface DayFiltersProps {
  filters: { startDate: string; endDate: string };
  onChange: (changed: { startDate?: string; endDate?: string }) => void;
}

/** The first and the last day, which the API counts in UTC. */
export function DayFilters({ filters, onChange }: DayFiltersProps) {
  const text = useText();
  return (
    <>
      <TextInput
        type="date"
        size="xs"
        label={text('filters.from')}
        value={filters.startDate}
        max={filters.endDate}
        onChange={({ currentTarget }) => onChange({ startDate: currentTarget.value })}
      />
      <TextInput
        type="date"
        size="xs"
        label={text('filters.to')}
        value={filters.endDate}
        min={filters.startDate}
        onChange={({ currentTarget }) => onChange({ endDate: currentTarget.value })}
      />
    </>
  );
}
