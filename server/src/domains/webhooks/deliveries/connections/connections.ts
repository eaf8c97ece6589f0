import { buildConnector, Client } from 'undici';
import type { AddressGuard } from '../../endpoints/address-guard.ts';
import type { Answer } from './answer.ts';
import { AnswerReader } from './answer-reader.ts';
import { type ExchangeConnection, exchange } from './exchange.ts';
import type { SignedRequest } from './request.ts';

/** Which addresses may be connected to, and whose answers are kept. */
export type TargetGuard = Pick<AddressGuard, 'lookup' | 'keepsAnswersOf'>;

export interface ConnectionsOptions {
  /** Deadline for making a connection. */
  timeoutMs: number;
  /** Further certificate authorities to trust, in PEM. */
  ca?: string;
  /** How long a request waits for a free connection before another one may be opened. */
  maxWaitMs?: number;
}

/** One connection to an origin. It serves one request at a time. */
export interface Connection extends ExchangeConnection {
  origin: Origin;
  /** When it was taken for its present request. */
  takenAtMs: number;
}

type Taker = (connection: Connection) => void;

/** A little shorter than the 5 s of most servers; otherwise we would send on connections that are being closed. */
const keepAliveMs = 4_000;
/** A receiver may extend it by a Keep-Alive header up to this. */
const maxKeepAliveMs = 60_000;
/**
 * Connections to an origin opened without waiting: 512 requests took 51 µs of our time each on these, and 63 on
 * hundreds.
 */
export const openedWithoutWaiting = 64;
/**
 * A receiver that answers within this time frees a connection soon. A slower one gets a connection for each request.
 */
const defaultMaxWaitMs = 20;

