import type { Clock } from '../../../../core/clock.ts';
import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { releaseTrials, reserveTrials } from '../../endpoints/health-statements.ts';
import { type ClaimedDelivery, takeRateAllowance } from './claim-statements.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import type { EndpointQueues } from './endpoint-queues.ts';
import type { SlotAllocator } from './slot-allocator.ts';

export interface PermitsOptions {
  database: Queryable;
  clock: Clock;
  queues: EndpointQueues;
  /** A trial is this node's for as long as the lease of its delivery. */
  leaseMs: number;
}

/** Checks grants against what all nodes share: the trial of each half-open circuit breaker, and the endpoints' rates. */
export class Permits {
  readonly #options: PermitsOptions;

  constructor(options: PermitsOptions) {
    this.#options = options;
  }

  /** Reduces the grants to what the database permits this node. */
  async apply(allocator: SlotAllocator, nowMs: number): Promise<void> {
    const queues = [...allocator.granted.keys()].filter((queue) => queue.endpoint.isActive === true);
    const halfOpen = queues.filter((queue) => queue.isHalfOpen(nowMs));
    // In the order of their ids, in which every node locks the rows.
    const rated = queues.filter((queue) => queue.endpoint.ratePerS !== null).toSorted((a, b) => a.id - b.id);
    if (halfOpen.length > 0) await this.#takeTrials(allocator, halfOpen, nowMs);
    if (rated.length > 0) await this.#takeRates(allocator, rated, nowMs);
  }

  /**
   * Returns the trials whose delivery could not be claimed because another node holds its row: the endpoint need not wait
   * for another pause.
   */
  async returnUnusedTrials(
    allocator: SlotAllocator,
    claimed: readonly ClaimedDelivery[],
    nowMs: number,
  ): Promise<void> {
    const begun = new Set(claimed.map((row) => row.endpoint_id));
    const unused = [...allocator.granted.keys()].filter((queue) => queue.hasTrial && !begun.has(queue.id));
    if (unused.length === 0) return;
    const untilMs = nowMs + this.#options.leaseMs;
    await this.#options.database.run(releaseTrials, [nowMs, untilMs, plainArray(unused.map(({ id }) => id))]);
    for (const queue of unused) {
      queue.hasTrial = false;
      queue.endpoint = { ...queue.endpoint, pausedUntilMs: nowMs };
    }
  }

  async #takeTrials(allocator: SlotAllocator, halfOpen: EndpointQueue[], nowMs: number): Promise<void> {
    const { database, leaseMs } = this.#options;
    const untilMs = nowMs + leaseMs;
    const taken = await database.run(reserveTrials, [nowMs, untilMs, plainArray(halfOpen.map(({ id }) => id))]);
    const takenIds = new Set(taken.map(({ id }) => id));
    for (const queue of halfOpen) {
      queue.hasTrial = takenIds.has(queue.id);
      if (!queue.hasTrial) allocator.limitGrant(queue, 0);
      queue.endpoint = { ...queue.endpoint, pausedUntilMs: untilMs };
    }
  }

  async #takeRates(allocator: SlotAllocator, rated: EndpointQueue[], nowMs: number): Promise<void> {
    const granted = rated.filter((queue) => allocator.granted.has(queue));
    if (granted.length === 0) return;
    const rows = await this.#options.database.run(takeRateAllowance, [
      nowMs,
      plainArray(granted.map(({ id }) => id)),
      plainArray(granted.map((queue) => allocator.granted.get(queue)?.ids.length ?? 0)),
      plainArray(granted.map((queue) => queue.endpoint.ratePerS)),
    ]);
    for (const row of rows) {
      const queue = this.#options.queues.get(row.endpoint_id);
      if (queue === undefined) continue;
      queue.rateUsedUntilMs = row.used_until_ms;
      allocator.limitGrant(queue, row.granted);
    }
  }
}
