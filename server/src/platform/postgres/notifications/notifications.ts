import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { SessionClient } from '../connection/connection.ts';
import type { ConnectionConfig } from '../connection/connection-url.ts';
import { sessionSettings } from '../connection/session-settings.ts';
import type { Queryable } from '../database.ts';
import { type Invalidation, statement } from '../statement.ts';
import { channel, parsePayload, payloadOf } from './payload.ts';

const notify = statement('notifications.notify', 'select pg_notify($1, $2)');
/** Does not wait for the disk: transactions that notify commit one at a time, and this one writes nothing. */
const notifyUnflushed = statement(
  'notifications.notify_unflushed',
  `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`,
);

/** A connection that is silent for longer counts as lost: a revocation must take effect on all nodes within 1 s. */
const heartbeatMs = 400;
/** Of a connection that nothing but PostgreSQL itself can silence. */
const directHeartbeatMs = 1_000;
const reconnectPauseMs = 200;
/**
 * Interval of the check that notifications of another connection arrive. Each check costs a transaction with an id and
 * a record in the write-ahead log. The interference of a pooler shows at the first check.
 */
const echoEveryMs = 5_000;
/** How long the notification that this node sends itself may take to return, from its commit. */
const echoDeadlineMs = 1_000;
/** Longer than `reconnectPauseMs`, because behind a pooler the next attempt fails as well. */
const echoLostPauseMs = 5_000;
/** The topic of these checks. */
const echoTopic = 'echo';

export interface Listener {
  /** A change was made, here or on another node. */
  changed: (key: string) => void;
  /** True when notifications no longer arrive, false when they arrive again. */
  disconnected?: (disconnected: boolean) => void;
}

/**
 * Receives the notifications that transactions on this and other nodes have sent, each with a topic and a key, through
 * LISTEN and NOTIFY.
 */
export class Notifications {
  readonly #connection: ConnectionConfig;
  readonly #publisher: Queryable;
  readonly #onLost: (error: Error) => void;
  readonly #onSilent: () => void;
  readonly #isDirect: boolean;
  readonly #heartbeatMs: number;
  readonly #listeners = new Map<string, Listener[]>();
  #client: pg.Client | undefined;
  #echo: { nonce: string; received: () => void } | undefined;
  #echoTimer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;
  #isReported = false;

  /**
   * `onLost` is called once when notifications stop arriving, and not again until they have arrived. `publisher` is a
   * database whose transactions notify, so that the check detects a listening connection to a different database;
   * without it a connection is opened for each check. `onSilent` is called whenever the listening connection misses its
   * heartbeat. `isDirect`: the connection is a socket of the PostgreSQL that this node runs. Then no pooler can drop
   * notifications, so no check is made.
   */
  constructor(
    connection: ConnectionConfig,
    onLost: (error: Error) => void,
    {
      publisher,
      onSilent = () => {},
      isDirect = false,
    }: { publisher?: Queryable; onSilent?: () => void; isDirect?: boolean } = {},
  ) {
    this.#connection = connection;
    this.#onLost = onLost;
    this.#onSilent = onSilent;
    this.#isDirect = isDirect;
    this.#heartbeatMs = isDirect ? directHeartbeatMs : heartbeatMs;
    this.#publisher = publisher ?? onceConnected(connection);
  }

  on(topic: string, listener: Listener): void {
    this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), listener]);
    if (this.#client === undefined) listener.disconnected?.(true);
  }

  /** Notifies the other nodes only, outside a transaction. For notifications whose loss costs only time. */
  async publishToOthers(database: Queryable, topic: string, key: string): Promise<void> {
    await database.run(notifyUnflushed, [channel, payloadOf(topic, key)]);
  }

  /** A transaction of this process has committed: its own listeners need not wait until the notification arrives. */
  apply(invalidations: readonly Invalidation[]): void {
    for (const { cache, key } of invalidations) this.#notifyListeners(cache, String(key));
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
      const { topic, key } = parsePayload(payload);
      if (topic !== echoTopic) this.#notifyListeners(topic, key);
      else if (key === this.#echo?.nonce) this.#echo.received();
    });
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      if (!this.#isDirect) await this.#awaitEcho();
    } catch (error) {
      await client.end().catch(() => {});
      this.#tryAgainLater(error instanceof EchoLost ? echoLostPauseMs : reconnectPauseMs);
      if (!this.#stopped) this.#reportLost(error as Error);
      return;
    }
    if (this.#stopped) return client.end().catch(() => {});
    this.#client = client;
    this.#isReported = false;
    this.#setDisconnected(false);
    this.#heartbeat = setInterval(() => this.#beat(client), this.#heartbeatMs);
    if (!this.#isDirect) this.#checkEchoLater(client);
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

  #notifyListeners(topic: string, key: string): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener.changed(key);
  }

  #checkEchoLater(client: pg.Client): void {
    this.#echoTimer = setTimeout(() => {
      this.#awaitEcho().then(
        () => client === this.#client && this.#checkEchoLater(client),
        (error: Error) => {
          // A failure to publish does not mean that no notifications arrive.
          if (error instanceof EchoLost) this.#lost(client, error);
          else if (client === this.#client) this.#checkEchoLater(client);
        },
      );
    }, echoEveryMs);
  }

  /**
   * Publishes on another connection and waits until the notification arrives. A pooler in transaction mode answers
   * LISTEN and every heartbeat, but drops notifications for a server connection that no client is using. At first no
   * heartbeat is sent while this waits, so that such a pooler cannot pass by chance.
   */
  async #awaitEcho(): Promise<void> {
    const nonce = randomUUID();
    const received = new Promise<void>((resolve) => {
      this.#echo = { nonce, received: resolve };
    });
    await this.#publisher.run(notify, [channel, payloadOf(echoTopic, nonce)]);
    let deadline: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_, reject) => {
      // One turn of the event loop later: after a stall the notification may have arrived and not been read yet.
      deadline = setTimeout(() => setImmediate(() => reject(new EchoLost())), echoDeadlineMs);
    });
    await Promise.race([received, overdue]).finally(() => clearTimeout(deadline));
  }

  #beat(client: pg.Client): void {
    const overdue = setTimeout(() => {
      if (client === this.#client) this.#onSilent();
      this.#lost(client, new Error('The listening connection is silent.'));
    }, this.#heartbeatMs);
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
    this.#setDisconnected(true);
    this.#reportLost(error);
    client.end().catch(() => {});
    this.#tryAgainLater(reconnectPauseMs);
  }

  #reportLost(error: Error): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#onLost(error);
  }

  #tryAgainLater(pauseMs: number): void {
    if (this.#stopped) return;
    this.#retry = setTimeout(() => {
      this.start().catch((error: Error) => {
        this.#reportLost(error);
        this.#tryAgainLater(pauseMs);
      });
    }, pauseMs);
  }

  #setDisconnected(disconnected: boolean): void {
    for (const listeners of this.#listeners.values())
      for (const listener of listeners) listener.disconnected?.(disconnected);
  }
}

class EchoLost extends Error {
  constructor() {
    super(
      'A notification sent on another connection did not arrive. A pooler in transaction mode is the likely cause: ' +
        ' set app.database.direct-url to an address of PostgreSQL itself, of the same database.',
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
