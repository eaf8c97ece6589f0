import { type Clock, secondMs } from '../../core/clock.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

export interface DatabaseClockOptions {
  database: Queryable;
  /** This machine's own clock. */
  clock: Clock;
  /** Monotonic time in ms, unaffected by changes of the clock. */
  monotonic?: () => number;
  /** Called when the two clocks begin to differ. Positive: this machine is ahead. */
  onApart?: (aheadMs: number) => void;
  /**
   * Called when the database's clock was set back, because times written before may be far ahead. Called again
   * (`isRepeated`) within the next minute, for times that were still written from an earlier reading.
   */
  onSetBack?: (isRepeated: boolean) => void;
}

/** One reading of the database's clock. */
export interface ClockReading {
  /** In ms since the epoch. */
  databaseMs: number;
  /** Monotonic times, in ms: when the query was sent, and when its answer was read. */
  askedMs: number;
  answeredMs: number;
}

/** In SQL: the database's clock in ms since the epoch. */
export const databaseMsSql = '(extract(epoch from clock_timestamp()) * 1000)::float8';

const readClock = statement<{ now_ms: number }>('clock.read', `select ${databaseMsSql} as now_ms`);

/** Clocks that differ by less count as the same. */
const toleranceMs = secondMs;
/**
 * A transaction with an earlier time may go on for seconds, and a result may wait to be recorded for as long as a
 * lease. In these steps a time that was committed so late is corrected before as much time has passed again.
 */
const repeatSetBackAfterMs = [1, 2, 4, 8, 15, 30, 60].map((seconds) => seconds * secondMs);

/**
 * The clock of all nodes of an installation: this machine's, as long as it agrees with the database's to within a
 * second, else the database's, continued between readings by monotonic time. Leases and due times that one node writes
 * therefore mean the same to every other, and setting a node's clock changes nothing.
 */
export class DatabaseClock {
  readonly #options: Required<DatabaseClockOptions>;
  /** The last reading, and the monotonic time it belongs to. */
  #reading: { databaseMs: number; atMs: number } | undefined;
  #isApart = false;
  #aheadMs: number | undefined;
  #timers = new Set<NodeJS.Timeout>();
  #isStopped = false;

  constructor(options: DatabaseClockOptions) {
    this.#options = { monotonic: () => performance.now(), onApart: () => {}, onSetBack: () => {}, ...options };
  }

  /** In ms since the epoch. */
  readonly now: Clock = () => {
    const ownMs = this.#options.clock();
    const databaseMs = this.#databaseMs();
    return databaseMs === undefined || Math.abs(ownMs - databaseMs) <= toleranceMs ? ownMs : Math.floor(databaseMs);
  };

  /** How far this machine's own clock was ahead of the database's at the last reading; negative: behind. */
  get aheadMs(): number | undefined {
    return this.#aheadMs;
  }

  /** Reads the database's clock. Called once at the start, before anything depends on the time. */
  async read(): Promise<void> {
    const { database, monotonic } = this.#options;
    const askedMs = monotonic();
    const [row] = await database.run(readClock);
    this.observe({ databaseMs: row?.now_ms as number, askedMs, answeredMs: monotonic() });
  }

  /** Takes a reading that was made elsewhere: once a second by the primary monitor. */
  observe({ databaseMs, askedMs, answeredMs }: ClockReading): void {
    if (this.#isStopped) return;
    const { clock, onApart } = this.#options;
    const atMs = (askedMs + answeredMs) / 2;
    const expectedMs = this.#databaseMs(atMs);
    const uncertainMs = toleranceMs + (answeredMs - askedMs) / 2;
    this.#reading = { databaseMs, atMs };
    if (expectedMs !== undefined && expectedMs - databaseMs > uncertainMs) this.#reportSetBack();
    const aheadMs = clock() - (this.#databaseMs() as number);
    const isApart = Math.abs(aheadMs) > uncertainMs;
    if (isApart && !this.#isApart) onApart(aheadMs);
    this.#isApart = isApart;
    this.#aheadMs = aheadMs;
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #databaseMs(atMs = this.#options.monotonic()): number | undefined {
    return this.#reading && this.#reading.databaseMs + atMs - this.#reading.atMs;
  }

  #reportSetBack(): void {
    const { onSetBack } = this.#options;
    onSetBack(false);
    for (const waitMs of repeatSetBackAfterMs) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        onSetBack(true);
      }, waitMs);
      this.#timers.add(timer);
    }
  }
}
