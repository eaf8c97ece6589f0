import { secondMs } from '../../../../core/clock.ts';
import { type EndpointQueue, initialWindow } from './endpoint-queue.ts';

/**
 * Pools of slots for endpoints that are not prompt. Each has a quarter of the slots of a node, which leaves a quarter
 * to prompt endpoints. The numbers are the limits of deliveries to one origin.
 */
const perOrigin = { unproven: 32, firstDelivery: 8, trial: 4 };
const poolShare = 1 / 4;
type Pool = keyof typeof perOrigin;

/** A queue is fresh for this long after one of its deliveries has come due. */
export const freshMs = 2 * secondMs;
/** A prompt endpoint may use this many times the slots that it leaves free: at most four fifths of all. */
const promptTimesFree = 4;

export interface SlotAllocatorOptions {
  /** Slots to allocate at most. */
  freeSlots: number;
  /** Deliveries that the node may have in flight. */
  slots: number;
  /** The queues with deliveries in flight. */
  active: Iterable<EndpointQueue>;
  /** Work waits for this machine: endpoints with a backlog get no more than one without history. Default: false. */
  isBehind?: boolean;
  nowMs: number;
}

/**
 * Allocates a node's free slots to the endpoints with due deliveries, so that no endpoint harms another:
 *
 * - A prompt endpoint may use its whole window, but at most four times the slots that it leaves free.
 * - All other endpoints are unproven. They share a pool, 8 slots each.
 * - When that pool is full, another one serves endpoints that answer slowly, and first deliveries: the first fresh
 *   delivery to an endpoint that is not known to fail is sent at once, however many other endpoints hang.
 * - An endpoint with an open circuit breaker gets none. When the breaker is half-open it gets one, the trial, of a
 *   pool.
 * - Deliveries to an inactive endpoint are always granted: they are cancelled without a request.
 */
export class SlotAllocator {
  /** Deliveries to claim, by queue. */
  readonly granted = new Map<EndpointQueue, number>();
  /** Slots that may still be granted. */
  remaining: number;
  readonly #options: SlotAllocatorOptions;
  #free: number;
  /** Slots in use, by pool, and by pool and origin. */
  readonly #used = new Map<string, number>();

  constructor(options: SlotAllocatorOptions) {
    this.#options = options;
    this.remaining = options.freeSlots;
    this.#free = options.slots;
    for (const queue of options.active) {
      this.#free -= queue.inFlight;
      // What an endpoint that has just become silent uses beyond its limit does not reduce the shares of others.
      this.#use(queue, Math.min(queue.inFlight, queue.limit(options.nowMs)));
    }
  }

  /** Grants slots to queues with due deliveries: first an equal share to each, then what is left. */
  grant(queues: ReadonlySet<EndpointQueue>): Map<EndpointQueue, number> {
    const equalShare = Math.ceil(this.remaining / Math.max(1, queues.size));
    for (const share of [equalShare, this.remaining]) for (const queue of queues) this.#grant(queue, share);
    return this.granted;
  }

  /** How many more deliveries the queue may have in flight, apart from `remaining`. */
  allowanceOf(queue: EndpointQueue): number {
    const { nowMs, isBehind } = this.#options;
    const { isActive, ratePerS } = queue.endpoint;
    if (!isActive) return Number.POSITIVE_INFINITY;
    const used = queue.inFlight + (this.granted.get(queue) ?? 0);
    const limit = isBehind && queue.backlog.isOn ? Math.min(initialWindow, queue.limit(nowMs)) : queue.limit(nowMs);
    const own = ratePerS !== null && queue.rateUsedUntilMs > nowMs ? 0 : limit - used;
    if (queue.isPaused(nowMs) || own <= 0) return 0;
    if (queue.isHalfOpen(nowMs)) return used === 0 ? Math.min(1, this.#left('trial', queue)) : 0;
    // One slot more while it uses fewer than four times the slots then free.
    const byFree = Math.ceil((promptTimesFree * this.#free - used) / (promptTimesFree + 1));
    if (queue.isPrompt(nowMs)) return Math.min(own, byFree);
    if (queue.isFirstDelivery && used > 0 && !queue.hasAnswered) return 0;
    const left = Math.min(own, this.#left('unproven', queue));
    if (left > 0) return left;
    if (queue.hasAnswered) return Math.min(own, this.#left('firstDelivery', queue));
    const maySendFirst = used === 0 && !queue.isKnownToFail && nowMs - queue.freshAtMs <= freshMs;
    return maySendFirst ? Math.min(1, this.#left('firstDelivery', queue)) : 0;
  }

  #grant(queue: EndpointQueue, most: number): void {
    const count = Math.min(most, this.remaining, this.allowanceOf(queue));
    if (count <= 0) return;
    if (queue.inFlight === 0 && !this.granted.has(queue)) {
      queue.isFirstDelivery = !queue.isPrompt(this.#options.nowMs) && this.#left('unproven', queue) <= 0;
    }
    this.remaining -= count;
    this.#free -= count;
    this.#use(queue, count);
    this.granted.set(queue, (this.granted.get(queue) ?? 0) + count);
  }

  #use(queue: EndpointQueue, count: number): void {
    const { isActive, pausedUntilMs, origin } = queue.endpoint;
    if (!isActive || queue.isPrompt(this.#options.nowMs)) return;
    const pool: Pool = pausedUntilMs !== null ? 'trial' : queue.isFirstDelivery ? 'firstDelivery' : 'unproven';
    for (const key of [pool, `${pool} ${origin}`]) this.#used.set(key, (this.#used.get(key) ?? 0) + count);
  }

  #left(pool: Pool, { endpoint: { origin } }: EndpointQueue): number {
    const share = Math.max(1, Math.floor(this.#options.slots * poolShare));
    return Math.min(share - (this.#used.get(pool) ?? 0), perOrigin[pool] - (this.#used.get(`${pool} ${origin}`) ?? 0));
  }
}
