import { allScopes, type Permission, type Scope, type UserType } from './scopes.ts';

/** The platform's own tenant: null on the wire, 0 in every key, so that keys need no null. */
export const platformTenant = 0;

/** The authenticated caller. */
export interface Principal {
  /** How it authenticated: by an access token of a user's session, or by a developer key. */
  by: 'session' | 'key';
  userId: number;
  userName: string;
  userType: UserType;
  /** The tenant the caller acts in; `platformTenant` for the platform's own. */
  tenantId: number;
  roles: readonly string[];
  scopes: ReadonlySet<Scope>;
  /** Holds `*`: a session of an administrator, or a key of one that was granted `*`. */
  holdsAll: boolean;
  /** A platform administrator who acts for one tenant in this request, and sees no other. */
  actsForTenant?: true;
  /** The session behind a Bearer token. */
  sessionId?: string;
  /** Present if the user of the session has a second factor. */
  secondFactor?: {
    /** Until when the session is stepped up; -Infinity if it never was. */
    steppedUpUntilMs: number;
  };
  /** The tenant requires a second factor and the user has none: the session may only enrol one. */
  mayOnlyEnrol?: true;
  /** The developer key, if that was used. */
  keyId?: number;
  /** Whether the developer key is for live or for test records. A session has neither: it sees both. */
  livemode?: boolean;
  /** The `X-Request-Id` and the caller's address. Set for each request. */
  requestId?: string;
  address?: string;
}

export function holds(principal: Principal, permission: Permission): boolean {
  return permission === allScopes ? principal.holdsAll : principal.scopes.has(permission);
}

/** A platform administrator sees every tenant, other callers only their own (docs/decisions/authority.md). */
export function seesAllTenants(principal: Principal): boolean {
  return principal.userType === 'PLATFORM_ADMIN' && principal.actsForTenant !== true;
}

/** A platform administrator, acting for a tenant. */
export function inTenant(principal: Principal, tenantId: number): Principal {
  return { ...principal, tenantId, actsForTenant: true };
}

export const tenantOnWire = (tenantId: number): string | null =>
  tenantId === platformTenant ? null : String(tenantId);
