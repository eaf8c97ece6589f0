import { minuteMs, secondMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { ClaimLoop } from '../../../platform/jobs/claim-loop.ts';
import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import { retryAt, retryWaitsMs } from './rules.ts';
import { type CallbackSettlerDeps, settleCallback } from './settle.ts';
import {
  bringForward,
  claimCallbacks,
  type DueCallback,
  freeLeases,
  giveBackCallbacks,
  recordCallback,
  releaseCallbacks,
} from './statements.ts';

export interface CallbackWorkerOptions extends CallbackSettlerDeps {
  observe: (end: 'settled' | 'ignored') => void;
  /** How often it looks by itself, where something else wakes it. */
  pollMs?: () => number;
  onError: (error: unknown) => void;
  onRecovered?: () => void;
}

/** Few enough to leave the connections that they share to the operations themselves. */
const slots = 50;
/** Longer than a settlement outlasts a database that is away. */
const leaseMs = 30 * secondMs;
/** An operation that is being asked for is at rest a little later; so may be a database. */
const pauseMs = secondMs;

interface LeasedCallback extends DueCallback {
  lease: string;
}

/** What is written of a callback afterwards. */
interface End {
  state: 'RECEIVED' | 'SETTLED' | 'IGNORED';
  tries: number;
  dueMs: number;
}

/**
 * Settles the callbacks that have been kept, on whichever node: at once when it is woken, else as it finds them. Those of
 * one operation are settled one after the other, in the order in which they were received (`claimCallbacks`). What names
 * nothing of ours is looked for again after 5 s, 30 s, 5 min and 1 h, then ignored. What a process that died had begun is
 * due again when its lease ends.
 */
export class CallbackWorker {
  readonly #options: CallbackWorkerOptions;
  readonly #loop: ClaimLoop<LeasedCallback>;

  constructor(options: CallbackWorkerOptions) {
    const { onError, onRecovered } = options;
    this.#options = options;
    this.#loop = new ClaimLoop<LeasedCallback>({
      claim: (room, lease) => this.#claim(room, lease),
      giveBack: async (leases) => {
        await options.database.run(giveBackCallbacks, [leases]);
      },
      keyOf: ({ id }) => id,
      renew: (inFlight, { lease }) => Object.assign(inFlight, { lease }),
      perform: (held) => this.#perform(held),
      release: (notStarted) => this.#release(notStarted),
      slots: () => slots,
      maxBatch: slots,
      pollMs: options.pollMs,
      onError: onError,
      ...(onRecovered && { onRecovered }),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** One has just been kept here. */
  wake(): void {
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#loop.drained();
  }

  /** Before it starts on a node that knows itself alone with the database. */
  async freeDeadLeases(): Promise<void> {
    await this.#options.database.run(freeLeases);
  }

  /** The database's clock was set back. */
  async clockWasSetBack(): Promise<void> {
    const { database, clock } = this.#options;
    await database.run(bringForward, [clock(), leaseMs, minuteMs, [...retryWaitsMs]]);
    this.#loop.wake();
  }

  async #claim(room: number, lease: string): Promise<LeasedCallback[]> {
    const { database, clock } = this.#options;
    const nowMs = clock();
    const rows = await database.run(claimCallbacks, [nowMs, nowMs + leaseMs, room, lease]);
    return rows.map((row) => ({ ...row, lease }));
  }

  async #perform(held: LeasedCallback): Promise<void> {
    const { database, clock, observe } = this.#options;
    const { state, tries, dueMs } = await this.#settle(held);
    const values = [held.channel_id, held.event_id, held.lease, state, tries, dueMs, clock()];
    await database.run(recordCallback, values);
    if (state !== 'RECEIVED') observe(state === 'SETTLED' ? 'settled' : 'ignored');
  }

  async #settle(held: LeasedCallback): Promise<End> {
    const { clock, onError } = this.#options;
    const { tries } = held;
    try {
      const settled = await settleCallback(held, this.#options);
      if (settled === 'settled') return { state: 'SETTLED', tries, dueMs: clock() };
      if (settled === 'busy') return { state: 'RECEIVED', tries, dueMs: clock() + pauseMs };
    } catch (error) {
      onError(error);
      if (isAway(error)) return { state: 'RECEIVED', tries, dueMs: clock() + pauseMs };
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

/** The database is to blame, not the callback. */
function isAway(error: unknown): boolean {
  return error instanceof Refusal && error.kind === 'unavailable';
}
