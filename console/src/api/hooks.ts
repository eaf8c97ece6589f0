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
  });
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
