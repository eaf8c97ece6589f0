import { type Clock, secondMs } from '../../../../core/clock.ts';
import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { parkDeliveries } from './claim-statements.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import { dueOf, type EndpointQueues, snapshotOf } from './endpoint-queues.ts';
import { peekOldestDue, peekParked } from './peek-statements.ts';
import type { DueDeliveries, SlotAllocator } from './slot-allocator.ts';

export interface ParkedDeliveriesOptions {
  database: Queryable;
  clock: Clock;
  queues: EndpointQueues;
  /** Lower bound of `due_at` for reads of due deliveries (`OldestDue`). */
  dueFromMs: () => number;
  /** Called when parking has ended and the head of the common queue is free again. */
  onParked: () => void;
  onError: (error: unknown) => void;
}

/** Deliveries read at once while parking. */
const parkingBatch = 1_000;
/** With fewer stuck deliveries than this among the oldest, parking ends. */
const worthParking = 200;
/**
 * Once a second a rotation visits all endpoints with parked deliveries, whichever node parked them: this many endpoints
 * at a time, and this many deliveries of each.
 */
const rotationEveryMs = secondMs;
const rotationEndpoints = 1_000;
const rotationDeliveries = 8;
/** Endpoints known to have parked deliveries that one claim requests by id, if their allowance permits. */
const maxRequested = 100;
/** There may be thousands of blocked endpoints: each claim checks the allowance of this many. */
const maxBlockedChecked = 200;

/**
 * Parked deliveries: due deliveries that wait for their endpoint, moved out of the common queue so
 * that they do not hide those of other endpoints. They are read endpoint by endpoint.
 */
export class ParkedDeliveries {
  readonly #options: ParkedDeliveriesOptions;
  #parking: Promise<void> | undefined;
  #isClosed = false;
  #rotatedAtMs = Number.NEGATIVE_INFINITY;
  #lastVisitedId = 0;
  #mayUseSingleSlot = false;
  /** Queues with parked deliveries: those that were granted some last time, and those that were not, in rotation. */
  readonly #served = new Set<EndpointQueue>();
  readonly #blocked = new Set<EndpointQueue>();

  constructor(options: ParkedDeliveriesOptions) {
    this.#options = options;
  }

  /** Nothing is parked, as far as this node knows. */
  get isEmpty(): boolean {
    return this.#served.size + this.#blocked.size === 0;
  }

  get isParking(): boolean {
    return this.#parking !== undefined;
  }

  /** Grants slots to parked deliveries of endpoints whose allowance permits them now. */
  async grant(allocator: SlotAllocator, nowMs: number): Promise<void> {
    const isRotation = performance.now() - this.#rotatedAtMs > rotationEveryMs;
    const requested = this.#request(allocator);
    if (!isRotation && requested.length === 0) return;
    if (isRotation) {
      this.#rotatedAtMs = performance.now();
      this.#options.queues.prune(nowMs);
    }
    const rows = await this.#options.database.run(peekParked, [
      nowMs,
      plainArray(requested.map(({ queue }) => queue.id)),
      plainArray(requested.map(({ count }) => count)),
      this.#lastVisitedId,
      isRotation ? rotationEndpoints : 0,
      rotationDeliveries,
    ]);
    const requestedCounts = new Map(requested.map(({ queue, count }) => [queue.id, count]));
    const due = rows.flatMap(
      (row) => dueOf(this.#options.queues.refresh(row.endpoint_id, snapshotOf(row), nowMs), row) ?? [],
    );
    const left = new Set(allocator.grant(due).map(({ queue }) => queue));
    for (const { queue } of requested) if (!left.has(queue)) this.#untrack(queue);
    for (const { queue, ids } of due) {
      if (left.has(queue) || ids.length >= (requestedCounts.get(queue.id) ?? rotationDeliveries)) {
        this.#track(queue, allocator);
      }
    }
    if (isRotation) this.#lastVisitedId = nextRotationStart(rows, requestedCounts);
  }

  /**
   * Parks stuck deliveries in the background, and goes on until the head of the common queue is free. 100,000 deliveries
   * of a hanging endpoint take a second or two, one update each.
   */
  park(stuck: readonly DueDeliveries[]): void {
    this.#parking ??= this.#park(stuck)
      .catch(this.#options.onError)
      .finally(() => {
        this.#parking = undefined;
        if (!this.#isClosed) this.#options.onParked();
      });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#parking;
  }

  /** The endpoints to read by id, and how many deliveries of each. */
  #request(allocator: SlotAllocator): { queue: EndpointQueue; count: number }[] {
    // Half of the free slots, so that newly due deliveries do not wait; a single free slot every second time.
    this.#mayUseSingleSlot = !this.#mayUseSingleSlot;
    let left = allocator.remaining === 1 && this.#mayUseSingleSlot ? 1 : Math.floor(allocator.remaining / 2);
    const requested: { queue: EndpointQueue; count: number }[] = [];
    for (const queue of this.#candidates()) {
      const count = Math.min(allocator.allowanceOf(queue), left);
      if (count > 0) {
        // One more than it may have now shows whether there are more.
        requested.push({ queue, count: count + 1 });
        left -= count;
      }
      if (left <= 0 || requested.length === maxRequested) break;
    }
    return requested;
  }

  #candidates(): EndpointQueue[] {
    const checked: EndpointQueue[] = [];
    for (const queue of this.#blocked) {
      if (checked.push(queue) === maxBlockedChecked) break;
    }
    // To the end of the set, so that the next claim checks others.
    for (const queue of checked) {
      this.#blocked.delete(queue);
      this.#blocked.add(queue);
    }
    return [...this.#served, ...checked];
  }

  #track(queue: EndpointQueue, allocator?: SlotAllocator): void {
    queue.hasParked = true;
    const isServed = allocator?.granted.has(queue) ?? false;
    (isServed ? this.#served : this.#blocked).add(queue);
    (isServed ? this.#blocked : this.#served).delete(queue);
  }

  #untrack(queue: EndpointQueue): void {
    queue.hasParked = false;
    this.#served.delete(queue);
    this.#blocked.delete(queue);
  }

  async #park(first: readonly DueDeliveries[]): Promise<void> {
    const { database, clock, queues, dueFromMs } = this.#options;
    let stuck = first;
    do {
      await database.run(parkDeliveries, [
        clock(),
        plainArray(stuck.flatMap(({ tenantId, ids }) => ids.map(() => tenantId))),
        plainArray(stuck.flatMap(({ ids }) => ids)),
      ]);
      for (const { queue } of stuck) this.#track(queue);
      const nowMs = clock();
      const rows = await database.run(peekOldestDue, [nowMs, dueFromMs(), parkingBatch]);
      const due = rows.flatMap((row) => dueOf(queues.refresh(row.endpoint_id, snapshotOf(row), nowMs), row) ?? []);
      // Grants nothing: only its allowances are read.
      const allocator = queues.allocator(0, nowMs);
      stuck = due.filter(({ queue }) => allocator.allowanceOf(queue) === 0 && queue.isStuck(nowMs));
    } while (!this.#isClosed && stuck.reduce((count, { ids }) => count + ids.length, 0) >= worthParking);
  }
}

/** The endpoint after which the next rotation continues; 0 when this one has visited the last. */
function nextRotationStart(
  rows: readonly { endpoint_id: number }[],
  requestedCounts: ReadonlyMap<number, number>,
): number {
  const visited = rows.filter(({ endpoint_id }) => !requestedCounts.has(endpoint_id));
  if (visited.length < rotationEndpoints - requestedCounts.size) return 0;
  return Math.max(...visited.map(({ endpoint_id }) => endpoint_id));
}
