import type { Queryable } from '../../../platform/postgres/database.ts';
import type { PlanRow } from '../plans/statements.ts';
import { isPlanUsed } from './statements.ts';

/** Whether anyone has ever subscribed to a plan, or is about to by a change. The plan's lock is held. */
export async function isPlanInUse(transaction: Queryable, { tenant_id, id }: PlanRow): Promise<boolean> {
  const [row] = await transaction.run(isPlanUsed, [tenant_id, id]);
  return row?.used ?? false;
}
