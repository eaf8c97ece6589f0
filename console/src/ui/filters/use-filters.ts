import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

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
  function setFilters(changed: Partial<Record<Name | 'page', string | number>>) {
    const next = new URLSearchParams(search);
    if (!('page' in changed)) next.delete('page');
    for (const [name, value] of Object.entries(changed)) {
      if (value === '' || value === undefined) next.delete(name);
      else next.set(name, String(value));
    }
    const text = next.toString();
    navigate(text === '' ? path : `${path}?${text}`);
  }
  return { filters, setFilters, hasFilters: Object.values(filters).some((value) => value !== '') };
}

/** The number of the page in the address. Default: 1. */
export function usePageNumber(): number {
  return Math.max(1, Number(new URLSearchParams(useSearch()).get('page')) || 1);
}
