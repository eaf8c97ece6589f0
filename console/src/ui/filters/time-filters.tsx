import { TextInput } from '@mantine/core';
import { momentOf, wallOf } from '../../format/zone.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';

interface TimeFiltersProps {
  filters: { startDate: string; endDate: string };
  onChange: (changed: { startDate?: string; endDate?: string }) => void;
}

/**
 * From and to, to the minute and in the chosen zone. The address holds moments in UTC, so that a link shows the same rows in
 * every zone; whole days, as other pages link them, are read as they are.
 */
export function TimeFilters({ filters, onChange }: TimeFiltersProps) {
  const text = useText();
  const { timeZone } = usePreferences();
  const shown = (value: string, isEnd: boolean) =>
    /^\d{4}-\d{2}-\d{2}$/.test(value) ? dayLimit(value, isEnd, timeZone) : value && wallOf(value, timeZone);
  const sent = (wall: string) => (wall === '' ? '' : momentOf(wall, timeZone));
  const fields = [
    ['startDate', text('filters.fromIn', { zone: timeZone })],
    ['endDate', text('filters.toIn', { zone: timeZone })],
  ] as const;
  return fields.map(([name, label]) => (
    <TextInput
      // Follows the back button; sent when it is left, because each look is an entry of the history.
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

/** A day of UTC, of which the last is whole: the filter ends with the day after it. */
function dayLimit(day: string, isEnd: boolean, timeZone: string): string {
  const ms = Date.parse(`${day}T00:00Z`) + (isEnd ? 86_400_000 : 0);
  return wallOf(new Date(ms).toISOString(), timeZone);
}
