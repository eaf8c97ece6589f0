import { secondMs } from '../../../../core/clock.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

/** The part of a node's slots that endpoints without a recent prompt answer may use together. */
const unprovenPart = 1 / 4;
/** The part, besides, for introductions: one fresh delivery each to endpoints that are not known to fail. */
const introductionPart = 1 / 4;
/** The part for trials of half-open circuit breakers. */
const trialPart = 1 / 4;
/** The same limits for the endpoints of one origin, in deliveries. */
const unprovenPerOrigin = 32;
const introductionsPerOrigin = 8;
const trialsPerOrigin = 4;
/** A delivery that has been due for no longer than this is fresh. */
const freshMs = 2 * secondMs;
/** A prompt endpoint may use this many times the slots that it leaves free: at most four fifths of all. */
const promptTimesFree = 4;

/** Due deliveries of one endpoint, as a peek found them. */
export interface DueDeliveries {
  queue: EndpointQueue;
  tenantId: number;
  ids: readonly string[];
  /** When the first of `ids` was due. */
  dueMs: number;
}

export interface SlotAllocatorOptions {
  /** Slots to allocate at most. */
  freeSlots: number;
  /** Deliveries that the node may have in flight, and those that are. */
  slots: number;
  inFlight: number;
  /** The queues with deliveries in flight. */
  active: Iterable<EndpointQueue>;
  nowMs: number;
}

/**
 * Allocates a node's free slots to the endpoints with due deliveries, so that no endpoint harms another:
 *
 * - A prompt endpoint may use its whole window, but at most four times the slots that it leaves free.
 * - All other endpoints are unproven. Together they use at most a quarter of the slots, those of one origin at most 32,
 *   each at most 8, and fewer the less of these limits is left.
 * - When that quarter is full, another quarter serves introductions: the first fresh delivery to an endpoint that is not
 *   known to fail is sent at once, however many other endpoints hang.
 * - An endpoint with an open circuit breaker gets none. When the breaker is half-open it gets one, the trial; trials use
 *   at most a quarter.
 * - So the last quarter is left to prompt endpoints.
 * - No endpoint gets more than its rate allows.
 * - Deliveries to an inactive endpoint are always granted: they are cancelled without a request.
 */
export class SlotAllocator {
  /** Slots that may still be granted. */
  remaining: number;
  readonly #slots: number;
  readonly #nowMs: number;
  #free: number;
  readonly #unproven = new Usage();
  readonly #introductions = new Usage();
  readonly #trials = new Usage();
  readonly #backlogged = new Set<EndpointQueue>();
  readonly #granted = new Map<EndpointQueue, { tenantId: number; ids: string[] }>();

  constructor({ freeSlots, slots, inFlight, active, nowMs }: SlotAllocatorOptions) {
    this.remaining = freeSlots;
    this.#slots = slots;
    this.#nowMs = nowMs;
    this.#free = slots - inFlight;
    for (const queue of active) this.#addUsage(queue, this.#shareOf(queue));
  }