/**
 * Connection pools by origin. Each connection is an undici client of its own and serves one request at a time: so we
 * know whether a broken connection had been used before, and a deadline ends only its own request. An undici pool would
 * hide which connection served a request, and be no faster.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #maxWaitMs: number;
  readonly #pools = new Map<TargetGuard, Pool>();
  #isClosed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#maxWaitMs = options.maxWaitMs ?? defaultMaxWaitMs;
  }

  /**
   * A connection to the origin (scheme, host and port): at once while there are fewer than 64, otherwise when one is
   * free. After 20 ms of waiting another one is opened, unless connections become free that quickly anyway. A
   * connection that one guard has allowed never serves requests under another. `post` or `release` returns it.
   */
  take(name: string, guard: TargetGuard): Promise<Connection> {
    const pool = this.#pools.get(guard) ?? this.#newPool(guard);
    const origin = pool.origins.get(name) ?? newOrigin(name, pool);
    return new Promise((taker) => {
      const idle = origin.idle.pop();
      if (idle !== undefined) give(idle, taker);
      else if (origin.open.size < openedWithoutWaiting) give(this.#newConnection(origin), taker);
      else this.#wait(origin, taker);
    });
  }

  /**
   * Posts over a connection that was taken, and returns it. There is one deadline for name lookup, connection, headers
   * and body. Rejects only if `sign` throws.
   */
  async post(connection: Connection, sign: () => SignedRequest, timeoutMs: number): Promise<Answer> {
    const startedAtMs = performance.now();
    let request: SignedRequest;
    try {
      request = sign();
    } catch (error) {
      this.release(connection, connection.served > 0);
      throw error;
    }
    const first = await exchange(connection, request, timeoutMs);
    this.release(connection, first.isReusable);
    if (!first.isStale) return { ...first.answer, durationMs: performance.now() - startedAtMs };
    // The receiver closed the idle connection while we sent, which is not a failure: send again at once instead of
    // waiting for a retry. Once, on a new connection, under the same ids and the same deadline.
    const { name, pool } = connection.origin;
    const another = this.#newConnection(pool.origins.get(name) ?? newOrigin(name, pool));
    another.takenAtMs = performance.now();
    const second = await exchange(another, request, Math.max(1, startedAtMs + timeoutMs - performance.now()));
    this.release(another, second.isReusable);
    return { ...second.answer, resent: true, durationMs: performance.now() - startedAtMs };
  }

  /** Returns a connection after a request, and closes it unless it can serve another. */
  release(connection: Connection, isReusable: boolean): void {
    const { origin } = connection;
    origin.returnedAtMs = performance.now();
    origin.lastUseMs = origin.returnedAtMs - connection.takenAtMs;
    if (!isReusable || connection.client.destroyed) this.#close(connection);
    else {
      const next = origin.waiting.shift();
      if (next === undefined) origin.idle.push(connection);
      else give(connection, next.taker);
    }
  }

  /** Closes all connections; requests that wait for one get none. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const origins = [...this.#pools.values()].flatMap((pool) => [...pool.origins.values()]);
    const open = origins.flatMap((origin) => {
      clearTimeout(origin.timer);
      return [...origin.open];
    });
    await Promise.all(open.map(({ client }) => client.destroy()));
  }

  #wait(origin: Origin, taker: Taker): void {
    origin.waiting.push({ taker, untilMs: performance.now() + this.#maxWaitMs });
    origin.timer ??= setTimeout(() => this.#openForWaiting(origin), this.#maxWaitMs);
  }

  /** Opens connections for the requests that have waited long enough, unless connections become free quickly. */
  #openForWaiting(origin: Origin): void {
    origin.timer = undefined;
    const nowMs = performance.now();
    const isPrompt = origin.lastUseMs < this.#maxWaitMs && nowMs - origin.returnedAtMs < this.#maxWaitMs;
    while (!isPrompt && origin.waiting[0] !== undefined && origin.waiting[0].untilMs <= nowMs) {
      const { taker } = origin.waiting.shift() as WaitingRequest;
      give(this.#newConnection(origin), taker);
    }
    const [next] = origin.waiting;
    if (next === undefined) return;
    const waitMs = isPrompt ? this.#maxWaitMs : next.untilMs - nowMs;
    origin.timer = setTimeout(() => this.#openForWaiting(origin), Math.max(1, waitMs));
  }

  #newPool(guard: TargetGuard): Pool {
    const { timeoutMs, ca } = this.#options;
    // One connector for all origins: it caches TLS sessions, which makes the handshake of further connections faster.
    const connect = buildConnector({
      lookup: guard.lookup,
      timeout: timeoutMs,
      allowH2: false,
      ...(ca !== undefined && { ca }),
    } as never);
    const pool = { guard, connect, origins: new Map<string, Origin>() };
    this.#pools.set(guard, pool);
    return pool;
  }

  #newConnection(origin: Origin): Connection {
    const client = new Client(origin.name, {
      connect: (options, callback) =>
        origin.pool.connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
          if (error !== null) return callback(error, null);
          connection.address = socket.remoteAddress;
          connection.keepsAnswers = origin.pool.guard.keepsAnswersOf(socket.remoteAddress as string);
          connection.reader.attach(socket);
          callback(null, socket);
        }),
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: maxKeepAliveMs,
      // Every request has its own deadline; undici's are coarse, and its body timeout never ends a slow drip.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection: Connection = {
      origin,
      client,
      served: 0,
      takenAtMs: 0,
      address: undefined,
      keepsAnswers: false,
      reader: new AnswerReader(),
    };
    origin.open.add(connection);
    client.on('connect', () => {
      connection.served = 0;
    });
    client.on('disconnect', () => this.#removeIdle(connection));
    return connection;
  }

  /** Removes an idle connection that has been closed. */
  #removeIdle(connection: Connection): void {
    const { origin } = connection;
    const at = origin.idle.indexOf(connection);
    if (at < 0) return;
    origin.idle.splice(at, 1);
    this.#close(connection);
  }

  #close(connection: Connection): void {
    const { origin } = connection;
    origin.open.delete(connection);
    // Nobody uses it any more.
    connection.client.destroy().catch(() => {});
    const next = this.#isClosed ? undefined : origin.waiting.shift();
    if (next !== undefined) give(this.#newConnection(origin), next.taker);
    else if (origin.open.size === 0) origin.pool.origins.delete(origin.name);
  }
}

function give(connection: Connection, taker: Taker): void {
  connection.takenAtMs = performance.now();
  taker(connection);
}

/** A request that waits for a connection. */
interface WaitingRequest {
  taker: Taker;
  /** From then on another connection may be opened for it. */
  untilMs: number;
}

/** The connections that one guard has allowed. */
interface Pool {
  guard: TargetGuard;
  connect: buildConnector.connector;
  origins: Map<string, Origin>;
}

function newOrigin(name: string, pool: Pool): Origin {
  const origin: Origin = {
    name,
    pool,
    open: new Set(),
    idle: [],
    waiting: [],
    timer: undefined,
    returnedAtMs: Number.NEGATIVE_INFINITY,
    lastUseMs: 0,
  };
  pool.origins.set(name, origin);
  return origin;
}

interface Origin {
  /** Scheme, host and port. */
  name: string;
  pool: Pool;
  open: Set<Connection>;
  /** Open connections without a request; the most recently used one is taken first. */
  idle: Connection[];
  /** Requests that wait for a free connection, oldest first. */
  waiting: WaitingRequest[];
  timer: NodeJS.Timeout | undefined;
  /** When a connection was last returned, and how long its request took. */
  returnedAtMs: number;
  lastUseMs: number;
}
