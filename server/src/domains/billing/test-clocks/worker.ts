import { type FailureReports, Worker } from '../../../platform/jobs/worker.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import type { Topic } from '../../../platform/postgres/statement.ts';
import { advancingClockDue, type ClockRow, clocksDue, findAdvancingClocks, moveClock } from './statements.ts';

/** Work that becomes due by test clocks. An extension point: invoices and subscriptions register. */
export interface TestClockWork {
  /** The earliest due time of work for this clock's customers; null: there is none. */
  nextDueMs: (snapshot: Queryable, clock: ClockKey) => Promise<number | null>;
  /**
   * Whether work is in progress that ends without requests, such as a payment at its provider. The clock waits for it.
   */
  isInProgress: (snapshot: Queryable, clock: ClockKey) => Promise<boolean>;
  /** The topics that wake the workers of this work. */
  topics: readonly Topic[];
}

export interface ClockKey {
  tenantId: number;
  clockId: number;
}

export interface TestClocksDeps extends FailureReports {
  database: Database;
  /** Wakes the workers of these topics. */
  wake: (topics: readonly Topic[]) => void;
}

/** Clocks that advance concurrently. */
const slots = 20;
/** Due work is usually done within milliseconds; the pause between checks doubles up to `longestPauseMs`. */
const firstPauseMs = 5;
const longestPauseMs = 50;
/** A clock that has waited this long, for example for a provider that does not answer, frees its slot for `restMs`. */
const maxWaitMs = 2_000;
const restMs = 1_000;

/**
 * Advances test clocks, each from one due time to the next. At each due time a clock waits until all due work is done
 * and its payments are settled, so that a year that passes in seconds has the same results as a real one. No lease is
 * needed: a move names the time from which it starts, and only one of two concurrent moves succeeds.
 */
export class TestClocks {
  readonly worker: Worker<ClockRow>;
  readonly #options: TestClocksDeps;
  readonly #works: TestClockWork[] = [];
  readonly #advancing = new Set<number>();
  /** The clocks that have freed their slots, and when they continue (`performance.now`). */
  readonly #resting = new Map<number, number>();

  constructor(options: TestClocksDeps) {
    const { database, onError, onRecovered } = options;
    this.#options = options;
    this.worker = new Worker<ClockRow>({
      name: 'test clocks',
      dueWork: { topic: clocksDue, due: advancingClockDue },
      claim: (limit) => database.run(findAdvancingClocks, [[...this.#advancing, ...this.#restingClocks()], limit]),
      perform: (row) => this.#advance(row),
      slots,
      onError,
      onRecovered,
    });
  }

  /** Registers work: clocks stop at each of its due times. */
  register(work: TestClockWork): void {
    this.#works.push(work);
  }

  async #advance({ tenant_id: tenantId, id: clockId, now_at, target_at }: ClockRow): Promise<void> {
    const clock = { tenantId, clockId };
    const targetMs = Date.parse(target_at as string);
    let nowMs = Date.parse(now_at);
    let pauseMs = firstPauseMs;
    let movedAtMs = performance.now();
    this.#advancing.add(clockId);
    try {
      while (this.worker.isRunning) {
        const toMs = await this.#nextStopMs(clock, nowMs, targetMs);
        if (toMs === undefined) {
          if (performance.now() - movedAtMs > maxWaitMs) {
            this.#resting.set(clockId, performance.now() + restMs);
            return;
          }
          this.#options.wake(this.#works.flatMap(({ topics }) => topics));
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
          pauseMs = Math.min(2 * pauseMs, longestPauseMs);
          continue;
        }
        const hasArrived = toMs === null;
        const values = [tenantId, clockId, new Date(nowMs).toISOString(), toMs ?? targetMs, hasArrived];
        const [moved] = await this.#options.database.run(moveClock, values);
        // Another node has moved the clock: the next claim reads its new time.
        if (moved === undefined || hasArrived) return;
        nowMs = toMs;
        pauseMs = firstPauseMs;
        movedAtMs = performance.now();
      }
    } finally {
      this.#advancing.delete(clockId);
    }
  }

  #restingClocks(): Iterable<number> {
    for (const [id, untilMs] of this.#resting) if (untilMs <= performance.now()) this.#resting.delete(id);
    return this.#resting.keys();
  }

  /** The next due time up to `untilMs`; null: there is none; undefined: work that is due now is not done yet. */
  #nextStopMs(clock: ClockKey, nowMs: number, untilMs: number): Promise<number | null | undefined> {
    return this.#options.database.snapshot(async (snapshot) => {
      let nextMs: number | null = null;
      for (const { isInProgress, nextDueMs } of this.#works) {
        if (await isInProgress(snapshot, clock)) return undefined;
        const dueMs = await nextDueMs(snapshot, clock);
        if (dueMs !== null && dueMs <= (nextMs ?? untilMs)) nextMs = dueMs;
      }
      return nextMs !== null && nextMs <= nowMs ? undefined : nextMs;
    });
  }
}
