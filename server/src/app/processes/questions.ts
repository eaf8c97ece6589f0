import type { About, Answer, Question } from './messages.ts';

/** Questions to a process on the other end of a link, matched with their answers. */
export class Questions {
  readonly #open = new Map<number, (text: string | undefined) => void>();
  #asked = 0;

  /**
   * Asks by `send`. Resolves with undefined when there is no answer within `timeoutMs` (undefined: however long it
   * takes), or `drop` is called.
   */
  ask(about: About, timeoutMs: number | undefined, send: (question: Question) => void): Promise<string | undefined> {
    const id = ++this.#asked;
    return new Promise((resolve) => {
      const end = (text: string | undefined) => {
        clearTimeout(timer);
        this.#open.delete(id);
        resolve(text);
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => end(undefined), timeoutMs).unref();
      this.#open.set(id, end);
      send({ type: 'question', id, ...about });
    });
  }

  answered({ id, text }: Answer): void {
    this.#open.get(id)?.(text);
  }

  /** Ends all open questions without an answer. */
  drop(): void {
    for (const end of this.#open.values()) end(undefined);
  }
}
