/** Uses within this time are sent in one message. */
const batchMs = 20;
/** The name of the messages that contain topics. */
const topicsName = 'topics';

/** A use of a limit: the name of the limit, and the key that is counted. Or topics that have become due. */
export type SharedEntry = readonly [name: string, key: string];

/**
 * The other processes of this node (`app.processes`). Sends them every use of a limit that is counted in memory, so that a limit
 * holds for all processes together, and topics of work that has become due. With one process nothing is sent.
 */
export class Siblings {
  readonly #listeners = new Map<string, (key: string) => void>();
  #send: ((entries: SharedEntry[]) => void) | undefined;
  #pending: SharedEntry[] = [];

  /** From now on entries are sent to the other processes. */
  sendBy(send: (entries: SharedEntry[]) => void): void {
    this.#send = send;
  }

  /** The uses that are counted under a name, which is the same in all processes. */
  sharedUses(name: string): { tell: (key: string) => void; listen: (listener: (key: string) => void) => void } {
    return {
      tell: (key) => this.#sendSoon([name, key]),
      listen: (listener) => this.#listen(name, listener),
    };
  }

  /** Carries topics at once, without a transaction for each. */
  readonly topics = {
    send: async (payload: string): Promise<void> => this.#send?.([[topicsName, payload]]),
    listen: (listener: (payload: string) => void): void => this.#listen(topicsName, listener),
  };

  /** Entries of another process. */
  receive(entries: readonly SharedEntry[]): void {
    for (const [name, key] of entries) this.#listeners.get(name)?.(key);
  }

  #listen(name: string, listener: (key: string) => void): void {
    this.#listeners.set(name, listener);
  }

  #sendSoon(use: SharedEntry): void {
    if (this.#send === undefined) return;
    if (this.#pending.push(use) > 1) return;
    setTimeout(() => this.#send?.(this.#pending.splice(0)), batchMs).unref();
  }
}
