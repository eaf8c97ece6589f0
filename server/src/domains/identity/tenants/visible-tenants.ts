import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { tenantIds } from './statements.ts';

/** Whose records a caller's lists and sums hold: their own tenant's, or everyone's for a platform administrator. */
export async function tenantsSeen(database: Queryable, principal: Principal): Promise<number[]> {
  if (!seesAllTenants(principal)) return [principal.tenantId];
  return (await database.run(tenantIds)).map((row) => row.id);
}
