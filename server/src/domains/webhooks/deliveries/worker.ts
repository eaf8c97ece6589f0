import { type Clock, secondMs } from '../../../core/clock.ts';
import type { GenerateUuid } from '../../../core/id.ts';
import { type FailureReports, type Leased, Worker } from '../../../platform/jobs/worker.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { isClaimedAgain, maxClaimSize, recentlyDueQuery } from '../delivery-queue/claim-statements.ts';
import { deliveriesDue } from '../delivery-queue/enqueue.cte.ts';
import { freeLeases, releaseLeases } from '../delivery-queue/lease-statements.ts';
import type { EndpointDirectory } from '../endpoints/directory.ts';
import { bringDeliveriesForward } from './clock-set-back.ts';
import { Connections } from './connections/connections.ts';
import { deliver, type EndedAttempt, recordingBudgetMs } from './deliver.ts';
import { Claimer, type LeasedDelivery } from './queues/claimer.ts';
import { DueEndpoints } from './queues/due-endpoints.ts';
import { EndpointHealth, type FailingEndpoint, type PausedEndpoint } from './results/endpoint-health.ts';
import { ResultWriter } from './results/result-writer.ts';

export interface DeliveryWorkerOptions extends Partial<FailureReports> {
  /** Uses at most three connections at once, mostly two: to claim, to record and to write the health of endpoints. */
  database: Queryable;
  /** Disables an endpoint together with the event that reports it. May be the same as `database`. */
  transactions: Pick<Database, 'transaction'>;
  directory: EndpointDirectory;
  clock: Clock;
  generateUuid: GenerateUuid;
  /** Deadline of a whole attempt: `app.webhook.timeout`. */
  timeoutMs: number;
  /** Waits before each retry, as many retries as waits: `app.webhook.retry-intervals`. */
  retryIntervalsMs: readonly number[];
  /** Deliveries in flight at most: `app.webhook.max-in-flight`. */
  maxInFlight?: number;
  /** Poll interval while nothing is due, if something else also wakes the worker (`recentlyDueQuery`). */
  idlePollMs?: number;
  /** The same while no delivery that is due is open, at any endpoint. */
  quietPollMs?: number;
  /** Whether work waits for this machine (`WaitingWork`). Default: it does not. */
  isBehind?: () => boolean;
  observer?: DeliveryWorkerObserver;
  /** Further certificate authorities to trust, in PEM. */
  ca?: string;
}

export interface DeliveryWorkerObserver {
  onAttempt?: (attempt: EndedAttempt) => void;
  /** Results that did not count: the delivery was claimed by another sender, or recorded after its lease. */
  onDiscarded?: (count: number) => void;
  /** The circuit breaker of an endpoint has opened. */
  onPaused?: () => void;
  /** The same after it was closed on all nodes: not for the trials that fail after it. */
  onFailing?: (endpoint: FailingEndpoint) => void;
  /** An endpoint that was paused answers again. */
  onAnswering?: (endpoint: PausedEndpoint) => void;
}

/**
 * Many deliveries wait for their claim at any moment: 64 slots gave half the deliveries per second of 512, and 512 take
 * a tenth more of PostgreSQL's time than 1,024.
 */
const defaultMaxInFlight = 1024;
/** Poll interval while deliveries wait for the rate or the pool of their endpoint. */
const pollMs = 100;
/** Minimum time between claims: one claim then takes the events of several payments. */
const claimGapMs = 40;
/** A lease exceeds the deadline of the attempt by this: time to get a slot before it and to be recorded after it. */
const leaseMarginMs = 20 * secondMs;

/**
 * Sends deliveries: finds endpoints with due ones (`DueEndpoints`), claims them under a lease (`Claimer`), sends them
 * signed (`deliver`) and records the results (`ResultWriter`).
 *
 * At least once: if a sender dies, its leases run out 30 s after the claim, and another sender sends the same bytes
 * under the same ids. Two senders never hold the lease of one delivery at the same time, and a result that arrives
 * after the lease was taken over is fenced off.
 *
 * When it stops, deliveries in flight have their deadline and 2 s to end, and are recorded. A delivery without an
 * answer by then keeps its lease and is sent again when that runs out.
 */
