import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, secondMs } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { slowDownChannel } from '../operation-queue/pace.cte.ts';

/**
 * Refusals arrive together: of a burst those that follow the first one within this time show how much the provider
 * took.
 */
const gatherMs = 250;

export interface ChannelPaceDeps {
  database: Queryable;
  clock: Clock;
  /** Called after the nodes have been slowed down: operations that this process held back may be claimed. */
  onReported: () => void;
}

/** Calls that were not refused, in this second and in the last one that had calls. */
interface RecentCalls {
  beganMs: number;
  count: number;
  before: number;
}

/**
 * Slows all nodes down when a provider refuses calls through a channel by its rate limit. The claims keep to the rate
 * (`operations/pace.cte.ts`).
 */
export class ChannelPace {
  readonly #deps: ChannelPaceDeps;
  readonly #recent = new Map<number, RecentCalls>();
  readonly #reports = new Map<number, Promise<void>>();

  constructor(deps: ChannelPaceDeps) {
    this.#deps = deps;
  }

  /** Channels whose refusals are being gathered: nothing more is sent through them meanwhile. */
  get held(): Iterable<number> {
    return this.#reports.keys();
  }

  called(channelId: number): void {
    const nowMs = performance.now();
    const recent = this.#recent.get(channelId);
    if (recent === undefined) {
      this.#recent.set(channelId, { beganMs: nowMs, count: 1, before: 0 });
    } else if (nowMs - recent.beganMs < secondMs) {
      recent.count++;
    } else {
      Object.assign(recent, { beganMs: nowMs, count: 1, before: recent.count });
    }
  }

  /** A call was refused; `askedMs` is how long the provider asks to wait. */
  refused(channelId: number, askedMs: number | undefined): void {
    const recent = this.#recent.get(channelId);
    if (recent !== undefined && recent.count > 0) recent.count--;
    if (this.#reports.has(channelId)) return;
    const atMs = this.#deps.clock();
    this.#reports.set(channelId, this.#report(channelId, atMs, askedMs));
  }

  async drained(): Promise<void> {
    await Promise.all(this.#reports.values());
  }

  /** Never rejects: if the database is unavailable, the next refusal is reported. */
  async #report(channelId: number, atMs: number, askedMs: number | undefined): Promise<void> {
    const { database, onReported } = this.#deps;
    await wait(gatherMs);
    const { count = 0, before = 0 } = this.#recent.get(channelId) ?? {};
    await database.run(slowDownChannel, [channelId, atMs, Math.max(count, before), askedMs ?? null]).catch(() => {});
    this.#reports.delete(channelId);
    onReported();
  }
}
