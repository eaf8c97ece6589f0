/**
 * A provider's rate limit: how many requests of the last second were taken. Without a number it takes all. Requests are
 * counted, however old, until the first was refused: a test of more requests than the limit meets a refusal on a slow
 * machine too.
 */
export class RequestLimit {
  /** How many were refused. */
  refused = 0;
  readonly #perSecond: number;
  #takenAt: number[] = [];

  constructor(perSecond = Number.POSITIVE_INFINITY) {
    this.#perSecond = perSecond;
  }

  takes(): boolean {
    const nowMs = performance.now();
    if (this.refused > 0) this.#takenAt = this.#takenAt.filter((atMs) => atMs > nowMs - 1_000);
    if (this.#takenAt.length >= this.#perSecond) {
      this.refused++;
      return false;
    }
    if (Number.isFinite(this.#perSecond)) this.#takenAt.push(nowMs);
    return true;
  }
}
