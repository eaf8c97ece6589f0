import type { Refusal, RefusalType } from '../../core/errors.ts';
import { platformTenant } from '../../core/principal.ts';
import type { Actor } from '../../domains/identity/audit/append.ts';
import type { RefusedRequests } from '../../domains/identity/audit/refused-requests.ts';
import { OwnedKeyRefusal } from '../../domains/identity/developer-keys/key-authenticator.ts';
import type { RefusedCall } from '../../platform/http/server/refuse.ts';

const permissionRefusals: ReadonlySet<RefusalType> = new Set([
  'scope_missing',
  'role_missing',
  'second_factor_not_enrolled',
  'step_up_required',
  'code_wrong',
  'passkey_wrong',
  'old_password_wrong',
  'address_not_allowed',
]);

/**
 * Records in the audit log that an authenticated caller was refused for lack of permission, gave a wrong proof, or used
 * a key from an address that it is not allowed from, or that a login was not even tried after too many failures.
 * `domains/identity/sessions/login.ts` records a login that was refused, because it knows whose it was.
 */
export function recordRefused(
  refusal: Refusal,
  { principal, requestId, address, method, path }: RefusedCall,
  refusedRequests: Pick<RefusedRequests, 'record'>,
): void {
  const { type } = refusal;
  const route = `${method} ${path}`;
  if (type === 'too_many_attempts') {
    const actor: Actor = { by: 'nobody', userId: null, userName: null, requestId, address };
    refusedRequests.record({ action: 'session.login_refused', tenantId: platformTenant, actor, type, route });
    return;
  }
  const caller = refusal instanceof OwnedKeyRefusal ? { ...refusal.owner, requestId, address } : principal;
  if (caller === undefined || !permissionRefusals.has(type)) return;
  refusedRequests.record({ action: 'access.refuse', tenantId: caller.tenantId, actor: caller, type, route });
}
