import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useText } from '../../shell/preferences.tsx';
import classes from './filter-bar.module.css';

/** The filters above a list. */
export function FilterBar({ children }: { children: ReactNode }) {
  const text = useText();
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <div className={classes.bar} data-open={isOpen || undefined}>
      <Button
        className={classes.toggle}
        variant="default"
        size="xs"
        hiddenFrom="xs"
        onClick={toggle}
        aria-expanded={isOpen}
      >
        {text('filters.show')}
      </Button>
      {children}
    </div>
  );
}
