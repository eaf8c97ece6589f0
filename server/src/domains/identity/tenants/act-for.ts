import type { Static } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { inTenant, type Principal, seesAllTenants } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type tenantIdInput, tenantIdOf } from './schema.ts';
import { findTenant } from './statements.ts';

/**
 * The caller, acting in the tenant that the request names: what the caller creates belongs to that tenant, and only
 * records of that tenant are found. Without a `tenantId` it is the caller's own. Only a platform administrator may name
 * another one; for others a foreign tenant gets the same refusal (`record_not_found`) as one that does not exist.
 */
export async function actFor(
  principal: Principal,
  tenantId: Static<typeof tenantIdInput> | undefined,
  database: Queryable,
): Promise<Principal> {
  if (tenantId === undefined) return principal;
  const id = tenantIdOf(tenantId);
  if (id === principal.tenantId) return principal;
  const exists = seesAllTenants(principal) && (await database.run(findTenant, [id])).length > 0;
  if (!exists) throw notFound('tenant', id, 'tenantId');
  return inTenant(principal, id);
}
