import { notFound, Refusal } from '../../../core/errors.ts';
import { requireSameMode } from '../../../core/livemode.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { Statement } from '../../../platform/postgres/statement.ts';
import { lockPlanShared, type PlanRow } from '../plans/statements.ts';

/** Reads a plan to which subscriptions of this mode are possible. Previews read it without the lock against changes. */
export async function requireUsablePlan(
  database: Queryable,
  { tenantId, livemode }: { tenantId: number; livemode: boolean },
  planId: number,
  read: Statement<PlanRow> = lockPlanShared,
): Promise<PlanRow> {
  const [plan] = await database.run(read, [tenantId, planId]);
  if (plan === undefined) throw notFound('plan', planId, 'planId');
  requireSameMode(livemode, plan.livemode, 'planId', { noun: 'plan', id: planId });
  if (!plan.state) {
    throw new Refusal('plan_inactive', 'Nobody can subscribe to this plan: it is switched off.', { field: 'planId' });
  }
  return plan;
}
