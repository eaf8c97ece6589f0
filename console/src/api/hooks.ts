import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMode } from '../shell/mode.tsx';
import { useTenant } from '../shell/tenant.tsx';
import {
  call,
  type DataOf,
  type ListName,
  type OperationName,
  type Params,
  pathOf,
  type Query,
  type Reply,
  withoutEmpty,
} from './client.ts';
import { affectedBy } from './invalidation.ts';
import { inMode } from './mode.ts';
import { forTenant, inTenant } from './tenant.ts';

/** Adds the chosen mode and tenant to a query. */
export function useScopedQuery(path: string, query: Query): Query {
  const { livemode } = useMode();
  const { tenantId } = useTenant();
  return inTenant(path, inMode(path, query, livemode), tenantId);
}

interface ReadOptions {
  enabled?: boolean;
  /** For data that no event reports: polls while the page is visible. */
  pollMs?: number | false;
  /** For what a dialog offers: read when it opens, even if another page has just read it. Changes may be unseen. */
  isFresh?: boolean;
}

/** Reads from the API. The key is the path and the query, so that a stream of events can name what has changed. */
export function useRead<Name extends OperationName>(
  name: Name,
  params: Query = {},
  options: ReadOptions = {},
): UseQueryResult<Reply<DataOf<Name>>> {
  const path = pathOf(name);
  const query = withoutEmpty(useScopedQuery(path, params));
  return useQuery({
    queryKey: [path, query],
    // The query client retries, and counts the failures for the page.
    queryFn: ({ signal }) => call(name, query, { signal, maxRetries: 0 }),
    placeholderData: keepPreviousData,
    enabled: options.enabled ?? true,
    refetchInterval: options.pollMs ?? false,
    ...(options.isFresh && { staleTime: 0 }),
  });
}

/** Where a page of a list is. */
export interface Place {
  /** By its number, where the service counts the rows under the filters. */
  page: number;
  /** Behind the rows before, where it does not count them; empty: there are none before. */
  cursor: string;
}

/** Reads a page of a list. One of a list that is not counted may be empty although more rows follow: then those. */
export function useListPage<List extends ListName>(
  name: List,
  filters: Query,
  { page, cursor }: Place,
): UseQueryResult<Reply<DataOf<List>>> {
  const path = pathOf(name);
  const query = withoutEmpty(useScopedQuery(path, { ...filters, ...(cursor === '' ? { page } : { cursor }) }));
  return useQuery({
    queryKey: [path, query],
    queryFn: ({ signal }) => firstRowsOf(name, query, signal),
    placeholderData: keepPreviousData,
  });
}

/** The service looks at 10,000 records for a page. After so many pages without a row the reader decides. */
const maxEmptyPages = 20;

/** The first page with rows from a place on. Without retries, because the query client retries. */
export async function firstRowsOf<List extends ListName>(
  name: List,
  query: Query,
  signal: AbortSignal,
): Promise<Reply<DataOf<List>>> {
  const { page: _, ...filters } = query;
  let reply = await call(name, query, { signal, maxRetries: 0 });
  for (let pages = 1; pages < maxEmptyPages && (reply.data as unknown[]).length === 0; pages++) {
    const cursor = reply.pagination?.nextCursor;
    if (!cursor) break;
    reply = await call(name, { ...filters, cursor }, { signal, maxRetries: 0 });
  }
  return reply;
}

export interface Change {
  body: Params;
  /** By default each call has its own key, if the operation takes one. */
  idempotencyKey?: string;
}

/** Changes something through the API, and refetches what the change affects. */
export function useChange<Name extends OperationName>(
  name: Name,
  onDone?: (reply: Reply<DataOf<Name>>) => void,
  /** Changes in the same queue are sent one after the other. */
  queue?: string,
): UseMutationResult<Reply<DataOf<Name>>, Error, Change> {
  const client = useQueryClient();
  const { tenantId } = useTenant();
  return useMutation({
    ...(queue !== undefined && { scope: { id: queue } }),
    mutationFn: ({ body, idempotencyKey }: Change) => call(name, forTenant(name, body, tenantId), { idempotencyKey }),
    onSuccess: async (reply) => {
      onDone?.(reply);
      await client.invalidateQueries({ predicate: ({ queryKey }) => affectedBy(pathOf(name), String(queryKey[0])) });
    },
  });
}
