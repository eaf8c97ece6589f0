import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { localTimeOf, utcTimeOf } from '../../format/zone.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { FilterChip } from './filter-chip.tsx';
import { presetOf, rangeOf, timePresets } from './time-presets.ts';
import { utcLimit } from './utc-limit.ts';

interface TimeFiltersProps {
  filters: { startDate: string; endDate: string };
  onChange: (changed: { startDate?: string; endDate?: string }) => void;
}

/**
 * A time range: today, seven days, this month or the last one in the chosen time zone, or two times to the minute. The
 * address has them in UTC, so that a link shows the same rows in every time zone. It may also have whole days, as links
 * of other pages do.
 */
export function TimeFilters({ filters, onChange }: TimeFiltersProps) {
  const text = useText();
  const { locale, timeZone } = usePreferences();
  const { startDate, endDate } = filters;
  const preset = presetOf(filters, timeZone, Date.now());
  const shown = (value: string, isEnd: boolean) => value && shownTime(localLimit(value, isEnd, timeZone), locale);
  const isSet = startDate !== '' || endDate !== '';
  const range = preset ? text(`filters.${preset}`) : `${shown(startDate, false)} – ${shown(endDate, true)}`;
  return (
    <FilterChip
      label={text('filters.time')}
      value={isSet ? range : undefined}
      onClear={() => onChange({ startDate: '', endDate: '' })}
    >
      {(close) => (
        <Stack gap="xs">
          <Group gap={4}>
            {timePresets.map((one) => (
              <Button
                key={one}
                size="xs"
                variant={one === preset ? 'light' : 'default'}
                aria-pressed={one === preset}
                onClick={() => {
                  onChange(rangeOf(one, timeZone, Date.now()));
                  close();
                }}
              >
                {text(`filters.${one}`)}
              </Button>
            ))}
          </Group>
          <TimeFields filters={filters} onChange={onChange} />
          <Text size="xs" c="dimmed">
            {text('filters.zone', { zone: timeZone })}
          </Text>
        </Stack>
      )}
    </FilterChip>
  );
}

function TimeFields({ filters, onChange }: TimeFiltersProps) {
  const text = useText();
  const { timeZone } = usePreferences();
  const fields = [
    ['startDate', text('filters.fromTime'), false],
    ['endDate', text('filters.toTime'), true],
  ] as const;
  return fields.map(([name, label, isEnd]) => {
    const shown = localLimit(filters[name], isEnd, timeZone);
    return (
      <TextInput
        // The key remounts the field when the back button changes its value. Applied on blur, because each change is an
        // entry of the history.
        key={`${name} ${filters[name]}`}
        type="datetime-local"
        size="xs"
        label={label}
        defaultValue={shown}
        onBlur={({ currentTarget: { value } }) => {
          if (value !== shown) onChange({ [name]: value === '' ? '' : utcTimeOf(value, timeZone) });
        }}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
      />
    );
  });
}

function localLimit(value: string, isEnd: boolean, timeZone: string): string {
  return value && localTimeOf(utcLimit(value, isEnd), timeZone);
}

/** Without the hour where it is midnight. */
function shownTime(local: string, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    ...(!local.endsWith('T00:00') && { timeStyle: 'short' }),
    timeZone: 'UTC',
  });
  return format.format(Date.parse(`${local}Z`));
}
