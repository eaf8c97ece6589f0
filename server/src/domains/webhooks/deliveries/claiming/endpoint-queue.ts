import { minuteMs, secondMs } from '../../../../core/clock.ts';
import { breakerFailures, type Standing } from '../rules.ts';

/** What an endpoint's row says of it, as of the last look. */
export interface EndpointFacts {
  /** false: switched off; null: gone. Nothing is sent, so nothing need be held back. */
  state: boolean | null;
  origin: string;
  /** Deliveries in flight at most on this node, for promptness too; null: as promptness allows. */
  maxInFlight: number | null;
  /** Deliveries a second at most, on all nodes together. */
  ratePerS: number | null;
  /** Sending is paused until then; afterwards one delivery tries. null: nothing is wrong. */
  openMs: number | null;
  firstFailureMs: number | null;
}

/** How an attempt ended, as far as its endpoint is concerned. */
export interface Ended {
  standing: Standing;
  durationMs: number;
}

/** In flight at an endpoint of which nothing good is known. */
const unprovenInFlight = 8;
/** An answer within this time is prompt: its slot is soon free again. */
const promptMs = secondMs;
/** A lane that has heard nothing for this long is stuck: its queue need not be looked at with every claim. */
const stuckMs = 250;
/** What a rate leaves unused is kept for this long, or long enough for one: what a claim misses the next makes up for. */
export const paceKeptLeastMs = 250;
/** A third of a second three times is one. */
export const rounding = 1e-6;
/** A pause made here is in the database, and in every look that begins, within this time. */
const writtenMs = secondMs;

/**
 * One endpoint as this node knows it: how many of its deliveries may be in flight. One that answers promptly gets one
 * more with every answer for as long as it asks for more, which doubles them with every round trip; a slow answer or a
 * failure halves them. While it is slow, failing or silent, and at first, it has few, whatever it had before.
 */
export class EndpointQueue {
  readonly id: number;
  facts: EndpointFacts;
  inFlight = 0;
  /** There was more to send than it was given. */
  isCut = false;
  /** Some of its deliveries are set aside. */
  hasAside = false;
  /** Failures since the last answer, on this node. */
  failures = 0;
  failingSinceMs: number | undefined;
  /** When its rate is used up until, in ms, as far as is known. */
  usedUntilMs = 0;
  /** The next that begins is the one that may try whether it answers again. */
  mayTry = false;
  /** What is in flight is that one. */
  isTrying = false;
  /** What is in flight is the first of a fresh acquaintance: no second one until it has answered. */
  isIntroduced = false;
  #pausedAtMs = Number.NEGATIVE_INFINITY;
  #window = 0;
  #isPrompt = false;
  #heardMs = 0;

  constructor(id: number, facts: EndpointFacts) {
    this.id = id;
    this.facts = facts;
    this.#window = this.#unproven;
  }

  /** What its row said at a look. A look may be older than a pause made here. */
  learn(facts: EndpointFacts, nowMs: number): void {
    const own = Math.abs(nowMs - this.#pausedAtMs) < writtenMs ? this.facts.openMs : null;
    this.facts = own !== null && own > (facts.openMs ?? 0) ? { ...facts, openMs: own } : facts;
  }

  /** Nothing is sent until then. */
  pause(nowMs: number, untilMs: number): void {
    this.#pausedAtMs = nowMs;
    const firstFailureMs = this.facts.firstFailureMs ?? this.failingSinceMs ?? nowMs;
    this.facts = { ...this.facts, openMs: untilMs, firstFailureMs };
  }

  /** It answers again. Only a success ends the failing. */
  recover(succeeded: boolean): void {
    this.#pausedAtMs = Number.NEGATIVE_INFINITY;
    this.facts = { ...this.facts, openMs: null, firstFailureMs: succeeded ? null : this.facts.firstFailureMs };
  }

  begin(nowMs: number): void {
    this.isTrying = this.mayTry;
    this.mayTry = false;
    if (this.inFlight++ === 0) this.#heardMs = nowMs;
  }

  /** Without `ended` nothing was sent. `slots`: more than the node has it cannot use. */
  end(nowMs: number, ended: Ended | undefined, slots: number): void {
    this.inFlight--;
    this.isTrying = false;
    this.isIntroduced = false;
    this.#heardMs = nowMs;
    if (ended === undefined) return;
    if (ended.standing === 'failing') {
      this.failures++;
      this.failingSinceMs ??= nowMs;
    } else {
      this.failures = 0;
      this.failingSinceMs = undefined;
    }
    this.#isPrompt = ended.standing === 'answering' && ended.durationMs <= promptMs;
    if (!this.#isPrompt) this.#window = Math.max(this.#unproven, Math.floor(this.#window / 2));
    else if (this.isCut) this.#window = Math.min(this.#window + 1, slots);
  }

  /** It has failed here, or has been paused or failing anywhere, and there has been no success since. */
  get isKnownToFail(): boolean {
    return this.failures > 0 || this.facts.firstFailureMs !== null;
  }

  /** Nothing is sent; `isHalfOpen` afterwards. */
  isPaused(nowMs: number): boolean {
    return this.facts.openMs !== null && this.facts.openMs > nowMs;
  }

  /** The pause is over, and one delivery is to find out whether the trouble is. */
  isHalfOpen(nowMs: number): boolean {
    return this.facts.openMs !== null && this.facts.openMs <= nowMs;
  }

  /** Whether one more failure calls for a pause: it is the last of many, or that of the one delivery that tries. */
  isToPause(nowMs: number): boolean {
    return this.isTrying || (this.failures + 1 >= breakerFailures && !this.isPaused(nowMs));
  }

  /** Its last answer was prompt, and it is not silent now: what it holds, it will soon give back. */
  isPrompt(nowMs: number): boolean {
    return this.#isPrompt && (this.inFlight === 0 || nowMs - this.#heardMs <= promptMs);
  }

  /** How many it may have in flight at most, as far as it alone is concerned. */
  limit(nowMs: number): number {
    const { maxInFlight } = this.facts;
    if (!this.isPrompt(nowMs)) return this.#unproven;
    return maxInFlight === null ? this.#window : Math.min(this.#window, maxInFlight);
  }

  /** How many more its rate allows now, as far as is known here; `takePace` decides. */
  paceRoom(nowMs: number): number {
    const { ratePerS } = this.facts;
    if (ratePerS === null) return Number.POSITIVE_INFINITY;
    const aheadMs = Math.max(0, this.usedUntilMs - nowMs);
    // Further ahead than it can be, it was told by a clock that has been set back since: `takePace` tells anew.
    if (aheadMs > minuteMs + paceKeptMs(ratePerS)) return 1;
    return Math.max(0, Math.floor(((paceKeptMs(ratePerS) - aheadMs) * ratePerS) / secondMs + rounding));
  }

  /** Whether what it holds back it may hold back for a while. */
  isStuck(nowMs: number): boolean {
    if (this.facts.ratePerS !== null || this.facts.maxInFlight !== null) return true;
    return !this.isPrompt(nowMs) && nowMs - this.#heardMs > stuckMs;
  }

  idleMs(nowMs: number): number {
    return this.inFlight > 0 ? 0 : nowMs - this.#heardMs;
  }

  get #unproven(): number {
    return this.facts.maxInFlight ?? unprovenInFlight;
  }
}

function paceKeptMs(ratePerS: number): number {
  return Math.max(paceKeptLeastMs, secondMs / ratePerS);
}
