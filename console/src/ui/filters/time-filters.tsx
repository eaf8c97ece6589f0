import { TextInput } from '@mantine/core';
import { localTimeOf, utcTimeOf } from '../../format/zone.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';

interface TimeFiltersProps {
  filters: { startDate: string; endDate: string };
  onChange: (changed: { startDate?: string; endDate?: string }) => void;
}

/**
 * The start and the end of a time range, to the minute, in the chosen time zone. The address has them in UTC, so that a
 * link shows the same rows in every time zone. It may also have whole days, as links of other pages do.
 */
export function TimeFilters({ filters, onChange }: TimeFiltersProps) {
  const text = useText();
  const { timeZone } = usePreferences();
  const shown = (value: string, isEnd: boolean) =>
    /^\d{4}-\d{2}-\d{2}$/.test(value) ? dayLimit(value, isEnd, timeZone) : value && localTimeOf(value, timeZone);
  const sent = (local: string) => (local === '' ? '' : utcTimeOf(local, timeZone));
  const fields = [
    ['startDate', text('filters.fromIn', { zone: timeZone })],
    ['endDate', text('filters.toIn', { zone: timeZone })],
  ] as const;
  return fields.map(([name, label]) => (
    <TextInput
      // The key remounts the field when the back button changes its value. Applied on blur, because each change is an
      // entry of the history.
      key={`${name} ${filters[name]}`}
      type="datetime-local"
      size="xs"
      label={label}
      defaultValue={shown(filters[name], name === 'endDate')}
      onBlur={({ currentTarget }) => {
        const value = sent(currentTarget.value);
        if (currentTarget.value !== shown(filters[name], name === 'endDate')) onChange({ [name]: value });
      }}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
    />
  ));
}

/** The start of a UTC day, or of the next day for the end of a range, which includes its last day. */
function dayLimit(day: string, isEnd: boolean, timeZone: string): string {
  const ms = Date.parse(`${day}T00:00Z`) + (isEnd ? 86_400_000 : 0);
  return localTimeOf(new Date(ms).toISOString(), timeZone);
}
