import type { Database } from '../postgres/database.ts';

const rollupEveryMs = 1_000;
/** Finds the changes of other nodes, and of a process that died before it rolled up. */
const idleRollupEveryMs = 15_000;

/** Processes all that has gathered in one table, such as the changes of totals. */
export type Rollup = (database: Database) => Promise<void>;

/** Runs all rollups a second after something was written, and every 15 s otherwise. */
export class RollupWorker {
  readonly #database: Database;
  readonly #rollups: readonly Rollup[];
  readonly #onFailure: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();
  #isStarted = false;
  #isFailing = false;

  /** `onFailure` is called once when a rollup fails, and not again until all of them have succeeded. */
  constructor(database: Database, rollups: readonly Rollup[], onFailure: (error: unknown) => void) {
    this.#database = database;
    this.#rollups = rollups;
    this.#onFailure = onFailure;
  }

  start(): void {
    this.#isStarted = true;
    this.#schedule(rollupEveryMs);
  }

  /** Something was written: rolls up within a second. */
  wake(): void {
    if (this.#dueAtMs > performance.now() + rollupEveryMs) this.#schedule(rollupEveryMs);
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(inMs: number): void {
    if (!this.#isStarted) return;
    clearTimeout(this.#timer);
    this.#dueAtMs = performance.now() + inMs;
    this.#timer = setTimeout(() => {
      // No run is due while this one is running: a wake schedules the next.
      this.#dueAtMs = performance.now() + idleRollupEveryMs;
      this.#running = this.#runAll().then(() => {
        if (this.#dueAtMs - performance.now() > rollupEveryMs) this.#schedule(idleRollupEveryMs);
      });
    }, inMs);
  }

  /** One after the other, on one connection. A rollup that fails does not affect the others. */
  async #runAll(): Promise<void> {
    let isFailing = false;
    for (const rollUp of this.#rollups) {
      await rollUp(this.#database).catch((error) => {
        if (!this.#isFailing && !isFailing) this.#onFailure(error);
        isFailing = true;
      });
    }
    this.#isFailing = isFailing;
  }
}
