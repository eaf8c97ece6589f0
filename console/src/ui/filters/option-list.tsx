import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../../shell/preferences.tsx';

export interface Option {
  value: string;
  label: string;
}

interface OptionListProps {
  options: readonly Option[];
  chosen: string;
  onChoose: (value: string) => void;
  /** Called with what is typed, by lists that search elsewhere. Without it the options are searched. */
  onType?: (typed: string) => void;
}

const mostWithoutSearch = 8;

/** One of several options, which a field above narrows down when they are many. */
export function OptionList({ options, chosen, onChoose, onType }: OptionListProps) {
  const text = useText();
  const [typed, setTyped] = useState('');
  const isSearched = onType !== undefined || options.length > mostWithoutSearch;
  const matching = onType ? options : options.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()));
  return (
    <Stack gap="xs" miw={200}>
      {isSearched && (
        <TextInput
          size="xs"
          aria-label={text('search.open')}
          placeholder={text('search.open')}
          value={typed}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            onType?.(currentTarget.value);
          }}
          onKeyDown={({ key }) => key === 'Enter' && matching[0] !== undefined && onChoose(matching[0].value)}
          data-autofocus
        />
      )}
      <Stack gap={2} mah={260} style={{ overflowY: 'auto' }}>
        {matching.map(({ value, label }) => (
          <Button
            key={value}
            size="xs"
            variant={value === chosen ? 'light' : 'subtle'}
            color={value === chosen ? undefined : 'gray'}
            c={value === chosen ? undefined : 'var(--mantine-color-text)'}
            justify="flex-start"
            aria-pressed={value === chosen}
            onClick={() => onChoose(value)}
          >
            {label}
          </Button>
        ))}
      </Stack>
    </Stack>
  );
}
