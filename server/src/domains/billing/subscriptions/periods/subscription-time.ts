import type { Clock } from '../../../../core/clock.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { msOf } from '../rules.ts';
import { findClockTime, type SubscriptionRow } from '../statements.ts';

/** The current time of a subscription's customer: the time of its test clock, or else the real time. */
export async function subscriptionNowMs(
  database: Queryable,
  { tenant_id, clock_id }: SubscriptionRow,
  clock: Clock,
): Promise<number> {
  if (clock_id === 0) return clock();
  const [row] = await database.run(findClockTime, [tenant_id, clock_id]);
  if (row === undefined) throw new Error(`There is no clock ${clock_id}.`);
  return msOf(row.now_at);
}
