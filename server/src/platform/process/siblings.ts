/** Many uses within this time are told in one message. */
const tellWithinMs = 20;

/** A use of a limit: the name of the limit, and the key that is counted. */
export type ToldUse = readonly [name: string, key: string];

/**
 * The other processes of this node (`app.processes`). Tells them of what limits in memory count, so that a limit holds for
 * all processes together and not for each. With one process nothing is sent.
 */
export class Siblings {
  readonly #listeners = new Map<string, (key: string) => void>();
  #send: ((uses: ToldUse[]) => void) | undefined;
  #untold: ToldUse[] = [];

  /** From now on uses are sent to the other processes. */
  sendBy(send: (uses: ToldUse[]) => void): void {
    this.#send = send;
  }

  /** The uses that are counted under a name, which is the same in all processes. */
  sharedUses(name: string): { tell: (key: string) => void; listen: (listener: (key: string) => void) => void } {
    return {
      tell: (key) => this.#tell([name, key]),
      listen: (listener) => {
        this.#listeners.set(name, listener);
      },
    };
  }

  /** Uses in another process. */
  receive(uses: readonly ToldUse[]): void {
    for (const [name, key] of uses) this.#listeners.get(name)?.(key);
  }

  #tell(use: ToldUse): void {
    if (this.#send === undefined) return;
    if (this.#untold.push(use) > 1) return;
    setTimeout(() => this.#send?.(this.#untold.splice(0)), tellWithinMs).unref();
  }
}
