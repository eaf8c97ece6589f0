import { randomUUID } from 'node:crypto';
import type { Queryable } from '../database.ts';
import type { Notifications } from './notifications.ts';
import type { Topic, Topics } from './topics.ts';

export interface TopicRelayOptions {
  topics: Topics;
  transport: TopicTransport;
  minIntervalMs?: number;
}

/** How topics get to the other nodes, or to the other processes of this node. */
export interface TopicTransport {
  send: (payload: string) => Promise<void>;
  listen: (listener: (payload: string) => void) => void;
}

/**
 * To all nodes that share the database. `database` is not the pool of requests: no payment waits for a notification.
 */
export function byNotify(notifications: Notifications, database: Queryable): TopicTransport {
  return {
    send: (payload) => notifications.publishToOthers(database, channelTopic, payload),
    listen: (listener) => notifications.on(channelTopic, { changed: listener }),
  };
}

/**
 * Each notification is a transaction, and PostgreSQL commits those one at a time. At 20 a second a worker on another
 * node still starts within 50 ms, where the due-work poller needs up to 100.
 */
const defaultMinIntervalMs = 50;

/** The notifications that carry topics. */
const channelTopic = 'work';

/**
 * Publishes the topics of this process in all others that share the database. The first publication of a topic is sent
 * at once, those that follow within `minIntervalMs` are sent as one. A notification that is lost costs time only: the
 * due-work poller of the other node finds the work.
 */
export class TopicRelay {
  readonly #options: TopicRelayOptions;
  readonly #minIntervalMs: number;
  /** Marks the notifications of this process, so that it ignores them. */
  readonly #nodeId = randomUUID();
  /** Topics sent less than `minIntervalMs` ago. */
  readonly #recent = new Set<Topic>();
  /** Topics published again since they were sent. */
  readonly #pending = new Set<Topic>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #sending = new Set<Promise<void>>();
  #isStopped = false;

  constructor(options: TopicRelayOptions) {
    this.#options = options;
    this.#minIntervalMs = options.minIntervalMs ?? defaultMinIntervalMs;
  }

  start(): void {
    const { topics, transport } = this.#options;
    topics.relayTo((published) => this.#relay(published));
    transport.listen((payload) => this.#receive(payload));
  }

  /** Stops sending; resolves when what is being sent has been sent or has failed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.#sending);
  }

  #relay(published: readonly Topic[]): void {
    const due = published.filter((topic) => !this.#recent.has(topic));
    for (const topic of published) if (this.#recent.has(topic)) this.#pending.add(topic);
    this.#send(due);
  }

  #send(topics: readonly Topic[]): void {
    if (this.#isStopped || topics.length === 0) return;
    for (const topic of topics) this.#recent.add(topic);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      for (const topic of topics) this.#recent.delete(topic);
      this.#send(topics.filter((topic) => this.#pending.delete(topic)));
    }, this.#minIntervalMs);
    this.#timers.add(timer);
    const sent: Promise<void> = this.#options.transport
      .send(`${this.#nodeId} ${topics.join(' ')}`)
      // The database is unavailable. Once it is available again, the due-work poller of each node finds the work.
      .catch(() => {})
      .finally(() => this.#sending.delete(sent));
    this.#sending.add(sent);
  }

  #receive(payload: string): void {
    const [nodeId, ...topics] = payload.split(' ');
    if (nodeId !== this.#nodeId) this.#options.topics.deliver(topics);
  }
}
