import { type Clock, secondMs } from '../../../../core/clock.ts';
import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { type ClaimedDelivery, claimDeliveries, claimOfEndpoints } from './claim-statements.ts';
import { dueOf, type EndpointQueues, snapshotOf } from './endpoint-queues.ts';
import { OldestDue } from './oldest-due.ts';
import { ParkedDeliveries } from './parked.ts';
import { peekNewestDue, peekOldestDue } from './peek-statements.ts';
import { Permits } from './permits.ts';
import type { DueDeliveries, SlotAllocator } from './slot-allocator.ts';

/** A claimed delivery with its lease. */
export interface LeasedDelivery extends ClaimedDelivery {
  lease: string;
  leasedUntilMs: number;
}

export interface ClaimerOptions {
  database: Queryable;
  clock: Clock;
  queues: EndpointQueues;
  leaseMs: number;
  /** Called when more may be due than was claimed. */
  onMore: () => void;
  onError: (error: unknown) => void;
}

/** A peek reads this many deliveries beyond the free slots, so that those that may not be sent now do not fill it. */
const peekAhead = 200;
/** Direct claims in a row, and the time since the last peek, after which a peek is made again. */
const maxDirectClaims = 9;
const maxPeekAgeMs = 250;
/** When the newest due deliveries contained none to grant, they are not read again for this long. */
const newestEveryMs = 50;
/** A delivery that has waited this long for its endpoint at the head of the queue is parked even if it hides no other. */
const maxWaitAtHeadMs = 10 * secondMs;

/**
 * Claims due deliveries, in one of two ways:
 *
 * - With a peek: it reads the oldest due deliveries without locking them, lets the `SlotAllocator` grant slots to their
 *   endpoints, and claims exactly what was granted. So it never claims a delivery that it cannot send.
 * - Directly: while more is due than the free slots can take, it serves prompt endpoints with a claim alone. That halves
 *   the time the database spends.
 *
 * When stuck deliveries fill the peek and hide the others, they are parked. Until the head of the queue is free again,
 * peeks read the newest due deliveries instead. Parked deliveries are read endpoint by endpoint (`ParkedDeliveries`).
 */
