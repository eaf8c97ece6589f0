import { ClaimLoop } from '../../../platform/jobs/claim-loop.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import type { Topic } from '../../../platform/postgres/topics.ts';
import { type ClockRow, findAdvancingClocks, moveClock } from './statements.ts';

/** Whatever goes by test clocks: renewals and their payments come later in the order of domains. */
export interface TestClockWork {
  /** The earliest moment (ms) up to `untilMs` at which something of this clock's customers is due; null: nothing is. */
  nextDueMs: (moment: Queryable, clock: ClockKey, untilMs: number) => Promise<number | null>;
  /** Whether something has been begun whose end comes without anyone's doing: a payment that its provider is asked for. */
  isInProgress: (moment: Queryable, clock: ClockKey) => Promise<boolean>;
  /** Of the workers that do it. */
  topics: readonly Topic[];
}

export interface ClockKey {
  tenantId: number;
  clockId: number;
}

export interface TestClockWorkerOptions {
  database: Database;
  /** Wakes the workers of these topics. */
  wake: (topics: readonly Topic[]) => void;
  /** How often it looks by itself, where something else wakes it. */
  pollMs?: () => number;
  onError: (error: unknown) => void;
}

/** Clocks moved at once. */
const slots = 20;
/** What a clock waits for is usually done at once; what is not is looked at ever more seldom. */
const firstPauseMs = 5;
const longestPauseMs = 50;
/** One that has waited for so long, for a provider that does not answer, makes room for others for a while. */
const patienceMs = 2_000;
const restMs = 1_000;

/**
 * Moves clocks that are on their way, each from one due moment to the next: at each, it waits until all that is due has been
 * worked off and its payments have been settled, so that a year told in seconds goes as a year does. No lease is needed: a
 * step is taken from where the clock was seen, and of two that take it one does.
 */
export class TestClockWorker {
  readonly #options: TestClockWorkerOptions;
  readonly #loop: ClaimLoop<ClockRow>;
  readonly #works: TestClockWork[] = [];
  readonly #moving = new Set<number>();
  /** Until when (of `performance.now`) clocks that wait are left alone. */
  readonly #resting = new Map<number, number>();
  #running = false;

  constructor(options: TestClockWorkerOptions) {
    this.#options = options;
    this.#loop = new ClaimLoop<ClockRow>({
      claim: (room) => options.database.run(findAdvancingClocks, [[...this.#moving, ...this.#restingClocks()], room]),
      perform: (row) => this.#move(row),
      release: async () => {},
      slots: () => slots,
      maxBatch: slots,
      pollMs: options.pollMs,
      onError: options.onError,
    });
  }

  /** What goes by test clocks: a clock stops at each moment at which some of it is due. */
  follow(work: TestClockWork): void {
    this.#works.push(work);
  }

  start(): void {
    this.#running = true;
    this.#loop.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#loop.stop();
    await this.#loop.drained();
  }

  async #move({ tenant_id: tenantId, id: clockId, now_at, target_at }: ClockRow): Promise<void> {
    const clock = { tenantId, clockId };
    const targetMs = Date.parse(target_at as string);
    let nowMs = Date.parse(now_at);
    let pauseMs = firstPauseMs;
    let movedAtMs = performance.now();
    this.#moving.add(clockId);
    try {
      while (this.#running) {
        const toMs = await this.#next(clock, nowMs, targetMs);
        if (toMs === undefined) {
          if (performance.now() - movedAtMs > patienceMs) {
            this.#resting.set(clockId, performance.now() + restMs);
            return;
          }
          this.#options.wake(this.#works.flatMap(({ topics }) => topics));
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
          pauseMs = Math.min(2 * pauseMs, longestPauseMs);
          continue;
        }
        const isThere = toMs === null;
        const values = [tenantId, clockId, new Date(nowMs).toISOString(), toMs ?? targetMs, isThere];
        const [stepped] = await this.#options.database.run(moveClock, values);
        // Somebody else has moved it on: whoever claims it next sees where it is.
        if (stepped === undefined || isThere) return;
        nowMs = toMs;
        pauseMs = firstPauseMs;
        movedAtMs = performance.now();
      }
    } finally {
      this.#moving.delete(clockId);
    }
  }

  #restingClocks(): Iterable<number> {
    for (const [id, untilMs] of this.#resting) if (untilMs <= performance.now()) this.#resting.delete(id);
    return this.#resting.keys();
  }

  /** The moment to go to; null: nothing is due any more up to the target; undefined: what is due now is not done yet. */
  #next(clock: ClockKey, nowMs: number, untilMs: number): Promise<number | null | undefined> {
    return this.#options.database.snapshot(async (moment) => {
      let next: number | null = null;
      for (const { isInProgress: isBusy, nextDueMs: nextDue } of this.#works) {
        if (await isBusy(moment, clock)) return undefined;
        const due = await nextDue(moment, clock, untilMs);
        if (due !== null && (next === null || due < next)) next = due;
      }
      return next !== null && next <= nowMs ? undefined : next;
    });
  }
}
