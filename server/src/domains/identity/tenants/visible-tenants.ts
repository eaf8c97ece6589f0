import { Refusal } from '../../../core/errors.ts';
import { type Principal, seesAllTenants, tenantOnWire } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { tenantIds } from './statements.ts';

/** The tenants whose records the caller may see: all for a platform administrator, otherwise the caller's own. */
export async function visibleTenants(database: Queryable, principal: Principal): Promise<number[]> {
  if (!seesAllTenants(principal)) return [principal.tenantId];
  return (await database.run(tenantIds)).map((row) => row.id);
}

/**
 * The tenants whose rows a list shows: those that the caller may see, or the one that a platform administrator names. A
 * tenant that does not exist has no rows.
 */
export async function listedTenants(
  database: Queryable,
  principal: Principal,
  tenantId: number | undefined,
): Promise<number[]> {
  const only = filteredTenant(principal, tenantId);
  return only === null ? visibleTenants(database, principal) : [only];
}

/** The one tenant whose rows a list shows; null: all tenants, for a platform administrator who names none. */
export function filteredTenant(principal: Principal, tenantId: number | undefined): number | null {
  if (seesAllTenants(principal)) return tenantId ?? null;
  if (tenantId === undefined) return principal.tenantId;
  throw new Refusal('role_missing', rule('filters_tenant'), { field: 'tenantId' });
}

/** The tenant of a row, for callers whose lists show several. */
export function tenantOfRow(principal: Principal, row: { tenant_id: number }): { tenantId?: string | null } {
  return seesAllTenants(principal) ? { tenantId: tenantOnWire(row.tenant_id) } : {};
}
