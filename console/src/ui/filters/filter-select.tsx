import { Select } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';

interface FilterSelectProps {
  label: string;
  value: string;
  options: readonly (string | { value: string; label: string })[];
  onChange: (value: string) => void;
}

/** One value of a filter, or any. States are shown in the language of the user. */
export function FilterSelect({ label, value, options, onChange }: FilterSelectProps) {
  const text = useText();
  const data = options.map((option) =>
    typeof option === 'string' ? { value: option, label: text(`status.${option}` as TextKey) } : option,
  );
  return (
    <Select
      size="xs"
      label={label}
      placeholder={text('filters.any')}
      clearable
      searchable={data.length > 8}
      data={data}
      value={value || null}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  );
}
