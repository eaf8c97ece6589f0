import { type Clock, secondMs } from '../../core/clock.ts';
import type { Queryable } from './database.ts';
import { statement } from './statement.ts';

export interface DatabaseClockOptions {
  database: Queryable;
  /** This machine's own clock. */
  clock: Clock;
  /** Time that passes evenly, whatever is done to the clock, in ms. */
  passed?: () => number;
  /** The clocks of this machine and of the database have come to differ: by so many ms (positive: this machine is ahead). */
  onApart?: (aheadMs: number) => void;
  /** The database's clock was set back: times written before may lie far ahead. Told again, for what was under way meanwhile. */
  onSetBack?: () => void;
}

const askTime = statement<{ now_ms: number }>(
  'clock.ask',
  'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms',
);

const askEveryMs = secondMs;
/** Clocks closer than this count as the same. */
const toleranceMs = secondMs;
/** A statement with a time from before may run for 10 s yet; a result may wait for the database for as long as a lease. */
const againAfterMs = [15 * secondMs, 60 * secondMs];

/**
 * This machine's clock as long as it agrees with the database's to within a second, else the database's, kept between looks
 * by time that passes evenly. All nodes of an installation go by one clock: leases and due times that one writes mean the
 * same to every other, and setting a node's clock changes nothing.
 */
export class DatabaseClock {
  readonly #options: Required<DatabaseClockOptions>;
  #known: { databaseMs: number; atMs: number } | undefined;
  #isApart = false;
  #timers = new Set<NodeJS.Timeout>();
  #asking: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: DatabaseClockOptions) {
    this.#options = { passed: () => performance.now(), onApart: () => {}, onSetBack: () => {}, ...options };
  }

  /** In ms since the epoch. */
  readonly now: Clock = () => {
    const ownMs = this.#options.clock();
    const databaseMs = this.#databaseMs();
    return databaseMs === undefined || Math.abs(ownMs - databaseMs) <= toleranceMs ? ownMs : Math.floor(databaseMs);
  };

  /** Resolves when the database has been asked once. */
  async start(): Promise<void> {
    await this.ask();
    this.#askLater();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#asking;
  }

  /** Asks the database what time it is. */
  async ask(): Promise<void> {
    const { database, clock, passed, onApart, onSetBack } = this.#options;
    const askedMs = passed();
    const [row] = await database.run(askTime);
    const answeredMs = passed();
    const atMs = (askedMs + answeredMs) / 2;
    const databaseMs = row?.now_ms as number;
    const expectedMs = this.#databaseMs(atMs);
    const uncertainMs = toleranceMs + (answeredMs - askedMs) / 2;
    this.#known = { databaseMs, atMs };
    if (expectedMs !== undefined && expectedMs - databaseMs > uncertainMs) {
      onSetBack();
      for (const waitMs of againAfterMs) this.#later(waitMs, onSetBack);
    }
    const aheadMs = clock() - (this.#databaseMs() as number);
    const isApart = Math.abs(aheadMs) > uncertainMs;
    if (isApart && !this.#isApart) onApart(aheadMs);
    this.#isApart = isApart;
  }

  #databaseMs(atMs = this.#options.passed()): number | undefined {
    return this.#known && this.#known.databaseMs + atMs - this.#known.atMs;
  }

  #askLater(): void {
    this.#later(askEveryMs, () => {
      // While the database is away its time is kept by what passes here.
      this.#asking = this.ask()
        .catch(() => {})
        .finally(() => this.#askLater());
    });
  }

  #later(waitMs: number, work: () => void): void {
    if (this.#isStopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, waitMs);
    this.#timers.add(timer);
  }
}
