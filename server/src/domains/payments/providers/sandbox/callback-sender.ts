import { type Clock, secondMs } from '../../../../core/clock.ts';
import { Worker } from '../../../../platform/jobs/worker.ts';
import { plainArray, textArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { DeliverCallback } from '../directory.ts';
import { callbackIntervalMs } from './behaviours.ts';
import { expireAuthorization } from './capture-statements.ts';
import { headersOf, type SignedMessage } from './messages.ts';
import {
  claimCallbacks,
  type DueCallback,
  failReturned,
  recordCallbackFailed,
  recordCallbackSent,
  releaseCallbacks,
  sandboxCallbackDue,
  sandboxCallbacksDue,
} from './statements.ts';

export interface CallbackSenderDeps {
  database: Queryable;
  clock: Clock;
  /** Delivers a callback to its channel, as if it had arrived over HTTP. Rejects if the callback is not accepted. */
  deliverCallback: DeliverCallback;
  /** Called once when the database becomes unavailable, and for every callback whose attempts are used up. */
  onError: (error: unknown) => void;
  /** `app.sandbox.delay`. */
  delayMs: number;
  /** Resolves when the sandbox has no record left to write; awaited by `stop`. */
  recordsWritten?: () => Promise<void>;
}

const maxInFlight = 16;
/** Longer than any callback takes, so that the lease of a live sender does not expire. */
const leaseMs = 60 * secondMs;
/** Made within about two minutes. After them only a look-up finds the result. */
const maxAttempts = 8;

/**
 * Sends the sandbox's callbacks at least once. The callbacks of an operation are sent in order, each one only after the
 * one before was accepted.
 */
export function sandboxCallbackSender(deps: CallbackSenderDeps): Worker<DueCallback> {
  const { database, clock, onError, recordsWritten } = deps;
  return new Worker<DueCallback>({
    name: 'sandbox',
    dueWork: { topic: sandboxCallbacksDue, due: sandboxCallbackDue },
    claim: (limit) => database.run(claimCallbacks, [clock(), clock() + leaseMs, limit]),
    perform: (due) => send(due, deps),
    release: async (notStarted) => {
      await database.run(releaseCallbacks, [
        textArray(notStarted.map((due) => due.key)),
        plainArray(notStarted.map((due) => due.callback_step)),
        clock(),
      ]);
    },
    drain: async (drained) => {
      await drained;
      await recordsWritten?.();
    },
    slots: maxInFlight,
    onError,
  });
}

async function send(
  { key, channel_id, callbacks, callback_step, callback_tries }: DueCallback,
  { database, clock, delayMs, deliverCallback, onError }: CallbackSenderDeps,
): Promise<void> {
  const message = callbacks[callback_step] as SignedMessage;
  // A result changes before the callback that reports it is sent.
  await database.run(failReturned, [key, clock()]);
  await database.run(expireAuthorization, [key, clock()]);
  try {
    await deliverCallback(channel_id, headersOf(message), Buffer.from(message.body));
  } catch (error) {
    const isLast = callback_tries + 1 >= maxAttempts;
    if (isLast) onError(error);
    const retryAtMs = isLast ? null : clock() + secondMs * 2 ** callback_tries;
    await database.run(recordCallbackFailed, [key, callback_step, retryAtMs]);
    return;
  }
  const { afterMs = Math.min(callbackIntervalMs, delayMs) } = callbacks[callback_step + 1] ?? {};
  await database.run(recordCallbackSent, [key, callback_step, clock() + afterMs]);
}
