import type { Clock } from '../../../../core/clock.ts';
import type { Admission } from '../../../../platform/admission/admission.ts';
import { type FailureReports, Worker } from '../../../../platform/jobs/worker.ts';
import { realClockId } from '../../test-clocks/rules.ts';
import type { TestClockWork } from '../../test-clocks/worker.ts';
import { type CollectDeps, collectDue } from '../collections/collect.ts';
import { retryWithNewMethods } from '../collections/retry.ts';
import { hasRetries } from '../collections/statements.ts';
import { msOf } from '../rules.ts';
import { dueClocks, nextDueTime, subscriptionDue } from '../statements.ts';
import { type RenewDeps, renewDue } from './renew.ts';
import { subscriptionsDue } from './write-statements.ts';

export interface SubscriptionWorkerDeps extends RenewDeps, CollectDeps, FailureReports {
  clock: Clock;
  admission: Pick<Admission, 'turn'>;
}

/** Of a renewal or a collection with its payment, with the deliveries of a merchant that has one endpoint. */
const costOfEach = 6;
/** A batch pays its cost in such parts, so that the writes of tenants come between them. */
const costOfTurn = 60;

/**
 * Renews due subscriptions and collects due collections, batch by batch until nothing is due. Batches of renewals and
 * collections alternate, so that the first payment does not wait for the last of 100,000 invoices. Any number of nodes
 * may run it at once.
 */
export function subscriptionWorker(deps: SubscriptionWorkerDeps): Worker<object> {
  const { clock, database, admission, onError, onRecovered } = deps;
  const processDue = async (clockId: number, nowMs: number): Promise<number> => {
    const processed = (await renewDue(clockId, nowMs, deps)) + (await collectDue(clockId, nowMs, deps));
    // The next batch waits until this one's payments can be charged beside those of all tenants.
    for (let cost = processed * costOfEach; cost > 0; cost -= costOfTurn) {
      await admission.turn('renewals', Math.min(cost, costOfTurn));
    }
    return processed;
  };
  // Nearly every claim finds none and needs no transaction.
  const retryNow = async (nowMs: number): Promise<number> => {
    const isRequested = (await database.run(hasRetries)).length > 0;
    return isRequested ? retryWithNewMethods(nowMs, deps) : 0;
  };
  return new Worker({
    name: 'subscriptions',
    dueWork: { topic: subscriptionsDue, due: subscriptionDue },
    // Each batch is its own transaction. The worker claims again at once after a claim that found work.
    claim: async () => {
      let processed = await retryNow(clock());
      processed += await processDue(realClockId, clock());
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
