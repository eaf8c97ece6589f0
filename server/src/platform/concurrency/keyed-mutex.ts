/** Lets the work of one key be done in turn. Work of different keys does not wait for each other. */
export class KeyedMutex<Key> {
  readonly #last = new Map<Key, Promise<void>>();

  /**
   * Does the work after all earlier work of this key, also after work that failed. `hasWaited`: there was earlier work.
   */
  async take<Result>(key: Key, work: (hasWaited: boolean) => Promise<Result>): Promise<Result> {
    const earlier = this.#last.get(key);
    const result = earlier === undefined ? work(false) : earlier.then(() => work(true));
    const ended = result.then(ignore, ignore);
    this.#last.set(key, ended);
    try {
      return await result;
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    }
  }

  /** Resolves when nothing is left to be done. */
  async drained(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}

/** The failure of earlier work is its caller's, not of those who wait. */
function ignore(): void {}
