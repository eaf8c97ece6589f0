import { Socket } from 'node:net';
import type pg from 'pg';
import { type Clock, secondMs } from '../../../core/clock.ts';
import type { Database } from '../database.ts';
import { type ClockReading, databaseMsSql } from '../database-clock.ts';
import { SessionClient } from './connection.ts';
import type { ConnectionConfig } from './connection-url.ts';
import { failureOf, isLoginRefused } from './failures.ts';
import { sessionSettings } from './session-settings.ts';

/** Why nothing can be written. */
export type AbsenceReason = 'away' | 'read_only' | 'full';

/** There is no writable primary. */
export interface Absence {
  reason: AbsenceReason;
  /** When it was found missing, in ms since the epoch. */
  sinceMs: number;
}

export interface PrimaryMonitorOptions {
  connection: ConnectionConfig;
  /** The pools whose connections are discarded when their server is silent or has been replaced. */
  pools: () => Iterable<Database>;
  clock: Clock;
  /** Called when the primary is lost, and when the reason changes. */
  onLost?: (reason: AbsenceReason, error: Error) => void;
  /** Called when a writable primary is found again. */
  onFound?: () => void;
  /**
   * The room on the disk of the database, in bytes; undefined where it is not known, because the disk is another
   * machine's.
   */
  room?: () => Promise<Room | undefined>;
  /** Called with the database's clock after every successful probe, so that nothing else has to ask for it. */
  onTime?: (reading: ClockReading) => void;
}

/** In bytes. */
export interface Room {
  free: number;
  total: number;
}

/** A segment of the write-ahead log. With less, PostgreSQL can neither go on writing nor recover. */
const leastRoom = 16 * 1024 ** 2;

const probeEveryMs = secondMs;
/** After a probe that failed. */
const retryPauseMs = 200;
/** A probe on the open connection that takes longer is repeated on a fresh one. */
const openTimeoutMs = secondMs;
/** A server that does not answer a fresh connection for so long is silent (docs/decisions/database.md). */
const freshTimeoutMs = 2 * secondMs;
const tickMs = 50;

/** The start time of the postmaster identifies a server: after a failover it is another. */
const probeText = `select pg_is_in_recovery() or current_setting('transaction_read_only')::bool as read_only,
                          pg_postmaster_start_time()::text as server, ${databaseMsSql} as now_ms`;

/**
 * Needs a megabyte of new pages, which are given back: a disk may be too full for new pages while what is written to
 * old ones still succeeds.
 */
const writeProbe = [
  'begin',
  `create temporary table florin_room on commit drop as
     select n, decode(repeat('00', 8000), 'hex') as page from generate_series(1, 128) as n`,
  'rollback',
];

interface Probe extends ClockReading {
  isReadOnly: boolean;
  server: string;
  /** Why it has no room for anything new. */
  full?: Error;
}

interface Connection {
  client: pg.Client;
  /** Closes the socket without the protocol's farewell, which a silent server would not read. */
  close: () => void;
}

/**
 * Knows whether there is a primary that takes writes, by a probe once a second, and discards connections that lead to a
 * server which is silent or no longer the primary.
 *
 * An unanswered query proves little: the network may have lost that one connection, or this process was busy. So the
 * probe is repeated on a fresh connection. The pools lose their connections only when that one is silent too, fails, or
 * leads to another server.
 */
export class PrimaryMonitor {
  readonly #options: PrimaryMonitorOptions;
  #connection: Connection | undefined;
  #server: string | undefined;
  #absence: Absence | undefined;
  #hasBeenWritable = false;
  #probing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Connections opened before this time are suspected to be dead (performance.now()). */
  #suspectedAtMs: number | undefined;
  #isTryingFresh = false;
  /** A statement was refused because the disk is full, and no probe has found room since. */
  #isFull = false;
  #room: Room | undefined;

  constructor(options: PrimaryMonitorOptions) {
    this.#options = options;
  }

  get absence(): Absence | undefined {
    return this.#absence;
  }

  /** As of the last probe; undefined where it is not known. */
  get room(): Room | undefined {
    return this.#room;
  }

  /** Whether there has been a writable primary since the start. */
  get hasBeenWritable(): boolean {
    return this.#hasBeenWritable;
  }

  /** Resolves after the first probe, whatever its result. */
  start(): Promise<void> {
    return this.#probeNow();
  }

