import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMode } from '../shell/mode.tsx';
import { get, post, type Query, type Reply } from './client.ts';
import { affectedBy } from './invalidation.ts';
import { inMode } from './mode.ts';

interface ReadOptions {
  enabled?: boolean;
  /** Polls while the page is visible: for what no event reports. */
  everyMs?: number | false;
}

/** Reads from the API. The key is the path and the query, so that a stream of events can name what has changed. */
export function useRead<Data>(path: string, asked: Query = {}, options: ReadOptions = {}): UseQueryResult<Reply<Data>> {
  const { livemode } = useMode();
  const query = inMode(path, asked, livemode);
  return useQuery({
    queryKey: [path, query],
    queryFn: ({ signal }) => get<Data>(path, query, signal),
    placeholderData: keepPreviousData,
    enabled: options.enabled ?? true,
    refetchInterval: options.everyMs ?? false,
  });
}

export interface Change {
  body: unknown;
  idempotencyKey?: string;
}

/** Changes something through the API, and reads again what the change concerns. */
export function useChange<Data>(
  path: string,
  onDone?: (reply: Reply<Data>) => void,
): UseMutationResult<Reply<Data>, Error, Change> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: Change) => post<Data>(path, body, idempotencyKey),
    onSuccess: async (reply) => {
      onDone?.(reply);
      await client.invalidateQueries({ predicate: ({ queryKey }) => affectedBy(path, String(queryKey[0])) });
    },
  });
}
