import { type Clock, secondMs } from '../../../core/clock.ts';
import type { TestClockWork } from '../test-clocks/worker.ts';
import { type CollectDeps, collectDue } from './collect.ts';
import { type RenewDeps, renewDue } from './renew.ts';
import { msOf } from './rules.ts';
import { dueClocks, nextDueTime } from './statements.ts';
import { subscriptionsDue } from './write-statements.ts';

export interface SubscriptionWorkerOptions extends RenewDeps, CollectDeps {
  clock: Clock;
  /** How often it polls when nothing is due, in ms. Default 200; longer where a poller wakes it (`subscriptionDue`). */
  idlePollMs?: number;
  onRecovered?: () => void;
}

/** The clock id of customers without a test clock. */
export const realClockId = 0;

const pollMs = 200;
const longestBackoffMs = secondMs;

/**
 * Renews due subscriptions and collects due charges, batch after batch until nothing is due. Then it waits for the next poll
 * or wake. Any number of nodes may run it at once.
 */
export class SubscriptionWorker {
  readonly #options: SubscriptionWorkerOptions;
  #running = false;
  #pass: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isWoken = false;

  constructor(options: SubscriptionWorkerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.wake();
  }

  /** Polls now: work may have become due. */
  wake(): void {
    if (!this.#running) return;
    this.#isWoken = true;
    // After a failure, wait for the backoff.
    if (this.#pass !== undefined || this.#failures > 0) return;
    this.#startPass();
  }

  /** Resolves when the current batch has ended; starts no other. */
  async stop(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#timer);
    await this.#pass;
  }

  /** The work that runs by test clocks. */
  get testClockWork(): TestClockWork {
    return {
      nextDueMs: async (snapshot, { clockId }, untilMs) => {
        const [row] = await snapshot.run(nextDueTime, [clockId]);
        const dueMs = row?.at == null ? null : msOf(row.at);
        return dueMs !== null && dueMs <= untilMs ? dueMs : null;
      },
      isInProgress: async () => false,
      topics: [subscriptionsDue],
    };
  }

  #startPass(): void {
    clearTimeout(this.#timer);
    this.#isWoken = false;
    this.#pass = this.#runPass().then((pauseMs) => {
      this.#pass = undefined;
      if (!this.#running) return;
      if (this.#isWoken && this.#failures === 0) this.#startPass();
      else this.#timer = setTimeout(() => this.#startPass(), pauseMs);
    });
  }

  /** Never rejects. Returns how long to wait before the next pass, in ms. */
  async #runPass(): Promise<number> {
    const { clock, database, onError, onRecovered } = this.#options;
    try {
      await this.#processDue(realClockId, clock());
      for (const { id, now_at } of await database.run(dueClocks)) await this.#processDue(id, msOf(now_at));
    } catch (error) {
      if (this.#failures++ === 0) onError(error);
      return Math.min(longestBackoffMs, pollMs * this.#failures);
    }
    if (this.#failures > 0) onRecovered?.();
    this.#failures = 0;
    return this.#options.idlePollMs ?? pollMs;
  }

  /**
   * Processes all work that is due by one clock. Batches of renewals and charges alternate, so that the first payment does not
   * wait for the last of 100,000 invoices.
   */
  async #processDue(clockId: number, nowMs: number): Promise<void> {
    for (let processed = 1; processed > 0; ) {
      processed = this.#running ? await renewDue(clockId, nowMs, this.#options) : 0;
      processed += this.#running ? await collectDue(clockId, nowMs, this.#options) : 0;
    }
  }
}
