import type { ReactNode } from 'react';
import type { ListName, RowOf } from '../../api/client.ts';
import { useListPage } from '../../api/hooks.ts';
import { FilterBar } from '../filters/filter-bar.tsx';
import { useFilters, usePlace } from '../filters/use-filters.ts';
import { ErrorNote, NothingMatches } from '../notes.tsx';
import { Page } from '../page.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { ExportButton } from './export-button.tsx';
import { type FinanceFile, FinanceMenu } from './finance-menu.tsx';
import { useListViews } from './list-views.ts';
import { Paging } from './paging.tsx';
import type { Amount } from './selection-sums.ts';
import { ViewMenu } from './view-menu.tsx';

interface ListPageProps<List extends ListName, Name extends string, Row = RowOf<List>> {
  title: string;
  /** The operation that lists the rows. */
  operation: List;
  /** The filters, by their names in the address. */
  filterNames: readonly Name[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string | number;
  linkOf?: (row: Row) => string;
  actions?: ReactNode;
  /** Whether the list can be saved as CSV. */
  isExported?: boolean;
  /** Files for finance of the filtered rows. */
  financeFiles?: readonly FinanceFile[];
  /** The name under which users save its views and columns. */
  viewsOf?: string;
  /** Rows can be selected, and their amounts are added up by status. */
  amountOf?: (row: Row) => Amount;
  /** Above the filters. */
  tabs?: (state: ReturnType<typeof useFilters<Name>>) => ReactNode;
  /** The controls above the table. */
  filters?: (state: ReturnType<typeof useFilters<Name>>) => ReactNode;
  /** Without rows and without filters. */
  empty: () => ReactNode;
}

/** A page with one paged list. */
export function ListPage<List extends ListName, Name extends string>(props: ListPageProps<List, Name>) {
  const { title, operation, filterNames, columns, keyOf, linkOf, amountOf, actions, isExported, viewsOf } = props;
  const { financeFiles, tabs, filters, empty } = props;
  const place = usePlace();
  const state = useFilters(filterNames);
  const views = useListViews<RowOf<List>>(viewsOf ?? '', columns);
  const rows = useListPage(operation, { ...state.filters, pageSize: 25 }, place);
  return (
    <Page
      title={title}
      actions={
        <>
          {viewsOf && <ViewMenu list={views} />}
          {isExported && <ExportButton operation={operation} query={state.filters} />}
          {financeFiles && <FinanceMenu files={financeFiles} query={state.filters} />}
          {actions}
        </>
      }
    >
      {tabs?.(state)}
      {filters && <FilterBar>{filters(state)}</FilterBar>}
      <ErrorNote error={rows.error} onRetry={() => rows.refetch()} />
      <DataTable
        caption={title}
        columns={viewsOf === undefined ? columns : views.shown}
        rows={views.isReady ? (rows.data?.data as RowOf<List>[] | undefined) : undefined}
        keyOf={keyOf}
        linkOf={linkOf}
        amountOf={amountOf}
        empty={state.hasFilters ? <NothingMatches onClear={state.clear} /> : empty()}
      />
      <Paging
        pagination={rows.data?.pagination}
        isEmpty={(rows.data?.data as RowOf<List>[] | undefined)?.length === 0}
        onPlace={state.setFilters as never}
      />
    </Page>
  );
}
