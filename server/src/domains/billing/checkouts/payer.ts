import type { Principal } from '../../../core/principal.ts';
import type { Actor } from '../../identity/audit/append.ts';

/** A payer in the audit log: the address of the page is all that is known. */
export const payer: Actor = { by: 'nobody', userId: null, userName: null };

/** A payer as a caller who sees one tenant and mode, and holds no scope. Who it is stands in the audit log (`payer`). */
export function actingFor(row: { tenant_id: number; user_id: number; livemode: boolean }): Principal {
  const { tenant_id: tenantId, user_id: userId, livemode } = row;
  return {
    ...{ by: 'session', userId, userName: '', userType: 'MERCHANT_USER', tenantId, roles: [] },
    ...{ scopes: new Set<never>(), holdsAll: false, livemode },
  };
}
