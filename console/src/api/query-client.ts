import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { FlorinError } from './client.ts';

export const sessionKey = ['/api/console/session'] as const;

/** A refusal says the same when it is asked again; a service that cannot be reached may be back. */
function shouldRetry(failures: number, error: Error): boolean {
  return error instanceof FlorinError && error.retryable && failures < 2;
}

/** Instead of a profile: there was a session, and it has expired or was ended elsewhere. */
export const endedSession = 'ended';

/** Whether the request was refused because the session is over. Wrong passwords and codes are 401 too. */
export function saysSessionEnded(error: unknown): boolean {
  return error instanceof FlorinError && ['credentials_invalid', 'credentials_missing'].includes(error.type);
}

/** The page gives way to the sign-in, which says why. */
function leaveEndedSession(error: Error): void {
  if (saysSessionEnded(error)) queryClient.setQueryData(sessionKey, endedSession);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveEndedSession }),
  mutationCache: new MutationCache({ onError: leaveEndedSession }),
  defaultOptions: { queries: { retry: shouldRetry, staleTime: 10_000, refetchOnWindowFocus: true } },
});
