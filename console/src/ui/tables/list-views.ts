import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useProfile } from '../../session/session.tsx';
import type { Column } from './data-table.tsx';

/** A name for an address of a list: its filters and its columns. */
export interface SavedView {
  name: string;
  query: string;
}

interface ListSettings {
  /** Absent: the columns that every user begins with. */
  columns?: string[];
  views: SavedView[];
}

export const maxViewsOfList = 20;

/**
 * The views and columns that a user has chosen for a list. The address comes first, so that a link shows the same columns to
 * everybody; what is kept here, by user and for this browser, is only where the list begins.
 */
export function useListViews<Row>(list: string, columns: readonly Column<Row>[]) {
  const { userId } = useProfile();
  const search = useSearch();
  const [path, navigate] = useLocation();
  const [settings, setSettings] = useState(() => storedSettings(userId, list));
  const given = new URLSearchParams(search);
  const named = given.get('columns')?.split(',') ?? settings.columns;
  const choosable = columns.filter(({ id }) => id !== undefined);
  const known = choosable.filter(({ id }) => named?.includes(id as string));
  const standard = columns.filter(({ isExtra }) => !isExtra);
  // Columns that were asked for are shown on every width.
  const isChosen = known.length > 0;
  const shown = isChosen
    ? columns
        .filter((column) => column.isControl || known.includes(column))
        .map((column) => ({ ...column, from: undefined, isExtra: false }))
    : standard;

  function store(changed: Partial<ListSettings>) {
    const after = { ...settings, ...changed };
    setSettings(after);
    localStorage.setItem(keyOf(userId, list), JSON.stringify(after));
  }

  function choose(ids: readonly string[] | undefined) {
    store({ columns: ids && [...ids] });
    if (ids === undefined) given.delete('columns');
    else given.set('columns', ids.join(','));
    navigate(addressOf(path, given), { replace: true });
  }

  function save(name: string) {
    given.delete('page');
    if (isChosen) given.set('columns', known.map(({ id }) => id).join(','));
    const others = settings.views.filter((view) => view.name !== name);
    store({ views: [...others, { name, query: given.toString() }].slice(-maxViewsOfList) });
  }

  return {
    shown,
    choosable,
    isChosen,
    choose,
    views: settings.views,
    save,
    remove: (name: string) => store({ views: settings.views.filter((view) => view.name !== name) }),
    open: ({ query }: SavedView) => navigate(addressOf(path, new URLSearchParams(query))),
    isOpen: ({ query }: SavedView) => query === search,
  };
}

export type ListViews<Row> = ReturnType<typeof useListViews<Row>>;

function addressOf(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

const keyOf = (userId: number, list: string) => `florin.list.${userId}.${list}`;

function storedSettings(userId: number, list: string): ListSettings {
  const stored = JSON.parse(localStorage.getItem(keyOf(userId, list)) ?? '{}') as Partial<ListSettings>;
  return { ...stored, views: stored.views ?? [] };
}
