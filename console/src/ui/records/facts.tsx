import { Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** The names and values of a record's fields. Fields without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <dl className={classes.facts}>
        {facts
          .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
          .map(([name, value]) => (
            <div key={name} className={classes.fact}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </Paper>
  );
}
