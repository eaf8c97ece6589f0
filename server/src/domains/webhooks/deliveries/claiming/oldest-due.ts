import { type Clock, minuteMs, secondMs } from '../../../../core/clock.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { findOldestDue } from './peek-statements.ts';

const refreshEveryMs = secondMs;
/** Every twentieth refresh scans the whole index, so that nothing stays unseen whatever the clocks say. */
const fullScanEvery = 20;
/** The bound is at least this long ago: what is written later than that is found by the next refresh. */
const minAgeMs = secondMs;
/** A difference this large between the clock and the time that has passed means that the clock was set. */
const clockStepMs = minuteMs;
/** A delivery may be written this long after it was due: its transaction waited, or another node's clock is behind. */
const initialLatenessMs = 15 * secondMs;

/**
 * Tracks since when the oldest due delivery has been due: a lower bound of `due_at` for every peek and claim.
 *
 * Without the bound each of them would step over dead index entries. Entries of finished deliveries stay until a vacuum,
 * and for as long as any transaction is open; stepping over them costs 1 ms for every few thousand, and at full speed
 * there are that many within tenths of a second.
 *
 * A refresh once a second finds deliveries that were written up to 15 s late. Later ones occur only with clocks that are
 * far apart: a full scan finds them within 20 s, and from then on refreshes allow for that lateness.
 */
export class OldestDue {
  readonly #database: Queryable;
  readonly #clock: Clock;
  #oldestMs = 0;
  #latenessMs = initialLatenessMs;
  #refreshes = 0;
  #refreshedAtMs = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;
  #clockMs = 0;
  #clockReadAtMs = Number.NEGATIVE_INFINITY;

  constructor(database: Queryable, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** The lower bound, in ms since the epoch. Starts a refresh in the background once a second. */
  get lowerBoundMs(): number {
    this.#detectClockStep();
    if (this.#refreshing === undefined && performance.now() - this.#refreshedAtMs > refreshEveryMs) {
      this.#refreshing = this.#refresh().finally(() => {
        this.#refreshing = undefined;
      });
    }
    return Math.max(0, Math.min(this.#oldestMs, this.#clock() - minAgeMs));
  }

  /** Resolves when no refresh is running. */
  async settled(): Promise<void> {
    await this.#refreshing;
  }

  /** After the clock was set, the old bound means nothing: start over with a scan of the whole index. */
  #detectClockStep(): void {
    const [nowMs, readAtMs] = [this.#clock(), performance.now()];
    const passedMs = readAtMs - this.#clockReadAtMs;
    if (passedMs < Number.POSITIVE_INFINITY && Math.abs(nowMs - this.#clockMs - passedMs) > clockStepMs) {
      this.#oldestMs = 0;
      this.#latenessMs = initialLatenessMs;
      this.#refreshedAtMs = Number.NEGATIVE_INFINITY;
    }
    this.#clockMs = nowMs;
    this.#clockReadAtMs = readAtMs;
  }

  async #refresh(): Promise<void> {
    this.#refreshedAtMs = performance.now();
    const isFullScan = this.#refreshes++ % fullScanEvery === 0;
    const nowMs = this.#clock();
    const expectedMs = Math.max(0, Math.min(this.#oldestMs, nowMs - this.#latenessMs));
    try {
      const [row] = await this.#database.run(findOldestDue, [isFullScan ? 0 : expectedMs]);
      const oldestMs = row?.due_ms ?? nowMs;
      if (oldestMs < expectedMs) this.#latenessMs = Math.max(this.#latenessMs, nowMs - oldestMs + initialLatenessMs);
      this.#oldestMs = oldestMs;
    } catch {
      // The claims report that the database is away. The last bound still holds.
    }
  }
}
