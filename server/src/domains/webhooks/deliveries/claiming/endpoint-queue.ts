import { secondMs } from '../../../../core/clock.ts';
import type { EndpointSnapshot } from '../../delivery-queue/endpoint-snapshot.ts';
import { type AttemptVerdict, breakerFailures, promptMs } from '../rules.ts';

/** Deliveries in flight at first, and again while the endpoint is slow, failing or silent. */
const initialWindow = 8;
/** A pause that this node begins is in the database, and in every read that starts, after this time. */
const pauseWrittenMs = secondMs;

/**
 * One endpoint on this node: since when deliveries are due to it, how many are in flight, its window, its circuit breaker
 * and its rate.
 *
 * The window limits the deliveries in flight. Like TCP slow start it begins at 8 and grows by one with every prompt
 * answer while more deliveries are due, so that it doubles every round trip; a slow answer or a failure halves it. While
 * the endpoint is slow, failing or silent, only the initial 8 apply.
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
  isIntroduction = false;
  #pausedAtMs = Number.NEGATIVE_INFINITY;
  #window: number;
  #lastVerdict: AttemptVerdict | undefined;
  #lastActivityMs = 0;

  constructor(id: number, endpoint: EndpointSnapshot) {
    this.id = id;
    this.endpoint = endpoint;
    this.#window = this.#initialWindow;
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

  /** The endpoint answers again. Only a success ends the series of failures. */
  recover(hasSucceeded: boolean): void {
    this.#pausedAtMs = Number.NEGATIVE_INFINITY;
    const firstFailureMs = hasSucceeded ? null : this.endpoint.firstFailureMs;
    this.endpoint = { ...this.endpoint, pausedUntilMs: null, firstFailureMs };
  }

  begin(nowMs: number): void {
    this.isTrial = this.hasTrial;
    this.hasTrial = false;
    if (this.inFlight++ === 0) this.#lastActivityMs = nowMs;
  }

  /** `verdict` is undefined when nothing was sent. The window never exceeds `slots`, which is all that the node has. */
  end(nowMs: number, verdict: AttemptVerdict | undefined, slots: number): void {
    this.inFlight--;
    this.isTrial = false;
    this.isIntroduction = false;
    this.#lastActivityMs = nowMs;
    if (verdict === undefined) return;
    this.consecutiveFailures = verdict === 'failed' ? this.consecutiveFailures + 1 : 0;
    this.failingSinceMs = verdict === 'failed' ? (this.failingSinceMs ?? nowMs) : undefined;
    this.#lastVerdict = verdict;
    if (verdict !== 'prompt') this.#window = Math.max(this.#initialWindow, Math.floor(this.#window / 2));
    else if (this.dueFromMs !== undefined) this.#window = Math.min(this.#window + 1, slots);
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

  /** Deliveries in flight at most, by this endpoint's own window and limit. */
  limit(nowMs: number): number {
    const { maxInFlight } = this.endpoint;
    return this.isPrompt(nowMs) ? Math.min(this.#window, maxInFlight ?? this.#window) : this.#initialWindow;
  }

  idleMs(nowMs: number): number {
    return this.inFlight > 0 ? 0 : nowMs - this.#lastActivityMs;
  }

  get #initialWindow(): number {
    return this.endpoint.maxInFlight ?? initialWindow;
  }
}
