import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** Long enough for a batch of payments to be written in it, however slow the database is just then. */
const sampleMs = 100;
/** From this share of busy time on the database, on the same cores, has no more to give than this process takes. */
const highUtilization = 0.5;
/** Fewer payments than one to so many posts are no rush: a backlog that is worked off need not wait for them. */
const postsToPayment = 20;

/**
 * Whether payments come in so fast that deliveries had better wait: the event loop is busy for half of its time, and
 * payments are what it is busy with, not only the posts themselves. It looks when it is asked, so that an idle process
 * stays idle.
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
      this.#isOn = utilization >= highUtilization && this.#payments * postsToPayment > this.#posts;
      this.#since = now;
      this.#sampledAtMs = nowMs;
      this.#payments = 0;
      this.#posts = 0;
    }
    return this.#isOn;
  }
}
