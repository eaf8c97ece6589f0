import { TextInput } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';
import { Icon } from '../icons.tsx';

interface SearchFilterProps {
  value: string;
  onChange: (value: string) => void;
}

/**
 * Searches on Enter or when the field loses the focus, because each search is a request and an entry of the history.
 */
export function SearchFilter({ value, onChange }: SearchFilterProps) {
  const text = useText();
  return (
    <TextInput
      // Remounts the field when the back button changes the value.
      key={value}
      size="xs"
      aria-label={text('filters.search')}
      placeholder={text('filters.searchHint')}
      leftSection={<Icon name="search" size={14} />}
      defaultValue={value}
      onBlur={({ currentTarget }) => currentTarget.value.trim() !== value && onChange(currentTarget.value.trim())}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
    />
  );
}
