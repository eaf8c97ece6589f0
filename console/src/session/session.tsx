import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { ConsoleProfile } from '../api/client.ts';
import { call, FlorinError } from '../api/client.ts';
import { endedSession, sessionKey } from '../api/query-client.ts';

/** Who is signed in: null is nobody, undefined not known yet. */
export function useSessionQuery() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: async ({ signal }): Promise<ConsoleProfile | typeof endedSession | null> => {
      try {
        return (await call('console.profile', {}, { signal, maxRetries: 0 })).data;
      } catch (error) {
        if (!(error instanceof FlorinError) || error.status !== 401) throw error;
        // The browser still has the cookie of a session, or has none.
        return error.type === 'credentials_invalid' ? endedSession : null;
      }
    },
    staleTime: 60_000,
  });
}

export const ProfileContext = createContext<ConsoleProfile | undefined>(undefined);

export function useProfile(): ConsoleProfile {
  const profile = useContext(ProfileContext);
  if (profile === undefined) throw new Error('Nobody is signed in here.');
  return profile;
}

export type Permission =
  | 'transaction_write'
  | 'transaction_read'
  | 'transaction_refund'
  | 'user_write'
  | 'user_read'
  | 'channel_read'
  | 'channel_write'
  | 'invoice_read'
  | 'invoice_write'
  | 'subscription_read'
  | 'subscription_write'
  | 'webhook_read'
  | 'webhook_write'
  /** What administrators alone may do. */
  | '*'
  /** What administrators of the platform alone may do. */
  | 'platform';

/** Whether the user may do what needs this. The service decides; the console only does not offer what it would refuse. */
export function mayDo(profile: ConsoleProfile, permission: Permission): boolean {
  if (permission === 'platform') return profile.userType === 'PLATFORM_ADMIN';
  return permission === '*' ? profile.holdsAll : profile.scopes.includes(permission);
}

export function useMay(permission: Permission): boolean {
  return mayDo(useProfile(), permission);
}

/** What was read in one session must not be seen in the next. */
export function forgetAllBut(path: string, client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== path });
}

/** Ends the session, or with `everywhere` every session of the user, and forgets all that was read. */
export function useSignOut() {
  const client = useQueryClient();
  return async (everywhere = false) => {
    await call('console.signOut', { all: everywhere });
    client.setQueryData(sessionKey, null);
    forgetAllBut(sessionKey[0], client);
  };
}
