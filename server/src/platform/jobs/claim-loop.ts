import { randomUUID } from 'node:crypto';

export interface ClaimLoopOptions<Work> {
  /**
   * Claims at most `room` pieces of due work under the given lease token (the fence), by a statement with
   * `for update skip locked`. No other worker may claim them until the lease has expired.
   */
  claim: (room: number, lease: string) => Promise<readonly Work[]>;
  /**
   * Releases everything under these lease tokens. Called after a claim has failed: its statement may have been executed
   * although its answer was lost, and then no worker has what it claimed. Not needed where claims take no lease.
   */
  releaseLeases?: (leases: readonly string[]) => Promise<void>;
  /** Identifies a piece of work, equal for every claim of it. Leave it out where work is never claimed twice. */
  keyOf?: (work: Work) => string;
  /**
   * Work in flight here was claimed again, because the clock jumped ahead and its lease seemed to have expired: it continues
   * under the newer lease. Without this function the newer claim is dropped and expires.
   */
  renew?: (inFlight: Work, claimed: Work) => void;
  /** Performs one piece of work and records its result; never throws synchronously. Occupies one slot until it resolves. */
  perform: (work: Work) => Promise<void>;
  /** Releases the lease of work that was claimed and not started, so that another node need not wait until it expires. */
  release: (notStarted: readonly Work[]) => Promise<void>;
  /** How many pieces may be in flight at once; read before each claim, so that it may change with the load. */
  slots: () => number;
  /** Minimum time between two claims in ms; read before each. Default: none. */
  gapMs?: () => number;
  /** Maximum number of pieces per claim. */
  maxBatch: number;
  /** Time in ms until the next claim when nothing was due; read after each claim. Default: 100. */
  pollMs?: (() => number) | undefined;
  /** Called once when claims begin to fail, and for every piece of work that throws (which is a defect). */
  onError?: (error: unknown) => void;
  /** Called once when claims succeed again. */
  onRecovered?: () => void;
  /** Called for every claim that found work: how many pieces, and how long it took in ms. */
  observe?: (count: number, durationMs: number) => void;
}

const defaultPollMs = 100;
/** Time until the next claim after one that found work: at 5,000/s this reduced p99 from 208 to 88 ms. */
const pollAfterWorkMs = 20;
/** With nearly all slots taken, a claim waits this long for more free slots, so that one statement claims for many. */
const gatherMs = 1;
const firstBackoffMs = 50;
/** Claims resume within this time after the database has returned. */
const maximumBackoffMs = 1_000;
/**
 * When the leases of a failed claim are released, in ms after the failure. Repeated, because a statement whose connection
 * broke may still be executed, up to the statement timeout of the database.
 */
const giveBackAfterMs = [0, 3_000, 15_000];

/**
 * Claims due work from a table, as much as there are free slots for, and performs it. There is no reaper: the lease of a
 * node that died expires, and its work is due again.
 *
 * `wake` makes it claim at once; without a wake it claims every `pollMs`. One claim is in flight at a time, so that the
 * size of claims adapts to the load. While the database is away it retries with growing pauses of up to a second, and
 * reports that once.
 */
export class ClaimLoop<Work> {
  readonly #options: ClaimLoopOptions<Work>;
  #running = false;
  #claiming: Promise<void> | undefined;
  #inFlight = 0;
  /** There may be due work that has not been claimed. */
  #mayHaveDue = false;
  #failures = 0;
  /** Leases of failed claims: when each failed, and how often it has been released. */
  readonly #uncertain = new Map<string, { failedAtMs: number; times: number }>();
  readonly #working = new Map<string, Work>();
  #claimedAtMs = Number.NEGATIVE_INFINITY;
  #poll: NodeJS.Timeout | undefined;
  #gather: NodeJS.Timeout | undefined;
  #idle: (() => void)[] = [];

  constructor(options: ClaimLoopOptions<Work>) {
    this.#options = options;
  }

  /** Number of pieces that were started and have not ended. */
  get inFlight(): number {
    return this.#inFlight;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.wake();
  }

  /** Work may have become due: claims at once. */
  wake(): void {
    this.#mayHaveDue = true;
    this.#advance();
  }

