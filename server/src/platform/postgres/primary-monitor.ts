import { Socket } from 'node:net';
import type pg from 'pg';
import { type Clock, secondMs } from '../../core/clock.ts';
import { type ConnectionConfig, SessionClient } from './connection.ts';
import { type Database, sessionSettings } from './database.ts';
import { failureOf, isLoginRefused } from './failures.ts';

/** Why nothing can be written. */
export type AbsenceReason = 'away' | 'read_only';

/** Since when no writable primary has been found, by the clock, in ms. */
export interface Absence {
  reason: AbsenceReason;
  sinceMs: number;
}

export interface PrimaryMonitorOptions {
  connection: ConnectionConfig;
  /** Those whose connections are given up when the server they lead to is silent or another. */
  pools: () => Iterable<Database>;
  clock: Clock;
  /** Told when the primary is lost, and of what is done about it. */
  onLost?: (reason: AbsenceReason, error: Error) => void;
  /** Told when a writable primary is found again. */
  onFound?: () => void;
}

/** How often it looks, and how soon again after a look that failed. */
const periodMs = secondMs;
const retryPauseMs = 200;
/** A look on the kept connection that takes longer is repeated on a fresh one. */
const keptPatienceMs = secondMs;
/** A server that does not even answer a fresh connection for so long is silent (docs/decisions, Silent servers). */
const freshPatienceMs = 2 * secondMs;
const tickMs = 50;

/** The start of the postmaster tells one server from another: none that comes after a failover has the same. */
const lookText = `select pg_is_in_recovery() or current_setting('transaction_read_only')::bool as read_only,
                         pg_postmaster_start_time()::text as server`;

interface Look {
  read_only: boolean;
  server: string;
}

interface Connection {
  client: pg.Client;
  /** Without a word to the server. */
  close: () => void;
}

/**
 * Knows whether there is a primary that takes writes, by asking once a second, and sees to it that no connection lingers on
 * a server that is not it. A connection that brings no answer proves nothing by itself: the network may have lost that one,
 * or this process was busy. So a fresh one is tried, and only when that stays without an answer too, fails, or leads to
 * another server, are the pools' connections given up.
 */
export class PrimaryMonitor {
  readonly #options: PrimaryMonitorOptions;
  #kept: Connection | undefined;
  #server: string | undefined;
  #absence: Absence | undefined;
  #hasBeenWritable = false;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  /** When the connections of that time came under suspicion (performance.now()). */
  #suspectedAt: number | undefined;
  #isTryingFresh = false;

  constructor(options: PrimaryMonitorOptions) {
    this.#options = options;
  }

  get absence(): Absence | undefined {
    return this.#absence;
  }

  /** Whether there has been a writable primary since the start. */
  get hasBeenWritable(): boolean {
    return this.#hasBeenWritable;
  }

  /** Resolves after the first look, whatever that has found. */
  start(): Promise<void> {
    return this.#lookNow();
  }

  /** A connection elsewhere has brought no answer in time: whether the server is there is found out at once. */
  suspect(): void {
    if (this.#stopped || this.#isTryingFresh) return;
    this.#suspectedAt ??= performance.now();
    this.#drop();
    this.#lookUnattended();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#drop();
    await this.#looking;
    this.#drop();
  }

  /** For callers that wait for nothing. A look reports its own failures; anything else is a defect, and is reported as well. */
  #lookUnattended(): void {
    this.#lookNow().catch((error: Error) => this.#lost('away', error));
  }

