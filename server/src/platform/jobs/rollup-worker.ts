import type { Database } from '../postgres/database.ts';

const foldEveryMs = 1_000;
/** Changes of other nodes, or of a process that died before folding, are found at this pace. */
const foldIdleEveryMs = 15_000;

/** Moves what has gathered in one table of changes into its totals. */
export type Fold = (database: Database) => Promise<void>;

/** Runs the folds of all totals every second or so while payments are written here, and rarely otherwise. */
export class RollupWorker {
  readonly #database: Database;
  readonly #folds: readonly Fold[];
  readonly #onFailure: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #folding: Promise<void> = Promise.resolve();
  #running = false;
  #isFailing = false;

  /** `onFailure`: told once when a fold fails, and not again until all have succeeded. */
  constructor(database: Database, folds: readonly Fold[], onFailure: (error: unknown) => void) {
    this.#database = database;
    this.#folds = folds;
    this.#onFailure = onFailure;
  }

  start(): void {
    this.#running = true;
    this.#schedule(foldEveryMs);
  }

  /** Payments were written. */
  wake(): void {
    if (this.#dueAtMs > performance.now() + foldEveryMs) this.#schedule(foldEveryMs);
  }

  async stop(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#timer);
    await this.#folding;
  }

  #schedule(inMs: number): void {
    if (!this.#running) return;
    clearTimeout(this.#timer);
    this.#dueAtMs = performance.now() + inMs;
    this.#timer = setTimeout(() => {
      // While it runs nothing is due: a wake meanwhile plans the next run.
      this.#dueAtMs = performance.now() + foldIdleEveryMs;
      this.#folding = this.#foldAll().then(() => {
        if (this.#dueAtMs - performance.now() > foldEveryMs) this.#schedule(foldIdleEveryMs);
      });
    }, inMs);
  }

  /** One after the other, on one connection; one that fails does not keep the others from theirs. */
  async #foldAll(): Promise<void> {
    let isFailing = false;
    for (const fold of this.#folds) {
      await fold(this.#database).catch((error) => {
        if (!this.#isFailing && !isFailing) this.#onFailure(error);
        isFailing = true;
      });
    }
    this.#isFailing = isFailing;
  }
}
