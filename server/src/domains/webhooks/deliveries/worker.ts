import { type Clock, secondMs } from '../../../core/clock.ts';
import { ClaimLoop } from '../../../platform/jobs/claim-loop.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { AddressGuard } from '../endpoints/address-guard.ts';
import type { EndpointDirectory } from '../endpoints/directory.ts';
import { Claimer, type LeasedDelivery } from './claiming/claimer.ts';
import type { EndpointQueue } from './claiming/endpoint-queue.ts';
import { EndpointQueues } from './claiming/endpoint-queues.ts';
import { giveBackAside, giveBackDue, maximumClaim, releaseDeliveries } from './claiming/statements.ts';
import { EndpointHealth, type EndpointHealthOptions } from './recording/endpoint-health.ts';
import { Recorder } from './recording/recorder.ts';
import { type Result, resultOf, unsent } from './recording/result.ts';
import { type AttemptOutcome, goneStatus, standingOf } from './rules.ts';
import { postOf } from './sending/request.ts';
import { Sender, type Sent, unanswered } from './sending/sender.ts';
import { bringDeliveriesForward } from './set-back.ts';

export interface DeliveryWorkerOptions {
  /** At most three connections of it are used at once, mostly two: to claim, to record, to clear the way. */
  database: Queryable;
  directory: EndpointDirectory;
  guard: AddressGuard;
  clock: Clock;
  /** One deadline for a whole attempt: `app.webhook.timeout`. */
  timeoutMs: number;
  /** Waits before each retry: `app.webhook.retry-intervals`. As many retries as there are waits. */
  retryIntervalsMs: readonly number[];
  /** Deliveries in flight at most. */
  maxInFlight?: number;
  /** How often it looks by itself, while nothing waits, where something else wakes it (`deliveryDue`). */
  restMs?: number;
  /** Whether the process has more urgent work: deliveries then go on at a part of their pace (`busyGapMs`). */
  busy?: () => boolean;
  observer?: DeliveryObserver;
  /** Told once when an endpoint is switched off, after that is committed: its owner should hear of it. */
  onDisabled?: EndpointHealthOptions['onDisabled'];
  /** Told when the database goes away or a delivery cannot be made ready; not again until something succeeds. */
  onError?: (error: unknown) => void;
  /** Told once when the database is back. */
  onRecovered?: () => void;
  /** Further certificate authorities to trust, in PEM. */
  ca?: string;
}

export interface DeliveryObserver {
  /** An attempt has ended. `lagMs`: from when it was due until it was sent. */
  onAttempt?: (facts: { outcome: AttemptOutcome; durationMs: number; lagMs: number }) => void;
  onClaim?: (count: number, durationMs: number) => void;
  /** Results that did not count: another sender had taken the delivery over, or the database stayed away too long. */
  onLost?: (count: number) => void;
  /** An endpoint has failed so often in a row that nothing is sent to it for a while. */
  onPaused?: () => void;
}

/** Many of them wait for their claim or their record at any moment: 64 slots made half the deliveries a second of 512. */
const defaultMaxInFlight = 512;
/** What waits for its endpoint's rate or pause is looked at this often. */
const pollMs = 100;
/**
 * While payments take all the processor they can get, deliveries get this much: 100 ten times a second. Few claims of
 * many cost a third of many claims of few. The rest catches up when the rush is over.
 */
const busySlots = 100;
const busyGapMs = 100;
/** Beyond the attempt's own deadline a lease leaves this long, to find a slot before it and to be recorded after it. */
const leaseBeyondTimeoutMs = 20 * secondMs;
/** Nothing is sent unless its deadline and this much for recording fit into what is left of the lease. */
const recordingMs = 2 * secondMs;