  /** Grants slots, first an equal share to each endpoint, then what is left. Returns the deliveries without a slot. */
  grant(due: readonly DueDeliveries[]): DueDeliveries[] {
    const equalShare = Math.max(1, Math.floor(this.remaining / Math.max(1, due.length)));
    const first = due.map((one) => this.#grantUpTo(equalShare, one, 0));
    return due.flatMap((one, i) => {
      const begun = first[i] as number;
      const total = begun + this.#grantUpTo(one.ids.length - begun, one, begun);
      const left = one.ids.length - total;
      if (left > 0) this.#backlogged.add(one.queue);
      one.queue.isBacklogged = this.#backlogged.has(one.queue);
      return left > 0 ? [{ ...one, ids: one.ids.slice(total) }] : [];
    });
  }

  get granted(): ReadonlyMap<EndpointQueue, { tenantId: number; ids: string[] }> {
    return this.#granted;
  }

  /** Reduces a grant to `count` deliveries. */
  limitGrant(queue: EndpointQueue, count: number): void {
    const grant = this.#granted.get(queue);
    if (grant === undefined) return;
    grant.ids.length = Math.min(grant.ids.length, count);
    if (grant.ids.length === 0) this.#granted.delete(queue);
  }

  /** How many more deliveries the queue may have in flight, apart from `remaining`. `dueMs`: when the first was due. */
  allowanceOf(queue: EndpointQueue, dueMs = 0): number {
    const { endpoint } = queue;
    if (endpoint.isActive !== true) return Number.POSITIVE_INFINITY;
    if (queue.isPaused(this.#nowMs)) return 0;
    const used = this.#usedBy(queue);
    if (queue.isHalfOpen(this.#nowMs)) {
      return used === 0 && this.#trials.isBelow(this.#slots * trialPart, trialsPerOrigin, endpoint.origin) ? 1 : 0;
    }
    const byRate = queue.rateAllowance(this.#nowMs) - (this.#granted.get(queue)?.ids.length ?? 0);
    if (queue.isPrompt(this.#nowMs)) return Math.max(0, Math.min(byRate, this.#promptAllowance(queue)));
    const allowance = Math.min(byRate, this.#unprovenAllowance(queue));
    return allowance > 0 ? allowance : this.#mayIntroduce(queue, dueMs) && byRate > 0 ? 1 : 0;
  }

  #grantUpTo(most: number, { queue, tenantId, ids, dueMs }: DueDeliveries, from: number): number {
    const count = Math.min(most, this.remaining, this.allowanceOf(queue, dueMs));
    if (count <= 0) return 0;
    if (this.#usedBy(queue) === 0) {
      queue.isIntroduction = !queue.isPrompt(this.#nowMs) && this.#unprovenAllowance(queue) <= 0;
    }
    this.remaining -= count;
    this.#free -= count;
    this.#addUsage(queue, count);
    const grant = this.#granted.get(queue) ?? { tenantId, ids: [] };
    grant.ids.push(...ids.slice(from, from + count));
    this.#granted.set(queue, grant);
    return count;
  }

  #addUsage(queue: EndpointQueue, count: number): void {
    const { isActive, origin, pausedUntilMs } = queue.endpoint;
    if (isActive !== true || queue.isPrompt(this.#nowMs)) return;
    const usage = pausedUntilMs !== null ? this.#trials : queue.isIntroduction ? this.#introductions : this.#unproven;
    usage.add(origin, count);
  }

  #promptAllowance(queue: EndpointQueue): number {
    const used = this.#usedBy(queue);
    return Math.min(queue.limit(this.#nowMs) - used, promptAllowance(this.#free, used));
  }

  #unprovenAllowance(queue: EndpointQueue): number {
    const limit = queue.limit(this.#nowMs);
    const used = this.#usedBy(queue);
    if (queue.isIntroduction && used > 0) return 0;
    const own = this.#shareOf(queue);
    const part = Math.max(1, Math.floor(this.#slots * unprovenPart));
    const { total } = this.#unproven;
    const atOrigin = this.#unproven.at(queue.endpoint.origin);
    return Math.min(
      scaledLimit(limit, part, total - own) - used,
      scaledLimit(limit, unprovenPerOrigin, atOrigin - own) - used,
      part - total,
      unprovenPerOrigin - atOrigin,
    );
  }

  #mayIntroduce(queue: EndpointQueue, dueMs: number): boolean {
    if (dueMs < this.#nowMs - freshMs || queue.isKnownToFail || this.#usedBy(queue) > 0) return false;
    return this.#introductions.isBelow(this.#slots * introductionPart, introductionsPerOrigin, queue.endpoint.origin);
  }

  /** Slots counted as used. What an endpoint that has just become silent uses beyond its limit does not reduce other shares. */
  #shareOf(queue: EndpointQueue): number {
    return Math.min(this.#usedBy(queue), queue.endpoint.pausedUntilMs === null ? queue.limit(this.#nowMs) : 1);
  }

  /** In flight or granted. */
  #usedBy(queue: EndpointQueue): number {
    return queue.inFlight + (this.#granted.get(queue)?.ids.length ?? 0);
  }
}

/** Slots in use, in all and by origin. */
class Usage {
  total = 0;
  readonly #byOrigin = new Map<string, number>();

  add(origin: string, count: number): void {
    this.total += count;
    this.#byOrigin.set(origin, this.at(origin) + count);
  }

  at(origin: string): number {
    return this.#byOrigin.get(origin) ?? 0;
  }

  isBelow(total: number, atOrigin: number, origin: string): boolean {
    return this.total < total && this.at(origin) < atOrigin;
  }
}

/** How many more slots a prompt endpoint with `used` gets: one while it uses fewer than four times the slots then free. */
export function promptAllowance(free: number, used: number): number {
  return Math.floor((promptTimesFree * free - used - 1) / (promptTimesFree + 1)) + 1;
}

/** `limit`, scaled down by the part of the common `part` that others use. */
function scaledLimit(limit: number, part: number, usedByOthers: number): number {
  return Math.ceil((limit * (part - usedByOthers)) / part);
}
