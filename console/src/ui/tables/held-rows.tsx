import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './held-rows.module.css';

interface Held<Row> {
  rows: readonly Row[] | undefined;
  /** How many have arrived since. */
  arrived: number;
  /** Shows them. */
  show: () => void;
}

interface ListState<Row> {
  /** Undefined: not read yet. */
  rows: readonly Row[] | undefined;
  /** The rows are still those of the filters before. */
  isPlaceholder: boolean;
  keyOf: (row: Row) => string | number;
  /** The filters and the page, as a text. When it changes, the first rows that are read count as seen. */
  list: string;
}

/**
 * The rows of a list that is read again while it is open, newest first. What arrives is held back until it is asked for, so that no row
 * moves under the pointer; rows that are shown change in place.
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
  // So many have arrived that the first row which was shown is no longer on the page.
  const isBeyond = at < 0;
  if (!isBeyond) shown.current = rows?.slice(at);
  return {
    rows: shown.current,
    arrived: isBeyond ? (rows?.length ?? 0) : at,
    show: () => newest !== undefined && setBegin({ list, key: newest }),
  };
}

/** A table under a button that says how many rows have arrived. The button covers the head, so that nothing moves. */
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
