export interface WriteBehindOptions<Value> {
  write: (batch: readonly Value[]) => Promise<unknown>;
  /**
   * How long values gather before they are written, in ms. Default: not at all, but what is added during a write
   * gathers for the next.
   */
  delayMs?: number;
  /** A write begins at once when so many values wait. Default: never. */
  startAt?: number;
  /** Maximum number of values in one write. Default: no limit. */
  maxBatch?: number;
  /** Maximum number of values that wait, while the database does not answer. Default: no limit. */
  maxWaiting?: number;
  /** A write has failed, and its values are lost. Must not throw. */
  onLost: (error: unknown, batch: readonly Value[]) => void;
}

/**
 * Writes values in batches, one at a time, for what may be late and, if the process dies, lost: nobody waits for it. A
 * write that rejects is not repeated; one that may be repeated does that itself. What must not be lost belongs in the
 * transaction that it is about.
 */
export class WriteBehind<Value> {
  readonly #options: WriteBehindOptions<Value>;
  readonly #delayMs: number;
  readonly #startAt: number;
  readonly #maxBatch: number;
  readonly #maxWaiting: number;
  #waiting = new Map<unknown, Value>();
  /** How many values have been taken for a write. */
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves to whether the write succeeded. */
  #writing: Promise<boolean> | undefined;

  constructor(options: WriteBehindOptions<Value>) {
    this.#options = options;
    this.#delayMs = options.delayMs ?? 0;
    this.#startAt = options.startAt ?? Number.POSITIVE_INFINITY;
    this.#maxBatch = options.maxBatch ?? Number.POSITIVE_INFINITY;
    this.#maxWaiting = options.maxWaiting ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Returns at once. Replaces a value of the same key that waits. Returns false if too many values wait: this one is
   * not written.
   */
  add(value: Value, key: unknown = value): boolean {
    if (this.#waiting.size >= this.#maxWaiting && !this.#waiting.has(key)) return false;
    this.#waiting.set(key, value);
    if (this.#writing === undefined) this.#schedule(this.#startAt);
    return true;
  }

  /** What waits for a write. */
  get waiting(): Value[] {
    return [...this.#waiting.values()];
  }

  /** Resolves when everything that was added before is written, or a write has failed. */
  async flush(): Promise<void> {
    const added = this.#taken + this.#waiting.size;
    for (;;) {
      if (this.#writing === undefined) {
        if (this.#taken >= added) return;
        this.#startWrite();
      }
      const isLast = this.#taken >= added;
      if (!(await this.#writing) || isLast) return;
    }
  }

  #schedule(startAt: number): void {
    if (this.#delayMs === 0 || this.#waiting.size >= startAt) this.#startWrite();
    else this.#timer ??= setTimeout(() => this.#startWrite(), this.#delayMs).unref();
  }

  #startWrite(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#write(this.#takeBatch()).then((succeeded) => {
      this.#writing = undefined;
      const startAt = succeeded ? Math.min(this.#startAt, this.#maxBatch) : Number.POSITIVE_INFINITY;
      if (this.#waiting.size > 0) this.#schedule(startAt);
      return succeeded;
    });
  }

  #takeBatch(): Value[] {
    const batch = [...this.#waiting.values()].slice(0, this.#maxBatch);
    // A map that is filled and emptied again and again keeps its old tables alive.
    this.#waiting = new Map([...this.#waiting].slice(batch.length));
    this.#taken += batch.length;
    return batch;
  }

  async #write(batch: readonly Value[]): Promise<boolean> {
    try {
      await this.#options.write(batch);
      return true;
    } catch (error) {
      this.#options.onLost(error, batch);
      return false;
    }
  }
}