  /** Another connection got no answer in time: probes on a fresh connection at once. */
  suspect(): void {
    if (this.#isStopped || this.#isTryingFresh) return;
    this.#suspectedAtMs ??= performance.now();
    this.#closeConnection();
    this.#probeUnattended();
  }

  /** A statement was refused because the disk is full: probes at once whether there is room. */
  suspectFull(): void {
    if (this.#isStopped || this.#isFull) return;
    this.#isFull = true;
    this.#probeUnattended();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#closeConnection();
    await this.#probing;
    this.#closeConnection();
  }

  /**
   * For callers that do not wait. A probe reports its own failures; a rejection is a defect, and is reported as well.
   */
  #probeUnattended(): void {
    this.#probeNow().catch((error: Error) => this.#lost('away', error));
  }

  #probeNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#probing ??= this.#probe().then((pauseMs) => {
      this.#probing = undefined;
      if (!this.#isStopped) this.#timer = setTimeout(() => this.#probeUnattended(), pauseMs);
    });
    return this.#probing;
  }

  /** Never rejects; returns how long to wait before the next probe. */
  async #probe(): Promise<number> {
    this.#room = await this.#options.room?.().catch(() => undefined);
    try {
      this.#found((await this.#probeOpen()) ?? (await this.#probeFresh()));
      return probeEveryMs;
    } catch (error) {
      if (!this.#isStopped) this.#failed(error as Error);
      return retryPauseMs;
    }
  }

  /** Undefined when there is no open connection, or it does not answer. */
  async #probeOpen(): Promise<Probe | undefined> {
    const connection = this.#connection;
    if (connection === undefined) return undefined;
    try {
      return await answerOf(connection, () => this.#probeOn(connection), openTimeoutMs);
    } catch {
      // The probe on a fresh connection that follows gives the reason.
      this.#suspectedAtMs ??= performance.now() - openTimeoutMs;
      this.#closeConnection();
      return undefined;
    }
  }

  async #probeFresh(): Promise<Probe> {
    if (this.#isStopped) throw new Error('The monitor was stopped.');
    const connection = this.#open();
    this.#connection = connection;
    this.#isTryingFresh = true;
    try {
      return await answerOf(
        connection,
        () => connection.client.connect().then(() => this.#probeOn(connection)),
        freshTimeoutMs,
      );
    } catch (error) {
      this.#closeConnection();
      throw error;
    } finally {
      this.#isTryingFresh = false;
    }
  }

  async #probeOn(connection: Connection): Promise<Probe> {
    const found = await probe(connection);
    if (!this.#isFull || found.isReadOnly) return found;
    try {
      for (const text of writeProbe) await connection.client.query(text);
    } catch (error) {
      await connection.client.query('rollback');
      // Whatever else fails says nothing about the disk.
      if (failureOf(error) === 'full') return { ...found, full: error as Error };
    }
    this.#isFull = false;
    return found;
  }

  #found({ isReadOnly, server, full, ...reading }: Probe): void {
    const { pools, onFound, onTime } = this.#options;
    if (this.#server !== undefined && server !== this.#server) {
      for (const pool of pools()) pool.discardConnections('another server has taken over.', this.#suspectedAtMs);
    }
    this.#server = server;
    this.#suspectedAtMs = undefined;
    for (const pool of pools()) pool.suspend(undefined);
    onTime?.(reading);
    if (isReadOnly) {
      this.#lost('read_only', new Error('The database takes no writes: it is a standby, or set to read-only.'));
      // The next probe connects again, to wherever the primary is then.
      this.#closeConnection();
      return;
    }
    if (full !== undefined) {
      this.#lost('full', full);
      return;
    }
    this.#hasBeenWritable = true;
    if (this.#absence === undefined) return;
    this.#absence = undefined;
    onFound?.();
  }

  #failed(error: Error): void {
    // PostgreSQL ends when its log cannot be written, and cannot start before there is room.
    if (failureOf(error) === 'away' && this.#room !== undefined && this.#room.free < leastRoom) {
      for (const pool of this.#options.pools()) pool.suspend('full');
      this.#lost('full', error);
      return;
    }
    const isSilent = error instanceof ServerSilent;
    for (const pool of this.#options.pools()) pool.suspend(isSilent ? 'silent' : undefined);
    // The server answered that it has no room for one more connection: that says nothing about the existing ones.
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
      ...sessionSettings('monitor', freshTimeoutMs),
      // Several hosts share the time. For a single host only `silenceOf` decides: the driver's own timer would also
      // fire after this process has stalled.
      ...((this.#options.connection.hosts?.length ?? 1) > 1 && { connectionTimeoutMillis: freshTimeoutMs }),
      stream: () => {
        socket = new Socket();
        return socket;
      },
    });
    // A query under way rejects; between two probes an error needs no handling.
    client.on('error', () => {});
    return { client, close: () => socket.destroy() };
  }

  #closeConnection(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

async function probe({ client }: Connection): Promise<Probe> {
  const askedMs = performance.now();
  const { rows } = await client.query<{ read_only: boolean; server: string; now_ms: number }>({
    name: 'monitor.probe',
    text: probeText,
  });
  const answeredMs = performance.now();
  const [{ read_only, server, now_ms }] = rows as [(typeof rows)[0]];
  return { isReadOnly: read_only, server, databaseMs: now_ms, askedMs, answeredMs };
}

class ServerSilent extends Error {
  readonly code = 'ETIMEDOUT';
}

/** The result of `work`; closes the connection and throws ServerSilent when there is none within `timeoutMs`. */
async function answerOf<Result>(
  { close }: Connection,
  work: () => Promise<Result>,
  timeoutMs: number,
): Promise<Result> {
  const settled = new AbortController();
  const silence = silenceOf(timeoutMs, settled.signal).then(() => {
    throw new ServerSilent(`The server has not answered for ${timeoutMs / secondMs} s.`);
  });
  try {
    return await Promise.race([work(), silence]);
  } catch (error) {
    close();
    throw error;
  } finally {
    settled.abort();
  }
}

/**
 * Resolves after `ms` in which this process could have read an answer. After a stall all expired timers fire before
 * received data is read, so the time is counted in short ticks, each followed by one round of reading the sockets.
 */
async function silenceOf(ms: number, signal: AbortSignal): Promise<void> {
  for (let left = Math.ceil(ms / tickMs); left > 0; left--) {
    await new Promise((resolve) => setTimeout(() => setImmediate(resolve), tickMs));
    if (signal.aborted) return new Promise(() => {});
  }
}
