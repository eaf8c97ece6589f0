import { type Clock, minuteMs, secondMs } from '../../core/clock.ts';
import { WakeableSleep } from './wakeable-sleep.ts';

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
  readonly #pause = new WakeableSleep();
  #isRunning = false;
  #loop: Promise<void> | undefined;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
    this.#loop = this.#run();
  }

  async #run(): Promise<void> {
    let waitMs = firstSweepAfterMs;
    for (;;) {
      await this.#pause.sleep(waitMs);
      if (!this.#isRunning) return;
      waitMs = (await this.#sweepAll()) ? sweepEveryMs : sweepAgainAfterMs;
    }
  }

  /** Resolves when no sweep is running. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#pause.wake();
    await this.#loop;
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
