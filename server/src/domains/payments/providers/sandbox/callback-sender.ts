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
  /** Gives a callback to the channel it is for, as if it had come over HTTP. Throws where it is not accepted. */
  deliverCallback: (channelId: number, headers: Record<string, string>, body: Buffer) => Promise<void>;
  /** How often it looks by itself, where something else wakes it (`sandboxCallbackDue`). */
  pollMs?: () => number;
  /** Told once when the database goes away, and of every callback that is given up. */
  onError: (error: unknown) => void;
}

/** Callbacks in flight at most. */
const maxInFlight = 16;
/** Longer than any callback takes: a sender that is given up for dead had better be so. */
const leaseMs = 60 * secondMs;
/** After this many tries, in two minutes, a look-up has to tell. */
const maxAttempts = 8;

/**
 * Sends the callbacks that the sandbox owes, each operation's in their order: the next one only when the one before was
 * accepted. At least once: after a crash the last one may come again.
 */
export class SandboxCallbackSender {
  readonly #options: CallbackSenderOptions;
  readonly #loop: ClaimLoop<DueCallback>;

  constructor(options: CallbackSenderOptions) {
    const { database, clock, onError } = options;
    this.#options = options;
    this.#loop = new ClaimLoop({
      claim: (room) => database.run(claimCallbacks, [clock(), clock() + leaseMs, room]),
      perform: (due) => this.#send(due),
      release: (notStarted) => this.#release(notStarted),
      slots: () => maxInFlight,
      maxBatch: maxInFlight,
      pollMs: options.pollMs,
      onError: onError,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** One has just become due. */
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
    // What the callback says is so before it is said.
    await database.run(failReturnedRefund, [key, clock()]);
    try {
      await deliverCallback(channel_id, headersOf(message), Buffer.from(message.body));
    } catch (error) {
      const isLast = callback_tries + 1 >= maxAttempts;
      if (isLast) onError(error);
      const againMs = isLast ? null : clock() + secondMs * 2 ** callback_tries;
      await database.run(recordCallbackFailed, [key, callback_step, againMs]);
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
