import { hourMs, minuteMs } from '../../../../core/clock.ts';
import { type Ended, type EndpointFacts, EndpointQueue } from './endpoint-queue.ts';
import { roomLeaving, SlotAllocator, type Waiting } from './slot-allocator.ts';
import type { ParkedRow } from './statements.ts';

/** An idle lane of which nothing bad is known is forgotten after a minute, any other after an hour. */
const keptMs = minuteMs;
const troubledKeptMs = hourMs;
/** A claim for fewer than this, or than an eighth of the slots, costs more than it brings. */
const worthwhile = 25;

/** Every endpoint this node has lately had to do with. */
export class EndpointQueues {
  readonly #slots: () => number;
  readonly #lanes = new Map<number, EndpointQueue>();
  /** Those with something in flight: no more than there are slots. */
  readonly #active = new Set<EndpointQueue>();
  #inFlight = 0;

  /** `slots`: deliveries in flight at most. */
  constructor(slots: () => number) {
    this.#slots = slots;
  }

  /** The endpoint's lane, with what its row said at a look. */
  learn(id: number, facts: EndpointFacts, nowMs: number): EndpointQueue {
    const lane = this.#lanes.get(id);
    if (lane === undefined) return this.#add(new EndpointQueue(id, facts));
    lane.learn(facts, nowMs);
    return lane;
  }

  /** Shares out at most so many slots, as things stand now. */
  round(room: number, nowMs: number): SlotAllocator {
    return new SlotAllocator({ room, slots: this.#slots(), inFlight: this.#inFlight, active: this.#active, nowMs });
  }

  begin(id: number, nowMs: number): EndpointQueue {
    const lane = this.#lanes.get(id) ?? this.#add(new EndpointQueue(id, unknownEndpoint));
    lane.begin(nowMs);
    this.#inFlight++;
    this.#active.add(lane);
    return lane;
  }

  end(lane: EndpointQueue, nowMs: number, ended: Ended | undefined): void {
    lane.end(nowMs, ended, this.#slots());
    this.#inFlight--;
    if (lane.inFlight === 0) this.#active.delete(lane);
  }

  /** Whether enough of a lane that was cut short has come free for another claim. Asked after every delivery. */
  isWorthAClaim(lane: EndpointQueue, nowMs: number): boolean {
    if (!lane.isCut) return false;
    const own = lane.limit(nowMs) - lane.inFlight;
    const room = lane.isPrompt(nowMs) ? Math.min(own, roomLeaving(this.#slots() - this.#inFlight, lane.inFlight)) : own;
    return room > 0 && room >= Math.min((lane.inFlight + room) / 4, this.#worthwhile);
  }

  /**
   * Lanes that answer promptly and could each take a whole claim by themselves, and how many that claim may take: they
   * can be served without looking at what is waiting first.
   */
  unhindered(room: number, nowMs: number): { endpoints: number[]; room: number } {
    const round = this.round(room, nowMs);
    const rooms = new Map<EndpointQueue, number>();
    for (const lane of this.#active) {
      if (lane.isPrompt(nowMs) && lane.facts.ratePerS === null) rooms.set(lane, round.roomOf(lane));
    }
    const most = Math.min(room, Math.max(0, ...rooms.values()));
    if (most < this.#worthwhile) return { endpoints: [], room: 0 };
    const able = [...rooms].filter(([, laneRoom]) => laneRoom >= most);
    return { endpoints: able.map(([lane]) => lane.id), room: most };
  }

  get(id: number): EndpointQueue | undefined {
    return this.#lanes.get(id);
  }

  /** A look will tell anew for whom there is more than they are given. */
  uncut(): void {
    for (const lane of this.#active) lane.isCut = false;
  }

  /** There was more for it than it was given. */
  cut(id: number): void {
    const lane = this.#lanes.get(id);
    if (lane !== undefined) lane.isCut = true;
  }

  /** Forgets lanes that have long been idle and wait for nothing. */
  prune(nowMs: number): void {
    for (const [id, lane] of this.#lanes) {
      if (lane.hasAside) continue;
      const isTroubled = lane.failures > 0 || lane.facts.openMs !== null || lane.facts.ratePerS !== null;
      if (lane.idleMs(nowMs) > (isTroubled ? troubledKeptMs : keptMs)) this.#lanes.delete(id);
    }
  }

  get #worthwhile(): number {
    return Math.min(worthwhile, this.#slots() / 8);
  }

  #add(lane: EndpointQueue): EndpointQueue {
    this.#lanes.set(lane.id, lane);
    return lane;
  }
}

export function factsOf(row: ParkedRow): EndpointFacts {
  return {
    state: row.state,
    origin: row.origin ?? '',
    maxInFlight: row.max_in_flight,
    ratePerS: row.rate_per_s,
    openMs: row.open_ms,
    firstFailureMs: row.first_failure_ms,
  };
}

/** What a look found for a lane; undefined when that was nothing. */
export function waitingOf(lane: EndpointQueue, { tenant_id, ids, due_ms }: ParkedRow): Waiting | undefined {
  if (tenant_id === null || ids === null || due_ms === null) return undefined;
  return { lane, tenantId: tenant_id, ids: ids.split(','), dueMs: due_ms };
}

const unknownEndpoint: EndpointFacts = {
  state: null,
  origin: '',
  maxInFlight: null,
  ratePerS: null,
  openMs: null,
  firstFailureMs: null,
};
