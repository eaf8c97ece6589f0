import { type Clock, hourMs, secondMs } from '../../../../core/clock.ts';
import { isUnavailable } from '../../../../core/errors.ts';
import { EventLoop } from '../../../../platform/admission/event-loop.ts';
import type { Leased } from '../../../../platform/jobs/worker.ts';
import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  type FoundEndpoint,
  findFresh,
  isClaimedAgain,
  scan,
} from '../../delivery-queue/claim-statements.ts';
import type { Answer } from '../connections/answer.ts';
import { takeRates } from '../rates/take-rates.ts';
import type { EndpointHealth } from '../results/endpoint-health.ts';
import { verdictOf } from '../rules.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import { freshMs, SlotAllocator } from './slot-allocator.ts';

/** A claimed delivery with its lease. */
export type LeasedDelivery = Leased<ClaimedDelivery> & { leasedUntilMs: number };

export interface ClaimerOptions {
  database: Queryable;
  clock: Clock;
  /** Deliveries that the node may have in flight. */
  slots: number;
  leaseMs: number;
  /** Whether work waits for this machine: endpoints with a backlog then get few deliveries at a time. */
  isBehind: () => boolean;
  health: Pick<EndpointHealth, 'reserveTrials' | 'returnTrials'>;
  /**
   * Whether the result of a delivery waits to be written: it is then written under the newer lease, and nothing is
   * sent.
   */
  renew: (delivery: LeasedDelivery) => boolean;
  /** Called when more is due than was claimed, and may be claimed. */
  onDue: () => void;
  /** Called when due deliveries could not be looked for, for another reason than that the database is unavailable. */
  onScanFailed: (error: unknown) => void;
}

/**
 * A delivery is found by `findFresh` if it is committed no later than this after it was due, by the clock of this node.
 */
const lateMs = secondMs;
/** Fresh deliveries are read in pages of this size. */
const pageSize = 2_000;
const findBesideClaimsEveryMs = 25;
/** Endpoints are scanned in turn, this many at a time. */
const scanEveryMs = secondMs;
const scanSize = 1_000;
/** The longest time between the due time of a delivery and its commit: a statement takes at most 10 s. */
const latestCommitMs = 15 * secondMs;
/** An idle queue is forgotten after this time: longer than any retry waits, so that failures in a row are counted. */
const idleQueueMs = hourMs;

/**
 * Finds due deliveries and claims them. Each endpoint has a queue (`EndpointQueue`); those with due deliveries are
 * ready.
 *
 * - Before a claim, a range of the index by due time names the endpoints whose deliveries have come due within the last
 *   second; concurrently with the claim, if known endpoints have deliveries to claim. Once a second a scan probes the
 *   index by endpoint for everything else: backlogs, expired leases, late commits.
 * - The `SlotAllocator` grants slots to ready queues. Trials and rates, which all nodes share, are taken from the
 *   database.
 * - One statement claims the oldest deliveries of each endpoint, as many as it was granted. A queue that had fewer is
 *   not ready any more.
 */
export class Claimer {
  readonly #options: ClaimerOptions;
  readonly #queues = new Map<number, EndpointQueue>();
  readonly #ready = new Set<EndpointQueue>();
  /** Queues with deliveries in flight: never more than there are slots. */
  readonly #active = new Set<EndpointQueue>();
  /** Watched while deliveries are in flight. */
  readonly #eventLoop = new EventLoop();
  /** Fresh deliveries due before have been found. */
  #freshFromMs: number;
  /** When the last scan began, in ms of `performance.now()`. */
  #scannedAtMs = Number.NEGATIVE_INFINITY;
  /** 0: the last scan was the last one of a round over all endpoints. */
  #lastScannedId = 0;
  /** The scans of this round, or of the last one if it is over, have found an open delivery that is due. */
  #hasOpen = true;
  #scanning: Promise<void> | undefined;
  /** When fresh deliveries were last looked for, in ms of `performance.now()`. */
  #foundAtMs = Number.NEGATIVE_INFINITY;
  #finding: Promise<void> | undefined;

  constructor(options: ClaimerOptions) {
    this.#options = options;
    this.#freshFromMs = options.clock() - lateMs;
  }

  /** No delivery is due, as far as this node knows. */
  get isIdle(): boolean {
    return this.#ready.size === 0;
  }

  /**
   * No delivery that is due is open, as far as a scan of all endpoints has seen. While one is, it may become claimable
   * without a wake: when a lease of another node expires, or the pause of an endpoint ends.
   */
  get isQuiet(): boolean {
    return this.isIdle && this.#lastScannedId === 0 && !this.#hasOpen;
  }

