import { type Clock, secondMs } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { releaseDelivery } from '../delivery-queue/lease-statements.ts';
import type { EndpointDirectory } from '../endpoints/directory.ts';
import type { Claimer, LeasedDelivery } from './claiming/claimer.ts';
import type { EndpointQueue } from './claiming/endpoint-queue.ts';
import type { EndpointHealth } from './recording/endpoint-health.ts';
import type { Recorder } from './recording/recorder.ts';
import { attemptResult, cancelledResult, type DeliveryResult } from './recording/result.ts';
import { type AttemptOutcome, countsAsFailure, goneStatus, verdictOf } from './rules.ts';
import { signedRequest } from './sending/request.ts';
import { noAnswer, type Sender, type SendResult } from './sending/sender.ts';

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

  async perform(delivery: LeasedDelivery): Promise<void> {
    const { claimer } = this.#options;
    const queue = claimer.begin(delivery.endpoint_id);
    let sent: SendResult | undefined;
    try {
      sent = await this.#deliver(delivery, queue);
    } finally {
      claimer.end(queue, sent && verdictOf(sent.outcome, sent.status, sent.durationMs));
    }
  }

  /** undefined: nothing was sent, or too late for the result to count. */
  async #deliver(delivery: LeasedDelivery, queue: EndpointQueue): Promise<SendResult | undefined> {
    const { directory, sender, recorder, health, clock, timeoutMs, retryIntervalsMs, observer } = this.#options;
    const target = directory.cached(delivery.endpoint_id) ?? (await directory.find(delivery.endpoint_id));
    if (target?.state !== true) {
      recorder.add(cancelledResult(delivery, clock()));
      return undefined;
    }
    const { isTrial } = queue;
    const { path, keys } = target;
    if (keys === undefined) {
      // Deliveries wait until the secret is rotated. The pause keeps them from being claimed over and over.
      if (isTrial || !queue.isPaused(clock())) await health.pause(queue);
      await this.#releaseUnsent(delivery);
      return undefined;
    }
    let sentMs = clock();
    const sent = target.forbidden
      ? forbiddenAddress
      : await sender.send({
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
      delivery,
      outcome: sent.outcome,
      durationMs: sent.durationMs,
      lagMs: Math.max(0, sentMs - delivery.due_ms),
    });
    const endedMs = clock();
    const result = attemptResult(delivery, sent, endedMs, retryIntervalsMs);
    // This process was frozen, and another may have sent the delivery: so late a result says nothing about the endpoint.
    const isExpired = endedMs >= delivery.leasedUntilMs;
    if (!isExpired) await this.#updateHealth(queue, sent, result);
    recorder.add(result);
    return isExpired ? undefined : sent;
  }

  async #updateHealth(queue: EndpointQueue, { outcome, status }: SendResult, { state }: DeliveryResult): Promise<void> {
    const { health, clock } = this.#options;
    const { pausedUntilMs, firstFailureMs } = queue.endpoint;
    if (status === goneStatus) await health.disableGone(queue);
    else if (countsAsFailure(outcome, status)) {
      if (queue.isPauseDue(clock())) await health.pause(queue);
    } else if (pausedUntilMs !== null || (outcome === 'ok' && firstFailureMs !== null)) {
      await health.recover(queue, outcome === 'ok');
    }
    if (state === 'FAILED' && status !== goneStatus) await health.disableIfFailing(queue);
  }

  /** The survey finds it again. If the delivery is claimed again meanwhile, the worker renews its lease in place, and this releases that lease too. */
  async #releaseUnsent(delivery: LeasedDelivery): Promise<void> {
    for (let lease: string | undefined; lease !== delivery.lease; ) {
      lease = delivery.lease;
      await this.#options.database.run(releaseDelivery, [delivery.tenant_id, delivery.id, lease]);
    }
  }
}

const forbiddenAddress: SendResult = { ...noAnswer, outcome: 'forbidden_address' };
