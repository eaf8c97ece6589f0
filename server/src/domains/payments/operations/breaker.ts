import { type Clock, secondMs } from '../../../core/clock.ts';

/** Consecutive calls without an answer after which the breaker of a channel opens. */
const failuresToOpen = 5;
const openMs = 30 * secondMs;

interface FailureStreak {
  failures: number;
  openUntilMs: number;
}

/**
 * A circuit breaker for each channel: after five consecutive calls without an answer it is open for 30 s; then it is
 * half-open, and one call at a time tests whether the provider answers again. Each process has its own. Operations that
 * it holds back do not fail: they wait, or go to a fallback channel.
 */
export class Breaker {
  readonly #clock: Clock;
  readonly #streaks = new Map<number, FailureStreak>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  recordAnswer(channelId: number): void {
    this.#streaks.delete(channelId);
  }

  recordFailure(channelId: number): void {
    const streak = this.#streaks.get(channelId) ?? { failures: 0, openUntilMs: 0 };
    streak.failures++;
    if (streak.failures >= failuresToOpen) streak.openUntilMs = this.#clock() + openMs;
    this.#streaks.set(channelId, streak);
  }

  isOpen(channelId: number): boolean {
    const streak = this.#streaks.get(channelId);
    if (streak === undefined) return false;
    const leftMs = streak.openUntilMs - this.#clock();
    // If more than `openMs` is left, the clock was set back.
    return leftMs > 0 && leftMs <= openMs;
  }

  /** Channels whose provider did not answer the last call. */
  get failingChannels(): { channelId: number; state: 'closed' | 'open' | 'half_open' }[] {
    return [...this.#streaks].map(([channelId, { failures }]) => {
      if (this.isOpen(channelId)) return { channelId, state: 'open' };
      return { channelId, state: failures >= failuresToOpen ? 'half_open' : 'closed' };
    });
  }
}
