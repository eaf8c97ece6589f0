import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './held-rows.module.css';

interface Held<Row> {
  rows: readonly Row[] | undefined;
  /** How many new rows are held back. */
  arrived: number;
  /** Shows the new rows. */
  show: () => void;
}

interface ListState<Row> {
  /** Undefined: not loaded yet. */
  rows: readonly Row[] | undefined;
  /** Whether the rows are still those of the previous filters. */
  isPlaceholder: boolean;
  keyOf: (row: Row) => string | number;
  /** Identifies the filters and the page. When it changes, the next rows are shown without being held back. */
  list: string;
}

/**
 * The rows of a list that is refetched while it is open, newest first. New rows are held back until the user asks for
 * them, so that no row moves under the pointer. Rows that are shown change in place.
 */
export function useHeldRows<Row>({ rows, isPlaceholder, keyOf, list }: ListState<Row>): Held<Row> {
  const [begin, setBegin] = useState<{ list: string; key: string | number }>();
  const shown = useRef<readonly Row[]>(undefined);
  const isBegun = begin?.list === list;
  const newest = rows?.[0] === undefined || isPlaceholder ? undefined : keyOf(rows[0]);
  useEffect(() => {
    if (!isBegun && newest !== undefined) setBegin({ list, key: newest });
  }, [isBegun, newest, list]);

  const at = isBegun ? (rows?.findIndex((row) => keyOf(row) === begin.key) ?? 0) : 0;
  // So many new rows that the first shown row is no longer on the page.
  const isBeyond = at < 0;
  if (!isBeyond) shown.current = rows?.slice(at);
  return {
    rows: shown.current,
    arrived: isBeyond ? (rows?.length ?? 0) : at,
    show: () => newest !== undefined && setBegin({ list, key: newest }),
  };
}

/**
 * A table with a button that says how many new rows there are. The button covers the table head, so that nothing moves.
 */
export function WithArrivals({ arrived, onShow, label, children }: ArrivalsProps) {
  return (
    <div className={classes.frame}>
      <div role="status" className={classes.arrived}>
        {arrived > 0 && (
          <Button size="compact-sm" radius="xl" onClick={onShow}>
            {label}
          </Button>
        )}
      </div>
      {children}
    </div>
  );
}

interface ArrivalsProps {
  arrived: number;
  onShow: () => void;
  label: string;
  children: ReactNode;
}
