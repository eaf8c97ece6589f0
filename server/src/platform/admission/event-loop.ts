/** How often the event loop is looked at. */
const tickMs = 10;

/**
 * Tells how much of a wait was this process's own. An answer is seen when the event loop polls, so that a long turn of
 * the loop makes a quick receiver look slow. What is read now was not there at the poll of the turn before; everything
 * since may be the process's own delay.
 */
export class EventLoop {
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #turnAtMs = 0;
  #turnBeforeAtMs = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Watches until `stop`; costs a timer every 10 ms. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#turnAtMs = this.#turnBeforeAtMs = this.#now();
    this.#timer = setInterval(() => this.#turn(), tickMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** By how much longer than usual this process may have left an answer unread that it reads now, in ms. */
  get ownDelayMs(): number {
    if (this.#timer === undefined) return 0;
    return Math.max(0, this.#now() - this.#turnBeforeAtMs - 2 * tickMs);
  }

  #turn(): void {
    this.#turnBeforeAtMs = this.#turnAtMs;
    this.#turnAtMs = this.#now();
  }
}
