import type { LookupFunction } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { BodyStart, headersJson } from './answer.ts';
import { outcomeOfError } from './outcome.ts';
import type { AttemptOutcome } from './rules.ts';

export interface SenderOptions {
  /** One deadline over name lookup, connection, headers and body (interface, Delivery and retry: 10 s). */
  timeoutMs: number;
  /** Resolves and judges the addresses of a name; its answer is what is connected to. */
  lookup: LookupFunction;
  /** Further certificate authorities to trust, in PEM. */
  ca?: string;
}

export interface Post {
  origin: string;
  path: string;
  /** Names and values by turns. */
  headers: string[];
  body: Buffer;
}

/** What came of one post. */
export interface Sent {
  outcome: AttemptOutcome;
  /** The answer's status, where there was an answer. */
  status: number | undefined;
  retryAfter: string | undefined;
  /** It was posted twice: the first went to a connection that the receiver was just closing. */
  resent: boolean;
  /** The address that was connected to, where there was a connection. */
  address: string | undefined;
  /** The answer's headers, where there was an answer. */
  headersJson: string | undefined;
  /** The first 8 KiB of its body; null when there was none. */
  body: Buffer | null;
}

/** What is left of a post when its time is up before anything has come back. */
export const unanswered: Sent = {
  outcome: 'timeout',
  status: undefined,
  retryAfter: undefined,
  resent: false,
  address: undefined,
  headersJson: undefined,
  body: null,
};

/** A little shorter than the 5 s of usual servers, or we post to connections that are being closed. */
const keepAliveMs = 4_000;
/** A receiver may ask for longer by a Keep-Alive header, up to this. */
const longestKeepAliveMs = 60_000;
/**
 * Read of an answer in all: its headers (16 KiB at most), interim answers before them, and the beginning of its body. Who
 * pours out more, in a way that adds to none of these, would have us do nothing but read for the whole deadline.
 */
const maximumReadBytes = 256 * 1024;

/**
 * Posts deliveries. The status decides, when the headers arrive; redirects are answers like any other and are never
 * followed; of the body at most 8 KiB are read.
 *
 * Connections are kept by origin, each a client of its own that serves one post at a time: so it is known exactly
 * whether a connection that broke had served before, and a deadline ends everything that belongs to its post. A pool
 * of undici's would hide which connection served, and be no faster.
 */
export class Sender {
  readonly #timeoutMs: number;
  readonly #connect: buildConnector.connector;
  readonly #idle = new Map<string, Connection[]>();
  readonly #busy = new Set<Connection>();

  constructor({ timeoutMs, lookup, ca }: SenderOptions) {
    this.#timeoutMs = timeoutMs;
    // One connector for all: it keeps TLS sessions, so that a second connection to an origin shakes hands faster.
    this.#connect = buildConnector({
      lookup,
      timeout: timeoutMs,
      allowH2: false,
      ...(ca !== undefined && { ca }),
    } as never);
  }

  /** Posts, and says what came of it. Never fails. */
  send(post: Post): Promise<Sent> {
    const endsAt = performance.now() + this.#timeoutMs;
    return new Promise((resolve) => {
      this.#exchange(post, this.#idleConnection(post.origin), this.#timeoutMs, (first) => {
        if (!first.stale) return resolve(first.sent);
        // The receiver closed an idle connection while we posted, and has sent no byte of an answer: nobody is to
        // blame, and a minute's wait would be a minute lost. Once, on a new connection, under the same ids and the
        // same deadline.
        const leftMs = Math.max(1, endsAt - performance.now());
        this.#exchange(post, undefined, leftMs, (second) => resolve({ ...second.sent, resent: true }));
      });
    });
  }

  /** Cuts every connection; posts in flight end as `reset`. */
  async close(): Promise<void> {
    const connections = [...this.#busy, ...[...this.#idle.values()].flat()];
    await Promise.all(connections.map(({ client }) => client.destroy()));
  }

  #exchange(post: Post, kept: Connection | undefined, timeoutMs: number, done: (exchange: Exchange) => void): void {
    const connection = kept ?? this.#newConnection(post.origin);
    this.#busy.add(connection);
    new Exchange(connection, (exchange, reusable) => {
      this.#busy.delete(connection);
      if (reusable && !connection.client.destroyed) this.#keep(connection);
      else void connection.client.destroy().catch(() => {});
      done(exchange);
    }).begin(post, timeoutMs);
  }

  #idleConnection(origin: string): Connection | undefined {
    return this.#idle.get(origin)?.pop();
  }

  #keep(connection: Connection): void {
    const idle = this.#idle.get(connection.origin);
    if (idle === undefined) this.#idle.set(connection.origin, [connection]);
    else idle.push(connection);
  }

  #newConnection(origin: string): Connection {
    const client = new Client(origin, {
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
      // The exchange's own deadline ends it; undici's are coarse, and its body timeout never ends a drip.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection: Connection = { origin, client, served: 0, address: undefined, readBytes: 0, onRead: undefined };
    client.on('connect', () => {
      connection.served = 0;
    });
    client.on('disconnect', () => this.#forget(connection));
    return connection;
  }

  /** An idle connection has closed: it is not taken again, and nothing of it stays. */
  #forget(connection: Connection): void {
    const idle = this.#idle.get(connection.origin);
    const at = idle?.indexOf(connection) ?? -1;
    if (idle === undefined || at < 0) return;
    idle.splice(at, 1);
    if (idle.length === 0) this.#idle.delete(connection.origin);
    void connection.client.destroy().catch(() => {});
  }
}

