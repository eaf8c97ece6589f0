import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** Long enough to contain a batch of payments even when the database is slow. */
const sampleMs = 100;
/** At this share of busy time a database on the same cores is saturated as well. */
const highUtilization = 0.5;
/** With more webhook posts than this per payment, the posts are the load: a backlog then continues to be sent. */
const maximumPostsPerPayment = 20;

/**
 * Decides whether webhook deliveries should wait because payments need the capacity: the event loop is busy for at least
 * half of the time, and payments, not only the posts themselves, keep it busy. Samples only when `isOn` is read, so that an
 * idle process has no timer.
 */
export class LoadShedder {
  readonly #utilization: typeof performance.eventLoopUtilization;
  #since: EventLoopUtilization;
  #sampledAtMs = performance.now();
  #payments = 0;
  #posts = 0;
  #isOn = false;

  constructor(utilization = performance.eventLoopUtilization) {
    this.#utilization = utilization;
    this.#since = utilization();
  }

  paid(payments: number): void {
    this.#payments += payments;
  }

  posted(): void {
    this.#posts++;
  }

  get isOn(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#sampledAtMs >= sampleMs) {
      const now = this.#utilization();
      const { utilization } = this.#utilization(now, this.#since);
      this.#isOn = utilization >= highUtilization && this.#payments * maximumPostsPerPayment > this.#posts;
      this.#since = now;
      this.#sampledAtMs = nowMs;
      this.#payments = 0;
      this.#posts = 0;
    }
    return this.#isOn;
  }
}
