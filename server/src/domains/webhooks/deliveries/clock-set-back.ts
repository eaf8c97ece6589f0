import { minuteMs } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { bringForward, shortenLeases } from '../delivery-queue/clock-set-back-statements.ts';
import { shortenPauses } from '../endpoints/health-statements.ts';
import { shortenRates } from './queues/rate-statements.ts';
import { breakerOpenMs } from './rules.ts';

/** A lease, pause or retry further ahead than possible by more than this was written before the clock was set back. */
const toleranceMs = minuteMs;
/** Short batches, so that no statement blocks others for long. */
const batchSize = 5_000;

export interface DeliveryWaits {
  leaseMs: number;
  retryIntervalsMs: readonly number[];
}

/**
 * After the database's clock was set back: shortens leases, pauses, used-up rates and retry waits that were written by
 * the old time, so that deliveries do not wait until it comes again.
 */
export async function bringDeliveriesForward(
  database: Queryable,
  nowMs: number,
  { leaseMs, retryIntervalsMs }: DeliveryWaits,
): Promise<void> {
  await database.run(shortenLeases, [nowMs + leaseMs + toleranceMs, nowMs + leaseMs]);
  const pauseMs = Math.max(leaseMs, breakerOpenMs);
  await database.run(shortenPauses, [nowMs + pauseMs + toleranceMs, nowMs + breakerOpenMs, nowMs]);
  await database.run(shortenRates, [nowMs]);
  for (;;) {
    const [row] = await database.run(bringForward, [nowMs, [...retryIntervalsMs], toleranceMs, batchSize]);
    if ((row?.count ?? 0) < batchSize) return;
  }
}
