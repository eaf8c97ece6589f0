import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { FilterChip } from './filter-chip.tsx';
import { type Option, OptionList } from './option-list.tsx';

interface FilterSelectProps {
  label: string;
  value: string;
  options: readonly (string | Option)[];
  onChange: (value: string) => void;
}

/** One value of a filter, or any. States are shown in the language of the user. */
export function FilterSelect({ label, value, options, onChange }: FilterSelectProps) {
  const text = useText();
  const named = options.map((option) =>
    typeof option === 'string' ? { value: option, label: text(`status.${option}` as TextKey) } : option,
  );
  const shown = value === '' ? undefined : (named.find((option) => option.value === value)?.label ?? value);
  return (
    <FilterChip label={label} value={shown} onClear={() => onChange('')}>
      {(close) => (
        <OptionList
          options={named}
          chosen={value}
          onChoose={(chosen) => {
            onChange(chosen);
            close();
          }}
        />
      )}
    </FilterChip>
  );
}