  #lookNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#looking ??= this.#look().then((pauseMs) => {
      this.#looking = undefined;
      if (!this.#stopped) this.#timer = setTimeout(() => this.#lookUnattended(), pauseMs);
    });
    return this.#looking;
  }

  /** One look, never failing; gives back how long to wait before the next. */
  async #look(): Promise<number> {
    try {
      this.#found((await this.#askKept()) ?? (await this.#askFresh()));
      return periodMs;
    } catch (error) {
      if (!this.#stopped) this.#failed(error as Error);
      return retryPauseMs;
    }
  }

  /** Undefined: there is no connection from before, or it brings no answer. */
  async #askKept(): Promise<Look | undefined> {
    if (this.#kept === undefined) return undefined;
    try {
      return await answerOf(this.#kept, () => ask(this.#kept as Connection), keptPatienceMs);
    } catch {
      this.#suspectedAt ??= performance.now() - keptPatienceMs;
      this.#drop();
      return undefined;
    }
  }

  async #askFresh(): Promise<Look> {
    if (this.#stopped) throw new Error('The monitor was stopped.');
    const connection = this.#open();
    this.#kept = connection;
    this.#isTryingFresh = true;
    try {
      return await answerOf(connection, () => connection.client.connect().then(() => ask(connection)), freshPatienceMs);
    } catch (error) {
      this.#drop();
      throw error;
    } finally {
      this.#isTryingFresh = false;
    }
  }

  #found({ read_only, server }: Look): void {
    const { pools } = this.#options;
    if (this.#server !== undefined && server !== this.#server) {
      for (const pool of pools()) pool.discardConnections('another server has taken over.', this.#suspectedAt);
    }
    this.#server = server;
    this.#suspectedAt = undefined;
    for (const pool of pools()) pool.suspend(false);
    if (read_only) {
      this.#lost('read_only', new Error('The database takes no writes: it is a standby, or set to read-only.'));
      // The next look goes wherever the primary is then.
      this.#drop();
      return;
    }
    this.#hasBeenWritable = true;
    if (this.#absence === undefined) return;
    this.#absence = undefined;
    this.#options.onFound?.();
  }

  #failed(error: Error): void {
    const isSilent = error instanceof Silence;
    for (const pool of this.#options.pools()) pool.suspend(isSilent);
    // It is there and has no room for one more connection: nothing is known of the others.
    if (failureOf(error) !== 'away') return;
    const isNew = this.#absence?.reason !== 'away';
    if ((isSilent || isNew) && !isLoginRefused(error)) {
      for (const pool of this.#options.pools()) pool.discardConnections(error.message);
    }
    this.#lost('away', error);
  }

  #lost(reason: AbsenceReason, error: Error): void {
    if (this.#absence?.reason === reason) return;
    this.#absence = { reason, sinceMs: this.#absence?.sinceMs ?? this.#options.clock() };
    this.#options.onLost?.(reason, error);
  }

  #open(): Connection {
    let socket = new Socket();
    const client = new SessionClient({
      ...this.#options.connection,
      ...sessionSettings('monitor', freshPatienceMs),
      // Of several hosts each has its share of the time. For a single one only `silenceOf` decides: a timer of the driver
      // would fire after a stall of this process, too.
      ...((this.#options.connection.hosts?.length ?? 1) > 1 && { connectionTimeoutMillis: freshPatienceMs }),
      stream: () => {
        socket = new Socket();
        return socket;
      },
    });
    // Whoever waits is told by the promise; between two looks nobody does.
    client.on('error', () => {});
    return { client, close: () => socket.destroy() };
  }

  #drop(): void {
    this.#kept?.close();
    this.#kept = undefined;
  }
}

async function ask({ client }: Connection): Promise<Look> {
  const { rows } = await client.query<Look>({ name: 'monitor.look', text: lookText });
  return rows[0] as Look;
}

/** No answer, in so much time that this process has listened. */
class Silence extends Error {
  readonly code = 'ETIMEDOUT';
}

/** Whatever the work brings; destroyed when it is silent for too long. */
async function answerOf<Result>(
  { close }: Connection,
  work: () => Promise<Result>,
  patienceMs: number,
): Promise<Result> {
  const waited = new AbortController();
  const silence = silenceOf(patienceMs, waited.signal).then(() => {
    throw new Silence(`The server has not answered for ${patienceMs / secondMs} s.`);
  });
  try {
    return await Promise.race([work(), silence]);
  } catch (error) {
    close();
    throw error;
  } finally {
    waited.abort();
  }
}

/**
 * Resolves after so much time in which this process could have read an answer. When it stalls, all that has fallen due comes
 * at once, timers before what has been received: so time is counted in short ticks, each followed by a look at the sockets.
 */
async function silenceOf(ms: number, signal: AbortSignal): Promise<void> {
  for (let left = Math.ceil(ms / tickMs); left > 0; left--) {
    await new Promise((resolve) => setTimeout(() => setImmediate(resolve), tickMs));
    if (signal.aborted) return new Promise(() => {});
  }
}
