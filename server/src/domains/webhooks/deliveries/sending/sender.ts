import type { Dispatcher } from 'undici';
import type { AttemptOutcome } from '../rules.ts';
import type { Connection, Connections, ConnectionsOptions, TargetGuard } from './connections.ts';
import { outcomeOfError } from './outcome.ts';
import { BodyStart, headersJson } from './response.ts';

export interface SenderOptions extends ConnectionsOptions {
  /** One deadline for name lookup, connection, headers and body (interface, Delivery and retry: 10 s). */
  timeoutMs: number;
}

export interface SendRequest {
  /** Scheme, host and port. */
  origin: string;
  guard: TargetGuard;
  /**
   * Called once a connection is available, because signed bodies of all the deliveries that wait for one would fill the
   * memory. undefined: do not send.
   */
  write: () => SignedRequest | undefined;
}

export interface SignedRequest {
  path: string;
  /** Name, value, name, value, … */
  headers: string[];
  body: Buffer;
}

/** The answer to one delivery, or the reason why there was none. */
export interface SendResult {
  outcome: AttemptOutcome;
  /** Status of the answer; undefined: there was no answer. */
  status: number | undefined;
  retryAfter: string | undefined;
  /** Sent twice, because the receiver was closing the idle connection of the first request. */
  resent: boolean;
  /** IP address of the connection, if one was made. */
  address: string | undefined;
  /** Headers of the answer as JSON, where the answer may be kept. */
  headersJson: string | undefined;
  /** The first 8 KiB of the answer's body; null: it had none, or may not be kept. */
  body: Buffer | null;
  /** Includes making a connection, but not waiting for a free one. */
  durationMs: number;
}

/** The result when the deadline passes before anything is received. */
export const noAnswer: SendResult = {
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
 * Bytes read for one answer at most: its headers (16 KiB at most), interim answers and the start of its body. Without the
 * limit a receiver that floods us, with interim answers for example, would keep us reading until the deadline.
 */
const maxReadBytes = 256 * 1024;

/**
 * Sends deliveries over HTTP. The status alone decides the outcome, as soon as the headers arrive. Redirects are never
 * followed. At most 8 KiB of the answer's body are read.
 */
export class Sender {
  readonly #options: SenderOptions;
  #connections: Connections | undefined;
  #opening: Promise<Connections> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Never rejects. undefined: `write` returned nothing, so nothing was sent. */
  send(request: SendRequest): Promise<SendResult | undefined> {
    const connections = this.#connections;
    if (connections !== undefined) return this.#sendOver(connections, request);
    this.#opening ??= this.#open();
    return this.#opening.then((opened) => this.#sendOver(opened, request));
  }

  /** Closes every connection; requests in flight end as `reset`. */
  async close(): Promise<void> {
    const connections = await this.#opening;
    await connections?.close();
  }

  /** The HTTP client is loaded for the first delivery: it takes 8 MB. */
  async #open(): Promise<Connections> {
    const { Connections } = await import('./connections.ts');
    this.#connections = new Connections(this.#options);
    return this.#connections;
  }

  #sendOver(connections: Connections, { origin, guard, write }: SendRequest): Promise<SendResult | undefined> {
    return new Promise((resolve) => {
      connections.take(origin, guard, (connection) => {
        const request = write();
        if (request !== undefined) return this.#sendOn(connections, connection, request, resolve);
        connections.release(connection, connection.served > 0);
        resolve(undefined);
      });
    });
  }

  #sendOn(
    connections: Connections,
    connection: Connection,
    request: SignedRequest,
    resolve: (sent: SendResult) => void,
  ): void {
    const { timeoutMs } = this.#options;
    const startedAt = performance.now();
    const end = (sent: SendResult) => {
      sent.durationMs = performance.now() - startedAt;
      resolve(sent);
    };
    exchange(connections, request, connection, timeoutMs, ({ sent, isStale }) => {
      if (!isStale) return end(sent);
      // The receiver closed the idle connection while we sent, which is not a failure: send again at once instead of
      // waiting for a retry. Once, on a new connection, under the same ids and the same deadline.
      const leftMs = Math.max(1, startedAt + timeoutMs - performance.now());
      exchange(connections, request, connections.open(connection.origin), leftMs, (second) => {
        second.sent.resent = true;
        end(second.sent);
      });
    });
  }
}

function exchange(
  connections: Connections,
  request: SignedRequest,
  connection: Connection,
  timeoutMs: number,
  done: (exchange: Exchange) => void,
): void {
  new Exchange(connection, (exchange, isReusable) => {
    done(exchange);
    connections.release(connection, isReusable);
  }).begin(request, timeoutMs);
}

/** One request and its answer on one connection. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly sent: SendResult = { ...noAnswer };
  /** The connection had been used before and broke without one byte of an answer. */
  isStale = false;
  readonly #connection: Connection;
  #hasAnswer = false;
  readonly #readBytesBefore: number;
  readonly #body = new BodyStart();
  #deadline: NodeJS.Timeout | undefined;
  #done: ((exchange: Exchange, isReusable: boolean) => void) | undefined;

  /** `done` is called once, at the end, with whether the connection can serve another request. */
  constructor(connection: Connection, done: (exchange: Exchange, isReusable: boolean) => void) {
    this.#connection = connection;
    this.#readBytesBefore = connection.readBytes;
    connection.onRead = (totalBytes) => this.#read(totalBytes);
    this.#done = done;
  }

  begin({ path, headers, body }: SignedRequest, timeoutMs: number): void {
    this.#endAt(performance.now() + timeoutMs);
    try {
      this.#connection.client.dispatch({ method: 'POST', path, headers, body }, this);
    } catch (error) {
      this.#fail(error);
    }
  }

  onRequestStart(): void {}

  onResponseStarted(): void {
    this.#hasAnswer = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    if (status < 200 || this.#done === undefined) return;
    this.sent.status = status;
    this.sent.outcome = status < 300 ? 'ok' : 'http_status';
    const retryAfter = headers['retry-after'];
    if (typeof retryAfter === 'string') this.sent.retryAfter = retryAfter;
    if (this.#connection.keepsAnswers) this.sent.headersJson = headersJson(headers);
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

  /** Sets the deadline again when it fires early: timers count whole milliseconds. */
  #endAt(deadlineMs: number): void {
    const expire = () => {
      if (this.#done === undefined) return;
      if (performance.now() < deadlineMs) this.#endAt(deadlineMs);
      else this.#end(false);
    };
    // Sockets are read before an immediate runs: an answer that arrived in time counts even if this process was frozen then.
    this.#deadline = setTimeout(() => setImmediate(expire), Math.ceil(deadlineMs - performance.now()));
  }

  #read(totalBytes: number): void {
    if (this.#done === undefined || totalBytes - this.#readBytesBefore <= maxReadBytes) return;
    if (this.sent.status === undefined) this.sent.outcome = 'protocol';
    this.#end(false);
  }

  #fail(error: unknown): void {
    if (this.#done === undefined) return;
    // Once the headers have arrived, the status has decided the outcome.
    if (this.sent.status === undefined) {
      this.sent.outcome = outcomeOfError(error);
      this.isStale = this.sent.outcome === 'reset' && this.#connection.served > 0 && !this.#hasAnswer;
    }
    this.#end(false);
  }

  #end(isReusable: boolean): void {
    const done = this.#done;
    if (done === undefined) return;
    this.#done = undefined;
    clearTimeout(this.#deadline);
    this.sent.address = this.#connection.address;
    if (this.#connection.keepsAnswers) this.sent.body = this.#body.bytes;
    done(this, isReusable);
  }
}
