import { type Clock, secondMs } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { releaseDelivery } from '../delivery-queue/lease-statements.ts';
import type { AddressGuard } from '../endpoints/address-guard.ts';
import type { EndpointDirectory, Target } from '../endpoints/directory.ts';
import type { EndpointKeys } from '../endpoints/signature.ts';
import type { Claimer, LeasedDelivery } from './claiming/claimer.ts';
import type { EndpointQueue } from './claiming/endpoint-queue.ts';
import type { EndpointHealth } from './recording/endpoint-health.ts';
import type { Recorder } from './recording/recorder.ts';
import { attemptResult, cancelledResult, type DeliveryResult } from './recording/result.ts';
import { type AttemptOutcome, countsAsFailure, goneStatus, verdictOf } from './rules.ts';
import { signedRequest } from './sending/request.ts';
import { noAnswer, type Posting, type Sender, type SendResult, type SignedRequest } from './sending/sender.ts';

export interface EndedAttempt {
  delivery: LeasedDelivery;
  outcome: AttemptOutcome;
  durationMs: number;
  lagMs: number;
}

export interface DeliveryObserver {
  /** An attempt has ended. `lagMs`: from its due time until it was sent. */
  onAttempt?: (attempt: EndedAttempt) => void;
}

export interface DelivererOptions {
  database: Queryable;
  directory: EndpointDirectory;
  clock: Clock;
  timeoutMs: number;
  retryIntervalsMs: readonly number[];
  claimer: Claimer;
  sender: Sender;
  recorder: Recorder;
  health: EndpointHealth;
  observer?: DeliveryObserver;
}

/** A delivery is sent only if the attempt's deadline and this much time to record it fit into the rest of its lease. */
export const recordingBudgetMs = 2 * secondMs;

/**
 * Makes one attempt of a claimed delivery. Deliveries to an endpoint that is switched off or removed become CANCELLED. They
 * and their events stay, so that they can be replayed.
 */
export class Deliverer {
  readonly #options: DelivererOptions;

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  perform(delivery: LeasedDelivery): Promise<void> {
    const { claimer, directory } = this.#options;
    try {
      const queue = claimer.begin(delivery.endpoint_id);
      const target = directory.cached(delivery.endpoint_id);
      return target === undefined ? this.#find(delivery, queue) : this.#deliver(delivery, queue, target);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #find(delivery: LeasedDelivery, queue: EndpointQueue): Promise<void> {
    const { claimer, directory } = this.#options;
    let target: Target | undefined;
    try {
      target = await directory.find(delivery.endpoint_id);
    } catch (error) {
      claimer.end(queue, undefined);
      throw error;
    }
    return this.#deliver(delivery, queue, target);
  }

  #deliver(delivery: LeasedDelivery, queue: EndpointQueue, target: Target | undefined): Promise<void> {
    const { sender, clock } = this.#options;
    if (target?.state !== true || target.keys === undefined) return this.#withhold(delivery, queue, target);
    const attempt = new Attempt(this.#options, delivery, queue, target, target.keys);
    const send = () => (target.forbidden ? attempt.ended({ ...forbiddenAddress }) : sender.post(attempt));
    queue.post(send, clock());
    return attempt.promise;
  }

  /** Sends nothing: the endpoint is switched off or removed, or its secret is lost. */
  async #withhold(delivery: LeasedDelivery, queue: EndpointQueue, target: Target | undefined): Promise<void> {
    const { claimer, database, recorder, health, clock } = this.#options;
    try {
      if (target?.state !== true) {
        recorder.add(cancelledResult(delivery, clock()));
        return;
      }
      // Deliveries wait until the secret is rotated. The pause keeps them from being claimed over and over.
      if (queue.isTrial || !queue.isPaused(clock())) await health.pause(queue);
      await releaseUnsent(database, delivery);
    } finally {
      claimer.end(queue, undefined);
    }
  }
}

/** One attempt of a delivery: an object instead of closures and promises, because hundreds wait for a connection at a time. */
class Attempt implements Posting {
  readonly origin: string;
  readonly guard: AddressGuard;
  readonly promise: Promise<void>;
  readonly #options: DelivererOptions;
  readonly #delivery: LeasedDelivery;
  readonly #queue: EndpointQueue;
  readonly #path: string;
  readonly #keys: EndpointKeys;
  /** Whether it is the trial of a half-open circuit breaker. */
  readonly #isTrial: boolean;
  #sentMs: number;
  #resolve!: () => void;
  #reject!: (error: unknown) => void;

