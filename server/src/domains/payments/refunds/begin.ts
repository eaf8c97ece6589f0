import { plainArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';

const beginMany = statement(
  'refunds.begin_many',
  `update refund r
      set status = 'PROCESSING', version = r.version + 1, updated_at = greatest(to_timestamp($3::float8 / 1000), r.updated_at)
     from unnest($1::bigint[], $2::uuid[]) as begun (tenant_id, id)
    where r.tenant_id = begun.tenant_id and r.id = begun.id and r.status = 'PENDING'`,
);

/** The provider is about to be asked for these refunds. */
export async function beginRefunds(
  database: Queryable,
  refunds: readonly { tenant_id: number; refund_id: string | null }[],
  nowMs: number,
): Promise<void> {
  await database.run(beginMany, [
    plainArray(refunds.map(({ tenant_id }) => tenant_id)),
    plainArray(refunds.map(({ refund_id }) => refund_id)),
    nowMs,
  ]);
}
