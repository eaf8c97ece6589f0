import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { type NumberSeries, seriesOf } from '../number.ts';
import { advanceCounters } from '../statements.ts';

/**
 * Allocates the next invoice numbers of tenants and modes, one for each entry, in the order of the entries. The
 * counters stay locked until the transaction ends, so that numbers have no gaps.
 */
export async function allocateNumbers(
  transaction: Queryable,
  wanted: readonly { tenantId: number; livemode: boolean }[],
): Promise<number[]> {
  const keyOf = (tenantId: number, series: NumberSeries) => `${series}/${tenantId}`;
  const keys = wanted.map(({ tenantId, livemode }) => keyOf(tenantId, seriesOf(livemode)));
  const counted = await transaction.run(advanceCounters, [
    plainArray(wanted.map(({ tenantId }) => tenantId)),
    plainArray(wanted.map(({ livemode }) => seriesOf(livemode))),
  ]);
  const next = new Map(counted.map(({ tenant_id, series, last }) => [keyOf(tenant_id, series), last]));
  for (const key of keys) next.set(key, (next.get(key) as number) - 1);
  return keys.map((key) => {
    const number = (next.get(key) as number) + 1;
    next.set(key, number);
    return number;
  });
}
