import { type Clock, minuteMs, secondMs } from '../../core/clock.ts';

/** Deletes rows whose retention period is over. Runs after the start and once an hour. */
export interface RetentionSweep {
  name: string;
  sweep: (nowMs: number) => Promise<unknown>;
}

export interface SweeperOptions {
  sweeps: readonly RetentionSweep[];
  clock: Clock;
  onError: (error: unknown, message: string) => void;
}

const sweepEveryMs = 60 * minuteMs;
/** Soon, so that a node that is restarted every hour sweeps as well. */
const firstSweepAfterMs = 30 * secondMs;
const sweepAgainAfterMs = 30 * secondMs;

/**
 * Runs the retention sweeps half a minute after the start, then once an hour. A sweep that fails does not affect the
 * others; all are run again half a minute later.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  #isRunning = false;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
    this.#sweepAfter(firstSweepAfterMs);
  }

  /** Resolves when no sweep is running. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    await this.#sweeping;
  }

  #sweepAfter(waitMs: number): void {
    this.#timer = setTimeout(() => {
      this.#sweeping = this.#sweepAll().then((succeeded) => {
        if (this.#isRunning) this.#sweepAfter(succeeded ? sweepEveryMs : sweepAgainAfterMs);
      });
    }, waitMs);
  }

  /** Never rejects. Returns whether every sweep has succeeded. */
  async #sweepAll(): Promise<boolean> {
    const { sweeps, clock, onError } = this.#options;
    const results = await Promise.all(
      sweeps.map(async ({ name, sweep }) => {
        try {
          await sweep(clock());
          return true;
        } catch (error) {
          onError(error, `Expired rows could not be removed: ${name}`);
          return false;
        }
      }),
    );
    return results.every(Boolean);
  }
}
