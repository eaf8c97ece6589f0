import { type Clock, secondMs } from '../../../core/clock.ts';
import { Worker } from '../../../platform/jobs/worker.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { EndpointDirectory } from '../endpoints/directory.ts';
import { maxClaimSize, releaseDeliveries, releaseDueLeases, releaseParkedLeases } from './claiming/claim-statements.ts';
import { Claimer, type LeasedDelivery } from './claiming/claimer.ts';
import { freeDeadLeases } from './claiming/dead-leases.ts';
import type { EndpointQueue } from './claiming/endpoint-queue.ts';
import { EndpointQueues } from './claiming/endpoint-queues.ts';
import { bringDeliveriesForward } from './clock-set-back.ts';
import { EndpointHealth, type EndpointHealthOptions } from './recording/endpoint-health.ts';
import { Recorder } from './recording/recorder.ts';
import { attemptResult, cancelledResult, type DeliveryResult } from './recording/result.ts';
import { type AttemptOutcome, countsAsFailure, goneStatus } from './rules.ts';
import { signedRequest } from './sending/request.ts';
import { noAnswer, Sender, type SendResult } from './sending/sender.ts';

export interface DeliveryWorkerOptions {
  /** Uses at most three connections at once, mostly two: to claim, to record and to park. */
  database: Queryable;
  directory: EndpointDirectory;
  clock: Clock;
  /** Deadline of a whole attempt: `app.webhook.timeout`. */
  timeoutMs: number;
  /** Waits before each retry, as many retries as waits: `app.webhook.retry-intervals`. */
  retryIntervalsMs: readonly number[];
  /** Deliveries in flight at most: `app.webhook.max-in-flight`. */
  maxInFlight?: number;
  /** Poll interval while nothing is due, if something else also wakes the worker (`recentlyDueQuery`). */
  idlePollMs?: number;
  /** Whether load shedding is on: deliveries then continue at a reduced pace (`sheddingSlots`, `sheddingClaimGapMs`). */
  isShedding?: () => boolean;
  observer?: DeliveryObserver;
  /** Called once when an endpoint has been switched off, after the commit, to notify its owner. */
  onDisabled?: EndpointHealthOptions['onDisabled'];
  /** Called when the database fails or a delivery cannot be prepared; not again until something succeeds. */
  onError?: (error: unknown) => void;
  /** Called once when the database works again. */
  onRecovered?: () => void;
  /** Further certificate authorities to trust, in PEM. */
  ca?: string;
}

export interface DeliveryObserver {
  /** An attempt has ended. `lagMs`: from its due time until it was sent. */
  onAttempt?: (attempt: { outcome: AttemptOutcome; durationMs: number; lagMs: number }) => void;
  onClaim?: (count: number, durationMs: number) => void;
  /** Results that did not count: another sender had claimed the delivery, or the database was away beyond the lease. */
  onDiscarded?: (count: number) => void;
  /** The circuit breaker of an endpoint has opened. */
  onPaused?: () => void;
}

/** Many deliveries wait for their claim or record at any moment: 64 slots gave half the deliveries per second of 512. */
const defaultMaxInFlight = 512;
/** Poll interval while deliveries wait for the rate or the pause of their endpoint. */
const pollMs = 100;
/**
 * While payments take all the processor time they can get: claims of at most 100 deliveries, ten a second. A few large
 * claims cost a third of many small ones. The backlog is sent when the load is over.
 */
const sheddingSlots = 100;
const sheddingClaimGapMs = 100;
/** A lease exceeds the deadline of the attempt by this: time to get a slot before it and to be recorded after it. */
const leaseMarginMs = 20 * secondMs;
/** A delivery is sent only if the attempt's deadline and this much time to record it fit into the rest of its lease. */
const recordingBudgetMs = 2 * secondMs;

