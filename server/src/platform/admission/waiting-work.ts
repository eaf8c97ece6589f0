/** What another process reported holds for this long; it reports again while it is behind. */
const reportHoldsMs = 1_000;
const reportEveryMs = 100;
/** While several processes report, the longest wait of this time counts. */
const reportCountsMs = 300;
/** A shorter wait is not worth a message. */
const leastReportedMs = 50;

/** While the oldest work has waited for longer, this machine is behind: what is not urgent waits. */
export const behindMs = 200;

/** Exchanges waits with the processes and nodes that work for this one, or that this one works for. */
export interface Reports {
  send: (waitMs: number) => void;
  listen: (listener: (waitMs: number) => void) => void;
}

/**
 * For how long the oldest work has waited for this machine: operations to charge, outcomes to write, deliveries to
 * post. What waits for somebody else, such as a slow receiver or a provider, does not count. A process that only
 * accepts requests learns it from those that do the work.
 */
export class WaitingWork {
  readonly #sources: (() => number)[] = [];
  readonly #reports: Reports;
  readonly #now: () => number;
  #reportedMs = 0;
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #waitedAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(reports: Reports, now: () => number = () => performance.now()) {
    this.#reports = reports;
    this.#now = now;
    reports.listen((waitMs) => {
      // Several processes report: the longest wait of the last ones counts.
      const isOutdated = this.#now() - this.#reportedAtMs >= reportCountsMs;
      if (waitMs < this.#reportedMs && !isOutdated) return;
      this.#reportedMs = waitMs;
      this.#reportedAtMs = this.#now();
    });
  }

  /** Adds work of this process: `oldestWaitMs` tells how long its oldest piece has waited, in ms. */
  watch(oldestWaitMs: () => number): void {
    this.#sources.push(oldestWaitMs);
  }

  /** In ms; 0 while nothing waits. */
  get oldestWaitMs(): number {
    const isCurrent = this.#now() - this.#reportedAtMs < reportHoldsMs;
    return Math.max(this.#localWaitMs, isCurrent ? this.#reportedMs : 0);
  }

  /** Whether work that is not urgent should wait: replays, and deliveries that were late before. */
  get isBehind(): boolean {
    return this.oldestWaitMs >= behindMs;
  }

  /** Reports to the other processes while something waits here. */
  start(): void {
    this.#timer = setInterval(() => this.#report(), reportEveryMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get #localWaitMs(): number {
    return this.#sources.reduce((longest, oldestWaitMs) => Math.max(longest, oldestWaitMs()), 0);
  }

  #report(): void {
    const waitMs = Math.round(this.#localWaitMs);
    if (waitMs >= leastReportedMs) this.#waitedAtMs = this.#now();
    // The end of the wait is reported until the others no longer count what was reported before.
    if (this.#now() - this.#waitedAtMs <= 2 * reportCountsMs) this.#reports.send(waitMs);
  }
}
