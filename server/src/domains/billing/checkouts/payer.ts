import type { Principal } from '../../../core/principal.ts';
import type { Actor } from '../../identity/audit/append.ts';

/** A payer in the audit log, who is not logged in and therefore unknown. */
export const payer: Actor = { by: 'nobody', userId: null, userName: null };

/**
 * A caller without scopes who sees one tenant and mode, for functions that need one. The audit log names `payer`
 * instead.
 */
export function actingFor(row: { tenant_id: number; user_id: number; livemode: boolean }): Principal {
  const { tenant_id: tenantId, user_id: userId, livemode } = row;
  return {
    by: 'session',
    userId,
    userName: '',
    userType: 'MERCHANT_USER',
    tenantId,
    roles: [],
    scopes: new Set<never>(),
    holdsAll: false,
    livemode,
  };
}
