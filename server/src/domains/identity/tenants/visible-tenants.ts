import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { tenantIds } from './statements.ts';

/** The tenants whose records the caller may see: all for a platform administrator, otherwise the caller's own. */
export async function visibleTenants(database: Queryable, principal: Principal): Promise<number[]> {
  if (!seesAllTenants(principal)) return [principal.tenantId];
  return (await database.run(tenantIds)).map((row) => row.id);
}
