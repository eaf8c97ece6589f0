import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { ConsoleProfile } from '../api/client.ts';
import { call, FlorinError } from '../api/client.ts';
import { endedSession, sessionKey } from '../api/query-client.ts';

/** The profile of the user. null: nobody is signed in. undefined: not known yet. */
export function useSessionQuery() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: async ({ signal }): Promise<ConsoleProfile | typeof endedSession | null> => {
      try {
        return (await call('console.profile', {}, { signal, maxRetries: 0 })).data;
      } catch (error) {
        // The browser still has the cookie of an ended session.
        if (error instanceof FlorinError && error.type === 'credentials_invalid') return endedSession;
        throw error;
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
  /** Only for administrators. */
  | '*'
  /** Only for administrators of the platform. */
  | 'platform';

/** Whether the user has a permission. The service checks it; the console only hides what the service would refuse. */
export function mayDo(profile: ConsoleProfile, permission: Permission): boolean {
  if (permission === 'platform') return profile.userType === 'PLATFORM_ADMIN';
  return permission === '*' ? profile.holdsAll : profile.scopes.includes(permission);
}

export function useMay(permission: Permission): boolean {
  return mayDo(useProfile(), permission);
}

/** Removes cached data, so that the data of one session cannot be seen in the next. */
export function forgetAllBut(path: string, client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== path });
}

/** Ends the session, or with `everywhere` every session of the user, and removes all cached data. */
export function useSignOut() {
  const client = useQueryClient();
  return async (everywhere = false) => {
    await call('console.signOut', { all: everywhere });
    client.setQueryData(sessionKey, null);
    forgetAllBut(sessionKey[0], client);
  };
}