interface Connection {
  origin: string;
  client: Client;
  /** Posts answered since it was opened. */
  served: number;
  address: string | undefined;
  /** Read of its socket since it was opened, and who wants to know when there is more. */
  readBytes: number;
  onRead: ((totalBytes: number) => void) | undefined;
}

/** One post and its answer on one connection. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly sent: Sent = { ...unanswered };
  /** Lost on a connection that had served before, without one byte of an answer. */
  stale = false;
  readonly #connection: Connection;
  #answered = false;
  readonly #readBefore: number;
  readonly #body = new BodyStart();
  #deadline: NodeJS.Timeout | undefined;
  #done: ((exchange: Exchange, reusable: boolean) => void) | undefined;

  /** `done` is told once when the exchange is over, with whether its connection can serve another. */
  constructor(connection: Connection, done: (exchange: Exchange, reusable: boolean) => void) {
    this.#connection = connection;
    this.#readBefore = connection.readBytes;
    connection.onRead = (totalBytes) => this.#read(totalBytes);
    this.#done = done;
  }

  begin({ path, headers, body }: Post, timeoutMs: number): void {
    // Sockets are read before an immediate runs: what came in time counts, though we stood still when it did.
    this.#deadline = setTimeout(() => setImmediate(() => this.#end(false)), timeoutMs);
    try {
      this.#connection.client.dispatch({ method: 'POST', path, headers, body }, this);
    } catch (error) {
      this.#fail(error);
    }
  }

  onRequestStart(): void {}

  onResponseStarted(): void {
    this.#answered = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    if (status < 200 || this.#done === undefined) return;
    this.sent.status = status;
    this.sent.outcome = status < 300 ? 'ok' : 'http_status';
    const retryAfter = headers['retry-after'];
    if (typeof retryAfter === 'string') this.sent.retryAfter = retryAfter;
    this.sent.headersJson = headersJson(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#body.add(chunk)) this.#end(false);
  }

  onResponseEnd(): void {
    this.#connection.served++;
    this.#end(true);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: unknown): void {
    this.#fail(error);
  }

  #read(totalBytes: number): void {
    if (this.#done === undefined || totalBytes - this.#readBefore <= maximumReadBytes) return;
    if (this.sent.status === undefined) this.sent.outcome = 'protocol';
    this.#end(false);
  }

  #fail(error: unknown): void {
    if (this.#done === undefined) return;
    // With the headers here the status has decided, and what broke afterwards changes nothing.
    if (this.sent.status === undefined) {
      this.sent.outcome = outcomeOfError(error);
      this.stale = this.sent.outcome === 'reset' && this.#connection.served > 0 && !this.#answered;
    }
    this.#end(false);
  }

  #end(reusable: boolean): void {
    const done = this.#done;
    if (done === undefined) return;
    this.#done = undefined;
    clearTimeout(this.#deadline);
    this.sent.address = this.#connection.address;
    this.sent.body = this.#body.bytes;
    done(this, reusable);
  }
}
