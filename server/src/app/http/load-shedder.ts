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
 * While load is shed, one delivery is sent for so many requests, so that deliveries get the same share of a slow machine as of a
 * fast one. A delivery takes about as long as a create.
 */
const requestsPerDelivery = 8;
/** Deliveries never stop: a sample has at least so many, a hundred a second. */
const leastDeliveries = 10;

/**
 * Decides whether webhook deliveries should wait because payments need the capacity: the event loop was busy for at least
 * half of the time in one of the last two samples, and payments, not only the posts themselves, keep it busy. In a single sample
 * it often looks idle, because it waits for the disk or the deliveries that were held back have left it time. Samples only
 * when `deliveryLimit` is read, so that an idle process has no timer.
 */
export class LoadShedder {
  readonly #processes: number;
  readonly #utilization: typeof performance.eventLoopUtilization;
  #since: EventLoopUtilization;
  #sampledAtMs = performance.now();
  #requests = 0;
  #payments = 0;
  #batches = 0;
  #contendedBatches = 0;
  #posts = 0;
  #utilizationBefore = 0;
  #limit: number | undefined;

  /** `processes` of the node: all serve requests, and this one sends the deliveries of all. */
  constructor(processes = 1, utilization = performance.eventLoopUtilization) {
    this.#processes = processes;
    this.#utilization = utilization;
    this.#since = utilization();
  }

  /** A request of any kind was answered. */
  answered(): void {
    this.#requests++;
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

  /** The most deliveries of the next tenth of a second; undefined: no load is shed. */
  get deliveryLimit(): number | undefined {
    const elapsedMs = performance.now() - this.#sampledAtMs;
    if (elapsedMs >= sampleMs) {
      const now = this.#utilization();
      const { utilization } = this.#utilization(now, this.#since);
      const isContended = this.#contendedBatches * 2 > this.#batches;
      const high = isContended ? highUtilizationInContention : highUtilization;
      const isBusy = Math.max(utilization, this.#utilizationBefore) >= high;
      const isOn = isBusy && this.#payments * maximumPostsPerPayment > this.#posts;
      const requestsOfNode = (this.#requests * this.#processes * sampleMs) / elapsedMs;
      const share = Math.round(requestsOfNode / requestsPerDelivery);
      this.#limit = isOn ? Math.max(leastDeliveries, share) : undefined;
      this.#since = now;
      this.#utilizationBefore = utilization;
      this.#sampledAtMs += elapsedMs;
      this.#requests = 0;
      this.#payments = 0;
      this.#batches = 0;
      this.#contendedBatches = 0;
      this.#posts = 0;
    }
    return this.#limit;
  }
}
