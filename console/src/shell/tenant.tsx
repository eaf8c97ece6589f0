import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { call, type Tenant } from '../api/client.ts';
import { useProfile } from '../session/session.tsx';

interface TenantChoice {
  /** The tenant for which a platform administrator acts: 0 is the platform itself, undefined all tenants. */
  tenantId: number | undefined;
  setTenantId: (tenantId: number | undefined) => void;
  /** The tenants that a platform administrator can choose; empty for other users. */
  tenants: readonly Tenant[];
}

const storageKey = 'florin.tenant';
const Context = createContext<TenantChoice>({ tenantId: undefined, setTenantId: () => {}, tenants: [] });

/**
 * The tenant for which a platform administrator acts. Stored per window, so that two windows can act for two tenants.
 */
export function TenantProvider({ children }: { children: ReactNode }) {
  const isPlatform = useProfile().userType === 'PLATFORM_ADMIN';
  const [chosen, set] = useState(storedTenant);
  const { data: tenants = none } = useQuery({
    queryKey: ['/api/tenant/list', 'all'],
    queryFn: ({ signal }) => allTenants(signal),
    enabled: isPlatform,
  });
  const value = useMemo(
    () => ({
      tenantId: isPlatform ? chosen : undefined,
      setTenantId: (next: number | undefined) => {
        if (next === undefined) sessionStorage.removeItem(storageKey);
        else sessionStorage.setItem(storageKey, String(next));
        set(next);
      },
      tenants,
    }),
    [isPlatform, chosen, tenants],
  );
  return <Context value={value}>{children}</Context>;
}

const none: readonly Tenant[] = [];

/** All pages of the list. */
async function allTenants(signal: AbortSignal): Promise<readonly Tenant[]> {
  const tenants: Tenant[] = [];
  for (let page = 1; ; page++) {
    const { data, pagination } = await call('tenants.list', { page, pageSize: 100 }, { signal, maxRetries: 0 });
    tenants.push(...data);
    if (page >= (pagination?.totalPages ?? 1)) return tenants;
  }
}

export const useTenant = (): TenantChoice => useContext(Context);

function storedTenant(): number | undefined {
  const stored = sessionStorage.getItem(storageKey);
  return stored === null ? undefined : Number(stored);
}
