import { type Clock, secondMs } from '../../../../core/clock.ts';
import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { returnTrials, takeTrials } from '../../endpoints/health-statements.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import { type EndpointQueues, factsOf, waitingOf } from './endpoint-queues.ts';
import { OldestDue } from './oldest-due.ts';
import { ParkedDeliveries } from './parked.ts';
import type { SlotAllocator, Waiting } from './slot-allocator.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  claimOfEndpoints,
  lookLastDue,
  lookLongestDue,
  takePace,
} from './statements.ts';

/** A claimed delivery and the lease it is held under. */
export interface LeasedDelivery extends ClaimedDelivery {
  lease: string;
  leasedUntilMs: number;
}

export interface ClaimerOptions {
  database: Queryable;
  clock: Clock;
  lanes: EndpointQueues;
  leaseMs: number;
  /** Told that there is more to claim than was. */
  onMore: () => void;
  onError: (error: unknown) => void;
}

/** Looked at beyond what there is room for: what may not be claimed now should not fill the view. */
const lookedBeyond = 200;
/** While there is more due than can be sent, so many claims in a row go without a look, for so long at most. */
const claimsUnlooked = 9;
const unlookedMs = 250;
/** When the other end of the queue held nothing for anyone, it is not looked at again for this long. */
const freshEveryMs = 50;
/** What waits for its endpoint at the head of the queue for this long is set aside, though it hides nobody yet. */
const patientMs = 10 * secondMs;

/**
 * Claims due deliveries. It looks at what has been due longest, has the lanes share out the free slots, and claims what
 * they granted: so nothing is ever claimed that cannot be sent.
 *
 * When what it sees at the head of the queue has to wait for its endpoint and hides the rest, that is set aside, once,
 * until the head is clear again; meanwhile it looks from the other end, where the fresh ones are. What is set aside is
 * looked at endpoint by endpoint.
 *
 * While more is due than can be sent, endpoints that answer promptly are served by a claim alone, without a look: that
 * takes half of the database's time.
 */
export class Claimer {
  readonly #options: ClaimerOptions;
  readonly #since: OldestDue;
  readonly #aside: ParkedDeliveries;
  /** The last claim was full: more is due. */
  #isBehind = false;
  /** The last look saw everything that is due and not set aside, and that was nothing. */
  #sawNothing = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #unlooked = 0;
  #freshFromMs = Number.NEGATIVE_INFINITY;

