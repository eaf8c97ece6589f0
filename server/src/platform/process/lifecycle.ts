/** Something that runs: started before those that need it, stopped after them. */
export interface Part {
  name: string;
  stop: () => Promise<void>;
}

/**
 * What has been started, in order. Stopping goes in reverse, survives a part that fails to stop, and is safe to ask
 * for twice: the second call waits for the first.
 */
export class Lifecycle {
  readonly #parts: Part[] = [];
  readonly #onStopFailure: (name: string, error: unknown) => void;
  #stopping: Promise<void> | undefined;

  constructor(onStopFailure: (name: string, error: unknown) => void) {
    this.#onStopFailure = onStopFailure;
  }

  /** Remembers how to stop what has just been started. */
  add(name: string, stop: () => Promise<void>): void {
    this.#parts.push({ name, stop });
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    for (const { name, stop } of this.#parts.toReversed()) {
      try {
        await stop();
      } catch (error) {
        this.#onStopFailure(name, error);
      }
    }
  }
}
