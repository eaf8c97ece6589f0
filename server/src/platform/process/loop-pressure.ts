import { performance } from 'node:perf_hooks';

const sampleMs = 50;
/** From this share of busy time on the database, on the same cores, has no more to give than this process takes. */
const highUtilization = 0.5;

/** Whether the event loop has been busy lately. It looks when it is asked, so that an idle process stays idle. */
export class LoopPressure {
  #since = performance.eventLoopUtilization();
  #sampledAtMs = performance.now();
  #isHigh = false;

  get isHigh(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#sampledAtMs >= sampleMs) {
      const now = performance.eventLoopUtilization();
      this.#isHigh = performance.eventLoopUtilization(now, this.#since).utilization >= highUtilization;
      this.#since = now;
      this.#sampledAtMs = nowMs;
    }
    return this.#isHigh;
  }
}
