import type { Queryable } from '../../platform/postgres/database.ts';
import { statement } from '../../platform/postgres/statement.ts';
import type { Clock } from '../../vocabulary/clock.ts';

/** Counting stops here: beyond it the number says "very many", and the count stays cheap. */
const countedAtMost = 100_000;

const backlog = statement<{ open: number; oldest_due_ms: number | null }>(
  'webhooks.backlog',
  `select (select count(*) from (select from delivery where state = 'OPEN' limit ${countedAtMost}) as counted) as open,
          (select (extract(epoch from min(due_at)) * 1000)::float8 from delivery where state = 'OPEN') as oldest_due_ms`,
);

/** How many deliveries are open (counted up to 100,000), and how late the one longest due is, in seconds. */
export async function deliveryBacklog(
  database: Queryable,
  clock: Clock,
): Promise<{ open: number; lagSeconds: number }> {
  const [row] = await database.run(backlog);
  const oldestDueMs = row?.oldest_due_ms ?? clock();
  return { open: row?.open ?? 0, lagSeconds: Math.max(0, clock() - oldestDueMs) / 1000 };
}