/**
 * Sends deliveries: claims due ones under a lease, sends them signed and records the results.
 *
 * At least once: if a sender dies, its leases run out 30 s after the claim, and another sender sends the same bytes under
 * the same ids. Two senders never hold the lease of one delivery at the same time, and a result that arrives after the
 * lease was taken over is fenced off.
 *
 * Deliveries to an endpoint that is switched off or removed become CANCELLED when they fall due. They and their events
 * stay, so that they can be replayed.
 */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #loop: Worker<LeasedDelivery>;
  readonly #sender: Sender;
  readonly #recorder: Recorder;
  readonly #queues: EndpointQueues;
  readonly #claimer: Claimer;
  readonly #health: EndpointHealth;
  #isFailing = false;

  constructor(options: DeliveryWorkerOptions) {
    const { database, directory, clock, timeoutMs, ca, isShedding, onDisabled, observer = {} } = options;
    const { maxInFlight = defaultMaxInFlight, idlePollMs = pollMs } = options;
    const onError = (error: unknown) => this.#reportError(error);
    const slots = () => (isShedding?.() ? Math.min(sheddingSlots, maxInFlight) : maxInFlight);
    this.#options = options;
    this.#sender = new Sender({ timeoutMs, ...(ca !== undefined && { ca }) });
    this.#queues = new EndpointQueues(slots);
    this.#claimer = new Claimer({
      database,
      clock,
      queues: this.#queues,
      leaseMs: timeoutMs + leaseMarginMs,
      onMore: () => this.#loop.wake(),
      onError: onError,
    });
    this.#health = new EndpointHealth({
      database,
      directory,
      clock,
      onDisabled,
      onPaused: observer.onPaused,
      onError: onError,
    });
    this.#recorder = new Recorder({
      database,
      clock,
      onError: onError,
      onWritten: () => this.#reportRecovery(),
      onDiscarded: (count) => observer.onDiscarded?.(count),
    });
    this.#loop = new Worker({
      name: 'deliveries',
      claim: (freeSlots, lease) => this.#claim(freeSlots, lease),
      leases: {
        release: (leases) => this.#releaseLeases(leases),
        freeAll: () => freeDeadLeases(database),
        shortenWaits: () => this.#shortenWaits(),
      },
      keyOf: ({ tenant_id, id }) => `${tenant_id} ${id}`,
      renew: (inFlight, { lease, leasedUntilMs }) => Object.assign(inFlight, { lease, leasedUntilMs }),
      perform: (delivery) => this.#perform(delivery),
      drain: (drained) => this.#drain(drained),
      slots,
      gapMs: () => (isShedding?.() ? sheddingClaimGapMs : 0),
      maxBatch: maxClaimSize,
      pollMs: () => (this.#claimer.isIdle ? idlePollMs : pollMs),
      onError: onError,
      onRecovered: () => this.#reportRecovery(),
      observe: (count, durationMs) => observer.onClaim?.(count, durationMs),
    });
  }

  get inFlight(): number {
    return this.#loop.inFlight;
  }

  start(): void {
    this.#loop.start();
  }

  /** Deliveries may be due: claim now, not at the next poll. */
  wake(): void {
    this.#loop.wake();
  }

  /**
   * The database's clock was set back (`DatabaseClock`). Also called before the worker starts, because it may have happened
   * while no node was running.
   */
  clockWasSetBack(): Promise<void> {
    return this.#loop.clockWasSetBack();
  }

  /**
   * Stops claiming, gives deliveries in flight their deadline and 2 s to end, and records them. A delivery without an
   * answer by then keeps its lease and is sent again when that runs out.
   */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #drain(drained: Promise<void>): Promise<void> {
    await this.#claimer.close();
    await withinMs(drained, this.#options.timeoutMs + recordingBudgetMs);
    await withinMs(this.#recorder.flush(), recordingBudgetMs);
    this.#recorder.close();
    await this.#sender.close();
  }

  async #shortenWaits(): Promise<void> {
    const { database, clock, timeoutMs, retryIntervalsMs } = this.#options;
    await bringDeliveriesForward(database, clock(), { leaseMs: timeoutMs + leaseMarginMs, retryIntervalsMs });
  }

  async #claim(freeSlots: number, lease: string): Promise<LeasedDelivery[]> {
    const claimed = await this.#claimer.claim(freeSlots, lease);
    return claimed.filter((delivery) => !this.#recorder.renew(delivery.id, delivery));
  }

  async #perform(delivery: LeasedDelivery): Promise<void> {
    const { clock } = this.#options;
    const queue = this.#queues.begin(delivery.endpoint_id, clock());
    let sent: SendResult | undefined;
    try {
      sent = await this.#deliver(delivery, queue);
    } finally {
      const nowMs = clock();
      const ended = sent && { isFailure: countsAsFailure(sent.outcome, sent.status), durationMs: sent.durationMs };
      this.#queues.end(queue, nowMs, ended);
      if (this.#queues.isWorthClaiming(queue, nowMs)) this.#loop.wake();
    }
  }

  /** undefined: nothing was sent, or too late for the result to count. */
  async #deliver(delivery: LeasedDelivery, queue: EndpointQueue): Promise<SendResult | undefined> {
    const { directory, clock, timeoutMs, retryIntervalsMs, observer } = this.#options;
    const target = directory.cached(delivery.endpoint_id) ?? (await directory.find(delivery.endpoint_id));
    if (target?.state !== true) {
      this.#recorder.add(cancelledResult(delivery, clock()));
      return undefined;
    }
    const { isTrial } = queue;
    const { path, keys } = target;
    if (keys === undefined) {
      // Deliveries wait until the secret is rotated. The pause keeps them from being claimed over and over.
      if (isTrial || !queue.isPaused(clock())) await this.#health.pause(queue);
      await this.#releaseUnsent(delivery);
      return undefined;
    }
    let sentMs = clock();
    const sent = target.forbidden
      ? forbiddenAddress
      : await this.#sender.send({
          origin: target.origin,
          guard: target.guard,
          write: () => {
            sentMs = clock();
            // Delayed since the claim by a frozen process or a slow database: another sender may claim it at any moment.
            const isTooLate = delivery.leasedUntilMs - sentMs < timeoutMs + recordingBudgetMs;
            const isPaused = queue.isPaused(sentMs) && !isTrial;
            return isTooLate || isPaused ? undefined : signedRequest(delivery, { path, keys }, sentMs);
          },
        });
    if (sent === undefined) {
      await this.#releaseUnsent(delivery);
      return undefined;
    }
    observer?.onAttempt?.({
      outcome: sent.outcome,
      durationMs: sent.durationMs,
      lagMs: Math.max(0, sentMs - delivery.due_ms),
    });
    const endedMs = clock();
    const result = attemptResult(delivery, sent, endedMs, retryIntervalsMs);
    // This process was frozen, and another may have sent the delivery: so late a result says nothing about the endpoint.
    const isExpired = endedMs >= delivery.leasedUntilMs;
    if (!isExpired) await this.#updateHealth(queue, sent, result);
    this.#recorder.add(result);
    return isExpired ? undefined : sent;
  }

  async #updateHealth(queue: EndpointQueue, { outcome, status }: SendResult, { state }: DeliveryResult): Promise<void> {
    const { pausedUntilMs, firstFailureMs } = queue.endpoint;
    if (status === goneStatus) await this.#health.disableGone(queue);
    else if (countsAsFailure(outcome, status)) {
      if (queue.isPauseDue(this.#options.clock())) await this.#health.pause(queue);
    } else if (pausedUntilMs !== null || (outcome === 'ok' && firstFailureMs !== null)) {
      await this.#health.recover(queue, outcome === 'ok');
    }
    if (state === 'FAILED' && status !== goneStatus) await this.#health.disableIfFailing(queue);
  }

  /** If the delivery is claimed again meanwhile, `Worker` renews its lease in place, and this releases that lease too. */
  async #releaseUnsent(delivery: LeasedDelivery): Promise<void> {
    for (let lease: string | undefined; lease !== delivery.lease; ) {
      lease = delivery.lease;
      await this.#release([delivery]);
    }
  }

  async #release(deliveries: readonly LeasedDelivery[]): Promise<void> {
    await this.#options.database.run(releaseDeliveries, [
      deliveries.map((delivery) => delivery.tenant_id),
      deliveries.map((delivery) => delivery.id),
      deliveries.map((delivery) => delivery.lease),
    ]);
  }

  async #releaseLeases(leases: readonly string[]): Promise<void> {
    for (const release of [releaseDueLeases, releaseParkedLeases]) await this.#options.database.run(release, [leases]);
  }

  #reportError(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    this.#options.onError?.(error);
  }

  #reportRecovery(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#options.onRecovered?.();
  }
}

const forbiddenAddress: SendResult = { ...noAnswer, outcome: 'forbidden_address' };

async function withinMs(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
