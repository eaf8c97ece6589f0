import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Place } from '../../api/hooks.ts';

/**
 * The filters of a list. They are in the address, so that a link shows the same rows and the back button undoes a
 * change.
 */
export function useFilters<Name extends string>(names: readonly Name[]) {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const filters = useMemo(() => {
    const given = new URLSearchParams(search);
    return Object.fromEntries(names.map((name) => [name, given.get(name) ?? ''])) as Record<Name, string>;
  }, [search, names]);

  /** A changed filter shows the first page. */
  function setFilters(changed: Partial<Record<Name | 'page' | 'cursor', string | number>>) {
    const next = withoutPlace(search);
    for (const [name, value] of Object.entries(changed)) {
      if (value === '' || value === undefined) next.delete(name);
      else next.set(name, String(value));
    }
    const text = next.toString();
    navigate(text === '' ? path : `${path}?${text}`);
  }
  const clear = () => setFilters(Object.fromEntries(names.map((name) => [name, ''])) as never);
  return { filters, setFilters, clear, hasFilters: Object.values(filters).some((value) => value !== '') };
}

/** The page of a list in the address. Default: the first. */
export function usePlace(): Place {
  const search = useSearch();
  return useMemo(() => {
    const given = new URLSearchParams(search);
    return { page: Math.max(1, Number(given.get('page')) || 1), cursor: given.get('cursor') ?? '' };
  }, [search]);
}

/** The query of an address without the page of its list: other filters have other pages. */
export function withoutPlace(search: string): URLSearchParams {
  const query = new URLSearchParams(search);
  query.delete('page');
  query.delete('cursor');
  return query;
}
