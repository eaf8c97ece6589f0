import type { Topic } from '../statement.ts';

/**
 * Passes the first publication of a topic on at once, and those that follow within `minIntervalMs` as one: each is a
 * transaction that notifies, and PostgreSQL commits those one at a time.
 */
export class TopicThrottle {
  readonly #send: (topics: readonly Topic[]) => void;
  readonly #minIntervalMs: number;
  /** Topics sent less than `minIntervalMs` ago. */
  readonly #recent = new Set<Topic>();
  /** Topics published again since they were sent. */
  readonly #pending = new Set<Topic>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isStopped = false;

  constructor(send: (topics: readonly Topic[]) => void, minIntervalMs: number) {
    this.#send = send;
    this.#minIntervalMs = minIntervalMs;
  }

  publish(topics: readonly Topic[]): void {
    for (const topic of topics) if (this.#recent.has(topic)) this.#pending.add(topic);
    this.#sendNow(topics.filter((topic) => !this.#recent.has(topic)));
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #sendNow(topics: readonly Topic[]): void {
    if (this.#isStopped || topics.length === 0) return;
    for (const topic of topics) this.#recent.add(topic);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      for (const topic of topics) this.#recent.delete(topic);
      this.#sendNow(topics.filter((topic) => this.#pending.delete(topic)));
    }, this.#minIntervalMs);
    this.#timers.add(timer);
    this.#send(topics);
  }
}
