import type { LookupFunction } from 'node:net';
import { buildConnector, Client } from 'undici';

export interface ConnectionsOptions {
  /** Resolves and judges the addresses of a name; its answer is what is connected to. */
  lookup: LookupFunction;
  /** Within this a connection is made, or not at all. */
  timeoutMs: number;
  /** Further certificate authorities to trust, in PEM. */
  ca?: string;
  /** How long a post waits for a connection to come free before it may get one more. */
  patienceMs?: number;
}

/** One connection to an origin. It serves one post at a time. */
export interface Connection {
  origin: Origin;
  client: Client;
  /** Posts answered since it was opened. */
  served: number;
  /** When it was given to the post it serves. */
  takenAtMs: number;
  /** The address it leads to, once it is open. */
  address: string | undefined;
  /** Read of its socket since it was opened, and who wants to know when there is more. */
  readBytes: number;
  onRead: ((totalBytes: number) => void) | undefined;
}

type Taker = (connection: Connection) => void;

/** A little shorter than the 5 s of usual servers, or we post to connections that are being closed. */
const keepAliveMs = 4_000;
/** A receiver may ask for longer by a Keep-Alive header, up to this. */
const longestKeepAliveMs = 60_000;
/** So many connections an origin gets at once: 512 posts took 51 µs each of our time on these, and 63 on hundreds more. */
export const openedAtOnce = 64;
/** A receiver that answers within this time gives one back soon; one that does not gets as many as there are posts. */
const usualPatienceMs = 20;

/**
 * Connections, kept by origin, each a client of its own that serves one post at a time: so it is known exactly whether
 * a connection that broke had served before, and a deadline ends everything that belongs to its post. A pool of
 * undici's would hide which connection served, and be no faster.
 */
export class Connections {
  readonly #connect: buildConnector.connector;
  readonly #patienceMs: number;
  readonly #origins = new Map<string, Origin>();
  #closed = false;

  constructor({ lookup, timeoutMs, ca, patienceMs = usualPatienceMs }: ConnectionsOptions) {
    this.#patienceMs = patienceMs;
    // One connector for all: it keeps TLS sessions, so that a second connection to an origin shakes hands faster.
    this.#connect = buildConnector({
      lookup,
      timeout: timeoutMs,
      allowH2: false,
      ...(ca !== undefined && { ca }),
    } as never);
  }

  /**
   * Gives a connection to the origin: at once while it has fewer than 64, else when one comes free. Whoever has waited for
   * 20 ms gets a further one, unless they come free as soon as that by themselves.
   */
  take(name: string, taker: Taker): void {
    const origin = this.#origins.get(name) ?? this.#add(name);
    const idle = origin.idle.pop();
    if (idle !== undefined) give(idle, taker);
    else if (origin.open.size < openedAtOnce) give(this.#open(origin), taker);
    else this.#wait(origin, taker);
  }

  /** A new one, whatever there is. */
  fresh(name: string): Connection {
    return this.#open(this.#origins.get(name) ?? this.#add(name));
  }

  /** A post is over, and with it its connection, unless that can serve another. */
  giveBack(connection: Connection, isReusable: boolean): void {
    const { origin } = connection;
    origin.givenBackAtMs = performance.now();
    origin.heldMs = origin.givenBackAtMs - connection.takenAtMs;
    if (!isReusable || connection.client.destroyed) this.#end(connection);
    else {
      const next = origin.waiting.shift();
      if (next === undefined) origin.idle.push(connection);
      else give(connection, next.taker);
    }
  }

  /** Cuts all of them; what waits for one gets none any more. */
  async close(): Promise<void> {
    this.#closed = true;
    const open = [...this.#origins.values()].flatMap((origin) => {
      clearTimeout(origin.timer);
      return [...origin.open];
    });
    await Promise.all(open.map(({ client }) => client.destroy()));
  }

  #wait(origin: Origin, taker: Taker): void {
    origin.waiting.push({ taker, untilMs: performance.now() + this.#patienceMs });
    origin.timer ??= setTimeout(() => this.#impatient(origin), this.#patienceMs);
  }

  /** Opens further ones for all that have waited for long enough, unless more would only be more work for us. */
  #impatient(origin: Origin): void {
    origin.timer = undefined;
    const nowMs = performance.now();
    const isPrompt = origin.heldMs < this.#patienceMs && nowMs - origin.givenBackAtMs < this.#patienceMs;
    while (!isPrompt && origin.waiting[0] !== undefined && origin.waiting[0].untilMs <= nowMs) {
      const { taker } = origin.waiting.shift() as Waiting;
      give(this.#open(origin), taker);
    }
    const [next] = origin.waiting;
    if (next === undefined) return;
    const waitMs = isPrompt ? this.#patienceMs : next.untilMs - nowMs;
    origin.timer = setTimeout(() => this.#impatient(origin), Math.max(1, waitMs));
  }

  #add(name: string): Origin {
    const origin: Origin = {
      name,
      open: new Set(),
      idle: [],
      waiting: [],
      timer: undefined,
      givenBackAtMs: Number.NEGATIVE_INFINITY,
      heldMs: 0,
    };
    this.#origins.set(name, origin);
    return origin;
  }

  #open(origin: Origin): Connection {
    const client = new Client(origin.name, {
      connect: (options, callback) =>
        this.#connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
          if (error !== null) return callback(error, null);
          connection.address = socket.remoteAddress;
          connection.readBytes = 0;
          socket.on('readable', () => {
            connection.readBytes = socket.bytesRead;
            connection.onRead?.(socket.bytesRead);
          });
          callback(null, socket);
        }),
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: longestKeepAliveMs,
      // Every post has a deadline of its own; undici's are coarse, and its body timeout never ends a drip.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection: Connection = {
      origin,
      client,
      served: 0,
      takenAtMs: 0,
      address: undefined,
      readBytes: 0,
      onRead: undefined,
    };
    origin.open.add(connection);
    client.on('connect', () => {
      connection.served = 0;
    });
    client.on('disconnect', () => this.#forget(connection));
    return connection;
  }

  /** An idle connection has closed: it is not taken again, and nothing of it stays. */
  #forget(connection: Connection): void {
    const { origin } = connection;
    const at = origin.idle.indexOf(connection);
    if (at < 0) return;
    origin.idle.splice(at, 1);
    this.#end(connection);
  }

  #end(connection: Connection): void {
    const { origin } = connection;
    origin.open.delete(connection);
    connection.client.destroy().catch(() => {});
    const next = this.#closed ? undefined : origin.waiting.shift();
    if (next !== undefined) give(this.#open(origin), next.taker);
    else if (origin.open.size === 0) this.#origins.delete(origin.name);
  }
}

function give(connection: Connection, taker: Taker): void {
  connection.takenAtMs = performance.now();
  taker(connection);
}

/** A post that waits for a connection, until it may have one of its own. */
interface Waiting {
  taker: Taker;
  untilMs: number;
}

interface Origin {
  /** Scheme, host and port. */
  name: string;
  open: Set<Connection>;
  /** Of these, what serves nobody now; the one used last is taken first. */
  idle: Connection[];
  /** Posts that wait for one to come free, the longest first. */
  waiting: Waiting[];
  timer: NodeJS.Timeout | undefined;
  /** When one was given back last, and how long that post had it. */
  givenBackAtMs: number;
  heldMs: number;
}
