import { isUnavailable, Refusal } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';
import { failureOf } from './connection/failures.ts';
import { type Costed, FairQueue } from './fair-queue.ts';

export interface BatcherOptions<Item, Result> {
  /** Runs one batch. Result i belongs to item i. */
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Maximum number of items in a batch, and of their cost in all. */
  maxBatch: number;
  /** The cost of an item, relative to an ordinary one. Default: 1. */
  costOf?: (item: Item) => number;
  /**
   * The group of an item. A batch that cannot hold all waiting items is divided among their groups by cost. Default:
   * one group.
   */
  groupOf?: (item: Item) => unknown;
  /** Maximum number of waiting items; further ones are refused at once. */
  maxQueued: number;
  /** How long a batch is retried while the database is unavailable, in ms; only where running it twice is harmless. */
  retryForMs?: number;
  /** Called for each finished batch with its size and its duration in ms. */
  observe?: (size: number, durationMs: number) => void;
}

interface Waiting<Item, Result> extends Costed {
  item: Item;
  /** performance.now() */
  sinceMs: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const retryPauseMs = 50;

/**
 * Group commit. When no batch is in flight, an item is run at the end of the turn of the event loop, with all others of
 * that turn: requests that were received together then share a statement (docs/decisions/group-commit.md). Otherwise
 * it joins the next batch, which starts when the one in flight returns. So the batch size adapts to the load, without a
 * timer or a minimum wait.
 *
 * An invalid item must not fail the others: a batch that is refused for its values is split until the item is alone.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #queue = new FairQueue<Waiting<Item, Result>>();
  #inFlight = false;
  /** Since when the oldest item of the batch in flight has waited. */
  #oldestInFlightMs: number | undefined;
  #isAway = false;
  #idle: (() => void)[] = [];

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    const { maxQueued, groupOf, costOf } = this.#options;
    if (this.#queue.length >= maxQueued) return Promise.reject(queueFull());
    return new Promise((resolve, reject) => {
      const sinceMs = performance.now();
      this.#queue.push({ item, sinceMs, group: groupOf?.(item), cost: costOf?.(item) ?? 1, resolve, reject });
      if (this.#inFlight) return;
      this.#inFlight = true;
      setImmediate(() => this.#launch());
    });
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** How long the oldest item has waited for its result, in ms; 0 if there is none. */
  get oldestWaitMs(): number {
    const oldestMs = this.#oldestInFlightMs ?? this.#queue.first?.sinceMs;
    return oldestMs === undefined ? 0 : performance.now() - oldestMs;
  }

  /** Resolves when nothing is queued or in flight. */
  drained(): Promise<void> {
    if (!this.#inFlight) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #launch(): void {
    const { maxBatch } = this.#options;
    const batch = this.#queue.take(maxBatch, maxBatch);
    this.#inFlight = true;
    this.#oldestInFlightMs = batch[0]?.sinceMs;
    // oxlint-disable-next-line typescript/no-floating-promises -- #attempt passes every failure to its items; a defect ends the process.
    this.#flush(batch);
  }

  async #flush(batch: Waiting<Item, Result>[]): Promise<void> {
    const startedAt = performance.now();
    const settle = await this.#attempt(batch);
    this.#options.observe?.(batch.length, performance.now() - startedAt);
    // The next batch starts before the finished one is answered: the database works while replies are written (+7 %).
    this.#inFlight = false;
    this.#oldestInFlightMs = undefined;
    if (this.#queue.length > 0) this.#launch();
    settle();
    if (!this.#inFlight) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Runs a batch, split where its values are wrong. Returns a function that answers the waiting callers. */
  async #attempt(batch: Waiting<Item, Result>[]): Promise<() => void> {
    try {
      const results = await this.#runWithRetry(batch.map((waiting) => waiting.item));
      return () => {
        for (let i = 0; i < batch.length; i++) (batch[i] as Waiting<Item, Result>).resolve(results[i] as Result);
      };
    } catch (error) {
      if (batch.length > 1 && failureOf(error) === 'data') {
        const middle = batch.length >> 1;
        const first = await this.#attempt(batch.slice(0, middle));
        const second = await this.#attempt(batch.slice(middle));
        return () => {
          first();
          second();
        };
      }
      return () => {
        for (const waiting of batch) waiting.reject(error);
      };
    }
  }

  /** Waits once for a database that stays unavailable; further batches fail at once until it answers again. */
  async #runWithRetry(items: readonly Item[]): Promise<readonly Result[]> {
    const { run, retryForMs = 0 } = this.#options;
    const deadline = performance.now() + (this.#isAway ? 0 : retryForMs);
    for (;;) {
      try {
        const results = await run(items);
        this.#isAway = false;
        return results;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (performance.now() >= deadline) {
          this.#isAway = true;
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
      }
    }
  }
}

function queueFull(): Refusal {
  return new Refusal('overloaded', rule('too_many_waiting'), {
    retryAfterSeconds: 1,
  });
}
