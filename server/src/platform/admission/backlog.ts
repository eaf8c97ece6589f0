/** A backlog is over when the oldest work is late by less than this. */
const overMs = 1_000;

/**
 * Tells work that waits for this machine from work that was late for another reason: a start, an outage of the
 * database, a receiver that was paused or slow. Work that came due before `begin` does not count, nor does work that
 * came due while that was being done, and so on in rounds. If the machine keeps up, each round is shorter than the one
 * before; the first that is not shorter counts.
 */
export class Backlog {
  #untilMs = Number.NEGATIVE_INFINITY;
  #roundMs = Number.POSITIVE_INFINITY;

  /** Whether there is late work that does not count. */
  get isOn(): boolean {
    return this.#untilMs !== Number.NEGATIVE_INFINITY;
  }

  /** Work that is due by now waits for something else. */
  begin(nowMs: number): void {
    this.#untilMs = nowMs;
    this.#roundMs = Number.POSITIVE_INFINITY;
  }

  /** The oldest work that was claimed had come due at this time: earlier work is done. */
  claimed(oldestDueMs: number, nowMs: number): void {
    if (oldestDueMs < this.#untilMs || !this.isOn) return;
    const tookMs = nowMs - this.#untilMs;
    const isCatchingUp = tookMs < this.#roundMs / 2;
    const isOver = nowMs - oldestDueMs <= overMs || !isCatchingUp;
    this.#untilMs = isOver ? Number.NEGATIVE_INFINITY : nowMs;
    this.#roundMs = isOver ? Number.POSITIVE_INFINITY : tookMs;
  }

  /** How long work that came due at this time has waited for this machine, in ms. */
  waitedMs(dueMs: number, nowMs: number): number {
    return dueMs < this.#untilMs ? 0 : Math.max(0, nowMs - dueMs);
  }
}
