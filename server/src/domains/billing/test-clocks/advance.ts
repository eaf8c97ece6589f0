import { ClaimLoop } from '../../../platform/jobs/claim-loop.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import type { Topic } from '../../../platform/postgres/topics.ts';
import { type ClockRow, clocksUnderWay, stepClock } from './statements.ts';

/** Whatever goes by test clocks: renewals and their payments come later in the order of domains. */
export interface ClockWork {
  /** The earliest moment (ms) up to `untilMs` at which something of this clock's customers is due; null: nothing is. */
  nextDue: (moment: Queryable, clock: ClockKey, untilMs: number) => Promise<number | null>;
  /** Whether something has been begun whose end comes without anyone's doing: a payment that its provider is asked for. */
  isBusy: (moment: Queryable, clock: ClockKey) => Promise<boolean>;
  /** Of the workers that do it. */
  topics: readonly Topic[];
}

export interface ClockKey {
  tenantId: number;
  clockId: number;
}

export interface ClockMoverOptions {
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
const firstLookMs = 5;
const lastLookMs = 50;
/** One that has waited for so long, for a provider that does not answer, makes room for others for a while. */
const patienceMs = 2_000;
const restMs = 1_000;

/**
 * Moves clocks that are on their way, each from one due moment to the next: at each, it waits until all that is due has been
 * worked off and its payments have been settled, so that a year told in seconds goes as a year does. No lease is needed: a
 * step is taken from where the clock was seen, and of two that take it one does.
 */
export class TestClockWorker {
  readonly #options: ClockMoverOptions;
  readonly #loop: ClaimLoop<ClockRow>;
  readonly #works: ClockWork[] = [];
  readonly #moving = new Set<number>();
  /** Until when (of `performance.now`) clocks that wait are left alone. */
  readonly #resting = new Map<number, number>();
  #running = false;

  constructor(options: ClockMoverOptions) {
    this.#options = options;
    this.#loop = new ClaimLoop<ClockRow>({
      claim: (room) => options.database.run(clocksUnderWay, [[...this.#moving, ...this.#atRest()], room]),
      perform: (row) => this.#move(row),
      release: async () => {},
      slots: () => slots,
      maxBatch: slots,
      pollMs: options.pollMs,
      onError: options.onError,
    });
  }

  /** What goes by test clocks: a clock stops at each moment at which some of it is due. */
  follow(work: ClockWork): void {
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
    let lookMs = firstLookMs;
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
          await new Promise((resolve) => setTimeout(resolve, lookMs));
          lookMs = Math.min(2 * lookMs, lastLookMs);
          continue;
        }
        const isThere = toMs === null;
        const values = [tenantId, clockId, new Date(nowMs).toISOString(), toMs ?? targetMs, isThere];
        const [stepped] = await this.#options.database.run(stepClock, values);
        // Somebody else has moved it on: whoever claims it next sees where it is.
        if (stepped === undefined || isThere) return;
        nowMs = toMs;
        lookMs = firstLookMs;
        movedAtMs = performance.now();
      }
    } finally {
      this.#moving.delete(clockId);
    }
  }

  #atRest(): Iterable<number> {
    for (const [id, untilMs] of this.#resting) if (untilMs <= performance.now()) this.#resting.delete(id);
    return this.#resting.keys();
  }

  /** The moment to go to; null: nothing is due any more up to the target; undefined: what is due now is not done yet. */
  #next(clock: ClockKey, nowMs: number, untilMs: number): Promise<number | null | undefined> {
    return this.#options.database.snapshot(async (moment) => {
      let next: number | null = null;
      for (const { isBusy, nextDue } of this.#works) {
        if (await isBusy(moment, clock)) return undefined;
        const due = await nextDue(moment, clock, untilMs);
        if (due !== null && (next === null || due < next)) next = due;
      }
      return next !== null && next <= nowMs ? undefined : next;
    });
  }
}
