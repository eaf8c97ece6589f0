import { randomUUID } from 'node:crypto';

export interface ClaimLoopOptions<Work> {
  /**
   * Takes at most `room` pieces of due work under the given lease token (the fence), by a statement with
   * `for update skip locked`. What it takes, nobody else may take until the lease has run out.
   */
  claim: (room: number, lease: string) => Promise<readonly Work[]>;
  /**
   * Gives back whatever stands under these lease tokens. Called after a claim has failed: its statement may have been
   * executed although its answer never arrived, and then nobody works on what it took. Not needed where claims take no
   * lease.
   */
  giveBack?: (leases: readonly string[]) => Promise<void>;
  /** Identifies a piece of work: the same for every claim of it. Without it, work is never claimed twice. */
  keyOf?: (work: Work) => string;
  /**
   * Work in flight here has been claimed once more, because the clock jumped ahead and its lease seemed to have run out:
   * it goes on under the newer lease. Without it the newer claim is dropped and runs out.
   */
  renew?: (inFlight: Work, claimed: Work) => void;
  /** Does one piece of work and sees to its result; never throws at once. It holds one slot until it is done. */
  perform: (work: Work) => Promise<void>;
  /** Gives back the lease of work that was claimed and not begun, so that another node need not wait for it. */
  release: (notStarted: readonly Work[]) => Promise<void>;
  /** How many pieces may be in work at once; asked before each claim, so that it may change with the load. */
  slots: () => number;
  /** How long, in ms, from one claim to the next at least; asked before each. Without it: no time. */
  gapMs?: () => number;
  /** Pieces in one claim at most. */
  maxBatch: number;
  /** How long to wait, in ms, before looking again when nothing was due; asked after each claim. Without it: 100 ms. */
  pollMs?: (() => number) | undefined;
  /** Told once when claiming begins to fail, and of every piece of work that throws (which is a defect). */
  onError?: (error: unknown) => void;
  /** Told once when claiming works again. */
  onRecovered?: () => void;
  /** Told of every claim that found something: how many, and how long it took in ms. */
  observe?: (count: number, durationMs: number) => void;
}

const usualPollMs = 100;
/** After a claim that found something the next look comes as soon as this: at 5,000/s p99 fell from 208 to 88 ms. */
const lookAfterWorkMs = 20;
/** With nearly all slots taken, a claim waits this long for more of them: one statement for many, not one for each. */
const gatherMs = 1;
const firstBackoffMs = 50;
/** A database that is back is found within this time. */
const longestBackoffMs = 1_000;
/**
 * When the leases of a failed claim are given back, in ms after it failed. More than once, because a statement whose
 * connection broke may still be executed: for as long as the database lets a statement run.
 */
const giveBackAfterMs = [0, 3_000, 15_000];

/**
 * Takes due work from a table, as much as there are free slots for, and has it done. There is no reaper: the lease of
 * a node that died runs out, and its work is due again.
 *
 * `wake` tells it that something has just become due here; what others make due, or what comes due by itself, is
 * found by looking every 100 ms, or by a lookout that looks for several. One claim is in flight at a time, so that
 * claims grow with the load by themselves. While the database is away it tries again, ever more slowly, up to once a
 * second, and says so once.
 */
export class ClaimLoop<Work> {
  readonly #options: ClaimLoopOptions<Work>;
  #running = false;
  #claiming: Promise<void> | undefined;
  #inFlight = 0;
  /** There may be due work that has not been claimed yet. */
  #hungry = false;
  #failures = 0;
  /** Leases of failed claims: when each failed, and how often it has been given back. */
  readonly #uncertain = new Map<string, { failedAtMs: number; times: number }>();
  readonly #working = new Map<string, Work>();
  #claimedAtMs = Number.NEGATIVE_INFINITY;
  #poll: NodeJS.Timeout | undefined;
  #gather: NodeJS.Timeout | undefined;
  #idle: (() => void)[] = [];

  constructor(options: ClaimLoopOptions<Work>) {
    this.#options = options;
  }

  /** Pieces of work begun and not done. */
  get inFlight(): number {
    return this.#inFlight;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.wake();
  }

