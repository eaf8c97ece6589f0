import { QueryCache, QueryClient } from '@tanstack/react-query';
import { FlorinError } from './client.ts';

export const sessionKey = ['/api/console/session'] as const;

/** A refusal says the same when it is asked again; a service that cannot be reached may be back. */
function shouldRetry(failures: number, error: Error): boolean {
  return error instanceof FlorinError && error.retryable && failures < 3;
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      // The session has ended: the page gives way to the sign-in.
      const hasEnded = error instanceof FlorinError && error.status === 401 && query.queryKey[0] !== sessionKey[0];
      if (hasEnded) queryClient.setQueryData(sessionKey, null);
    },
  }),
  defaultOptions: { queries: { retry: shouldRetry, staleTime: 10_000, refetchOnWindowFocus: true } },
});