  /** Stops claiming; work in flight continues (see `drained`). The work of a claim under way is released. */
  async stop(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#poll);
    clearTimeout(this.#gather);
    await this.#claiming;
    // One attempt: what cannot be released now is due again when its lease expires.
    if (this.#uncertain.size > 0) await this.#giveBack([...this.#uncertain.keys()]).catch(() => {});
  }

  /** Resolves when no work is in flight. */
  drained(): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #advance(): void {
    if (!this.#running || !this.#mayHaveDue || this.#claiming !== undefined || this.#failures > 0) return;
    const slots = this.#options.slots();
    const room = this.#roomIn(slots);
    if (room <= 0) return;
    const isWorthIt = room * 4 >= Math.min(slots, this.#options.maxBatch);
    const gapLeftMs = this.#claimedAtMs + (this.#options.gapMs?.() ?? 0) - performance.now();
    const waitMs = Math.max(isWorthIt ? 0 : gatherMs, gapLeftMs);
    if (waitMs <= 0) this.#startClaim(room);
    else this.#gather ??= setTimeout(() => this.#gathered(), waitMs);
  }

  #gathered(): void {
    this.#gather = undefined;
    const room = this.#roomIn(this.#options.slots());
    if (this.#running && this.#claiming === undefined && room > 0) this.#startClaim(room);
  }

  #pollMs(): number {
    return this.#options.pollMs?.() ?? defaultPollMs;
  }

  #roomIn(slots: number): number {
    return Math.min(this.#options.maxBatch, slots - this.#inFlight);
  }

  #startClaim(room: number): void {
    clearTimeout(this.#poll);
    clearTimeout(this.#gather);
    this.#gather = undefined;
    this.#mayHaveDue = false;
    this.#claimedAtMs = performance.now();
    this.#claiming = this.#claim(room).then((pauseMs) => {
      this.#claiming = undefined;
      if (!this.#running) return;
      this.#poll = setTimeout(() => this.#pollNow(), pauseMs);
      this.#advance();
    });
  }

  #pollNow(): void {
    this.#mayHaveDue = true;
    // A failed claim is retried only here: wakes must not shorten the pauses while the database is away.
    if (this.#failures > 0) this.#startClaim(Math.max(1, this.#roomIn(this.#options.slots())));
    else {
      this.#poll = setTimeout(() => this.#pollNow(), this.#pollMs());
      this.#advance();
    }
  }

  /** Claims once and never rejects; returns the pause before the next claim without a wake. */
  async #claim(room: number): Promise<number> {
    const { claim, releaseLeases: giveBack } = this.#options;
    const startedAt = performance.now();
    const lease = randomUUID();
    let claimed: readonly Work[];
    let wasSent = false;
    try {
      if (this.#uncertain.size > 0) await this.#giveBackUncertain();
      wasSent = true;
      claimed = await claim(room, lease);
    } catch (error) {
      if (wasSent && giveBack !== undefined) this.#uncertain.set(lease, { failedAtMs: performance.now(), times: 0 });
      this.#mayHaveDue = true;
      if (this.#failures++ === 0) this.#options.onError?.(error);
      return Math.min(maximumBackoffMs, firstBackoffMs * 2 ** Math.min(this.#failures - 1, 10));
    }
    if (this.#failures > 0) {
      this.#failures = 0;
      this.#options.onRecovered?.();
    }
    if (claimed.length === 0) return this.#pollMs();
    this.#options.observe?.(claimed.length, performance.now() - startedAt);
    if (!this.#running) {
      await this.#options.release(claimed).catch((error) => this.#options.onError?.(error));
      return this.#pollMs();
    }
    // A full claim means that more may be due.
    if (claimed.length >= room) this.#mayHaveDue = true;
    for (const work of claimed) this.#start(work);
    // More work is likely to follow soon, possibly written by another node.
    return Math.min(this.#pollMs(), pollAfterWorkMs);
  }

  async #giveBackUncertain(): Promise<void> {
    const nowMs = performance.now();
    const due = [...this.#uncertain].filter(
      ([, { failedAtMs, times }]) => nowMs - failedAtMs >= (giveBackAfterMs[times] as number),
    );
    if (due.length > 0) await this.#giveBack(due.map(([lease]) => lease));
  }

  async #giveBack(leases: readonly string[]): Promise<void> {
    await this.#options.releaseLeases?.(leases);
    for (const lease of leases) {
      const one = this.#uncertain.get(lease);
      if (one !== undefined && ++one.times === giveBackAfterMs.length) this.#uncertain.delete(lease);
    }
  }

  #start(work: Work): void {
    const key = this.#options.keyOf?.(work);
    const inFlight = key === undefined ? undefined : this.#working.get(key);
    if (inFlight === undefined) this.#perform(key, work);
    else this.#options.renew?.(inFlight, work);
  }

  #perform(key: string | undefined, work: Work): void {
    this.#inFlight++;
    if (key !== undefined) this.#working.set(key, work);
    this.#options.perform(work).then(
      () => this.#performed(key),
      (error) => {
        this.#options.onError?.(error);
        this.#performed(key);
      },
    );
  }

  #performed(key: string | undefined): void {
    if (key !== undefined) this.#working.delete(key);
    this.#inFlight--;
    if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve();
    this.#advance();
  }
}
