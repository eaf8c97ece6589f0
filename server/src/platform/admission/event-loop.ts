/** How often the event loop is checked. */
const tickMs = 10;

/**
 * Measures how much of the wait for an answer this process may have caused itself. An answer is read when the event
 * loop polls, so a long turn of the loop makes a quick receiver look slow. An answer that is read now had not arrived
 * at the previous poll; it may have arrived at any time since.
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

  /** For how long this process may have left an answer unread that it reads now, beyond the usual, in ms. */
  get ownDelayMs(): number {
    if (this.#timer === undefined) return 0;
    return Math.max(0, this.#now() - this.#turnBeforeAtMs - 2 * tickMs);
  }

  #turn(): void {
    this.#turnBeforeAtMs = this.#turnAtMs;
    this.#turnAtMs = this.#now();
  }
}
