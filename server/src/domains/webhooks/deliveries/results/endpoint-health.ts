import type { Clock } from '../../../../core/clock.ts';
import type { GenerateUuid } from '../../../../core/id.ts';
import type { Database, Queryable } from '../../../../platform/postgres/database.ts';
import { disabledEvent } from '../../endpoints/events.ts';
import {
  disableEndpoint,
  pauseEndpoint,
  recordExhaustion,
  recoverEndpoint,
  releaseTrials,
  reserveTrials,
} from '../../endpoints/health-statements.ts';
import { type DisabledReason, disabledAfterMs } from '../../endpoints/rules.ts';
import { appendEvent } from '../../events/append-events.cte.ts';
import type { Answer } from '../connections/answer.ts';
import type { EndpointQueue } from '../queues/endpoint-queue.ts';
import { type AttemptOutcome, breakerOpenMs, countsAsFailure, goneStatus } from '../rules.ts';

/** An endpoint that was or is paused, over all nodes. */
export interface PausedEndpoint {
  endpointId: number;
  tenantId: number;
  /** Without its query, which may have a secret. */
  url: string;
}

/** An endpoint whose first pause in a row begins. */
export interface FailingEndpoint extends PausedEndpoint {
  outcome: AttemptOutcome | 'secret_lost';
  /** Of the last answer; undefined: there was none. */
  status: number | undefined;
  /** Deliveries that have not ended; at most 10,000 are counted. */
  waiting: number;
}

export interface EndpointHealthOptions {
  database: Queryable;
  transactions: Pick<Database, 'transaction'>;
  clock: Clock;
  generateUuid: GenerateUuid;
  onPaused?: (() => void) | undefined;
  onFailing?: ((endpoint: FailingEndpoint) => void) | undefined;
  onAnswering?: ((endpoint: PausedEndpoint) => void) | undefined;
  onError: (error: unknown) => void;
}

/**
 * Writes changes of endpoint health for all nodes: pauses, recoveries, switching off. Each is written before the result
 * that caused it: if the sender dies in between, the delivery is repeated, and the change is already known.
 */
export class EndpointHealth {
  readonly #options: EndpointHealthOptions;

  constructor(options: EndpointHealthOptions) {
    this.#options = options;
  }

  /**
   * Reserves the trials of half-open circuit breakers until `untilMs`, one on all nodes: `hasTrial` says who got one.
   * Others are no longer `granted` anything.
   */
  async reserveTrials(granted: Map<EndpointQueue, number>, nowMs: number, untilMs: number): Promise<void> {
    const queues = [...granted.keys()].filter((queue) => queue.isHalfOpen(nowMs));
    if (queues.length === 0) return;
    const rows = await this.#options.database.run(reserveTrials, [nowMs, untilMs, queues.map(({ id }) => id)]);
    const reserved = new Set(rows.map(({ id }) => id));
    for (const queue of queues) {
      queue.hasTrial = reserved.has(queue.id);
      if (!queue.hasTrial) granted.delete(queue);
      queue.endpoint = { ...queue.endpoint, pausedUntilMs: untilMs };
    }
  }

  /** Another node holds the deliveries of these trials: the endpoints need not wait for another pause. */
  async returnTrials(queues: readonly EndpointQueue[], nowMs: number, untilMs: number): Promise<void> {
    if (queues.length === 0) return;
    await this.#options.database.run(releaseTrials, [nowMs, untilMs, queues.map(({ id }) => id)]);
    for (const queue of queues) {
      queue.hasTrial = false;
      queue.endpoint = { ...queue.endpoint, pausedUntilMs: nowMs };
    }
  }

  /** What an answer changes: the circuit breaker opens or closes, or the endpoint is switched off. */
  async record(queue: EndpointQueue, answer: Answer, { isLastAttempt }: { isLastAttempt: boolean }): Promise<void> {
    const { outcome, status } = answer;
    const hasSucceeded = outcome === 'ok';
    const { pausedUntilMs, firstFailureMs } = queue.endpoint;
    if (status === goneStatus) return this.#disableGone(queue);
    if (countsAsFailure(outcome, status)) {
      if (queue.isPauseDue(this.#options.clock())) await this.pause(queue, answer);
    } else if (pausedUntilMs !== null || (hasSucceeded && firstFailureMs !== null)) {
      await this.#recover(queue, hasSucceeded);
    }
    if (isLastAttempt && !hasSucceeded) await this.#disableIfFailing(queue);
  }

  /** Opens the circuit breaker, in memory first, so that no claim grants more meanwhile. */
  async pause(queue: EndpointQueue, { outcome, status }: Pick<FailingEndpoint, 'outcome' | 'status'>): Promise<void> {
    const nowMs = this.#options.clock();
    const untilMs = nowMs + breakerOpenMs;
    queue.pause(nowMs, untilMs);
    this.#options.onPaused?.();
    await this.#write(async ({ database, onFailing }) => {
      const [paused] = await database.run(pauseEndpoint, [queue.id, untilMs, queue.endpoint.firstFailureMs]);
      if (paused !== undefined) onFailing?.({ ...factsOf(paused), outcome, status, waiting: paused.waiting });
    });
  }

  /** Closes the circuit breaker. Only a success ends the series of failures that may switch the endpoint off. */
  async #recover(queue: EndpointQueue, hasSucceeded: boolean): Promise<void> {
    queue.recover(hasSucceeded, this.#options.clock());
    await this.#write(async ({ database, onAnswering }) => {
      const [recovered] = await database.run(recoverEndpoint, [queue.id, hasSucceeded]);
      if (recovered !== undefined) onAnswering?.(factsOf(recovered));
    });
  }

  /** A delivery has no retries left: switches the endpoint off if its last success is too long ago. */
  async #disableIfFailing(queue: EndpointQueue): Promise<void> {
    const nowMs = this.#options.clock();
    const { firstFailureMs } = queue.endpoint;
    const isRecent = firstFailureMs !== null && firstFailureMs > nowMs - disabledAfterMs;
    if (isRecent) return;
    await this.#write(async ({ transactions, generateUuid }) => {
      const sinceMs = queue.failingSinceMs ?? nowMs;
      const reason: DisabledReason = 'failing';
      const values = [queue.id, sinceMs, nowMs - disabledAfterMs, reason, nowMs];
      const row = await transactions.transaction(async (transaction) => {
        const [changed] = await transaction.run(recordExhaustion, values);
        if (changed?.state === false) await appendEvent(transaction, disabledEvent(changed, generateUuid()));
        return changed;
      });
      if (row === undefined) return;
      queue.endpoint = { ...queue.endpoint, firstFailureMs: firstFailureMs ?? sinceMs, isActive: row.state };
    });
  }

  /** The endpoint answered 410 Gone. */
  async #disableGone(queue: EndpointQueue): Promise<void> {
    await this.#write(async ({ transactions, clock, generateUuid }) => {
      const reason: DisabledReason = 'gone';
      await transactions.transaction(async (transaction) => {
        const [disabled] = await transaction.run(disableEndpoint, [queue.id, reason, clock()]);
        if (disabled !== undefined) await appendEvent(transaction, disabledEvent(disabled, generateUuid()));
      });
      queue.endpoint = { ...queue.endpoint, isActive: false };
    });
  }

  async #write(write: (options: EndpointHealthOptions) => Promise<unknown>): Promise<void> {
    try {
      await write(this.#options);
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

function factsOf({ id, tenant_id, url }: { id: number; tenant_id: number; url: string }): PausedEndpoint {
  const { origin, pathname } = new URL(url);
  return { endpointId: id, tenantId: tenant_id, url: origin + pathname };
}
