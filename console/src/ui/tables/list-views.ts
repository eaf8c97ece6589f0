import { useLocation, useSearch } from 'wouter';
import { useChange, useRead } from '../../api/hooks.ts';
import type { Column } from './data-table.tsx';

/** Named filters and columns of a list. */
interface SavedView {
  name: string;
  query: string;
}

/**
 * The saved views and chosen columns of a list. Columns in the address take precedence, so that a link shows the same
 * columns to everybody. The service stores the views of the user. The view without a name has the default columns.
 */
export function useListViews<Row>(listName: string, columns: readonly Column<Row>[]) {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const saved = useRead('views.list', {}, { enabled: listName !== '' });
  // In one queue, so that the last of several fast choices is stored.
  const saving = useChange('views.modify', undefined, 'views');
  const removing = useChange('views.remove', undefined, 'views');
  const ofList = saved.data?.data.filter((view) => view.listName === listName) ?? [];
  const defaultView = ofList.find(({ name }) => name === null);
  const given = new URLSearchParams(search);
  const named = (given.get('columns') ?? columnsOf(defaultView?.query))?.split(',');
  const choosable = columns.filter(({ id }) => id !== undefined);
  const known = choosable.filter(({ id }) => named?.includes(id as string));
  const standard = columns.filter(({ isExtra }) => !isExtra);
  // Chosen columns are shown at every width.
  const isChosen = known.length > 0;
  const chosen = columns
    .filter((column) => column.isControl || known.includes(column))
    .map((column) => ({ ...column, from: undefined, isExtra: false }));
  const isReady = listName === '' || !saved.isPending || given.has('columns');

  function choose(ids: readonly string[] | undefined) {
    if (ids === undefined) given.delete('columns');
    else given.set('columns', ids.join(','));
    navigate(addressOf(path, given), { replace: true });
    if (ids !== undefined) saving.mutate({ body: { listName, query: `columns=${ids.join(',')}` } });
    else removing.mutate({ body: { listName } });
  }

  function save(name: string) {
    given.delete('page');
    given.delete('cursor');
    if (isChosen) given.set('columns', known.map(({ id }) => id).join(','));
    saving.mutate({ body: { listName, name, query: given.toString() } });
  }

  return {
    shown: isReady ? (isChosen ? chosen : standard) : unknownColumns,
    choosable,
    isChosen,
    choose,
    /** Whether the default columns are known. */
    isReady,
    views: ofList.flatMap(({ name, query }): SavedView[] => (name === null ? [] : [{ name, query }])),
    save,
    remove: (name: string) => removing.mutate({ body: { listName, name } }),
    open: ({ query }: SavedView) => navigate(addressOf(path, new URLSearchParams(query))),
    isOpen: ({ query }: SavedView) => query === search,
    error: saving.error ?? removing.error ?? saved.error,
  };
}

export type ListViews<Row> = ReturnType<typeof useListViews<Row>>;

/** A placeholder until the columns are known. */
const unknownColumns: readonly Column<unknown>[] = [{ header: '', cell: () => null }];

const columnsOf = (query = '') => new URLSearchParams(query).get('columns');

function addressOf(path: string, query: URLSearchParams): string {
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
