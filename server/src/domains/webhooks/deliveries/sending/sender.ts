import type { Dispatcher } from 'undici';
import { outcomeOfError } from '../recording/outcome.ts';
import type { AttemptOutcome } from '../rules.ts';
import { type Connection, Connections, type ConnectionsOptions } from './connections.ts';
import { BodyStart, headersJson } from './response.ts';

export interface SenderOptions extends ConnectionsOptions {
  /** One deadline over name lookup, connection, headers and body (interface, Delivery and retry: 10 s). */
  timeoutMs: number;
}

/** What is to be posted. */
export interface Outgoing {
  /** Scheme, host and port. */
  origin: string;
  /** Called when there is a connection: many wait for one, and what is written early is in the way. undefined: do not send. */
  write: () => Post | undefined;
}

export interface Post {
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
  /** From when it had a connection, or began to make one, until it was over. */
  durationMs: number;
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
  durationMs: 0,
};

/**
 * Read of an answer in all: its headers (16 KiB at most), interim answers before them, and the beginning of its body. Who
 * pours out more, in a way that adds to none of these, would have us do nothing but read for the whole deadline.
 */
const maximumReadBytes = 256 * 1024;

/**
 * Posts deliveries. The status decides, when the headers arrive; redirects are answers like any other and are never
 * followed; of the body at most 8 KiB are read.
 */
export class Sender {
  readonly #timeoutMs: number;
  readonly #connections: Connections;

  constructor(options: SenderOptions) {
    this.#timeoutMs = options.timeoutMs;
    this.#connections = new Connections(options);
  }

  /** Posts, and says what came of it. Never fails. undefined: nothing was sent, since nothing was to be written any more. */
  send({ origin, write }: Outgoing): Promise<Sent | undefined> {
    return new Promise((resolve) => {
      this.#connections.take(origin, (connection) => {
        const post = write();
        if (post !== undefined) return this.#begin(post, connection, resolve);
        this.#connections.giveBack(connection, connection.served > 0);
        resolve(undefined);
      });
    });
  }

  /** Cuts every connection; posts in flight end as `reset`. */
  close(): Promise<void> {
    return this.#connections.close();
  }

  #begin(post: Post, connection: Connection, resolve: (sent: Sent) => void): void {
    const startedAt = performance.now();
    const end = (sent: Sent) => {
      sent.durationMs = performance.now() - startedAt;
      resolve(sent);
    };
    this.#exchange(post, connection, this.#timeoutMs, ({ sent, stale }) => {
      if (!stale) return end(sent);
      // The receiver closed an idle connection while we posted, and has sent no byte of an answer: nobody is to
      // blame, and a minute's wait would be a minute lost. Once, on a new connection, under the same ids and the
      // same deadline.
      const leftMs = Math.max(1, startedAt + this.#timeoutMs - performance.now());
      this.#exchange(post, this.#connections.fresh(connection.origin.name), leftMs, (second) => {
        second.sent.resent = true;
        end(second.sent);
      });
    });
  }

  #exchange(post: Post, connection: Connection, timeoutMs: number, done: (exchange: Exchange) => void): void {
    new Exchange(connection, (exchange, isReusable) => {
      done(exchange);
      this.#connections.giveBack(connection, isReusable);
    }).begin(post, timeoutMs);
  }
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
    this.#endAt(performance.now() + timeoutMs);
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

  /** Timers count in whole milliseconds, and so may end by almost one too early. */
  #endAt(deadlineMs: number): void {
    const expire = () => {
      if (this.#done === undefined) return;
      if (performance.now() < deadlineMs) this.#endAt(deadlineMs);
      else this.#end(false);
    };
    // Sockets are read before an immediate runs: what came in time counts, though we stood still when it did.
    this.#deadline = setTimeout(() => setImmediate(expire), Math.ceil(deadlineMs - performance.now()));
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
