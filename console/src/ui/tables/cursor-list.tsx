import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, given, type ListName, pathOf, type Query, type Reply, type RowOf } from '../../api/client.ts';
import { useShown } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { ErrorNote } from '../notes.tsx';
import { type Column, DataTable } from './data-table.tsx';

interface CursorListProps<List extends ListName, Row = RowOf<List>> {
  caption: string;
  /** The list, by the name of the SDK. */
  operation: List;
  query?: Query;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string | number;
  linkOf?: (row: Row) => string;
  empty: ReactNode;
  everyMs?: number | false;
}

/** A list that is read by cursor: newest first, and more on request. */
export function CursorList<List extends ListName>(props: CursorListProps<List>) {
  const { caption, operation, query: asked = {}, columns, keyOf, linkOf, empty, everyMs = false } = props;
  const path = pathOf(operation);
  const query = given(useShown(path, asked));
  const text = useText();
  const list = useInfiniteQuery({
    queryKey: [path, { ...query, isCursorList: true }],
    queryFn: ({ signal, pageParam }) =>
      read(operation, { ...query, pageSize: 50, ...(pageParam && { cursor: pageParam }) }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination?.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
  });
  return (
    <>
      <ErrorNote error={list.error} onRetry={() => list.refetch()} />
      <DataTable
        caption={caption}
        columns={columns}
        rows={list.data?.pages.flatMap(({ data }) => data)}
        keyOf={keyOf}
        linkOf={linkOf}
        empty={empty}
      />
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
    </>
  );
}

/** Repeated by the query client. */
function read<List extends ListName>(
  operation: List,
  query: Query,
  signal: AbortSignal,
): Promise<Reply<RowOf<List>[]>> {
  return call(operation, query, { signal, maxRetries: 0 }) as Promise<Reply<RowOf<List>[]>>;
}
