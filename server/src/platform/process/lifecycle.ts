/** A running part of the process: started before the parts that need it, stopped after them. */
export interface Part {
  name: string;
  stop: () => Promise<void>;
}

/**
 * The running parts of the process. `stop` stops them in reverse order and continues when a part fails to stop. A
 * second call waits for the first.
 */
export class Lifecycle {
  readonly #parts: Part[] = [];
  readonly #onStopFailure: (name: string, error: unknown) => void;
  readonly #stopBegins = new AbortController();
  #stopping: Promise<void> | undefined;

  constructor(onStopFailure: (name: string, error: unknown) => void) {
    this.#onStopFailure = onStopFailure;
  }

  /** Registers a part that has just been started. */
  add(name: string, stop: () => Promise<void>): void {
    this.#parts.push({ name, stop });
  }

  /** Aborted when the stop begins, before the first part is stopped. */
  get stopping(): AbortSignal {
    return this.#stopBegins.signal;
  }

  stop(): Promise<void> {
    this.#stopBegins.abort();
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
