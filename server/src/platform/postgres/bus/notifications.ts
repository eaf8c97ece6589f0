import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { SessionClient } from '../connection/connection.ts';
import type { ConnectionConfig } from '../connection/connection-url.ts';
import { sessionSettings } from '../connection/session-settings.ts';
import type { Queryable } from '../database.ts';
import { type Carrier, channel, notify, payloadOf } from './payload.ts';

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
/** The name in the payloads of these checks. */
const echoName = 'echo';

export interface NotificationsOptions {
  connection: ConnectionConfig;
  /**
   * Sends notifications: a database whose transactions notify, so that the check also detects a listening connection to
   * a different database. Not the pool of requests: no payment waits for a notification.
   */
  publisher: Queryable;
  /** Called once when notifications stop arriving, and not again until they have arrived. */
  onLost: (error: Error) => void;
  /** Called whenever the listening connection misses its heartbeat. */
  onSilent?: () => void;
  /**
   * The connection is a socket of the PostgreSQL that this node runs. Then no pooler can drop notifications, so no
   * check is made.
   */
  isDirect?: boolean;
}

/** Receives the notifications of all processes that use the database, on one connection that listens (LISTEN). */
export class Notifications implements Carrier {
  readonly #options: NotificationsOptions;
  readonly #isDirect: boolean;
  readonly #heartbeatMs: number;
  #receive: (payload: string) => void = () => {};
  #connected: (isConnected: boolean) => void = () => {};
  #client: pg.Client | undefined;
  #echo: { payload: string; received: () => void } | undefined;
  #echoTimer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;
  #isReported = false;

  constructor(options: NotificationsOptions) {
    this.#options = options;
    this.#isDirect = options.isDirect ?? false;
    this.#heartbeatMs = this.#isDirect ? directHeartbeatMs : heartbeatMs;
  }

  listen(receive: (payload: string) => void): void {
    this.#receive = receive;
  }

  /** `connected` is told whenever notifications no longer arrive, and when they arrive again. */
  onConnected(connected: (isConnected: boolean) => void): void {
    this.#connected = connected;
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  async send(payload: string): Promise<void> {
    await this.#options.publisher.run(notify, [payload]);
  }

  async start(): Promise<void> {
    const client = new SessionClient({
      ...this.#options.connection,
      ...sessionSettings('listener', 1_000),
      connectionTimeoutMillis: 2_000,
    });
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, new Error('The listening connection ended.')));
    client.on('notification', ({ payload = '' }) => {
      if (!payload.startsWith(`${echoName}:`)) this.#receive(payload);
      else if (payload === this.#echo?.payload) this.#echo.received();
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
    this.#connected(true);
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
    const payload = payloadOf(echoName, randomUUID());
    const received = new Promise<void>((resolve) => {
      this.#echo = { payload, received: resolve };
    });
    await this.send(payload);
    let deadline: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_, reject) => {
      // One turn of the event loop later: after a stall the notification may have arrived and not been read yet.
      deadline = setTimeout(() => setImmediate(() => reject(new EchoLost())), echoDeadlineMs);
    });
    await Promise.race([received, overdue]).finally(() => clearTimeout(deadline));
  }

  #beat(client: pg.Client): void {
    const overdue = setTimeout(() => {
      if (client === this.#client) this.#options.onSilent?.();
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
    this.#connected(false);
    this.#reportLost(error);
    client.end().catch(() => {});
    this.#tryAgainLater(reconnectPauseMs);
  }

  #reportLost(error: Error): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#options.onLost(error);
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
}

class EchoLost extends Error {
  constructor() {
    super(
      'A notification sent on another connection did not arrive. A pooler in transaction mode is the likely cause: ' +
        'set app.database.direct-url to an address of PostgreSQL itself, of the same database.',
    );
  }
}
