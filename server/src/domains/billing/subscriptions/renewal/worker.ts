import type { Clock } from '../../../../core/clock.ts';
import { type FailureReports, Worker } from '../../../../platform/jobs/worker.ts';
import { realClockId } from '../../test-clocks/rules.ts';
import type { TestClockWork } from '../../test-clocks/worker.ts';
import { type CollectDeps, collectDue } from '../charges/collect.ts';
import { msOf } from '../rules.ts';
import { dueClocks, nextDueTime, subscriptionDue } from '../statements.ts';
import { type RenewDeps, renewDue } from './renew.ts';
import { subscriptionsDue } from './write-statements.ts';

export interface SubscriptionWorkerDeps extends RenewDeps, CollectDeps, FailureReports {
  clock: Clock;
}

/**
 * Renews due subscriptions and collects due charges, batch by batch until nothing is due. Batches of renewals and charges
 * alternate, so that the first payment does not wait for the last of 100,000 invoices. Any number of nodes may run it at once.
 */
export function subscriptionWorker(deps: SubscriptionWorkerDeps): Worker<object> {
  const { clock, database, onError, onRecovered } = deps;
  const processDue = async (clockId: number, nowMs: number): Promise<number> =>
    (await renewDue(clockId, nowMs, deps)) + (await collectDue(clockId, nowMs, deps));
  return new Worker({
    name: 'subscriptions',
    dueWork: { topic: subscriptionsDue, due: subscriptionDue },
    // Each batch is its own transaction. The worker claims again at once after a claim that found work.
    claim: async () => {
      let processed = await processDue(realClockId, clock());
      for (const { id, now_at } of await database.run(dueClocks)) processed += await processDue(id, msOf(now_at));
      return processed > 0 ? [{}] : [];
    },
    slots: 1,
    onError,
    onRecovered,
  });
}

export const subscriptionTestClockWork: TestClockWork = {
  nextDueMs: async (snapshot, { clockId }) => {
    const [row] = await snapshot.run(nextDueTime, [clockId]);
    return row?.at == null ? null : msOf(row.at);
  },
  isInProgress: async () => false,
  topics: [subscriptionsDue],
};
