import { type Clock, secondMs } from '../../../../core/clock.ts';
import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import { type EndpointQueues, factsOf, waitingOf } from './endpoint-queues.ts';
import type { SlotAllocator, Waiting } from './slot-allocator.ts';
import { lookAside, lookLongestDue, setAside } from './statements.ts';

export interface ParkedDeliveriesOptions {
  database: Queryable;
  clock: Clock;
  lanes: EndpointQueues;
  /** Since when deliveries may have been due. */
  since: () => number;
  /** Told when the head of the queue is clear again. */
  onCleared: () => void;
  onError: (error: unknown) => void;
}

/** Looked at in one go while the head of the queue is being cleared. */
const clearedAtOnce = 1_000;
/** With fewer than this set aside, the head is clear enough. */
const worthClearing = 200;
/** All endpoints with something set aside are visited in turns, whoever set it aside: this often, so many, so much. */
const turnEveryMs = secondMs;
const endpointsInTurn = 1_000;
const rowsInTurn = 8;
/** Endpoints known to have something set aside that are asked for by name in one claim, if they have room for it. */
const namedAtOnce = 100;
/** Of those that had none when last seen, so many are seen again with each claim: there may be thousands. */
const seenAtOnce = 200;

/** Deliveries that are due and wait for their endpoint, out of the way of all others. */
export class ParkedDeliveries {
  readonly #options: ParkedDeliveriesOptions;
  #clearing: Promise<void> | undefined;
  #isClosed = false;
  #turnAtMs = Number.NEGATIVE_INFINITY;
  #lastVisited = 0;
  #isTurnOfOne = false;
  /** Endpoints with something set aside: those that are being served, and those that wait, in turns. */
  readonly #served = new Set<EndpointQueue>();
  readonly #waiting = new Set<EndpointQueue>();

  constructor(options: ParkedDeliveriesOptions) {
    this.#options = options;
  }

  /** Nothing is set aside, as far as is known here. */
  get isEmpty(): boolean {
    return this.#served.size + this.#waiting.size === 0;
  }

  get isClearing(): boolean {
    return this.#clearing !== undefined;
  }

  /**
   * Sets aside what waits for its endpoint, and goes on until the head of the queue is clear; not waited for. 100,000
   * deliveries of an endpoint that hangs are out of the way within a second or two, each by one update.
   */
  clear(stuck: readonly Waiting[]): void {
    this.#clearing ??= this.#clear(stuck)
      .catch(this.#options.onError)
      .finally(() => {
        this.#clearing = undefined;
        if (!this.#isClosed) this.#options.onCleared();
      });
  }

  /** Grants what is set aside for endpoints that have room for it now. */
  async grant(round: SlotAllocator, nowMs: number): Promise<void> {
    const isTurn = performance.now() - this.#turnAtMs > turnEveryMs;
    const named = this.#named(round);
    if (!isTurn && named.length === 0) return;
    if (isTurn) {
      this.#turnAtMs = performance.now();
      this.#options.lanes.prune(nowMs);
    }
    const rows = await this.#options.database.run(lookAside, [
      nowMs,
      plainArray(named.map(({ lane }) => lane.id)),
      plainArray(named.map(({ count }) => count)),
      this.#lastVisited,
      isTurn ? endpointsInTurn : 0,
      rowsInTurn,
    ]);
    const askedOf = new Map(named.map(({ lane, count }) => [lane.id, count]));
    const waiting: Waiting[] = [];
    for (const row of rows) {
      const lane = this.#options.lanes.learn(row.endpoint_id, factsOf(row), nowMs);
      const one = waitingOf(lane, row);
      if (one === undefined) continue;
      waiting.push(one);
    }
    const left = new Set(round.grant(waiting).map(({ lane }) => lane));
    for (const { lane } of named) if (!left.has(lane)) this.#forget(lane);
    for (const { lane, ids } of waiting) {
      if (left.has(lane) || ids.length >= (askedOf.get(lane.id) ?? rowsInTurn)) this.#remember(lane, round);
    }
    if (isTurn) this.#lastVisited = placeAfter(rows, askedOf);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#clearing;
  }

  #named(round: SlotAllocator): { lane: EndpointQueue; count: number }[] {
    // Half of what is free, so that what has just come due is not kept waiting; of a single slot every second one.
    this.#isTurnOfOne = !this.#isTurnOfOne;
    let left = round.room === 1 && this.#isTurnOfOne ? 1 : Math.floor(round.room / 2);
    const named: { lane: EndpointQueue; count: number }[] = [];
    for (const lane of this.#candidates()) {
      const count = Math.min(round.roomOf(lane), left);
      if (count > 0) {
        // One more than it may have now: it tells whether there are more.
        named.push({ lane, count: count + 1 });
        left -= count;
      }
      if (left <= 0 || named.length === namedAtOnce) break;
    }
    return named;
  }

  #candidates(): EndpointQueue[] {
    const seen: EndpointQueue[] = [];
    for (const lane of this.#waiting) {
      if (seen.push(lane) === seenAtOnce) break;
    }
    for (const lane of seen) {
      this.#waiting.delete(lane);
      this.#waiting.add(lane);
    }
    return [...this.#served, ...seen];
  }

  #remember(lane: EndpointQueue, round?: SlotAllocator): void {
    lane.hasAside = true;
    const isServed = round?.granted.has(lane) ?? false;
    (isServed ? this.#served : this.#waiting).add(lane);
    (isServed ? this.#waiting : this.#served).delete(lane);
  }

  #forget(lane: EndpointQueue): void {
    lane.hasAside = false;
    this.#served.delete(lane);
    this.#waiting.delete(lane);
  }

  async #clear(first: readonly Waiting[]): Promise<void> {
    const { database, clock, lanes, since } = this.#options;
    let stuck = first;
    do {
      await database.run(setAside, [
        clock(),
        plainArray(stuck.flatMap(({ tenantId, ids }) => ids.map(() => tenantId))),
        plainArray(stuck.flatMap(({ ids }) => ids)),
      ]);
      for (const { lane } of stuck) this.#remember(lane);
      const nowMs = clock();
      const rows = await database.run(lookLongestDue, [nowMs, since(), clearedAtOnce]);
      // Nothing is granted here; it only tells what would have to wait.
      const waiting = rows.flatMap((row) => waitingOf(lanes.learn(row.endpoint_id, factsOf(row), nowMs), row) ?? []);
      const round = lanes.round(0, nowMs);
      stuck = waiting.filter(({ lane }) => round.roomOf(lane) === 0 && lane.isStuck(nowMs));
    } while (!this.#isClosed && stuck.reduce((count, { ids }) => count + ids.length, 0) >= worthClearing);
  }
}

/** Where the next turn begins: after the last endpoint visited, or at the first when all have had theirs. */
function placeAfter(rows: readonly { endpoint_id: number }[], named: ReadonlyMap<number, number>): number {
  const visited = rows.filter(({ endpoint_id }) => !named.has(endpoint_id));
  if (visited.length < endpointsInTurn - named.size) return 0;
  return Math.max(...visited.map(({ endpoint_id }) => endpoint_id));
}
