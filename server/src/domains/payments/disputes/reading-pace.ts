import { type Clock, minuteMs, secondMs } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { takePermit } from '../operation-queue/pace.cte.ts';

/** How long a channel without a permit is left alone. */
export const withoutPermitMs = secondMs;
/** After this time a reading no longer lets all operations go first. */
const longWaitMs = 15 * minuteMs;

export interface ReadingPaceDeps {
  database: Queryable;
  clock: Clock;
  /** `app.provider.calls-per-second`. */
  callsPerSecond?: number | undefined;
}

/**
 * Lets readings of disputes call a paced channel only when its operations leave room: payers and renewals come first.
 */
export class ReadingPace {
  readonly #deps: ReadingPaceDeps;
  readonly #heldUntilMs = new Map<number, number>();

  constructor(deps: ReadingPaceDeps) {
    this.#deps = deps;
  }

  /** Channels that had no permit just now: their readings are not claimed. */
  get held(): number[] {
    const nowMs = this.#deps.clock();
    for (const [channelId, untilMs] of this.#heldUntilMs) if (untilMs <= nowMs) this.#heldUntilMs.delete(channelId);
    return [...this.#heldUntilMs.keys()];
  }

  /** Takes the permit for one call. `overdueMs`: for how long the reading has been due. */
  async mayCall(channelId: number, overdueMs: number): Promise<boolean> {
    const { database, clock, callsPerSecond = null } = this.#deps;
    const nowMs = clock();
    const values = [channelId, nowMs, callsPerSecond, overdueMs > longWaitMs];
    const [permit] = await database.run(takePermit, values);
    if (permit?.is_granted) return true;
    this.#heldUntilMs.set(channelId, nowMs + withoutPermitMs);
    return false;
  }
}
