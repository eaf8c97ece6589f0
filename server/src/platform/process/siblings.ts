/** Uses within this time are sent in one message. */
const tellWithinMs = 20;
/** The name of the messages that contain topics. */
const topicsName = 'topics';

/** A use of a limit: the name of the limit, and the key that is counted. Or topics that have become due. */
export type ToldEntry = readonly [name: string, key: string];

/**
 * The other processes of this node (`app.processes`). Tells them of what limits in memory count, so that a limit holds for
 * all processes together and not for each, and of work that has become due. With one process nothing is sent.
 */
export class Siblings {
  readonly #listeners = new Map<string, (key: string) => void>();
  #send: ((entries: ToldEntry[]) => void) | undefined;
  #untold: ToldEntry[] = [];

  /** From now on entries are sent to the other processes. */
  sendBy(send: (entries: ToldEntry[]) => void): void {
    this.#send = send;
  }

  /** The uses that are counted under a name, which is the same in all processes. */
  sharedUses(name: string): { tell: (key: string) => void; listen: (listener: (key: string) => void) => void } {
    return {
      tell: (key) => this.#tellSoon([name, key]),
      listen: (listener) => this.#listen(name, listener),
    };
  }

  /** Carries topics at once, without a transaction for each. */
  readonly topics = {
    send: async (payload: string): Promise<void> => this.#send?.([[topicsName, payload]]),
    listen: (listener: (payload: string) => void): void => this.#listen(topicsName, listener),
  };

  /** Entries of another process. */
  receive(entries: readonly ToldEntry[]): void {
    for (const [name, key] of entries) this.#listeners.get(name)?.(key);
  }

  #listen(name: string, listener: (key: string) => void): void {
    this.#listeners.set(name, listener);
  }

  #tellSoon(use: ToldEntry): void {
    if (this.#send === undefined) return;
    if (this.#untold.push(use) > 1) return;
    setTimeout(() => this.#send?.(this.#untold.splice(0)), tellWithinMs).unref();
  }
}
