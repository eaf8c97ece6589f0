import { Refusal } from '../../core/errors.ts';
import { failureOf } from './failures.ts';

export interface BatcherOptions<Item, Result> {
  /** Runs one batch. Result i belongs to item i. */
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Items in one batch at most. */
  maxBatch: number;
  /** Items waiting at most; one more is refused at once, so that overload answers fast. */
  maxQueued: number;
  /** How long a batch is tried again while the database is away, in ms; only where running it twice is harmless. */
  retryForMs?: number;
  /** Told of each batch that returned: its size, and how long it took in ms. */
  observe?: (size: number, durationMs: number) => void;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const retryPauseMs = 50;

/**
 * Group commit. An item joins the open batch; when no batch is in flight it goes at once (a lone request waits for
 * nobody), else it goes when the batch in flight returns: batches grow by themselves with the load. There is no timer
 * and no minimum wait.
 *
 * One bad item must not fail its neighbours: a batch refused for its values is split until the culprit stands alone.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  #queue: Waiting<Item, Result>[] = [];
  #inFlight = false;
  #away = false;
  #idle: (() => void)[] = [];

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    if (this.#queue.length >= this.#options.maxQueued) return Promise.reject(queueFull());
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      if (!this.#inFlight) this.#launch();
    });
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** Resolves when nothing is queued or in flight. */
  drained(): Promise<void> {
    if (!this.#inFlight) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #launch(): void {
    const { maxBatch } = this.#options;
    const batch = this.#queue.length <= maxBatch ? this.#queue : this.#queue.slice(0, maxBatch);
    this.#queue = batch === this.#queue ? [] : this.#queue.slice(maxBatch);
    this.#inFlight = true;
    // oxlint-disable-next-line typescript/no-floating-promises -- #attempt hands every failure to its items; a defect shall end the process.
    this.#flush(batch);
  }

  async #flush(batch: Waiting<Item, Result>[]): Promise<void> {
    const startedAt = performance.now();
    const settle = await this.#attempt(batch);
    this.#options.observe?.(batch.length, performance.now() - startedAt);
    // The next batch leaves before the finished one is answered: the database works while we write replies (+7 %).
    this.#inFlight = false;
    if (this.#queue.length > 0) this.#launch();
    settle();
    if (!this.#inFlight) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Runs a batch to its end, splitting where its values are to blame; gives back how to answer those who wait. */
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

  /** A database that stays away is waited for once; after that everyone is refused at once until it answers again. */
  async #runWithRetry(items: readonly Item[]): Promise<readonly Result[]> {
    const { run, retryForMs = 0 } = this.#options;
    const deadline = performance.now() + (this.#away ? 0 : retryForMs);
    for (;;) {
      try {
        const results = await run(items);
        this.#away = false;
        return results;
      } catch (error) {
        if (!(error instanceof Refusal && error.kind === 'unavailable')) throw error;
        if (performance.now() >= deadline) {
          this.#away = true;
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
      }
    }
  }
}

function queueFull(): Refusal {
  return new Refusal('overloaded', 'More requests are waiting than can be served. Try again shortly.', {
    retryAfterSeconds: 1,
  });
}
