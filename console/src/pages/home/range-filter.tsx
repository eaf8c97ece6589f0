import { Button, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { type DayRange, daysBefore, daysOfPreset, presetOfDays, rangeOf, rangePresets } from './range.ts';

interface RangeFilterProps {
  range: DayRange;
  onChange: (range: DayRange) => void;
}

/** The days that the tiles and the charts are about: a preset, or two days. They are UTC days, as in the service. */
export function RangeFilter({ range, onChange }: RangeFilterProps) {
  const text = useText();
  const { locale } = usePreferences();
  const preset = presetOfDays(range, Date.now());
  const [isCustom, setCustom] = useState(preset === undefined);
  const [typed, setTyped] = useState(range);
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const shown = ({ startDate, endDate }: DayRange) => format.formatRange(Date.parse(startDate), Date.parse(endDate));
  const isValid =
    typed.startDate !== '' && typed.endDate !== '' && rangeOf(typed, Date.now()).startDate === typed.startDate;
  return (
    <Group gap="sm" align="center">
      <div className="scrolled" style={{ maxWidth: '100%' }}>
        <SegmentedControl
          size="xs"
          aria-label={text('home.range')}
          value={isCustom ? 'custom' : (preset ?? 'custom')}
          onChange={(chosen) => {
            setCustom(chosen === 'custom');
            setTyped(range);
            const named = rangePresets.find((one) => one === chosen);
            if (named !== undefined) onChange(daysOfPreset(named, Date.now()));
          }}
          data={[...rangePresets, 'custom' as const].map((one) => ({ value: one, label: text(`home.${one}`) }))}
        />
      </div>
      {isCustom && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isValid) onChange(typed);
          }}
        >
          <Group gap="xs" align="end">
            {(['startDate', 'endDate'] as const).map((name) => (
              <TextInput
                key={name}
                type="date"
                size="xs"
                aria-label={text(name === 'startDate' ? 'filters.from' : 'filters.to')}
                value={typed[name]}
                onChange={({ currentTarget: { value } }) => setTyped({ ...typed, [name]: value })}
                required
              />
            ))}
            <Button size="xs" type="submit" variant="default" disabled={!isValid}>
              {text('home.show')}
            </Button>
          </Group>
        </form>
      )}
      <Text size="xs" c="dimmed">
        {text('home.days', { range: shown(range), before: shown(daysBefore(range)) })}
      </Text>
    </Group>
  );
}
