import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type ConnectionConfig, SessionClient } from './connection.ts';
import { type Queryable, sessionSettings } from './database.ts';
import { statement } from './statement.ts';

const channel = 'florin';
const notify = statement('notifications.notify', 'select pg_notify($1, $2)');
/** Does not wait for the disk: transactions that notify commit one at a time, and this one writes nothing. */
const notifyUnflushed = statement(
  'notifications.notify_unflushed',
  `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`,
);

/** A connection that is silent for longer than this counts as lost: others must hear of a revocation within 1 s. */
const heartbeatMs = 400;
const reconnectPauseMs = 200;
/**
 * How often it is checked that a notification of another connection arrives. Each costs a transaction with an id and a
 * record in the write-ahead log; what a pooler does to a connection shows at its first check.
 */
const echoEveryMs = 5_000;
/** From the commit of a notification on another connection. */
const echoDeadlineMs = 1_000;
/** Behind a pooler the next try ends as the last one did. */
const echoLostPauseMs = 5_000;
/** The topic of these notifications; nobody listens to it but who sent them. */
const echoTopic = 'echo';

export interface Listener {
  /** A change was made, here or on another node. */
  changed: (key: string) => void;
  /** True when changes can no longer be heard, false when they can again. */
  disconnected?: (disconnected: boolean) => void;
}

/**
 * Tells every node of a change: a topic and a key, by LISTEN and NOTIFY. The node that made the change hears it at
 * once, the others as soon as the transaction commits.
 */
export class Notifications {
  readonly #connection: ConnectionConfig;
  readonly #publisher: Queryable;
  readonly #onLost: (error: Error) => void;
  readonly #onSilent: () => void;
  readonly #listeners = new Map<string, Listener[]>();
  #client: pg.Client | undefined;
  #echo: { nonce: string; heard: () => void } | undefined;
  #echoTimer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;
  #isTold = false;

  /**
   * `onLost`: told once when it cannot hear, and not again until it has heard. `publisher`: who publishes in earnest, so
   * that a listening connection which leads elsewhere is found out; else a connection made for each check. `onSilent`: told
   * each time that the listening connection has brought no answer in time.
   */
  constructor(
    connection: ConnectionConfig,
    onLost: (error: Error) => void,
    { publisher, onSilent = () => {} }: { publisher?: Queryable; onSilent?: () => void } = {},
  ) {
    this.#connection = connection;
    this.#onLost = onLost;
    this.#onSilent = onSilent;
    this.#publisher = publisher ?? onceConnected(connection);
  }

  on(topic: string, listener: Listener): void {
    this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), listener]);
    if (this.#client === undefined) listener.disconnected?.(true);
  }

  /** Announces a change. Inside a transaction, others hear of it only if that commits. */
  async publish(database: Queryable, topic: string, key: string | number = ''): Promise<void> {
    await database.run(notify, [channel, `${topic}:${key}`]);
    this.#hear(topic, String(key));
  }

  /** Tells the other nodes alone, outside a transaction, of something whose loss costs only time. */
  async publishToOthers(database: Queryable, topic: string, key: string): Promise<void> {
    await database.run(notifyUnflushed, [channel, `${topic}:${key}`]);
  }

  /** Applies a change on this node at once; after a transaction that published it has committed. */
  applied(topic: string, key: string | number = ''): void {
    this.#hear(topic, String(key));
  }

  async start(): Promise<void> {
    const client = new SessionClient({
      ...this.#connection,
      ...sessionSettings('listener', 1_000),
      connectionTimeoutMillis: 2_000,
    });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('The listening connection ended.')));
    client.on('notification', ({ payload = '' }) => {
      const colon = payload.indexOf(':');
      const topic = payload.slice(0, colon);
      const key = payload.slice(colon + 1);
      if (topic !== echoTopic) this.#hear(topic, key);
      else if (key === this.#echo?.nonce) this.#echo.heard();
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      await this.#hearOwnEcho();
    } catch (error) {
      await client.end().catch(() => {});
      this.#tryAgainLater(error instanceof EchoLost ? echoLostPauseMs : reconnectPauseMs);
      if (!this.#stopped) this.#tell(error as Error);
      return;
    }
    if (this.#stopped) return client.end().catch(() => {});
    this.#client = client;
    this.#isTold = false;
    this.#setDeaf(false);
    this.#heartbeat = setInterval(() => this.#beat(client), heartbeatMs);
    this.#checkEchoLater(client);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#echoTimer);
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  #hear(topic: string, key: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener.changed(key);
  }

  #checkEchoLater(client: pg.Client): void {
    this.#echoTimer = setTimeout(() => {
      this.#hearOwnEcho().then(
        () => client === this.#client && this.#checkEchoLater(client),
        (error: Error) => {
          // A notification that could not be published says nothing of hearing.
          if (error instanceof EchoLost) this.#lost(client, error);
          else if (client === this.#client) this.#checkEchoLater(client);
        },
      );
    }, echoEveryMs);
  }

  /**
   * Publishes on another connection and waits until that is heard. A pooler that hands out connections by transaction
   * answers LISTEN, and every sign of life, and drops what arrives for a connection that nobody uses at the moment. While
   * this waits nothing is asked on the listening connection at first, so that such a pooler cannot pass by chance.
   */
  async #hearOwnEcho(): Promise<void> {
    const nonce = randomUUID();
    const heard = new Promise<void>((resolve) => {
      this.#echo = { nonce, heard: resolve };
    });
    await this.#publisher.run(notify, [channel, `${echoTopic}:${nonce}`]);
    let deadline: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_, reject) => {
      // One turn later: after a busy second the notification may have arrived and not been read yet.
      deadline = setTimeout(() => setImmediate(() => reject(new EchoLost())), echoDeadlineMs);
    });
    await Promise.race([heard, overdue]).finally(() => clearTimeout(deadline));
  }

  #beat(client: pg.Client): void {
    const overdue = setTimeout(() => {
      if (client === this.#client) this.#onSilent();
      this.#lost(client, new Error('The listening connection is silent.'));
    }, heartbeatMs);
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
    clearTimeout(this.#echoTimer);
    this.#setDeaf(true);
    this.#tell(error);
    client.end().catch(() => {});
    this.#tryAgainLater(reconnectPauseMs);
  }

  #tell(error: Error): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#onLost(error);
  }

  #tryAgainLater(pauseMs: number): void {
    if (this.#stopped) return;
    this.#retry = setTimeout(() => {
      this.start().catch(() => this.#tryAgainLater(pauseMs));
    }, pauseMs);
  }

  #setDeaf(disconnected: boolean): void {
    for (const listeners of this.#listeners.values())
      for (const listener of listeners) listener.disconnected?.(disconnected);
  }
}

class EchoLost extends Error {
  constructor() {
    super(
      'A notification sent on another connection did not arrive. A pooler that hands out connections by transaction is ' +
        'the likely cause: set app.database.direct-url to an address of PostgreSQL itself, of the same database.',
    );
  }
}

function onceConnected(connection: ConnectionConfig): Queryable {
  return {
    run: async ({ text }, values = []) => {
      const settings = sessionSettings('listener check', 1_000);
      const client = new SessionClient({ ...connection, ...settings, connectionTimeoutMillis: 2_000 });
      await client.connect();
      try {
        return (await client.query(text, values as unknown[])).rows;
      } finally {
        await client.end();
      }
    },
  };
}
