import pg from 'pg';
import { type Queryable, sessionSettings } from './database.ts';
import { statement } from './statement.ts';

const channel = 'florin';
const notify = statement('notifications.notify', 'select pg_notify($1, $2)');

/** A connection that is silent for longer than this counts as lost: others must hear of a revocation within 1 s. */
const heartbeatMs = 400;
const reconnectPauseMs = 200;

export interface Listener {
  /** A change was made, here or on another node. */
  changed: (key: string) => void;
  /** True when changes can no longer be heard, false when they can again. */
  deaf?: (deaf: boolean) => void;
}

/**
 * Tells every node of a change: a topic and a key, by LISTEN and NOTIFY. The node that made the change hears it at
 * once, the others as soon as the transaction commits.
 */
export class Notifications {
  readonly #connection: pg.ClientConfig;
  readonly #onLost: (error: Error) => void;
  readonly #listeners = new Map<string, Listener[]>();
  #client: pg.Client | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;
  #isTold = false;

  /** `onLost`: told once when it cannot hear, and not again until it has heard. */
  constructor(connection: pg.ClientConfig, onLost: (error: Error) => void) {
    this.#connection = connection;
    this.#onLost = onLost;
  }

  on(topic: string, listener: Listener): void {
    this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), listener]);
    if (this.#client === undefined) listener.deaf?.(true);
  }

  /** Announces a change. Inside a transaction, others hear of it only if that commits. */
  async publish(database: Queryable, topic: string, key: string | number = ''): Promise<void> {
    await database.run(notify, [channel, `${topic}:${key}`]);
    this.#hear(topic, String(key));
  }

  /** Applies a change on this node at once; after a transaction that published it has committed. */
  applied(topic: string, key: string | number = ''): void {
    this.#hear(topic, String(key));
  }

  async start(): Promise<void> {
    const client = new pg.Client({
      ...this.#connection,
      ...sessionSettings('listener', 1_000),
      connectionTimeoutMillis: 2_000,
    });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('The listening connection ended.')));
    client.on('notification', ({ payload = '' }) => {
      const colon = payload.indexOf(':');
      this.#hear(payload.slice(0, colon), payload.slice(colon + 1));
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
    } catch (error) {
      await client.end().catch(() => {});
      this.#tryAgainLater();
      if (!this.#stopped) this.#tell(error as Error);
      return;
    }
    if (this.#stopped) return client.end().catch(() => {});
    this.#client = client;
    this.#isTold = false;
    this.#setDeaf(false);
    this.#heartbeat = setInterval(() => this.#beat(client), heartbeatMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  #hear(topic: string, key: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener.changed(key);
  }

  #beat(client: pg.Client): void {
    const overdue = setTimeout(() => this.#lost(client, new Error('The listening connection is silent.')), heartbeatMs);
    client.query('select 1').then(
      () => clearTimeout(overdue),
      (error: Error) => {
        clearTimeout(overdue);
        this.#lost(client, error);
      },
    );
  }

  #lost(client: pg.Client, error: Error): void {
    if (client !== this.#client) return;
    this.#client = undefined;
    clearInterval(this.#heartbeat);
    this.#setDeaf(true);
    this.#tell(error);
    client.end().catch(() => {});
    this.#tryAgainLater();
  }

  #tell(error: Error): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#onLost(error);
  }

  #tryAgainLater(): void {
    if (this.#stopped) return;
    this.#retry = setTimeout(() => {
      this.start().catch(() => this.#tryAgainLater());
    }, reconnectPauseMs);
  }

  #setDeaf(deaf: boolean): void {
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener.deaf?.(deaf);
  }
}
