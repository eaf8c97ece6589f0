import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** Long enough to contain a batch of payments even when the database is slow. */
const sampleMs = 100;
/** At this share of busy time a database on the same cores is saturated as well. */
const highUtilization = 0.5;
/**
 * The same while payments with many deliveries delay those of other tenants: deliveries take the database longer to write than
 * this process, which then appears idle, and sending them would use the capacity that is left.
 */
const highUtilizationInContention = 0.2;
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
  #batches = 0;
  #contendedBatches = 0;
  #posts = 0;
  #isOn = false;

  constructor(utilization = performance.eventLoopUtilization) {
    this.#utilization = utilization;
    this.#since = utilization();
  }

  /** A batch was written; `isContended`: payments with many deliveries delay those of other tenants. */
  paid(payments: number, isContended = false): void {
    this.#payments += payments;
    this.#batches++;
    if (isContended) this.#contendedBatches++;
  }

  posted(): void {
    this.#posts++;
  }

  get isOn(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#sampledAtMs >= sampleMs) {
      const now = this.#utilization();
      const { utilization } = this.#utilization(now, this.#since);
      const isContended = this.#contendedBatches * 2 > this.#batches;
      const high = isContended ? highUtilizationInContention : highUtilization;
      this.#isOn = utilization >= high && this.#payments * maximumPostsPerPayment > this.#posts;
      this.#since = now;
      this.#sampledAtMs = nowMs;
      this.#payments = 0;
      this.#batches = 0;
      this.#contendedBatches = 0;
      this.#posts = 0;
    }
    return this.#isOn;
  }
}
