import { Button, Group } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type ListName, pathOf, type Query, type RowOf, withoutEmpty } from '../../api/client.ts';
import { firstRowsOf, useScopedQuery } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { ErrorNote } from '../notes.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { ZoneOfTimes } from './paging.tsx';

interface CursorListProps<List extends ListName, Row = RowOf<List>> {
  caption: string;
  /** The operation that lists the rows. */
  operation: List;
  query?: Query;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string | number;
  linkOf?: (row: Row) => string;
  empty: ReactNode;
  pollMs?: number | false;
}

/** A list with a cursor, newest first. Loads more rows on request. */
export function CursorList<List extends ListName>(props: CursorListProps<List>) {
  const { caption, operation, query: asked = {}, columns, keyOf, linkOf, empty, pollMs = false } = props;
  const path = pathOf(operation);
  const query = withoutEmpty(useScopedQuery(path, asked));
  const text = useText();
  const list = useInfiniteQuery({
    queryKey: [path, { ...query, isCursorList: true }],
    queryFn: ({ signal, pageParam }) =>
      firstRowsOf(operation, { ...query, pageSize: 50, ...(pageParam && { cursor: pageParam }) }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination?.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: pollMs,
  });
  const rows = list.data?.pages.flatMap(({ data }) => data as RowOf<List>[]);
  return (
    <>
      <ErrorNote error={list.error} onRetry={() => list.refetch()} />
      <DataTable caption={caption} columns={columns} rows={rows} keyOf={keyOf} linkOf={linkOf} empty={empty} />
      {rows !== undefined && rows.length > 0 && (
        <Group justify="space-between">
          <ZoneOfTimes />
          {list.hasNextPage && (
            <Button
              variant="default"
              w="fit-content"
              loading={list.isFetchingNextPage}
              onClick={() => list.fetchNextPage()}
            >
              {text('paging.more')}
            </Button>
          )}
        </Group>
      )}
    </>
  );
}
