import { Refusal } from '../../core/errors.ts';
import { FairQueue } from '../../core/fair-queue.ts';
import { failureOf } from './failures.ts';

export interface BatcherOptions<Item, Result> {
  /** Runs one batch. Result i belongs to item i. */
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Maximum number of items in a batch. */
  maxBatch: number;
  /** Maximum number of waiting items; further ones are refused at once. */
  maxQueued: number;
  /** How long a batch is retried while the database is unavailable, in ms; only where running it twice is harmless. */
  retryForMs?: number;
  /**
   * Who takes turns when more items wait than fit into a batch, such as tenants. When the queue is full, the newest item of
   * the one with the most is refused. Without it, items are served in their order.
   */
  sharedBy?: (item: Item) => string | number;
  /** Called for each finished batch with its size and its duration in ms. */
  observe?: (size: number, durationMs: number) => void;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const retryPauseMs = 50;

/**
 * Group commit. When no batch is in flight an item is run at once; otherwise it joins the next batch, which starts when the
 * one in flight returns. So the batch size adapts to the load, without a timer or a minimum wait.
 *
 * An invalid item must not fail the others: a batch that is refused for its values is split until the item is alone.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  #queue: Waiting<Item, Result>[] = [];
  /** Number of waiting items of each sharer. */
  readonly #waitingOf = new Map<string | number, number>();
  #inFlight = false;
  #isAway = false;
  #idle: (() => void)[] = [];

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    if (this.#queue.length >= this.#options.maxQueued && !this.#makeRoomFor(item)) return Promise.reject(queueFull());
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#count(item, 1);
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
    const batch = this.#queue.length <= maxBatch ? this.#queue : this.#shareOf(maxBatch);
    if (batch === this.#queue) this.#queue = [];
    for (const { item } of batch) this.#count(item, -1);
    this.#inFlight = true;
    // oxlint-disable-next-line typescript/no-floating-promises -- #attempt passes every failure to its items; a defect ends the process.
    this.#flush(batch);
  }

  /** Takes a batch out of a longer queue, as many items of each sharer as possible. */
  #shareOf(maxBatch: number): Waiting<Item, Result>[] {
    const { sharedBy } = this.#options;
    if (sharedBy === undefined) return this.#queue.splice(0, maxBatch);
    const inTurns = new FairQueue<Waiting<Item, Result>>();
    for (const waiting of this.#queue) inTurns.push(String(sharedBy(waiting.item)), waiting);
    const batch: Waiting<Item, Result>[] = [];
    while (batch.length < maxBatch) batch.push(inTurns.shift() as Waiting<Item, Result>);
    const taken = new Set(batch);
    this.#queue = this.#queue.filter((waiting) => !taken.has(waiting));
    return batch;
  }

  /** Refuses the newest item of the sharer with the most items, unless that is the one of the new item. */
  #makeRoomFor(item: Item): boolean {
    const { sharedBy } = this.#options;
    if (sharedBy === undefined) return false;
    const [most, count] = [...this.#waitingOf].reduce((one, other) => (other[1] > one[1] ? other : one));
    if (count <= (this.#waitingOf.get(sharedBy(item)) ?? 0) + 1) return false;
    const at = this.#queue.findLastIndex((waiting) => sharedBy(waiting.item) === most);
    const [refused] = this.#queue.splice(at, 1) as [Waiting<Item, Result>];
    this.#count(refused.item, -1);
    refused.reject(queueFull());
    return true;
  }

  #count(item: Item, change: 1 | -1): void {
    const sharer = this.#options.sharedBy?.(item);
    if (sharer === undefined) return;
    const count = (this.#waitingOf.get(sharer) ?? 0) + change;
    if (count === 0) this.#waitingOf.delete(sharer);
    else this.#waitingOf.set(sharer, count);
  }

  async #flush(batch: Waiting<Item, Result>[]): Promise<void> {
    const startedAt = performance.now();
    const settle = await this.#attempt(batch);
    this.#options.observe?.(batch.length, performance.now() - startedAt);
    // The next batch starts before the finished one is answered: the database works while replies are written (+7 %).
    this.#inFlight = false;
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
        if (!(error instanceof Refusal && error.kind === 'unavailable')) throw error;
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
  return new Refusal('overloaded', 'More requests are waiting than can be served. Try again shortly.', {
    retryAfterSeconds: 1,
  });
}
