import { secondMs } from '../../../../core/clock.ts';
import { Backlog } from '../../../../platform/admission/backlog.ts';
import type { EndpointSnapshot } from '../../delivery-queue/endpoint-snapshot.ts';
import { type AttemptVerdict, breakerFailures, promptMs } from '../rules.ts';

/** Deliveries in flight at first, and again while the endpoint is slow, failing or silent. */
export const initialWindow = 8;
/**
 * The same while it answers promptly, and the maximum while it answers quickly: receivers of shops break at some
 * hundreds.
 */
const promptWindow = 32;
const largestWindow = 128;
/**
 * A quick endpoint may have this many windows claimed: a claim takes two round trips, which are long on a full machine.
 */
const claimedWindows = 4;
/** An endpoint is quick if the fastest of its last answers took at most this, apart from this process's own delay. */
const quickMs = 75;
/** It is no longer quick when even the fastest took longer than this. */
const notQuickMs = 2 * quickMs;
/** Whether it is quick is decided from the fastest of 32 to 64 answers. */
const answersCompared = 32;
/** A pause that this node begins is in the database, and in every read that starts, after this time. */
const pauseWrittenMs = secondMs;

/**
 * One endpoint on this node: since when deliveries are due to it, how many are in flight, its window, its circuit
 * breaker and its rate.
 *
 * The window limits the deliveries in flight. It is 8 while the endpoint is new, slow, failing or silent, and 32 while
 * it answers promptly. While it also answers quickly and more deliveries are due, the window grows by one with every
 * answer, to 128; when its answers take longer, it shrinks by as much. The endpoint's own `maxInFlight` replaces all of
 * these.
 */
export class EndpointQueue {
  readonly id: number;
  endpoint: EndpointSnapshot;
  inFlight = 0;
  /** No delivery that may be claimed was due before. undefined: none is due, as far as this node knows. */
  dueFromMs: number | undefined;
  /** All deliveries due before have ended, except those that are committed late. */
  openFromMs = 0;
  /** When a delivery that had just come due was last found. */
  freshAtMs = Number.NEGATIVE_INFINITY;
  /** Failures since the last answer, on this node. */
  consecutiveFailures = 0;
  failingSinceMs: number | undefined;
  /** Its rate allows no delivery before, as far as this node knows. */
  rateUsedUntilMs = 0;
  /** This node has the right to send the trial of a half-open breaker: the next delivery that begins is the trial. */
  hasTrial = false;
  /** The delivery in flight is that trial. */
  isTrial = false;
  /** The delivery in flight is the first to an endpoint without history: no second one before its answer. */
  isFirstDelivery = false;
  #pausedAtMs = Number.NEGATIVE_INFINITY;
  /** Deliveries that are on their way to the endpoint, and claimed ones that wait for the window. */
  #underWay = 0;
  #waiting: (() => void)[] = [];
  /** Deliveries that were late because of the endpoint, a start or an outage. */
  readonly backlog = new Backlog();
  #window = promptWindow;
  #fastestMs = Number.POSITIVE_INFINITY;
  #fastestBeforeMs = Number.POSITIVE_INFINITY;
  /** Undefined: too few answers have come to say. */
  #answersQuickly: boolean | undefined;
  #answersCompared = 0;
  #lastVerdict: AttemptVerdict | undefined;
  #lastActivityMs = 0;

  constructor(id: number, endpoint: EndpointSnapshot) {
    this.id = id;
    this.endpoint = endpoint;
  }

  /** Takes over a newer snapshot, except that a pause which this node has just begun may not be in it yet. */
  refresh(endpoint: EndpointSnapshot, nowMs: number): void {
    const hasJustPaused = Math.abs(nowMs - this.#pausedAtMs) < pauseWrittenMs;
    this.endpoint = hasJustPaused ? { ...endpoint, pausedUntilMs: this.endpoint.pausedUntilMs } : endpoint;
  }

  pause(nowMs: number, untilMs: number): void {
    this.#pausedAtMs = nowMs;
    const firstFailureMs = this.endpoint.firstFailureMs ?? this.failingSinceMs ?? nowMs;
    this.endpoint = { ...this.endpoint, pausedUntilMs: untilMs, firstFailureMs };
  }

  /** Forgets times that were noted before the clock was set back, which are all ahead of now. */
  clockWasSetBack(nowMs: number): void {
    this.dueFromMs = undefined;
    this.openFromMs = 0;
    this.freshAtMs = Number.NEGATIVE_INFINITY;
    this.rateUsedUntilMs = 0;
    if (this.failingSinceMs !== undefined) this.failingSinceMs = Math.min(this.failingSinceMs, nowMs);
    this.#pausedAtMs = Number.NEGATIVE_INFINITY;
    this.#lastActivityMs = Math.min(this.#lastActivityMs, nowMs);
    this.backlog.begin(nowMs);
  }

  /** The endpoint answers again. Only a success ends the series of failures. */
  recover(hasSucceeded: boolean, nowMs: number): void {
    this.backlog.begin(nowMs);
    this.#pausedAtMs = Number.NEGATIVE_INFINITY;
    const firstFailureMs = hasSucceeded ? null : this.endpoint.firstFailureMs;
    this.endpoint = { ...this.endpoint, pausedUntilMs: null, firstFailureMs };
  }

  begin(nowMs: number): void {
    this.isTrial = this.hasTrial;
    this.hasTrial = false;
    if (this.inFlight++ === 0) this.#lastActivityMs = nowMs;
  }

  /** Resolves when the window allows another delivery to be on its way, which ends with `end`. */
  turn(nowMs: number): Promise<void> {
    const turn = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#admitWaiting(nowMs);
    return turn;
  }

  /**
   * `verdict` is undefined when nothing was sent. `durationMs`: what the answer took, apart from this process's own
   * delay.
   */
  end(nowMs: number, verdict: AttemptVerdict | undefined, durationMs = 0): void {
    this.inFlight--;
    this.#underWay--;
    this.isTrial = false;
    this.isFirstDelivery = false;
    this.#lastActivityMs = nowMs;
    if (verdict !== undefined) this.#learn(verdict, durationMs, nowMs);
    this.#admitWaiting(nowMs);
  }

  #admitWaiting(nowMs: number): void {
    while (this.#waiting.length > 0 && this.#underWay < this.window(nowMs)) {
      this.#underWay++;
      this.#waiting.shift()?.();
    }
  }