  constructor(
    options: DelivererOptions,
    delivery: LeasedDelivery,
    queue: EndpointQueue,
    { origin, guard, path }: Target,
    keys: EndpointKeys,
  ) {
    this.#options = options;
    this.#delivery = delivery;
    this.#queue = queue;
    this.origin = origin;
    this.guard = guard;
    this.#path = path;
    this.#keys = keys;
    this.#isTrial = queue.isTrial;
    this.#sentMs = options.clock();
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  write(): SignedRequest | undefined {
    const { clock, timeoutMs } = this.#options;
    const nowMs = clock();
    this.#sentMs = nowMs;
    // Delayed since the claim by a frozen process or a slow database: another sender may claim it at any moment.
    const isTooLate = this.#delivery.leasedUntilMs - nowMs < timeoutMs + recordingBudgetMs;
    const isPaused = this.#queue.isPaused(nowMs) && !this.#isTrial;
    if (isTooLate || isPaused) return undefined;
    return signedRequest(this.#delivery, { path: this.#path, keys: this.#keys }, nowMs);
  }

  ended(sent: SendResult | undefined): void {
    this.#queue.posted(this.#options.clock());
    try {
      if (sent !== undefined) this.#record(sent);
      else {
        releaseUnsent(this.#options.database, this.#delivery).then(
          () => this.#finish(undefined),
          (error) => this.#fail(error),
        );
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #record(sent: SendResult): void {
    const { recorder, clock, retryIntervalsMs, observer } = this.#options;
    const delivery = this.#delivery;
    observer?.onAttempt?.({
      delivery,
      outcome: sent.outcome,
      durationMs: sent.durationMs,
      lagMs: Math.max(0, this.#sentMs - delivery.due_ms),
    });
    const endedMs = clock();
    const result = attemptResult(delivery, sent, endedMs, retryIntervalsMs);
    const { pausedUntilMs, firstFailureMs } = this.#queue.endpoint;
    // This process was frozen, and another may have sent the delivery: so late a result says nothing about the endpoint.
    const isExpired = endedMs >= delivery.leasedUntilMs;
    if (isExpired || (sent.outcome === 'ok' && pausedUntilMs === null && firstFailureMs === null)) {
      recorder.add(result);
      this.#finish(isExpired ? undefined : sent);
      return;
    }
    this.#updateHealth(sent, result).then(
      () => {
        recorder.add(result);
        this.#finish(sent);
      },
      (error) => this.#fail(error),
    );
  }

  async #updateHealth({ outcome, status }: SendResult, { state }: DeliveryResult): Promise<void> {
    const { health, clock } = this.#options;
    const queue = this.#queue;
    const { pausedUntilMs, firstFailureMs } = queue.endpoint;
    if (status === goneStatus) await health.disableGone(queue);
    else if (countsAsFailure(outcome, status)) {
      if (queue.isPauseDue(clock())) await health.pause(queue);
    } else if (pausedUntilMs !== null || (outcome === 'ok' && firstFailureMs !== null)) {
      await health.recover(queue, outcome === 'ok');
    }
    if (state === 'FAILED' && status !== goneStatus) await health.disableIfFailing(queue);
  }

  /** `sent` is undefined: nothing was sent, or too late for the result to count. */
  #finish(sent: SendResult | undefined): void {
    const verdict = sent && verdictOf(sent.outcome, sent.status, sent.durationMs);
    this.#options.claimer.end(this.#queue, verdict, sent?.durationMs);
    this.#resolve();
  }

  #fail(error: unknown): void {
    this.#options.claimer.end(this.#queue, undefined);
    this.#reject(error);
  }
}

/** The survey finds it again. If the delivery is claimed again meanwhile, the worker renews its lease in place, and this releases that lease too. */
async function releaseUnsent(database: Queryable, delivery: LeasedDelivery): Promise<void> {
  for (let lease: string | undefined; lease !== delivery.lease; ) {
    lease = delivery.lease;
    await database.run(releaseDelivery, [delivery.tenant_id, delivery.id, lease]);
  }
}

const forbiddenAddress: SendResult = { ...noAnswer, outcome: 'forbidden_address' };
