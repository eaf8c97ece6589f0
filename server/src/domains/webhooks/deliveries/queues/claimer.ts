import type { Clock } from '../../../../core/clock.ts';
import { EventLoop } from '../../../../platform/admission/event-loop.ts';
import type { Leased } from '../../../../platform/jobs/worker.ts';
import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { type ClaimedDelivery, claimDeliveries, isClaimedAgain } from '../../delivery-queue/claim-statements.ts';
import type { Answer } from '../connections/answer.ts';
import type { EndpointHealth } from '../results/endpoint-health.ts';
import { verdictOf } from '../rules.ts';
import type { DueEndpoints } from './due-endpoints.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import { SlotAllocator } from './slot-allocator.ts';
import { takeRates } from './take-rates.ts';

/** A claimed delivery with its lease. */
export type LeasedDelivery = Leased<ClaimedDelivery> & { leasedUntilMs: number };

export interface ClaimerOptions {
  due: DueEndpoints;
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
}

/**
 * Claims due deliveries of the endpoints that have some (`DueEndpoints`).
 *
 * - The `SlotAllocator` grants slots to ready queues. Trials and rates, which all nodes share, are taken from the
 *   database.
 * - One statement claims the oldest deliveries of each endpoint, as many as it was granted.
 */
export class Claimer {
  readonly #options: ClaimerOptions;
  /** Queues with deliveries in flight: never more than there are slots. */
  readonly #active = new Set<EndpointQueue>();
  /** Watched while deliveries are in flight. */
  readonly #eventLoop = new EventLoop();

  constructor(options: ClaimerOptions) {
    this.#options = options;
  }

  /** Claims at most `freeSlots` deliveries under the lease token `lease`. */
  async claim(freeSlots: number, lease: string): Promise<LeasedDelivery[]> {
    const { due, database, clock, leaseMs, health, renew } = this.#options;
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
    due.claimed(granted, rows);
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
    const queue = this.#options.due.queueOf(endpoint_id);
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
    const queue = this.#options.due.queueOf(endpointId);
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
    const { due } = this.#options;
    const atMs = performance.now();
    due.scanInTurn(nowMs, atMs);
    await due.finding;
    const known = this.#allocate(freeSlots, nowMs);
    if (known.granted.size === 0) {
      await due.find(nowMs);
      return this.#allocate(freeSlots, nowMs).granted;
    }
    due.findBeside(nowMs, atMs);
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
    allocator.grant(this.#options.due.ready);
    return allocator;
  }
}