  #learn(verdict: AttemptVerdict, durationMs: number, nowMs: number): void {
    this.consecutiveFailures = verdict === 'failed' ? this.consecutiveFailures + 1 : 0;
    this.failingSinceMs = verdict === 'failed' ? (this.failingSinceMs ?? nowMs) : undefined;
    this.#lastVerdict = verdict;
    this.#adjustWindow(verdict, durationMs, nowMs);
  }

  #adjustWindow(verdict: AttemptVerdict, durationMs: number, nowMs: number): void {
    if (verdict !== 'prompt') {
      this.#window = promptWindow;
      this.#fastestMs = this.#fastestBeforeMs = Number.POSITIVE_INFINITY;
      this.#answersQuickly = false;
      return;
    }
    this.#fastestMs = Math.min(this.#fastestMs, durationMs);
    if (++this.#answersCompared % answersCompared === 0) {
      this.#fastestBeforeMs = this.#fastestMs;
      this.#fastestMs = Number.POSITIVE_INFINITY;
    }
    const fastestMs = Math.min(this.#fastestMs, this.#fastestBeforeMs);
    const isQuick = fastestMs <= (this.#answersQuickly ? notQuickMs : quickMs);
    // What came due while its answers took longer has waited for them.
    if (isQuick && this.#answersQuickly === false) this.backlog.begin(nowMs);
    // The first answers are late where this process itself has just started.
    if (isQuick || this.#answersQuickly !== undefined || this.#answersCompared >= answersCompared)
      this.#answersQuickly = isQuick;
    if (!isQuick) this.#window = Math.max(this.#window - 1, promptWindow);
    else if (this.dueFromMs !== undefined) this.#window = Math.min(this.#window + 1, largestWindow);
  }

  /** Its last attempt was answered, however slowly. */
  get hasAnswered(): boolean {
    return this.#lastVerdict === 'prompt' || this.#lastVerdict === 'slow';
  }

  /** It has failed on this node, or has been paused or failing on any, without a success since. */
  get isKnownToFail(): boolean {
    return this.consecutiveFailures > 0 || this.endpoint.firstFailureMs !== null;
  }

  /** The circuit breaker is open: nothing is sent. */
  isPaused(nowMs: number): boolean {
    return (this.endpoint.pausedUntilMs ?? 0) > nowMs;
  }

  /** The circuit breaker is half-open: one delivery, the trial, finds out whether the endpoint works again. */
  isHalfOpen(nowMs: number): boolean {
    return this.endpoint.isActive && this.endpoint.pausedUntilMs !== null && !this.isPaused(nowMs);
  }

  /** Whether a failure now opens the circuit breaker: that of a trial, or the last of `breakerFailures` in a row. */
  isPauseDue(nowMs: number): boolean {
    return this.isTrial || (this.consecutiveFailures + 1 >= breakerFailures && !this.isPaused(nowMs));
  }

  /** Its last answer was prompt, and it has not been silent since with deliveries in flight. */
  isPrompt(nowMs: number): boolean {
    return this.#lastVerdict === 'prompt' && (this.inFlight === 0 || nowMs - this.#lastActivityMs <= promptMs);
  }

  /**
   * Whether nothing but this machine keeps its deliveries waiting: it answers quickly, and has no limits of its own.
   */
  isQuick(nowMs: number): boolean {
    const { maxInFlight, ratePerS, pausedUntilMs } = this.endpoint;
    const isLimited = maxInFlight !== null || ratePerS !== null || pausedUntilMs !== null;
    return !isLimited && this.#answersQuickly === true && this.isPrompt(nowMs);
  }

  /** Deliveries that may be on their way to it at once. */
  window(nowMs: number): number {
    return this.endpoint.maxInFlight ?? (this.isPrompt(nowMs) ? this.#window : initialWindow);
  }

  /** Deliveries that may be claimed for it at once. */
  limit(nowMs: number): number {
    return this.window(nowMs) * (this.isQuick(nowMs) ? claimedWindows : 1);
  }

  idleMs(nowMs: number): number {
    return this.inFlight > 0 ? 0 : nowMs - this.#lastActivityMs;
  }
}
