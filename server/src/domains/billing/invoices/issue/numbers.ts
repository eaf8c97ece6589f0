import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { advanceCounters } from '../statements.ts';

/**
 * Allocates the next invoice numbers of tenants, one for each entry, in the order of the entries. The counters stay locked
 * until the transaction ends, so that numbers have no holes.
 */
export async function allocateNumbers(transaction: Queryable, tenantIds: readonly number[]): Promise<number[]> {
  const counted = await transaction.run(advanceCounters, [plainArray(tenantIds)]);
  const next = new Map(counted.map(({ tenant_id, last }) => [tenant_id, last]));
  for (const tenantId of tenantIds) next.set(tenantId, (next.get(tenantId) as number) - 1);
  return tenantIds.map((tenantId) => {
    const number = (next.get(tenantId) as number) + 1;
    next.set(tenantId, number);
    return number;
  });
}