export class Claimer {
  readonly #options: ClaimerOptions;
  readonly #oldestDue: OldestDue;
  readonly #parked: ParkedDeliveries;
  readonly #permits: Permits;
  /** The last peek or direct claim was full: more is due. */
  #isBehind = false;
  /** The last peek of the oldest due deliveries found none. */
  #wasPeekEmpty = false;
  #peekedAtMs = Number.NEGATIVE_INFINITY;
  #directClaims = 0;
  #nextNewestAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ClaimerOptions) {
    this.#options = options;
    const { database, clock, queues, leaseMs, onMore, onError } = options;
    this.#oldestDue = new OldestDue(database, clock);
    this.#parked = new ParkedDeliveries({
      database,
      clock,
      queues,
      dueFromMs: () => this.#oldestDue.lowerBoundMs,
      onParked: onMore,
      onError: onError,
    });
    this.#permits = new Permits({ database, clock, queues, leaseMs });
  }

  /** Claims at most `freeSlots` deliveries under the lease token `lease`. */
  async claim(freeSlots: number, lease: string): Promise<LeasedDelivery[]> {
    return (await this.#claimDirectly(freeSlots, lease)) ?? (await this.#peekAndClaim(freeSlots, lease));
  }

  /** Nothing is due, as far as this node knows, neither in the common queue nor parked. */
  get isIdle(): boolean {
    return this.#wasPeekEmpty && this.#parked.isEmpty;
  }

  /** Resolves when no statement is running any more. */
  async close(): Promise<void> {
    await Promise.all([this.#oldestDue.settled(), this.#parked.close()]);
  }

  /** undefined: a peek is needed. */
  async #claimDirectly(freeSlots: number, lease: string): Promise<LeasedDelivery[] | undefined> {
    const { database, clock, queues, leaseMs, onMore } = this.#options;
    if (!this.#isBehind || this.#directClaims >= maxDirectClaims) return undefined;
    if (performance.now() - this.#peekedAtMs > maxPeekAgeMs) return undefined;
    const nowMs = clock();
    const { endpointIds, count } = queues.directlyClaimable(freeSlots, nowMs);
    if (count === 0) return undefined;
    this.#directClaims++;
    const untilMs = nowMs + leaseMs;
    const values = [nowMs, untilMs, this.#oldestDue.lowerBoundMs, count, lease, plainArray(endpointIds)];
    const rows = await database.run(claimOfEndpoints, values);
    this.#isBehind = rows.length === count;
    if (this.#isBehind) for (const id of endpointIds) queues.markBacklogged(id);
    else onMore();
    return rows.map((row) => Object.assign(row, { lease, leasedUntilMs: untilMs }));
  }

  async #peekAndClaim(freeSlots: number, lease: string): Promise<LeasedDelivery[]> {
    const { database, clock, queues, leaseMs, onMore } = this.#options;
    const nowMs = clock();
    this.#peekedAtMs = performance.now();
    this.#directClaims = 0;
    queues.clearBacklogged();
    const allocator = queues.allocator(freeSlots, nowMs);
    await this.#parked.grant(allocator, nowMs);
    if (allocator.remaining > 0) await this.#grantDue(allocator, nowMs);
    await this.#permits.apply(allocator, nowMs);
    const granted = [...allocator.granted.values()].flatMap(({ tenantId, ids }) => ids.map((id) => ({ tenantId, id })));
    if (granted.length === 0) return [];
    const untilMs = nowMs + leaseMs;
    const rows = await database.run(claimDeliveries, [
      nowMs,
      untilMs,
      plainArray(granted.map(({ tenantId }) => tenantId)),
      plainArray(granted.map(({ id }) => id)),
      lease,
    ]);
    if (rows.length < granted.length) {
      // Another node claimed some of them first: more may be due behind those.
      onMore();
      await this.#permits.returnUnusedTrials(allocator, rows, nowMs);
    }
    return rows.map((row) => Object.assign(row, { lease, leasedUntilMs: untilMs }));
  }

  async #grantDue(allocator: SlotAllocator, nowMs: number): Promise<void> {
    this.#wasPeekEmpty = false;
    if (this.#parked.isParking) {
      await this.#grantNewestDue(allocator, nowMs);
      return;
    }
    const limit = allocator.remaining + peekAhead;
    const due = await this.#peek(peekOldestDue, nowMs, limit);
    const isFull = due.reduce((count, { ids }) => count + ids.length, 0) === limit;
    this.#wasPeekEmpty = due.length === 0;
    const left = allocator.grant(due);
    this.#isBehind = isFull;
    const hidesOthers = isFull && allocator.remaining > 0;
    const stuck = left.filter(
      ({ queue, dueMs }) => queue.isStuck(nowMs) && (hidesOthers || dueMs < nowMs - maxWaitAtHeadMs),
    );
    if (stuck.length > 0) this.#parked.park(stuck);
    if (hidesOthers) await this.#grantNewestDue(allocator, nowMs);
  }

  async #grantNewestDue(allocator: SlotAllocator, nowMs: number): Promise<void> {
    if (performance.now() < this.#nextNewestAtMs) return;
    const remainingBefore = allocator.remaining;
    const granted = new Set([...allocator.granted.values()].flatMap(({ ids }) => ids));
    const due = await this.#peek(peekNewestDue, nowMs, remainingBefore + peekAhead);
    allocator.grant(due.map((one) => ({ ...one, ids: one.ids.filter((id) => !granted.has(id)) })));
    if (allocator.remaining === remainingBefore) this.#nextNewestAtMs = performance.now() + newestEveryMs;
  }

  async #peek(peek: typeof peekOldestDue, nowMs: number, limit: number): Promise<DueDeliveries[]> {
    const { database, queues } = this.#options;
    const rows = await database.run(peek, [nowMs, this.#oldestDue.lowerBoundMs, limit]);
    return rows.flatMap((row) => dueOf(queues.refresh(row.endpoint_id, snapshotOf(row), nowMs), row) ?? []);
  }
}