/**
 * Sends what the outbox has written: claims due deliveries under a lease, posts them signed, and records what came of
 * it. At least once: a sender that dies is replaced when its leases run out, 30 s after the claim, and then the
 * same bytes go out under the same ids. Two senders never hold one delivery's lease at once, and a result that comes
 * after the lease was taken over is fenced off.
 *
 * An endpoint that is switched off, or gone, is sent nothing: its open deliveries become CANCELLED when they fall
 * due. They and their events stay, so that they can be sent again on demand.
 */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #loop: ClaimLoop<LeasedDelivery>;
  readonly #sender: Sender;
  readonly #recorder: Recorder;
  readonly #lanes: EndpointQueues;
  readonly #claimer: Claimer;
  readonly #health: EndpointHealth;
  #troubled = false;

  constructor(options: DeliveryWorkerOptions) {
    const { database, directory, guard, clock, timeoutMs, ca, busy, onDisabled, observer = {} } = options;
    const { maxInFlight = defaultMaxInFlight, restMs = pollMs } = options;
    const onError = (error: unknown) => this.#trouble(error);
    const slots = () => (busy?.() ? Math.min(busySlots, maxInFlight) : maxInFlight);
    this.#options = options;
    this.#sender = new Sender({ timeoutMs, lookup: guard.lookup, ...(ca !== undefined && { ca }) });
    this.#lanes = new EndpointQueues(slots);
    this.#claimer = new Claimer({
      database,
      clock,
      lanes: this.#lanes,
      leaseMs: timeoutMs + leaseBeyondTimeoutMs,
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
      onWritten: () => this.#recovered(),
      onLost: (count) => observer.onLost?.(count),
    });
    this.#loop = new ClaimLoop({
      claim: (room, lease) => this.#claim(room, lease),
      giveBack: (leases) => this.#giveBack(leases),
      keyOf: ({ tenant_id, id }) => `${tenant_id} ${id}`,
      renew: (inFlight, { lease, leasedUntilMs }) => Object.assign(inFlight, { lease, leasedUntilMs }),
      perform: (delivery) => this.#perform(delivery),
      release: (deliveries) => this.#release(deliveries),
      slots,
      gapMs: () => (busy?.() ? busyGapMs : 0),
      maxBatch: maximumClaim,
      pollMs: () => (this.#claimer.isQuiet ? restMs : pollMs),
      onError: onError,
      onRecovered: () => this.#recovered(),
      observe: (count, durationMs) => observer.onClaim?.(count, durationMs),
    });
  }

  /** Deliveries being sent. */
  get inFlight(): number {
    return this.#loop.inFlight;
  }

  start(): void {
    this.#loop.start();
  }

  /** Deliveries have just been committed here: look now, not at the next poll. */
  wake(): void {
    this.#loop.wake();
  }

  /** The database's clock was set back (`DatabaseClock`). Also called before it starts: it may have been while nobody looked. */
  async clockWasSetBack(): Promise<void> {
    const { database, clock, timeoutMs, retryIntervalsMs } = this.#options;
    const leaseMs = timeoutMs + leaseBeyondTimeoutMs;
    await bringDeliveriesForward(database, clock(), { leaseMs, retryIntervalsMs });
    this.#loop.wake();
  }

  /**
   * Stops claiming, gives what is in flight its deadline and 2 s to end, and records it. What even then has no answer
   * keeps its lease, and is sent again when that runs out.
   */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#claimer.close();
    await withinMs(this.#loop.drained(), this.#options.timeoutMs + recordingMs);
    await withinMs(this.#recorder.flush(), recordingMs);
    this.#recorder.close();
    await this.#sender.close();
  }

  async #claim(room: number, lease: string): Promise<LeasedDelivery[]> {
    const claimed = await this.#claimer.claim(room, lease);
    return claimed.filter((delivery) => !this.#recorder.renew(delivery.id, delivery));
  }

  /** One delivery, in its endpoint's lane. */
  async #perform(delivery: LeasedDelivery): Promise<void> {
    const { clock } = this.#options;
    const lane = this.#lanes.begin(delivery.endpoint_id, clock());
    let sent: Sent | undefined;
    try {
      sent = await this.#deliver(delivery, lane);
    } finally {
      const nowMs = clock();
      const ended = sent && { standing: standingOf(sent.outcome, sent.status), durationMs: sent.durationMs };
      this.#lanes.end(lane, nowMs, ended);
      if (this.#lanes.isWorthAClaim(lane, nowMs)) this.#loop.wake();
    }
  }

  /** undefined: nothing was sent. */
  async #deliver(delivery: LeasedDelivery, lane: EndpointQueue): Promise<Sent | undefined> {
    const { directory, clock, timeoutMs, retryIntervalsMs, observer } = this.#options;
    const target = directory.remembered(delivery.endpoint_id) ?? (await directory.find(delivery.endpoint_id));
    if (target?.state !== true) {
      this.#recorder.add(unsent(delivery, clock()));
      return undefined;
    }
    const { isTrying } = lane;
    let sentMs = clock();
    const sent = target.forbidden
      ? forbiddenAddress
      : await this.#sender.send({
          origin: target.origin,
          write: () => {
            sentMs = clock();
            // Held up since the claim, by a frozen process or a slow database: another sender may take it over any moment.
            const isLate = delivery.leasedUntilMs - sentMs < timeoutMs + recordingMs;
            const isPaused = lane.isPaused(sentMs) && !isTrying;
            return isLate || isPaused ? undefined : postOf(delivery, target, sentMs);
          },
        });
    if (sent === undefined) {
      // Claimed once more while it is given back, it is held under another lease.
      for (let lease: string | undefined; lease !== delivery.lease; ) {
        lease = delivery.lease;
        await this.#release([delivery]);
      }
      return undefined;
    }
    observer?.onAttempt?.({
      outcome: sent.outcome,
      durationMs: sent.durationMs,
      lagMs: Math.max(0, sentMs - delivery.due_ms),
    });
    const endedMs = clock();
    const result = resultOf(delivery, sent, endedMs, retryIntervalsMs);
    // We stood still, and another may have sent it meanwhile: what is seen so late says nothing of the endpoint.
    const isOver = endedMs >= delivery.leasedUntilMs;
    if (!isOver) await this.#note(lane, sent, result);
    this.#recorder.add(result);
    return isOver ? undefined : sent;
  }

  /** What the attempt means for its endpoint; hardly ever anything. */
  async #note(lane: EndpointQueue, { outcome, status }: Sent, { state }: Result): Promise<void> {
    const { openMs, firstFailureMs } = lane.facts;
    if (status === goneStatus) await this.#health.gone(lane);
    else if (standingOf(outcome, status) === 'failing') {
      if (lane.isToPause(this.#options.clock())) await this.#health.pause(lane);
    } else if (openMs !== null || (outcome === 'ok' && firstFailureMs !== null)) {
      await this.#health.recover(lane, outcome === 'ok');
    }
    if (state === 'FAILED' && status !== goneStatus) await this.#health.exhausted(lane);
  }

  async #release(deliveries: readonly LeasedDelivery[]): Promise<void> {
    await this.#options.database.run(releaseDeliveries, [
      deliveries.map((delivery) => delivery.tenant_id),
      deliveries.map((delivery) => delivery.id),
      deliveries.map((delivery) => delivery.lease),
    ]);
  }

  async #giveBack(leases: readonly string[]): Promise<void> {
    for (const giveBack of [giveBackDue, giveBackAside]) await this.#options.database.run(giveBack, [leases]);
  }

  #trouble(error: unknown): void {
    if (this.#troubled) return;
    this.#troubled = true;
    this.#options.onError?.(error);
  }

  #recovered(): void {
    if (!this.#troubled) return;
    this.#troubled = false;
    this.#options.onRecovered?.();
  }
}

const forbiddenAddress: Sent = { ...unanswered, outcome: 'forbidden_address' };

async function withinMs(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
