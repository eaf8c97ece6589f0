import { minuteMs, secondMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { ClaimLoop } from '../../../platform/jobs/claim-loop.ts';
import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import { retryAt, retryWaitsMs } from './rules.ts';
import { type CallbackSettlerDeps, settleCallback } from './settle.ts';
import {
  claimCallbacks,
  type DueCallback,
  freeLeases,
  giveBackCallbacks,
  recordCallback,
  releaseCallbacks,
  shortenWaits,
} from './statements.ts';

export interface CallbackWorkerOptions extends CallbackSettlerDeps {
  /** Called when a callback reaches its final state. */
  observe: (result: 'settled' | 'ignored') => void;
  /** How long to wait between polls, if something else wakes the worker. */
  pollMs?: () => number;
  onError: (error: unknown) => void;
  onRecovered?: () => void;
}

/** Few enough to leave the shared connections to the dispatcher. */
const maximumInFlight = 50;
/** Longer than a settlement is retried while the database is unavailable. */
const leaseMs = 30 * secondMs;
/** Wait before the next try when the operation is in use or the database is unavailable. */
const busyRetryMs = secondMs;

interface LeasedCallback extends DueCallback {
  lease: string;
}

/** What is recorded after a try. */
interface TryResult {
  state: 'RECEIVED' | 'SETTLED' | 'IGNORED';
  tries: number;
  dueMs: number;
}

/**
 * Settles stored callbacks. Those of one operation are settled one after another, in the order in which they were received
 * (`claimCallbacks`). A callback whose operation is not found is retried after 5 s, 30 s, 5 min and 1 h, then ignored. A
 * callback whose process died is due again when its lease ends.
 */
export class CallbackWorker {
  readonly #options: CallbackWorkerOptions;
  readonly #loop: ClaimLoop<LeasedCallback>;

  constructor(options: CallbackWorkerOptions) {
    const { onError, onRecovered } = options;
    this.#options = options;
    this.#loop = new ClaimLoop<LeasedCallback>({
      claim: (maximum, lease) => this.#claim(maximum, lease),
      releaseLeases: async (leases) => {
        await options.database.run(giveBackCallbacks, [leases]);
      },
      keyOf: ({ id }) => id,
      renew: (inFlight, { lease }) => Object.assign(inFlight, { lease }),
      perform: (callback) => this.#perform(callback),
      release: (notStarted) => this.#release(notStarted),
      slots: () => maximumInFlight,
      maxBatch: maximumInFlight,
      pollMs: options.pollMs,
      onError,
      ...(onRecovered && { onRecovered }),
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

  async freeDeadLeases(): Promise<void> {
    await this.#options.database.run(freeLeases);
  }

  async clockWasSetBack(): Promise<void> {
    const { database, clock } = this.#options;
    await database.run(shortenWaits, [clock(), leaseMs, minuteMs, [...retryWaitsMs]]);
    this.#loop.wake();
  }

  async #claim(maximum: number, lease: string): Promise<LeasedCallback[]> {
    const { database, clock } = this.#options;
    const nowMs = clock();
    const rows = await database.run(claimCallbacks, [nowMs, nowMs + leaseMs, maximum, lease]);
    return rows.map((row) => ({ ...row, lease }));
  }

  async #perform(callback: LeasedCallback): Promise<void> {
    const { database, clock, observe } = this.#options;
    const { state, tries, dueMs } = await this.#settle(callback);
    const values = [callback.channel_id, callback.event_id, callback.lease, state, tries, dueMs, clock()];
    await database.run(recordCallback, values);
    if (state !== 'RECEIVED') observe(state === 'SETTLED' ? 'settled' : 'ignored');
  }

  async #settle(callback: LeasedCallback): Promise<TryResult> {
    const { clock, onError } = this.#options;
    const { tries } = callback;
    try {
      const result = await settleCallback(callback, this.#options);
      if (result === 'settled') return { state: 'SETTLED', tries, dueMs: clock() };
      if (result === 'busy') return { state: 'RECEIVED', tries, dueMs: clock() + busyRetryMs };
    } catch (error) {
      onError(error);
      if (isUnavailable(error)) return { state: 'RECEIVED', tries, dueMs: clock() + busyRetryMs };
    }
    const dueMs = retryAt(tries, clock());
    return dueMs === undefined
      ? { state: 'IGNORED', tries: tries + 1, dueMs: clock() }
      : { state: 'RECEIVED', tries: tries + 1, dueMs };
  }

  async #release(notStarted: readonly LeasedCallback[]): Promise<void> {
    await this.#options.database.run(releaseCallbacks, [
      plainArray(notStarted.map(({ channel_id }) => channel_id)),
      textArray(notStarted.map(({ event_id }) => event_id)),
      plainArray(notStarted.map(({ lease }) => lease)),
    ]);
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Refusal && error.kind === 'unavailable';
}