export function deliveryWorker(options: DeliveryWorkerOptions): Worker<LeasedDelivery> {
  const { database, clock, timeoutMs, retryIntervalsMs, ca, observer = {} } = options;
  const { maxInFlight = defaultMaxInFlight, idlePollMs = pollMs, quietPollMs = idlePollMs } = options;
  const reports = reportOnce(options);
  const leaseMs = timeoutMs + leaseMarginMs;
  const health = new EndpointHealth({ ...options, ...observer, onError: reports.onError });
  const connections = new Connections({ timeoutMs, ...(ca !== undefined && { ca }) });
  const results = new ResultWriter({
    database,
    clock,
    onError: reports.onError,
    onWritten: reports.onRecovered,
    onDiscarded: (count) => observer.onDiscarded?.(count),
  });
  const due = new DueEndpoints({
    database,
    clock,
    onDue: () => worker.wake(),
    onScanFailed: reports.onError,
  });
  const claimer = new Claimer({
    due,
    database,
    clock,
    slots: maxInFlight,
    leaseMs,
    isBehind: options.isBehind ?? (() => false),
    health,
    renew: (delivery) => results.renew(delivery.id, delivery),
    onDue: () => worker.wake(),
  });
  const services = {
    database,
    clock,
    endpoints: options.directory,
    connections,
    health,
    results,
    timeoutMs,
    retryIntervalsMs,
    onAttempt: observer.onAttempt,
  };
  const worker = new Worker<LeasedDelivery>({
    name: 'deliveries',
    dueWork: { topic: deliveriesDue, due: recentlyDueQuery },
    claim: (freeSlots, lease) => claimer.claim(freeSlots, lease),
    leases: {
      release: (leases) => database.run(releaseLeases, [leases]),
      freeAll: () => database.run(freeLeases),
      shortenWaits: async () => {
        // Their retries may still be due by the time before the clock was set back.
        await withinMs(results.flush(), recordingBudgetMs);
        await bringDeliveriesForward(database, clock(), { leaseMs, retryIntervalsMs });
        due.reset();
      },
    },
    keyOf: ({ tenant_id, id }) => `${tenant_id} ${id}`,
    mayBeInFlight: isClaimedAgain,
    renew: (inFlight: Leased<LeasedDelivery>, { lease, leasedUntilMs }) =>
      Object.assign(inFlight, { lease, leasedUntilMs }),
    perform: (delivery) => claimer.occupying(delivery, (slot) => deliver(delivery, slot, services)),
    drain: async (drained) => {
      await withinMs(drained, timeoutMs + recordingBudgetMs);
      await withinMs(results.flush(), recordingBudgetMs);
      results.close();
      await connections.close();
    },
    slots: maxInFlight,
    gapMs: claimGapMs,
    maxBatch: maxClaimSize,
    waitedMs: (delivery) => claimer.waitedMs(delivery),
    ...reports,
    onRecovered: () => {
      due.recovered();
      reports.onRecovered();
    },
    pollMs: () => (due.isQuiet ? quietPollMs : due.isIdle ? idlePollMs : pollMs),
  });
  return worker;
}

/**
 * Claims, records and attempts fail together while the database is unavailable: reports the first failure and the
 * recovery.
 */
function reportOnce({
  onError,
  onRecovered,
}: Partial<FailureReports>): Required<Record<keyof FailureReports, (error?: unknown) => void>> {
  let isFailing = false;
  return {
    onError: (error) => {
      if (!isFailing) onError?.(error);
      isFailing = true;
    },
    onRecovered: () => {
      if (isFailing) onRecovered?.();
      isFailing = false;
    },
  };
}

async function withinMs(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
