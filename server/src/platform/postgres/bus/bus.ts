import { randomUUID } from 'node:crypto';
import { isUnavailable } from '../../../core/errors.ts';
import type { CacheName, Invalidation, Topic } from '../statement.ts';
import type { Notifications } from './notifications.ts';
import { type Carrier, parsePayload, payloadOf } from './payload.ts';
import { TopicThrottle } from './topic-throttle.ts';

export interface BusOptions {
  /** Bring what the transactions of all processes have changed. */
  notifications: Notifications;
  /** Takes messages to the other processes: notifications, or a shorter way. Undefined: there are none. */
  carrier?: Carrier | undefined;
  /** A message could not be sent, and not because the database is unavailable. Must not throw. */
  onError?: (error: unknown) => void;
  /**
   * Minimum time between two messages with the same topic, in ms. Default: 50; then a worker on another node starts
   * sooner than its poller would find the work.
   */
  minIntervalMs?: number;
}

/** Holds copies of records. */
export interface ChangeListener {
  /** The record with this key was changed, by this process or another one. May be called twice for a change. */
  changed: (key: string) => void;
  /** True when notifications of changes no longer arrive, false when they arrive again. */
  disconnected?: (disconnected: boolean) => void;
}

const wakeMessage = 'wake';

/**
 * Tells everyone concerned that something has happened: caches, that a record was changed; workers, that work has
 * become due. There are three carriers. Within this process a commit takes effect before its caller goes on. Changes
 * reach the other processes by the NOTIFY of their own transaction, so that none is lost; while notifications are
 * disconnected, caches hold nothing. Topics and other messages go by the `carrier`; a lost one costs time only, because
 * pollers find the work.
 */
export class Bus {
  readonly #options: BusOptions;
  readonly #caches = new Map<CacheName, ChangeListener[]>();
  readonly #workers = new Map<Topic, (() => void)[]>();
  readonly #messages = new Map<string, (text: string) => void>();
  readonly #throttle: TopicThrottle;
  /** Marks the messages of this process, so that it ignores them. */
  readonly #sender = randomUUID();
  readonly #sending = new Set<Promise<unknown>>();

  constructor(options: BusOptions) {
    const { notifications, carrier, minIntervalMs = 50 } = options;
    this.#options = options;
    this.#throttle = new TopicThrottle((topics) => this.send(wakeMessage, topics.join(' ')), minIntervalMs);
    this.onMessage(wakeMessage, (topics) => this.wake(topics.split(' ')));
    for (const source of new Set([notifications, carrier])) source?.listen((payload) => this.#receive(payload));
    notifications.onConnected((isConnected) => this.#setDisconnected(!isConnected));
  }

  onChange(cache: CacheName, listener: ChangeListener): void {
    addTo(this.#caches, cache, listener);
    if (!this.#options.notifications.isConnected) listener.disconnected?.(true);
  }

  /** `wake` must return at once and never throw: it runs between a commit and the answer to its request. */
  subscribe(topic: Topic, wake: () => void): void {
    addTo(this.#workers, topic, wake);
  }

  /** Messages of this name that other processes send. */
  onMessage(name: string, listener: (text: string) => void): void {
    this.#messages.set(name, listener);
  }

  start(): Promise<void> {
    return this.#options.notifications.start();
  }

  /** Stops sending and listening; resolves when what is being sent has been sent or has failed. */
  async stop(): Promise<void> {
    this.#throttle.stop();
    await Promise.all(this.#sending);
    await this.#options.notifications.stop();
  }

  /**
   * A transaction of this process has committed, or may have: its notifications are on their way to the others, and
   * this process need not wait for them.
   */
  readonly committed = (topics: readonly Topic[], invalidations: readonly Invalidation[]): void => {
    for (const { cache, key } of invalidations) this.#changed(cache, String(key));
    this.wake(topics);
    this.#throttle.publish(topics);
  };

  /** Wakes the workers of this process only. */
  wake(topics: readonly Topic[]): void {
    for (const topic of topics) for (const wake of this.#workers.get(topic) ?? []) wake();
  }

  /** To the other processes only. */
  send(name: string, text: string): void {
    const { carrier, onError } = this.#options;
    if (carrier === undefined) return;
    const sent: Promise<unknown> = carrier
      .send(payloadOf(name, `${this.#sender} ${text}`))
      .catch((error) => isUnavailable(error) || onError?.(error))
      .finally(() => this.#sending.delete(sent));
    this.#sending.add(sent);
  }

  #receive(payload: string): void {
    const { name, text } = parsePayload(payload);
    const listener = this.#messages.get(name);
    const [sender = '', ...words] = text.split(' ');
    if (listener === undefined) this.#changed(name, text);
    else if (sender !== this.#sender) listener(words.join(' '));
  }

  #changed(cache: CacheName, key: string): void {
    for (const listener of this.#caches.get(cache) ?? []) listener.changed(key);
  }

  #setDisconnected(disconnected: boolean): void {
    for (const listeners of this.#caches.values())
      for (const listener of listeners) listener.disconnected?.(disconnected);
  }
}

function addTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}
