import { type Clock, secondMs } from '../../../../core/clock.ts';
import { ClaimLoop } from '../../../../platform/jobs/claim-loop.ts';
import { plainArray, textArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { callbackIntervalMs } from './behaviours.ts';
import { headersOf, type SignedMessage } from './messages.ts';
import {
  claimCallbacks,
  type DueCallback,
  failReturnedRefund,
  recordCallbackFailed,
  recordCallbackSent,
  releaseCallbacks,
} from './statements.ts';

export interface CallbackSenderOptions {
  database: Queryable;
  clock: Clock;
  /** Delivers a callback to its channel, as if it had arrived over HTTP. Rejects if the callback is not accepted. */
  deliverCallback: (channelId: number, headers: Record<string, string>, body: Buffer) => Promise<void>;
  /** How often the sender polls by itself, if something else wakes it (`sandboxCallbackDue`). */
  pollMs?: () => number;
  /** Called once when the database becomes unavailable, and for every callback that is given up. */
  onError: (error: unknown) => void;
}

const maxInFlight = 16;
/** Longer than any callback takes: the lease of a sender that is alive must not run out. */
const leaseMs = 60 * secondMs;
/** Within about two minutes. After that only a look-up finds the result. */
const maxAttempts = 8;

/**
 * Sends the sandbox's callbacks at least once. The callbacks of an operation are sent in order, each one only after the one
 * before was accepted.
 */
export class SandboxCallbackSender {
  readonly #options: CallbackSenderOptions;
  readonly #loop: ClaimLoop<DueCallback>;

  constructor(options: CallbackSenderOptions) {
    const { database, clock, onError } = options;
    this.#options = options;
    this.#loop = new ClaimLoop({
      claim: (limit) => database.run(claimCallbacks, [clock(), clock() + leaseMs, limit]),
      perform: (due) => this.#send(due),
      release: (notStarted) => this.#release(notStarted),
      slots: () => maxInFlight,
      maxBatch: maxInFlight,
      pollMs: options.pollMs,
      onError,
    });
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#loop.drained();
  }

  async #send({ key, channel_id, callbacks, callback_step, callback_tries }: DueCallback): Promise<void> {
    const { database, clock, deliverCallback, onError } = this.#options;
    const message = callbacks[callback_step] as SignedMessage;
    // A refund fails before the callback that reports it is sent.
    await database.run(failReturnedRefund, [key, clock()]);
    try {
      await deliverCallback(channel_id, headersOf(message), Buffer.from(message.body));
    } catch (error) {
      const isLast = callback_tries + 1 >= maxAttempts;
      if (isLast) onError(error);
      const retryAtMs = isLast ? null : clock() + secondMs * 2 ** callback_tries;
      await database.run(recordCallbackFailed, [key, callback_step, retryAtMs]);
      return;
    }
    await database.run(recordCallbackSent, [key, callback_step, clock() + callbackIntervalMs]);
  }

  async #release(notStarted: readonly DueCallback[]): Promise<void> {
    await this.#options.database.run(releaseCallbacks, [
      textArray(notStarted.map((due) => due.key)),
      plainArray(notStarted.map((due) => due.callback_step)),
      this.#options.clock(),
    ]);
  }
}
