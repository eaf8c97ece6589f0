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
import { call, type DataOf, given, type OperationName, type Params, pathOf, type Query, type Reply } from './client.ts';
import { affectedBy } from './invalidation.ts';
import { inMode } from './mode.ts';
import { forTenant, inTenant } from './tenant.ts';

/** The query for the mode and the tenant that are chosen. */
export function useShown(path: string, asked: Query): Query {
  const { livemode } = useMode();
  const { tenantId } = useTenant();
  return inTenant(path, inMode(path, asked, livemode), tenantId);
}

interface ReadOptions {
  enabled?: boolean;
  /** Polls while the page is visible: for what no event reports. */
  everyMs?: number | false;
}

/** Reads from the API. The key is the path and the query, so that a stream of events can name what has changed. */
export function useRead<Name extends OperationName>(
  name: Name,
  asked: Query = {},
  options: ReadOptions = {},
): UseQueryResult<Reply<DataOf<Name>>> {
  const path = pathOf(name);
  const query = given(useShown(path, asked));
  return useQuery({
    queryKey: [path, query],
    // Repeated by the query client, which also says so.
    queryFn: ({ signal }) => call(name, query, { signal, maxRetries: 0 }),
    placeholderData: keepPreviousData,
    enabled: options.enabled ?? true,
    refetchInterval: options.everyMs ?? false,
  });
}

export interface Change {
  body: Params;
  /** Without one, each call of an operation that takes keys has a key of its own. */
  idempotencyKey?: string;
}

/** Changes something through the API, and reads again what the change concerns. */
export function useChange<Name extends OperationName>(
  name: Name,
  onDone?: (reply: Reply<DataOf<Name>>) => void,
  /** Changes of the same name are sent one after the other. */
  inTurn?: string,
): UseMutationResult<Reply<DataOf<Name>>, Error, Change> {
  const client = useQueryClient();
  const { tenantId } = useTenant();
  return useMutation({
    ...(inTurn !== undefined && { scope: { id: inTurn } }),
    mutationFn: ({ body, idempotencyKey }: Change) => call(name, forTenant(name, body, tenantId), { idempotencyKey }),
    onSuccess: async (reply) => {
      onDone?.(reply);
      await client.invalidateQueries({ predicate: ({ queryKey }) => affectedBy(pathOf(name), String(queryKey[0])) });
    },
  });
}
