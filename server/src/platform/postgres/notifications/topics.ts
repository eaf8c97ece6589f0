/** Names a kind of work that can become due, such as `deliveries`: one lower-case word, part of a NOTIFY payload. */
export type Topic = string;

/**
 * Wakes the workers of this process when a committed statement has made work due for them. A statement declares the
 * topics it makes due (`statement(…, { wakes })`), the database publishes them after the commit, and each worker
 * subscribes once.
 */
export class Topics {
  readonly #subscribers = new Map<Topic, (() => void)[]>();
  #relay: (topics: readonly Topic[]) => void = () => {};

  /** `wake` must return at once and never throw: it runs between a commit and the answer to its request. */
  subscribe(topic: Topic, wake: () => void): void {
    this.#subscribers.set(topic, [...(this.#subscribers.get(topic) ?? []), wake]);
  }

  /** Work has become due here: wakes the workers of this process and, through the relay, those of the other nodes. */
  publish(topics: readonly Topic[]): void {
    this.deliver(topics);
    this.#relay(topics);
  }

  /** Another node has published these topics: wakes the workers of this process only. */
  deliver(topics: readonly Topic[]): void {
    for (const topic of topics) for (const wake of this.#subscribers.get(topic) ?? []) wake();
  }

  /** `relay` is called with all topics published here (`topic-relay.ts`). */
  relayTo(relay: (topics: readonly Topic[]) => void): void {
    this.#relay = relay;
  }
}
