import { secondMs } from '../../../../core/clock.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

/** Of a node's slots, this part may be held by endpoints that are not known to answer promptly. */
const doubtfulPart = 1 / 4;
/** This part, besides, by fresh deliveries to endpoints of which nothing bad is known: one to each. */
const introducedPart = 1 / 4;
/** And this part by deliveries that try whether an endpoint answers again. */
const tryingPart = 1 / 4;
/** The same of one origin, in deliveries. */
const doubtfulOfOrigin = 32;
const introducedOfOrigin = 8;
const tryingOfOrigin = 4;
/** Due for no longer than this, a delivery is fresh. */
const freshMs = 2 * secondMs;
/** One endpoint that answers promptly may hold so many times as many slots as it leaves free. */
const promptTimesFree = 4;

/** Due deliveries of one endpoint. */
export interface Waiting {
  lane: EndpointQueue;
  tenantId: number;
  ids: readonly string[];
  /** When the first of `ids` was due. */
  dueMs: number;
}

export interface SlotAllocatorOptions {
  /** To be shared out at most. */
  room: number;
  /** Deliveries in flight at most, and now. */
  slots: number;
  inFlight: number;
  /** The lanes that have something in flight. */
  active: Iterable<EndpointQueue>;
  nowMs: number;
}

/**
 * Shares a node's free slots out among endpoints with something due, so that none hurts the others:
 *
 * - One that answers promptly may use as many as it can, but always leaves some free for whoever comes next.
 * - All others together use at most a quarter, those of one origin at most 32, each at most 8, and fewer the scarcer
 *   these shares get.
 * - When that quarter is full, one more is kept for introductions: the first fresh delivery to an endpoint that is not
 *   known to fail goes out at once, however many others hang with whatever behind them.
 * - One that is paused gets none. When its pause is over it gets one, to try; such trials use at most a quarter.
 * - So the last quarter is left to those that answer promptly.
 * - None gets more than its rate allows.
 * - One that is switched off gets what it wants: nothing is sent.
 */
export class SlotAllocator {
  room: number;
  readonly #slots: number;
  readonly #nowMs: number;
  #free: number;
  readonly #doubtful = new Tally();
  readonly #introduced = new Tally();
  readonly #trying = new Tally();
  readonly #cut = new Set<EndpointQueue>();
  readonly #granted = new Map<EndpointQueue, { tenantId: number; ids: string[] }>();

  constructor({ room, slots, inFlight, active, nowMs }: SlotAllocatorOptions) {
    this.room = room;
    this.#slots = slots;
    this.#nowMs = nowMs;
    this.#free = slots - inFlight;
    for (const lane of active) this.#count(lane, this.#shareOf(lane));
  }

