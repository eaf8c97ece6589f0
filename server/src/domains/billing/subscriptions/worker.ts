import { type Clock, secondMs } from '../../../core/clock.ts';
import type { TestClockWork } from '../test-clocks/worker.ts';
import { type CollectDeps, collectDue } from './collect.ts';
import { type RenewDeps, renewDue } from './renew.ts';
import { msOf } from './rules.ts';
import { dueClocks, nextDueTime } from './statements.ts';
import { subscriptionsDue } from './write-statements.ts';

export interface SubscriptionWorkerOptions extends RenewDeps, CollectDeps {
  clock: Clock;
  /** How long after nothing was due it looks again, in ms, where something else wakes it (`subscriptionDue`). */
  idlePollMs?: number;
  onRecovered?: () => void;
}

/** The clock of customers without one of their own. */
export const realClockId = 0;

/** How long after nothing was due it looks again by itself. */
const pollMs = 200;
const longestBackoffMs = secondMs;

/**
 * Does what is due to subscriptions: periods begin and are invoiced, ends come, payments are tried. Batch after batch as
 * long as something is due, then it looks again every 200 ms, or when a lookout wakes it. Any number of nodes may do
 * this at once.
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

  /** Something has just become due: look now, not at the next poll. */
  wake(): void {
    if (!this.#running) return;
    this.#isWoken = true;
    // A database that is away is not hurried.
    if (this.#pass !== undefined || this.#failures > 0) return;
    this.#startPass();
  }

  /** Lets the batch in hand end, and begins no other. */
  async stop(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#timer);
    await this.#pass;
  }

  /** What is due to subscriptions, for whoever moves the clocks of their customers. */
  get clockWork(): TestClockWork {
    return {
      nextDueMs: async (moment, { clockId }, untilMs) => {
        const [row] = await moment.run(nextDueTime, [clockId]);
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

  /** Never fails; gives back how long to wait. */
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
   * All that is due by a clock, renewing and collecting by turns, so that the first payment need not wait for the last of
   * 100,000 invoices. What is due to payments that end later is not waited for.
   */
  async #processDue(clockId: number, nowMs: number): Promise<void> {
    for (let worked = 1; worked > 0; ) {
      worked = this.#running ? await renewDue(clockId, nowMs, this.#options) : 0;
      worked += this.#running ? await collectDue(clockId, nowMs, this.#options) : 0;
    }
  }
}
