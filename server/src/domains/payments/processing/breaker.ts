import { type Clock, secondMs } from '../../../core/clock.ts';

/** Failures of a provider in a row after which it is left alone for a while. */
const failuresToOpen = 5;
const openMs = 30 * secondMs;

interface Trouble {
  failures: number;
  openUntilMs: number;
}

/**
 * Keeps payments away from a provider that does not answer: after five calls in a row without an answer, its channel rests
 * for 30 s; then one call tries whether it is back. Each node sees for itself. Nothing is failed by this: operations that
 * were not called wait, or go to a channel to fall back on.
 */
export class Breaker {
  readonly #clock: Clock;
  readonly #troubled = new Map<number, Trouble>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  answered(channelId: number): void {
    this.#troubled.delete(channelId);
  }

  failed(channelId: number): void {
    const trouble = this.#troubled.get(channelId) ?? { failures: 0, openUntilMs: 0 };
    trouble.failures++;
    if (trouble.failures >= failuresToOpen) trouble.openUntilMs = this.#clock() + openMs;
    this.#troubled.set(channelId, trouble);
  }

  isOpen(channelId: number): boolean {
    const trouble = this.#troubled.get(channelId);
    if (trouble === undefined) return false;
    const leftMs = trouble.openUntilMs - this.#clock();
    // More than a whole rest is left only where the clock was set back.
    return leftMs > 0 && leftMs <= openMs;
  }

  /** Channels with trouble behind them, and whether they may try one call now. */
  get troubled(): { channelId: number; isOpen: boolean; isProbing: boolean }[] {
    return [...this.#troubled].map(([channelId, { failures }]) => ({
      channelId,
      isOpen: this.isOpen(channelId),
      isProbing: failures >= failuresToOpen,
    }));
  }
}
