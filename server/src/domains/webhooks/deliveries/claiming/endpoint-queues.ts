import { hourMs, minuteMs } from '../../../../core/clock.ts';
import { type EndedAttempt, EndpointQueue, type EndpointSnapshot } from './endpoint-queue.ts';
import type { PeekedEndpoint } from './peek-statements.ts';
import { type DueDeliveries, promptAllowance, SlotAllocator } from './slot-allocator.ts';

/** An idle queue is forgotten after a minute, or after an hour if its endpoint has failures, a pause or a rate. */
const idleQueueMs = minuteMs;
const troubledIdleQueueMs = hourMs;
/** A claim for fewer deliveries than this, or than an eighth of the slots, costs more than it gains. */
const worthwhileClaim = 25;

/** The queues of all endpoints that this node has lately served. */
export class EndpointQueues {
  readonly #slots: () => number;
  readonly #queues = new Map<number, EndpointQueue>();
  /** Queues with deliveries in flight: never more than there are slots. */
  readonly #active = new Set<EndpointQueue>();
  #inFlight = 0;

  /** `slots`: deliveries that the node may have in flight. */
  constructor(slots: () => number) {
    this.#slots = slots;
  }

  /** The endpoint's queue, updated with the row that was just read. */
  refresh(id: number, endpoint: EndpointSnapshot, nowMs: number): EndpointQueue {
    const queue = this.#queues.get(id);
    if (queue === undefined) return this.#add(new EndpointQueue(id, endpoint));
    queue.refresh(endpoint, nowMs);
    return queue;
  }

  get(id: number): EndpointQueue | undefined {
    return this.#queues.get(id);
  }

  /** An allocator of at most `freeSlots` slots, given what is in flight now. */
  allocator(freeSlots: number, nowMs: number): SlotAllocator {
    const slots = this.#slots();
    return new SlotAllocator({ freeSlots, slots, inFlight: this.#inFlight, active: this.#active, nowMs });
  }

  begin(id: number, nowMs: number): EndpointQueue {
    const queue = this.#queues.get(id) ?? this.#add(new EndpointQueue(id, unknownEndpoint));
    queue.begin(nowMs);
    this.#inFlight++;
    this.#active.add(queue);
    return queue;
  }

  end(queue: EndpointQueue, nowMs: number, ended: EndedAttempt | undefined): void {
    queue.end(nowMs, ended, this.#slots());
    this.#inFlight--;
    if (queue.inFlight === 0) this.#active.delete(queue);
  }

  /** Whether a backlogged queue has enough free capacity again for another claim. Called after every delivery. */
  isWorthClaiming(queue: EndpointQueue, nowMs: number): boolean {
    if (!queue.isBacklogged) return false;
    const free = queue.limit(nowMs) - queue.inFlight;
    const allowance = queue.isPrompt(nowMs)
      ? Math.min(free, promptAllowance(this.#slots() - this.#inFlight, queue.inFlight))
      : free;
    return allowance > 0 && allowance >= Math.min((queue.inFlight + allowance) / 4, this.#worthwhileClaim);
  }

  /**
   * Endpoints that a direct claim may serve, and its size: each is prompt, has no rate and could take the whole claim
   * alone, so that it does not matter whose deliveries are claimed. A size of 0: a direct claim is not worthwhile.
   */
  directlyClaimable(freeSlots: number, nowMs: number): { endpointIds: number[]; count: number } {
    const allocator = this.allocator(freeSlots, nowMs);
    const allowances = new Map<EndpointQueue, number>();
    for (const queue of this.#active) {
      if (queue.isPrompt(nowMs) && queue.endpoint.ratePerS === null) {
        allowances.set(queue, allocator.allowanceOf(queue));
      }
    }
    const count = Math.min(freeSlots, Math.max(0, ...allowances.values()));
    if (count < this.#worthwhileClaim) return { endpointIds: [], count: 0 };
    const able = [...allowances].filter(([, allowance]) => allowance >= count);
    return { endpointIds: able.map(([queue]) => queue.id), count };
  }

  /** More deliveries of the endpoint were due than it was granted. */
  markBacklogged(id: number): void {
    const queue = this.#queues.get(id);
    if (queue !== undefined) queue.isBacklogged = true;
  }

  /** Called before a peek, which finds out again which queues are backlogged. */
  clearBacklogged(): void {
    for (const queue of this.#active) queue.isBacklogged = false;
  }

  /** Forgets queues that have long been idle and have nothing parked. */
  prune(nowMs: number): void {
    for (const [id, queue] of this.#queues) {
      if (queue.hasParked) continue;
      const { pausedUntilMs, ratePerS } = queue.endpoint;
      const isTroubled = queue.consecutiveFailures > 0 || pausedUntilMs !== null || ratePerS !== null;
      if (queue.idleMs(nowMs) > (isTroubled ? troubledIdleQueueMs : idleQueueMs)) this.#queues.delete(id);
    }
  }

  get #worthwhileClaim(): number {
    return Math.min(worthwhileClaim, this.#slots() / 8);
  }

  #add(queue: EndpointQueue): EndpointQueue {
    this.#queues.set(queue.id, queue);
    return queue;
  }
}

export function snapshotOf(row: PeekedEndpoint): EndpointSnapshot {
  return {
    isActive: row.state,
    origin: row.origin ?? '',
    maxInFlight: row.max_in_flight,
    ratePerS: row.rate_per_s,
    pausedUntilMs: row.open_ms,
    firstFailureMs: row.first_failure_ms,
  };
}

/** The due deliveries that a peek found in a queue; undefined when it found none. */
export function dueOf(queue: EndpointQueue, { tenant_id, ids, due_ms }: PeekedEndpoint): DueDeliveries | undefined {
  if (tenant_id === null || ids === null || due_ms === null) return undefined;
  return { queue, tenantId: tenant_id, ids: ids.split(','), dueMs: due_ms };
}

const unknownEndpoint: EndpointSnapshot = {
  isActive: null,
  origin: '',
  maxInFlight: null,
  ratePerS: null,
  pausedUntilMs: null,
  firstFailureMs: null,
};
