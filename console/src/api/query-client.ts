import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { FlorinError } from './client.ts';

export const sessionKey = ['/api/console/session'] as const;

/** Not after a refusal, which would be the same again. A service that cannot be reached may come back. */
function shouldRetry(failures: number, error: Error): boolean {
  return error instanceof FlorinError && error.retryable && failures < 2;
}

/** Replaces the profile when the session has expired or was ended elsewhere. */
export const endedSession = 'ended';

/** Whether the request was refused because the session is over. Wrong passwords and codes are 401 too. */
function isSessionEnded(error: unknown): boolean {
  return error instanceof FlorinError && ['credentials_invalid', 'credentials_missing'].includes(error.type);
}

/** Shows the sign-in page, which says that the session has ended. */
function leaveEndedSession(error: Error): void {
  if (isSessionEnded(error)) queryClient.setQueryData(sessionKey, endedSession);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveEndedSession }),
  mutationCache: new MutationCache({ onError: leaveEndedSession }),
  defaultOptions: { queries: { retry: shouldRetry, staleTime: 10_000, refetchOnWindowFocus: true } },
});
