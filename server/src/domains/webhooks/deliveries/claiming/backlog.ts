import type { Clock } from '../../../../core/clock.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { statement } from '../../../../platform/postgres/statement.ts';

/** Counting stops here: beyond it the number says "very many", and the count stays cheap. */
const countedAtMost = 100_000;

const backlog = statement<{ queued: number; aside: number; oldest_due_ms: number | null }>(
  'deliveries.backlog',
  `select (select count(*) from (
             select from delivery where state = 'OPEN' and not aside limit ${countedAtMost}) as counted) as queued,
          (select count(*) from (
             select from delivery where state = 'OPEN' and aside limit ${countedAtMost}) as counted) as aside,
          (select (extract(epoch from min(due_at)) * 1000)::float8
             from delivery where state = 'OPEN' and not aside) as oldest_due_ms`,
);

export interface DeliveryBacklog {
  /** Not yet done, those set aside among them; counted up to 100,000 of each kind. */
  open: number;
  /** Of these, set aside: they wait for an endpoint that is slow, failing or paused, or has used up its rate. */
  aside: number;
  /** How late the one longest due is, in seconds, of those not set aside. */
  lagSeconds: number;
}

export async function deliveryBacklog(database: Queryable, clock: Clock): Promise<DeliveryBacklog> {
  const [row] = await database.run(backlog);
  const { queued = 0, aside = 0 } = row ?? {};
  const oldestDueMs = row?.oldest_due_ms ?? clock();
  return { open: queued + aside, aside, lagSeconds: Math.max(0, clock() - oldestDueMs) / 1000 };
}