  /** Grants what it can, each endpoint its fair share first, and gives back what it left. */
  grant(waiting: readonly Waiting[]): Waiting[] {
    const fair = Math.max(1, Math.floor(this.room / Math.max(1, waiting.length)));
    const taken = waiting.map((one) => this.#take(one, 0, fair));
    return waiting.flatMap((one, i) => {
      const done = taken[i] as number;
      const total = done + this.#take(one, done, one.ids.length - done);
      const left = one.ids.length - total;
      if (left > 0) this.#cut.add(one.lane);
      one.lane.isCut = this.#cut.has(one.lane);
      return left > 0 ? [{ ...one, ids: one.ids.slice(total) }] : [];
    });
  }

  /** What has been granted, by endpoint. */
  get granted(): ReadonlyMap<EndpointQueue, { tenantId: number; ids: string[] }> {
    return this.#granted;
  }

  /** Takes back what was granted beyond so many. */
  keep(lane: EndpointQueue, count: number): void {
    const grant = this.#granted.get(lane);
    if (grant === undefined) return;
    grant.ids.length = Math.min(grant.ids.length, count);
    if (grant.ids.length === 0) this.#granted.delete(lane);
  }

  /** How many more a lane may have in flight, whatever room there is in this round. `dueMs`: of the first of them. */
  roomOf(lane: EndpointQueue, dueMs = 0): number {
    const { facts } = lane;
    if (facts.state !== true) return Number.POSITIVE_INFINITY;
    if (lane.isPaused(this.#nowMs)) return 0;
    const held = this.#heldBy(lane);
    if (lane.isHalfOpen(this.#nowMs)) {
      return held === 0 && this.#trying.isBelow(this.#slots * tryingPart, tryingOfOrigin, facts.origin) ? 1 : 0;
    }
    const pace = lane.paceRoom(this.#nowMs) - (this.#granted.get(lane)?.ids.length ?? 0);
    if (lane.isPrompt(this.#nowMs)) return Math.max(0, Math.min(pace, this.#promptRoom(lane)));
    const room = Math.min(pace, this.#doubtfulRoom(lane));
    return room > 0 ? room : this.#mayIntroduce(lane, dueMs) && pace > 0 ? 1 : 0;
  }

  #take({ lane, tenantId, ids, dueMs }: Waiting, from: number, most: number): number {
    const count = Math.min(most, this.room, this.roomOf(lane, dueMs));
    if (count <= 0) return 0;
    if (this.#heldBy(lane) === 0) lane.isIntroduced = !lane.isPrompt(this.#nowMs) && this.#doubtfulRoom(lane) <= 0;
    this.room -= count;
    this.#free -= count;
    this.#count(lane, count);
    const grant = this.#granted.get(lane) ?? { tenantId, ids: [] };
    grant.ids.push(...ids.slice(from, from + count));
    this.#granted.set(lane, grant);
    return count;
  }

  #count(lane: EndpointQueue, count: number): void {
    const { state, origin, openMs } = lane.facts;
    if (state !== true || lane.isPrompt(this.#nowMs)) return;
    const tally = openMs !== null ? this.#trying : lane.isIntroduced ? this.#introduced : this.#doubtful;
    tally.add(origin, count);
  }

  #promptRoom(lane: EndpointQueue): number {
    const held = this.#heldBy(lane);
    return Math.min(lane.limit(this.#nowMs) - held, roomLeaving(this.#free, held));
  }

  #doubtfulRoom(lane: EndpointQueue): number {
    const limit = lane.limit(this.#nowMs);
    const held = this.#heldBy(lane);
    if (lane.isIntroduced && held > 0) return 0;
    const own = this.#shareOf(lane);
    const share = Math.max(1, Math.floor(this.#slots * doubtfulPart));
    const { total } = this.#doubtful;
    const atOrigin = this.#doubtful.at(lane.facts.origin);
    return Math.min(
      scarce(limit, share, total - own) - held,
      scarce(limit, doubtfulOfOrigin, atOrigin - own) - held,
      share - total,
      doubtfulOfOrigin - atOrigin,
    );
  }

  #mayIntroduce(lane: EndpointQueue, dueMs: number): boolean {
    if (dueMs < this.#nowMs - freshMs || lane.isKnownToFail || this.#heldBy(lane) > 0) return false;
    return this.#introduced.isBelow(this.#slots * introducedPart, introducedOfOrigin, lane.facts.origin);
  }

  /** What an endpoint that has just fallen silent holds beyond its limit is not held against the others. */
  #shareOf(lane: EndpointQueue): number {
    return Math.min(this.#heldBy(lane), lane.facts.openMs === null ? lane.limit(this.#nowMs) : 1);
  }

  #heldBy(lane: EndpointQueue): number {
    return lane.inFlight + (this.#granted.get(lane)?.ids.length ?? 0);
  }
}

/** How many are in flight, in all and at each origin. */
class Tally {
  total = 0;
  readonly #at = new Map<string, number>();

  add(origin: string, count: number): void {
    this.total += count;
    this.#at.set(origin, this.at(origin) + count);
  }

  at(origin: string): number {
    return this.#at.get(origin) ?? 0;
  }

  isBelow(total: number, atOrigin: number, origin: string): boolean {
    return this.total < total && this.at(origin) < atOrigin;
  }
}

/** How many more a prompt endpoint gets: each while it holds fewer than so many times the slots that are free then. */
export function roomLeaving(free: number, held: number): number {
  return Math.floor((promptTimesFree * free - held - 1) / (promptTimesFree + 1)) + 1;
}

/** The less the others leave of a share, the fewer one may have of it. */
function scarce(limit: number, share: number, others: number): number {
  return Math.ceil((limit * (share - others)) / share);
}
