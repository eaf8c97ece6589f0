import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get, type Query } from '../api/client.ts';
import { inMode } from '../api/mode.ts';
import { useMode } from '../shell/mode.tsx';
import { useText } from '../shell/preferences.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { ErrorNote } from './notes.tsx';

interface CursorListProps<Row> {
  caption: string;
  path: string;
  query?: Query;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string | number;
  linkOf?: (row: Row) => string;
  empty: ReactNode;
  everyMs?: number | false;
}

/** A list that is read by cursor: newest first, and more on request. */
export function CursorList<Row>(props: CursorListProps<Row>) {
  const { livemode } = useMode();
  const { caption, path, query: asked = {}, columns, keyOf, linkOf, empty, everyMs = false } = props;
  const query = inMode(path, asked, livemode);
  const text = useText();
  const list = useInfiniteQuery({
    queryKey: [path, { ...query, isCursorList: true }],
    queryFn: ({ signal, pageParam }) => get<Row[]>(path, { ...query, pageSize: 50, cursor: pageParam }, signal),
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
