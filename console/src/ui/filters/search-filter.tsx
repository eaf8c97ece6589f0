import { TextInput } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';
import { Icon } from '../icons.tsx';

interface SearchFilterProps {
  value: string;
  onChange: (value: string) => void;
}

/** Sought when the field is left, or with Enter: the service looks it up, and each look is an entry of the history. */
export function SearchFilter({ value, onChange }: SearchFilterProps) {
  const text = useText();
  return (
    <TextInput
      // Follows the back button.
      key={value}
      size="xs"
      label={text('filters.search')}
      placeholder={text('filters.searchHint')}
      leftSection={<Icon name="search" size={14} />}
      defaultValue={value}
      onBlur={({ currentTarget }) => currentTarget.value.trim() !== value && onChange(currentTarget.value.trim())}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
    />
  );
}
