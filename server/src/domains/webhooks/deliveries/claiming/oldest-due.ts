import { type Clock, minuteMs, secondMs } from '../../../../core/clock.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { oldestDue } from './statements.ts';

const refreshedEveryMs = secondMs;
/** Every so often all of the index is looked through, so that nothing stays unseen whatever the clocks say. */
const throughoutEvery = 20;
/** Looks begin this long before now: what waited for longer to be written is found with the next refresh. */
const freshMs = secondMs;
/** Where the clock has gone so much further or less far than time has passed, it was set. */
const steppedMs = minuteMs;
/** What is written now may have been due for this long: it waited to be written, or another node's clock is behind. */
const lateMs = 15 * secondMs;

/**
 * Since when deliveries may have been due: looks begin there, a second before now or with what has been due for longest.
 * Rows that are done leave the index only when they are vacuumed away, and not while anyone holds a transaction open;
 * stepping over them costs a look 1 ms for every few thousand, and at full speed there are as many in a few tenths of a second.
 *
 * What is written late is found once a second, up to 15 s late. Something older than that can only come to be by clocks that
 * are far apart. It is found within 20 s, and from then on that much more is allowed for.
 */
export class OldestDue {
  readonly #database: Queryable;
  readonly #clock: Clock;
  #oldestMs = 0;
  #lateMs = lateMs;
  #refreshes = 0;
  #refreshedAtMs = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;
  #readMs = 0;
  #readAtMs = Number.NEGATIVE_INFINITY;

  constructor(database: Queryable, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** In ms since the epoch. What has been due for longest is found anew every second, beside the looks. */
  get ms(): number {
    this.#noticeStep();
    if (this.#refreshing === undefined && performance.now() - this.#refreshedAtMs > refreshedEveryMs) {
      this.#refreshing = this.#refresh().finally(() => {
        this.#refreshing = undefined;
      });
    }
    return Math.max(0, Math.min(this.#oldestMs, this.#clock() - freshMs));
  }

  /** The clock was set: what was known by its old time says nothing by its new one, and all of the index is looked through. */
  #noticeStep(): void {
    const [nowMs, nowAtMs] = [this.#clock(), performance.now()];
    const passedMs = nowAtMs - this.#readAtMs;
    if (passedMs < Number.POSITIVE_INFINITY && Math.abs(nowMs - this.#readMs - passedMs) > steppedMs) {
      this.#oldestMs = 0;
      this.#lateMs = lateMs;
      this.#refreshedAtMs = Number.NEGATIVE_INFINITY;
    }
    this.#readMs = nowMs;
    this.#readAtMs = nowAtMs;
  }

  async settled(): Promise<void> {
    await this.#refreshing;
  }

  async #refresh(): Promise<void> {
    this.#refreshedAtMs = performance.now();
    const isThroughout = this.#refreshes++ % throughoutEvery === 0;
    const nowMs = this.#clock();
    const expectedMs = Math.max(0, Math.min(this.#oldestMs, nowMs - this.#lateMs));
    try {
      const [row] = await this.#database.run(oldestDue, [isThroughout ? 0 : expectedMs]);
      const oldestMs = row?.due_ms ?? nowMs;
      if (oldestMs < expectedMs) this.#lateMs = Math.max(this.#lateMs, nowMs - oldestMs + lateMs);
      this.#oldestMs = oldestMs;
    } catch {
      // The claims say that the database is away. What was found still holds.
    }
  }
}
