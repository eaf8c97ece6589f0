import { type Clock, hourMs, secondMs } from '../../../../core/clock.ts';
import { isUnavailable } from '../../../../core/errors.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { type ClaimedDelivery, type FoundEndpoint, findFresh, scan } from '../../delivery-queue/claim-statements.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import { freshMs } from './slot-allocator.ts';

export interface DueEndpointsOptions {
  database: Queryable;
  clock: Clock;
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
 * The endpoints with due deliveries. Each endpoint has a queue (`EndpointQueue`); those with due deliveries are ready.
 *
 * Before a claim, a range of the index by due time names the endpoints whose deliveries have come due within the last
 * second; beside it, if those that are known have deliveries to claim. Once a second a scan probes the index by
 * endpoint for everything else: backlogs, expired leases, late commits. A queue that had fewer deliveries than it was
 * granted is not ready any more.
 */
export class DueEndpoints {
  readonly #options: DueEndpointsOptions;
  readonly #queues = new Map<number, EndpointQueue>();
  readonly #ready = new Set<EndpointQueue>();
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

  constructor(options: DueEndpointsOptions) {
    this.#options = options;
    this.#freshFromMs = options.clock() - lateMs;
  }

  /** The queues with due deliveries; those that were granted slots longest ago come first. */
  get ready(): ReadonlySet<EndpointQueue> {
    return this.#ready;
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

  queueOf(endpointId: number): EndpointQueue | undefined {
    return this.#queues.get(endpointId);
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

  /** Scans the next endpoints beside the claim, once a second. `atMs`: `performance.now()`. */
  scanInTurn(nowMs: number, atMs: number): void {
    if (atMs - this.#scannedAtMs <= scanEveryMs) return;
    this.#scanning ??= this.#inBackground(this.#scan(nowMs, atMs)).then(() => (this.#scanning = undefined));
  }

  /** Looks for fresh deliveries beside the claim, for the next one. */
  findBeside(nowMs: number, atMs: number): void {
    if (atMs - this.#foundAtMs <= findBesideClaimsEveryMs) return;
    this.#finding = this.#inBackground(this.find(nowMs)).then(() => (this.#finding = undefined));
  }

  /** Resolves when `findBeside` has found what it looks for. */
  get finding(): Promise<void> | undefined {
    return this.#finding;
  }

  /** Looks for fresh deliveries: those that have come due since the last time. */
  async find(nowMs: number): Promise<void> {
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
  claimed(granted: ReadonlyMap<EndpointQueue, number>, rows: readonly ClaimedDelivery[]): void {
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

  /** Claims do not wait for it, and report that the database is unavailable. */
  #inBackground(work: Promise<void>): Promise<void> {
    return work.catch((error) => {
      if (!isUnavailable(error)) this.#options.onScanFailed(error);
    });
  }

  #refresh(row: FoundEndpoint, nowMs: number): EndpointQueue {
    const queue = this.#queues.get(row.id) ?? newQueue(row, nowMs);
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

/** What is late when an endpoint is first found has waited for this node to start. */
function newQueue(row: FoundEndpoint, nowMs: number): EndpointQueue {
  const queue = new EndpointQueue(row.id, row);
  if (row.dueMs !== null && nowMs - row.dueMs > lateMs) queue.backlog.begin(nowMs);
  return queue;
}
