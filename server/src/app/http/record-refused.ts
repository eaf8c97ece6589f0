import type { Refusal, RefusalType } from '../../core/errors.ts';
import { platformTenant } from '../../core/principal.ts';
import type { Actor } from '../../domains/identity/audit/append.ts';
import type { RefusedRequests } from '../../domains/identity/audit/refused-requests.ts';
import type { RefusedCall } from '../../platform/http/server/server.ts';

const permissionRefusals: ReadonlySet<RefusalType> = new Set([
  'scope_missing',
  'role_missing',
  'second_factor_not_enrolled',
  'step_up_required',
  'code_wrong',
]);

/**
 * Records in the audit log that an authenticated caller was refused for lack of permission, or that a login was not even
 * tried after too many failures. `domains/identity/sessions/login.ts` records a login that was refused, because it knows
 * whose it was.
 */
export function recordRefused(
  { type }: Refusal,
  { principal, requestId, address, method, path }: RefusedCall,
  refusedRequests: Pick<RefusedRequests, 'record'>,
): void {
  const route = `${method} ${path}`;
  if (type === 'too_many_attempts') {
    const actor: Actor = { by: 'nobody', userId: null, userName: null, requestId, address };
    refusedRequests.record({ action: 'session.login_refused', tenantId: platformTenant, actor, type, route });
  } else if (permissionRefusals.has(type) && principal !== undefined) {
    const { tenantId } = principal;
    refusedRequests.record({ action: 'access.refuse', tenantId, actor: principal, type, route });
  }
}
