import type { Clock } from '../../../../core/clock.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { countBacklog } from './peek-statements.ts';

export interface DeliveryBacklog {
  /** Unfinished deliveries, parked ones included; at most 100,000 of each kind are counted. */
  open: number;
  /** Those that wait for an endpoint that is slow, failing, paused or at its rate limit. */
  parked: number;
  /** How long the oldest due delivery has been due, parked ones excluded. */
  lagSeconds: number;
}

export async function deliveryBacklog(database: Queryable, clock: Clock): Promise<DeliveryBacklog> {
  const [row] = await database.run(countBacklog);
  const { queued = 0, parked = 0 } = row ?? {};
  const oldestDueMs = row?.oldest_due_ms ?? clock();
  return { open: queued + parked, parked, lagSeconds: Math.max(0, clock() - oldestDueMs) / 1000 };
}