  constructor(options: ClaimerOptions) {
    this.#options = options;
    const { database, clock, lanes, onMore, onError } = options;
    this.#since = new OldestDue(database, clock);
    this.#aside = new ParkedDeliveries({
      database,
      clock,
      lanes,
      since: () => this.#since.ms,
      onCleared: onMore,
      onError: onError,
    });
  }

  async claim(room: number, lease: string): Promise<LeasedDelivery[]> {
    return (await this.#claimUnhindered(room, lease)) ?? (await this.#claimChosen(room, lease));
  }

  /** Nothing is due, as far as is known here: neither claimable nor waiting for its endpoint. */
  get isQuiet(): boolean {
    return this.#sawNothing && this.#aside.isEmpty;
  }

  /** Resolves when nothing is under way in the database any more. */
  async close(): Promise<void> {
    await Promise.all([this.#since.settled(), this.#aside.close()]);
  }

  async #claimUnhindered(room: number, lease: string): Promise<LeasedDelivery[] | undefined> {
    const { database, clock, lanes, leaseMs, onMore } = this.#options;
    if (!this.#isBehind || this.#unlooked >= claimsUnlooked) return undefined;
    if (performance.now() - this.#lookedAtMs > unlookedMs) return undefined;
    const nowMs = clock();
    const { endpoints, room: count } = lanes.unhindered(room, nowMs);
    if (count === 0) return undefined;
    this.#unlooked++;
    const untilMs = nowMs + leaseMs;
    const values = [nowMs, untilMs, this.#since.ms, count, lease, plainArray(endpoints)];
    const rows = await database.run(claimOfEndpoints, values);
    this.#isBehind = rows.length === count;
    if (this.#isBehind) for (const id of endpoints) lanes.cut(id);
    else onMore();
    return rows.map((row) => Object.assign(row, { lease, leasedUntilMs: untilMs }));
  }

  async #claimChosen(room: number, lease: string): Promise<LeasedDelivery[]> {
    const { database, clock, lanes, leaseMs, onMore } = this.#options;
    const nowMs = clock();
    this.#lookedAtMs = performance.now();
    this.#unlooked = 0;
    lanes.uncut();
    const round = lanes.round(room, nowMs);
    await this.#aside.grant(round, nowMs);
    if (round.room > 0) await this.#grantDue(round, nowMs);
    await this.#permit(round, nowMs);
    const chosen = [...round.granted.values()].flatMap(({ tenantId, ids }) => ids.map((id) => ({ tenantId, id })));
    if (chosen.length === 0) return [];
    const untilMs = nowMs + leaseMs;
    const rows = await database.run(claimDeliveries, [
      nowMs,
      untilMs,
      plainArray(chosen.map(({ tenantId }) => tenantId)),
      plainArray(chosen.map(({ id }) => id)),
      lease,
    ]);
    if (rows.length < chosen.length) {
      // Another node was quicker: there may be more behind what it took.
      onMore();
      await this.#returnTrials(round, rows, nowMs);
    }
    return rows.map((row) => Object.assign(row, { lease, leasedUntilMs: untilMs }));
  }

  async #grantDue(round: SlotAllocator, nowMs: number): Promise<void> {
    this.#sawNothing = false;
    if (this.#aside.isClearing) {
      await this.#grantLastDue(round, nowMs);
      return;
    }
    const atMost = round.room + lookedBeyond;
    const waiting = await this.#look(lookLongestDue, nowMs, atMost);
    const isFull = countOf(waiting) === atMost;
    this.#sawNothing = waiting.length === 0;
    const left = round.grant(waiting);
    this.#isBehind = isFull;
    const isHidden = isFull && round.room > 0;
    const stuck = left.filter(({ lane, dueMs }) => lane.isStuck(nowMs) && (isHidden || dueMs < nowMs - patientMs));
    if (stuck.length > 0) this.#aside.clear(stuck);
    if (isHidden) await this.#grantLastDue(round, nowMs);
  }

  async #grantLastDue(round: SlotAllocator, nowMs: number): Promise<void> {
    if (performance.now() < this.#freshFromMs) return;
    const roomBefore = round.room;
    const granted = new Set([...round.granted.values()].flatMap(({ ids }) => ids));
    const waiting = await this.#look(lookLastDue, nowMs, roomBefore + lookedBeyond);
    round.grant(waiting.map((one) => ({ ...one, ids: one.ids.filter((id) => !granted.has(id)) })));
    if (round.room === roomBefore) this.#freshFromMs = performance.now() + freshEveryMs;
  }

  async #look(look: typeof lookLongestDue, nowMs: number, atMost: number): Promise<Waiting[]> {
    const rows = await this.#options.database.run(look, [nowMs, this.#since.ms, atMost]);
    return rows.flatMap((row) => waitingOf(this.#options.lanes.learn(row.endpoint_id, factsOf(row), nowMs), row) ?? []);
  }

  /** Asks for what more than this node has a say in: trying an endpoint again, and rates. */
  async #permit(round: SlotAllocator, nowMs: number): Promise<void> {
    const lanes = [...round.granted.keys()].filter((lane) => lane.facts.state === true);
    const trying = lanes.filter((lane) => lane.isHalfOpen(nowMs));
    const paced = lanes.filter((lane) => lane.facts.ratePerS !== null).toSorted((a, b) => a.id - b.id);
    if (trying.length > 0) await this.#permitTrials(round, trying, nowMs);
    if (paced.length > 0) await this.#permitPace(round, paced, nowMs);
  }

  async #permitTrials(round: SlotAllocator, trying: EndpointQueue[], nowMs: number): Promise<void> {
    const { database, leaseMs } = this.#options;
    const untilMs = nowMs + leaseMs;
    const taken = await database.run(takeTrials, [nowMs, untilMs, plainArray(trying.map(({ id }) => id))]);
    const ours = new Set(taken.map(({ id }) => id));
    for (const lane of trying) {
      lane.mayTry = ours.has(lane.id);
      if (!lane.mayTry) round.keep(lane, 0);
      lane.facts = { ...lane.facts, openMs: untilMs };
    }
  }

  /** What was to try its endpoint is just being changed by another node: the endpoint need not wait for another pause. */
  async #returnTrials(round: SlotAllocator, claimed: readonly ClaimedDelivery[], nowMs: number): Promise<void> {
    const begun = new Set(claimed.map((row) => row.endpoint_id));
    const unused = [...round.granted.keys()].filter((lane) => lane.mayTry && !begun.has(lane.id));
    if (unused.length === 0) return;
    const untilMs = nowMs + this.#options.leaseMs;
    await this.#options.database.run(returnTrials, [nowMs, untilMs, plainArray(unused.map(({ id }) => id))]);
    for (const lane of unused) {
      lane.mayTry = false;
      lane.facts = { ...lane.facts, openMs: nowMs };
    }
  }

  async #permitPace(round: SlotAllocator, paced: EndpointQueue[], nowMs: number): Promise<void> {
    const asked = paced.filter((lane) => round.granted.has(lane));
    if (asked.length === 0) return;
    const rows = await this.#options.database.run(takePace, [
      nowMs,
      plainArray(asked.map(({ id }) => id)),
      plainArray(asked.map((lane) => round.granted.get(lane)?.ids.length ?? 0)),
      plainArray(asked.map((lane) => lane.facts.ratePerS)),
    ]);
    for (const { endpoint_id, granted, used_until_ms } of rows) {
      const lane = this.#options.lanes.get(endpoint_id);
      if (lane === undefined) continue;
      lane.usedUntilMs = used_until_ms;
      round.keep(lane, granted);
    }
  }
}

function countOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((count, { ids }) => count + ids.length, 0);
}