  /** Something has just become due: look now. */
  wake(): void {
    this.#hungry = true;
    this.#advance();
  }

  /** Stops claiming; work in flight goes on (see `drained`). What a last claim brought is given back. */
  async stop(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#poll);
    clearTimeout(this.#gather);
    await this.#claiming;
    // One try: what cannot be given back now is due again when its lease runs out.
    if (this.#uncertain.size > 0) await this.#giveBack([...this.#uncertain.keys()]).catch(() => {});
  }

  /** Resolves when no work is in flight. */
  drained(): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #advance(): void {
    if (!this.#running || !this.#hungry || this.#claiming !== undefined || this.#failures > 0) return;
    const slots = this.#options.slots();
    const room = this.#roomOf(slots);
    if (room <= 0) return;
    const isWorthIt = room * 4 >= Math.min(slots, this.#options.maxBatch);
    const gapLeftMs = this.#claimedAtMs + (this.#options.gapMs?.() ?? 0) - performance.now();
    const waitMs = Math.max(isWorthIt ? 0 : gatherMs, gapLeftMs);
    if (waitMs <= 0) this.#begin(room);
    else this.#gather ??= setTimeout(() => this.#gathered(), waitMs);
  }

  #gathered(): void {
    this.#gather = undefined;
    const room = this.#roomOf(this.#options.slots());
    if (this.#running && this.#claiming === undefined && room > 0) this.#begin(room);
  }

  #pollMs(): number {
    return this.#options.pollMs?.() ?? usualPollMs;
  }

  #roomOf(slots: number): number {
    return Math.min(this.#options.maxBatch, slots - this.#inFlight);
  }

  #begin(room: number): void {
    clearTimeout(this.#poll);
    clearTimeout(this.#gather);
    this.#gather = undefined;
    this.#hungry = false;
    this.#claimedAtMs = performance.now();
    this.#claiming = this.#claim(room).then((pauseMs) => {
      this.#claiming = undefined;
      if (!this.#running) return;
      this.#poll = setTimeout(() => this.#pollNow(), pauseMs);
      this.#advance();
    });
  }

  #pollNow(): void {
    this.#hungry = true;
    // A claim that failed is tried again here, and only here: no wake may hurry a database that is away.
    if (this.#failures > 0) this.#begin(Math.max(1, this.#roomOf(this.#options.slots())));
    else {
      this.#poll = setTimeout(() => this.#pollNow(), this.#pollMs());
      this.#advance();
    }
  }

  /** One claim, never failing; gives back how long to wait before looking again unasked. */
  async #claim(room: number): Promise<number> {
    const { claim, giveBack } = this.#options;
    const startedAt = performance.now();
    const lease = randomUUID();
    let claimed: readonly Work[];
    let isAsked = false;
    try {
      if (this.#uncertain.size > 0) await this.#giveBackUncertain();
      isAsked = true;
      claimed = await claim(room, lease);
    } catch (error) {
      if (isAsked && giveBack !== undefined) this.#uncertain.set(lease, { failedAtMs: performance.now(), times: 0 });
      this.#hungry = true;
      if (this.#failures++ === 0) this.#options.onError?.(error);
      return Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(this.#failures - 1, 10));
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
    if (claimed.length >= room) this.#hungry = true;
    for (const work of claimed) this.#begun(work);
    // Where something was due more soon will be; whoever wrote it may be elsewhere and unable to wake us.
    return Math.min(this.#pollMs(), lookAfterWorkMs);
  }

  async #giveBackUncertain(): Promise<void> {
    const nowMs = performance.now();
    const due = [...this.#uncertain].filter(
      ([, { failedAtMs, times }]) => nowMs - failedAtMs >= (giveBackAfterMs[times] as number),
    );
    if (due.length > 0) await this.#giveBack(due.map(([lease]) => lease));
  }

  async #giveBack(leases: readonly string[]): Promise<void> {
    await this.#options.giveBack?.(leases);
    for (const lease of leases) {
      const one = this.#uncertain.get(lease);
      if (one !== undefined && ++one.times === giveBackAfterMs.length) this.#uncertain.delete(lease);
    }
  }

  #begun(work: Work): void {
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
