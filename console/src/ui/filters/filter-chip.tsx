import { Button, Popover } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useText } from '../../shell/preferences.tsx';
import { Icon } from '../icons.tsx';

interface FilterChipProps {
  label: string;
  /** What is filtered by, as text; undefined: the filter is not set. */
  value: string | undefined;
  onClear: () => void;
  /** The controls, which close the chip when a choice is complete. */
  children: (close: () => void) => ReactNode;
}

/** A filter as a button, which says what is filtered by, opens the controls, and can be taken away. */
export function FilterChip({ label, value, onClear, children }: FilterChipProps) {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const isSet = value !== undefined;
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" trapFocus returnFocus>
      <Button.Group>
        <Popover.Target>
          <Button
            size="xs"
            variant={isSet ? 'light' : 'default'}
            leftSection={isSet ? undefined : <Icon name="plus" size={13} />}
            onClick={() => setOpen(!isOpen)}
            maw="min(24rem, 75vw)"
          >
            {isSet ? `${label}: ${value}` : label}
          </Button>
        </Popover.Target>
        {isSet && (
          <Button size="xs" variant="light" px={6} onClick={onClear} aria-label={text('filters.remove', { label })}>
            <Icon name="close" size={13} />
          </Button>
        )}
      </Button.Group>
      <Popover.Dropdown p="xs" maw="92vw">
        {children(() => setOpen(false))}
      </Popover.Dropdown>
    </Popover>
  );
}
