/** Uses within this time are sent in one message. */
const batchMs = 20;
/** The name of the messages of the bus. */
const busName = 'bus';

/** A use of a limit: the name of the limit, and the key that is counted. Or a message of the bus. */
export type SharedEntry = readonly [name: string, key: string];

/** Answers requests of the other processes. `from` is the number of the process that asks. */
export type AnswerRequest = (text: string, from: number) => Promise<string>;

/**
 * The other processes of this node (`app.processes`). Sends them every use of a limit that is counted in memory, so
 * that a limit holds for all processes together, and messages of the bus. With one process nothing is
 * sent.
 *
 * The first process answers the others where one process must decide, such as on the admission of a login.
 */
export class OtherProcesses {
  readonly #listeners = new Map<string, (key: string) => void>();
  #send: ((entries: SharedEntry[]) => void) | undefined;
  #pending: SharedEntry[] = [];
  #ask: ((name: string, text: string) => Promise<string>) | undefined;
  readonly #answers = new Map<string, AnswerRequest>();
  readonly #whenGone: ((process: number) => void)[] = [];

  /** From now on entries are sent to the other processes. */
  sendBy(send: (entries: SharedEntry[]) => void): void {
    this.#send = send;
  }

  /** Called in all processes but the first one, which `ask` reaches. */
  askBy(ask: (name: string, text: string) => Promise<string>): void {
    this.#ask = ask;
  }

  /** Asks the first process; undefined: this is the first one. */
  get askFirst(): ((name: string, text: string) => Promise<string>) | undefined {
    return this.#ask;
  }

  /** In the first process: answers the requests of this name. */
  answer(name: string, answer: AnswerRequest): void {
    this.#answers.set(name, answer);
  }

  /** In the first process: calls back when another one has ended. */
  whenGone(listener: (process: number) => void): void {
    this.#whenGone.push(listener);
  }

  /** A request of another process. */
  async asked(name: string, text: string, from: number): Promise<string> {
    const answer = this.#answers.get(name);
    if (answer === undefined) throw new Error(`Nothing answers ${name} in the first process.`);
    return answer(text, from);
  }

  /** Another process has ended. */
  gone(process: number): void {
    for (const listener of this.#whenGone) listener(process);
  }

  /** The uses that are counted under a name, which is the same in all processes. */
  sharedUses(name: string): { tell: (key: string) => void; listen: (listener: (key: string) => void) => void } {
    return {
      tell: (key) => this.#sendSoon([name, key]),
      listen: (listener) => this.#listen(name, listener),
    };
  }

  /** Carries messages of the bus (`postgres/bus/bus.ts`) at once, without a transaction for each. */
  readonly carrier = {
    send: async (payload: string): Promise<void> => this.#send?.([[busName, payload]]),
    listen: (receive: (payload: string) => void): void => this.#listen(busName, receive),
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