  /** After an outage: what is due has waited for its end. */
  recovered(): void {
    for (const queue of this.#queues.values()) queue.backlog.begin(this.#options.clock());
  }

  /**
   * The clock was set back: forgets when deliveries are due, and the next claim scans all endpoints from the beginning.
   */
  reset(): void {
    const nowMs = this.#options.clock();
    this.#ready.clear();
    for (const queue of this.#queues.values()) queue.clockWasSetBack(nowMs);
    this.#freshFromMs = nowMs - lateMs;
    this.#scannedAtMs = Number.NEGATIVE_INFINITY;
    this.#lastScannedId = 0;
    this.#hasOpen = true;
  }

  /** Claims at most `freeSlots` deliveries under the lease token `lease`. */
  async claim(freeSlots: number, lease: string): Promise<LeasedDelivery[]> {
    const { database, clock, leaseMs, health, renew } = this.#options;
    const nowMs = clock();
    const untilMs = nowMs + leaseMs;
    const granted = await this.#grant(freeSlots, nowMs);
    await takeRates(database, granted, nowMs);
    await health.reserveTrials(granted, nowMs, untilMs);
    if (granted.size === 0) return [];
    const queues = [...granted.keys()];
    const ids = queues.map(({ id }) => id);
    const dueFromMs = queues.map((queue) => Math.floor(queue.dueFromMs ?? 0));
    const grants = [ids, [...granted.values()], dueFromMs].map((column) => plainArray(column));
    const rows = await database.run(claimDeliveries, [nowMs, untilMs, lease, ...grants]);
    this.#update(granted, rows);
    const leased = rows as LeasedDelivery[];
    for (const delivery of leased) {
      delivery.lease = lease;
      delivery.leasedUntilMs = untilMs;
    }
    const toSend = leased.filter((delivery) => !(isClaimedAgain(delivery) && renew(delivery)));
    const sentTo = new Set(toSend.map((delivery) => delivery.endpoint_id));
    const unusedTrials = queues.filter((queue) => queue.hasTrial && !sentTo.has(queue.id));
    await health.returnTrials(unusedTrials, nowMs, untilMs);
    return toSend;
  }

  /**
   * How long a claimed delivery has waited for this machine, in ms: 0 for a retry, a replay, and where the endpoint or
   * an outage has kept it waiting.
   */
  waitedMs({ endpoint_id, attempts, replay_of, due_ms }: ClaimedDelivery): number {
    const nowMs = this.#options.clock();
    const queue = this.#queues.get(endpoint_id);
    const isFirst = attempts === 0 && replay_of === null;
    return isFirst && queue?.isQuick(nowMs) ? queue.backlog.waitedMs(due_ms, nowMs) : 0;
  }

  /**
   * Performs the work of a claimed delivery when the endpoint's window allows it. The work returns the answer, from
   * which the queue learns how its endpoint does, if there was any.
   */
  async occupying(
    { endpoint_id }: LeasedDelivery,
    work: (slot: { queue: EndpointQueue; isTrial: boolean }) => Promise<Answer | undefined>,
  ): Promise<void> {
    const queue = this.#begin(endpoint_id);
    const { isTrial } = queue;
    let answer: Answer | undefined;
    try {
      await queue.turn(this.#options.clock());
      answer = await work({ queue, isTrial });
    } finally {
      this.#end(queue, answer);
    }
  }

  #begin(endpointId: number): EndpointQueue {
    const queue = this.#queues.get(endpointId);
    if (queue === undefined) throw new Error(`A delivery to endpoint ${endpointId} was claimed without a grant.`);
    queue.begin(this.#options.clock());
    this.#active.add(queue);
    this.#eventLoop.start();
    return queue;
  }

  #end(queue: EndpointQueue, answer: Answer | undefined): void {
    const { clock, onDue } = this.#options;
    const verdict = answer && verdictOf(answer.outcome, answer.status, answer.durationMs);
    queue.end(clock(), verdict, Math.max(0, (answer?.durationMs ?? 0) - this.#eventLoop.ownDelayMs));
    if (queue.inFlight === 0) this.#active.delete(queue);
    if (this.#active.size === 0) this.#eventLoop.stop();
    if (queue.dueFromMs !== undefined) onDue();
  }

  /**
   * Grants the free slots to ready queues. If any gets some, the search for fresh deliveries runs concurrently with the
   * claim, for the next one, and less often: on a full machine each claim waited 40 to 90 ms for it.
   */
  async #grant(freeSlots: number, nowMs: number): Promise<Map<EndpointQueue, number>> {
    const atMs = performance.now();
    if (atMs - this.#scannedAtMs > scanEveryMs) {
      this.#scanning ??= this.#inBackground(this.#scan(nowMs, atMs)).then(() => (this.#scanning = undefined));
    }
    await this.#finding;
    const known = this.#allocate(freeSlots, nowMs);
    if (known.granted.size === 0) {
      await this.#find(nowMs);
      return this.#allocate(freeSlots, nowMs).granted;
    }
    if (atMs - this.#foundAtMs > findBesideClaimsEveryMs) {
      this.#finding = this.#inBackground(this.#find(nowMs)).then(() => (this.#finding = undefined));
    }
    return known.granted;
  }

  #allocate(freeSlots: number, nowMs: number): SlotAllocator {
    const allocator = new SlotAllocator({
      freeSlots,
      slots: this.#options.slots,
      active: this.#active,
      isBehind: this.#options.isBehind(),
      nowMs,
    });
    allocator.grant(this.#ready);
    return allocator;
  }

  /** Claims do not wait for it, and report that the database is unavailable. */
  #inBackground(work: Promise<void>): Promise<void> {
    return work.catch((error) => {
      if (!isUnavailable(error)) this.#options.onScanFailed(error);
    });
  }

  async #find(nowMs: number): Promise<void> {
    this.#foundAtMs = performance.now();
    const fromMs = this.#freshFromMs;
    const rows = await this.#options.database.run(findFresh, [nowMs, fromMs, pageSize]);
    // `reset` was called meanwhile: the clock was set back.
    if (this.#freshFromMs !== fromMs) return;
    for (const row of rows) {
      const queue = this.#refresh(row, nowMs);
      queue.freshAtMs = nowMs;
      this.#addDue(queue, row.dueMs);
    }
    const isPageFull = rows.reduce((sum, { count }) => sum + count, 0) >= pageSize;
    // A page that was full is not read again. If more deliveries are due at one moment, the scan finds the endpoints of
    // the others.
    const readUntilMs = isPageFull ? Math.max(fromMs + 1, ...rows.map(({ lastMs }) => lastMs)) : nowMs - lateMs;
    this.#freshFromMs = Math.max(fromMs, readUntilMs);
    if (isPageFull) this.#options.onDue();
  }

  async #scan(nowMs: number, atMs: number): Promise<void> {
    this.#scannedAtMs = atMs;
    for (const queue of this.#ready) {
      const isWaiting = queue.inFlight > 0 || queue.endpoint.ratePerS !== null || nowMs - queue.freshAtMs <= freshMs;
      if (!isWaiting || queue.isPaused(nowMs)) this.#removeDue(queue);
    }
    for (const [id, queue] of this.#queues) {
      if (!this.#ready.has(queue) && queue.idleMs(nowMs) > idleQueueMs) this.#queues.delete(id);
    }
    const openFromMs = [...this.#queues.values()]
      .filter(({ id }) => id > this.#lastScannedId)
      .sort((a, b) => a.id - b.id)
      .slice(0, scanSize)
      .map((queue) => [queue.id, Math.max(0, queue.openFromMs - latestCommitMs)]);
    const values = [nowMs, JSON.stringify(Object.fromEntries(openFromMs)), this.#lastScannedId, scanSize];
    const rows = await this.#options.database.run(scan, values);
    // `reset` was called meanwhile: the clock was set back.
    if (this.#scannedAtMs !== atMs) return;
    const isFirstOfRound = this.#lastScannedId === 0;
    this.#hasOpen = (this.#hasOpen && !isFirstOfRound) || rows.some(({ openMs }) => openMs !== null);
    this.#lastScannedId = rows.length < scanSize ? 0 : Math.max(...rows.map(({ id }) => id));
    for (const row of rows) {
      if (row.openMs === null && !this.#queues.has(row.id)) continue;
      const queue = this.#refresh(row, nowMs);
      queue.openFromMs = row.openMs ?? nowMs;
      if (row.dueMs !== null) this.#addDue(queue, row.dueMs);
    }
    if (!this.isIdle) this.#options.onDue();
  }

  /** Queues with fewer due deliveries than they were granted are no longer ready; others have more. */
  #update(granted: ReadonlyMap<EndpointQueue, number>, rows: readonly ClaimedDelivery[]): void {
    const unused = new Map(granted);
    const nowMs = this.#options.clock();
    for (const row of rows) {
      const queue = this.#queues.get(row.endpoint_id) as EndpointQueue;
      queue.dueFromMs = Math.max(queue.dueFromMs ?? 0, row.due_ms);
      unused.set(queue, (unused.get(queue) ?? 0) - 1);
      // Rows of one endpoint come in the order of their due times.
      if (row.attempts === 0) queue.backlog.claimed(row.due_ms, nowMs);
    }
    for (const [queue, count] of unused) {
      if (count > 0) this.#removeDue(queue);
      else this.#moveToEnd(queue);
    }
  }

  #refresh(row: FoundEndpoint, nowMs: number): EndpointQueue {
    const queue = this.#queues.get(row.id) ?? new EndpointQueue(row.id, row);
    queue.refresh(row, nowMs);
    this.#queues.set(row.id, queue);
    return queue;
  }

  #addDue(queue: EndpointQueue, dueMs: number): void {
    queue.dueFromMs = Math.min(queue.dueFromMs ?? dueMs, dueMs);
    this.#ready.add(queue);
  }

  /** A claim may be smaller than the number of ready queues: those it left out come first in the next one. */
  #moveToEnd(queue: EndpointQueue): void {
    this.#ready.delete(queue);
    this.#ready.add(queue);
    this.#options.onDue();
  }

  #removeDue(queue: EndpointQueue): void {
    queue.dueFromMs = undefined;
    this.#ready.delete(queue);
  }
}
