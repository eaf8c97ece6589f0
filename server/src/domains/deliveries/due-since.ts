import type { Queryable } from '../../platform/postgres/database.ts';
import { type Clock, secondMs } from '../../vocabulary/clock.ts';
import { oldestDue } from './claim-sql.ts';

const refreshedEveryMs = secondMs;
/** Every so often all of the index is looked through, so that nothing stays unseen whatever the clocks say. */
const throughoutEvery = 20;
/** What is written now may have been due for this long: it waited to be written, or another node's clock is behind. */
const lateMs = 15 * secondMs;

/**
 * Since when deliveries may have been due: looks begin there. Rows that are done leave the index only when they are
 * vacuumed away, and not while anyone holds a transaction open; stepping over them costs a look 1 ms for every few
 * thousand.
 *
 * Something older than this can only come to be by clocks that are far apart. It is found within 20 s, and from then on
 * that much more is allowed for.
 */
export class DueSince {
  readonly #database: Queryable;
  readonly #clock: Clock;
  #ms = 0;
  #lateMs = lateMs;
  #refreshes = 0;
  #refreshedAtMs = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  constructor(database: Queryable, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** In ms since the epoch. It is found anew every second, beside the looks. */
  get ms(): number {
    if (this.#refreshing === undefined && performance.now() - this.#refreshedAtMs > refreshedEveryMs) {
      this.#refreshing = this.#refresh().finally(() => {
        this.#refreshing = undefined;
      });
    }
    return this.#ms;
  }

  async settled(): Promise<void> {
    await this.#refreshing;
  }

  async #refresh(): Promise<void> {
    this.#refreshedAtMs = performance.now();
    const from = this.#refreshes++ % throughoutEvery === 0 ? 0 : this.#ms;
    const nowMs = this.#clock();
    try {
      const [row] = await this.#database.run(oldestDue, [from]);
      const oldestMs = row?.due_ms ?? nowMs;
      if (oldestMs < this.#ms) this.#lateMs = Math.max(this.#lateMs, nowMs - oldestMs + lateMs);
      this.#ms = Math.max(0, Math.min(oldestMs, nowMs - this.#lateMs));
    } catch {
      // The claims say that the database is away. What was found still holds.
    }
  }
}
