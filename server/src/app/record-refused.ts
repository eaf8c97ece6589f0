import type { Refusal, RefusalType } from '../core/errors.ts';
import type { RefusedRequests } from '../domains/identity/audit/refused-requests.ts';
import type { RefusedCall } from '../platform/http/server.ts';

const permissionRefusals: ReadonlySet<RefusalType> = new Set(['scope_missing', 'role_missing']);

/** Records in the audit log that an authenticated caller was refused for lack of permission. */
export function recordRefused(
  { type }: Refusal,
  { principal, method, path }: RefusedCall,
  refusedRequests: RefusedRequests,
): void {
  if (!permissionRefusals.has(type) || principal === undefined) return;
  const { tenantId } = principal;
  refusedRequests.record({ action: 'access.refuse', tenantId, actor: principal, type, route: `${method} ${path}` });
}
