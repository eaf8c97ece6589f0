import type { Dispatcher } from 'undici';
import type { AttemptOutcome } from '../rules.ts';
import type { ReadListener } from './answer-reader.ts';
import type { Connection, Connections, ConnectionsOptions, TargetGuard } from './connections.ts';
import { Deadlines, type Expiring } from './deadlines.ts';
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

/** What is sent, and what is called at its end. */
export interface Posting extends SendRequest {
  /** Called once. undefined: `write` returned nothing, so nothing was sent. Must not throw. */
  ended: (sent: SendResult | undefined) => void;
}

/**
 * Sends deliveries over HTTP. The status alone decides the outcome, as soon as the headers arrive. Redirects are never
 * followed. At most 8 KiB of the answer's body are read.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #deadlines = new Deadlines();
  #connections: Connections | undefined;
  #opening: Promise<Connections> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Never rejects. undefined: `write` returned nothing, so nothing was sent. */
  send({ origin, guard, write }: SendRequest): Promise<SendResult | undefined> {
    return new Promise((ended) => this.post({ origin, guard, write, ended }));
  }

  /** As `send`, without a promise: a queue of deliveries that wait for a connection holds less memory. */
  post(posting: Posting): void {
    if (this.#connections === undefined) this.#openFor(posting);
    else this.#postOver(this.#connections, posting);
  }

  /** Closes every connection; requests in flight end as `reset`. */
  async close(): Promise<void> {
    const connections = await this.#opening;
    await connections?.close();
    this.#deadlines.close();
  }

  #openFor(posting: Posting): void {
    this.#opening ??= this.#open();
    this.#opening.then(
      (connections) => this.#postOver(connections, posting),
      () => {
        // Nothing was sent. The next delivery tries to load the client again.
        this.#opening = undefined;
        posting.ended(undefined);
      },
    );
  }

  /** The HTTP client is loaded for the first delivery: it takes 8 MB. */
  async #open(): Promise<Connections> {
    const { Connections } = await import('./connections.ts');
    this.#connections = new Connections(this.#options);
    return this.#connections;
  }

  #postOver(connections: Connections, posting: Posting): void {
    connections.take(posting.origin, posting.guard, (connection) => {
      const request = posting.write();
      if (request !== undefined) return this.#sendOn(connections, connection, request, posting);
      connections.release(connection, connection.served > 0);
      posting.ended(undefined);
    });
  }

  #sendOn(connections: Connections, connection: Connection, request: SignedRequest, posting: Posting): void {
    const { timeoutMs } = this.#options;
    const startedAt = performance.now();
    this.#exchange(connections, connection, request, startedAt + timeoutMs, ({ sent, isStale }) => {
      if (!isStale) return end(sent, startedAt, posting);
      // The receiver closed the idle connection while we sent, which is not a failure: send again at once instead of
      // waiting for a retry. Once, on a new connection, under the same ids and the same deadline.
      const deadlineMs = Math.max(performance.now() + 1, startedAt + timeoutMs);
      this.#exchange(connections, connections.open(connection.origin), request, deadlineMs, (second) => {
        second.sent.resent = true;
        end(second.sent, startedAt, posting);
      });
    });
  }

  #exchange(
    connections: Connections,
    connection: Connection,
    request: SignedRequest,
    deadlineMs: number,
    done: (exchange: Exchange) => void,
  ): void {
    const exchange = new Exchange(connection, deadlineMs, (isReusable) => {
      this.#deadlines.remove(exchange);
      // The next request is on its way while this one's result is handled.
      connections.release(connection, isReusable);
      done(exchange);
    });
    this.#deadlines.add(exchange);
    exchange.begin(request);
  }
}

function end(sent: SendResult, startedAt: number, posting: Posting): void {
  sent.durationMs = performance.now() - startedAt;
  posting.ended(sent);
}

/** One request and its answer on one connection. */
class Exchange implements Dispatcher.DispatchHandler, Expiring, ReadListener {
  readonly sent: SendResult = { ...noAnswer };
  readonly deadlineMs: number;
  previous: Expiring | undefined = undefined;
  next: Expiring | undefined = undefined;
  /** The connection had been used before and broke without one byte of an answer. */
  isStale = false;
  readonly #connection: Connection;
  #body: BodyStart | undefined = undefined;
  #done: ((isReusable: boolean) => void) | undefined;

  /** `done` is called once, at the end, with whether the connection can serve another request. */
  constructor(connection: Connection, deadlineMs: number, done: (isReusable: boolean) => void) {
    this.#connection = connection;
    this.deadlineMs = deadlineMs;
    this.#done = done;
    connection.reader.begin(this);
  }

  begin({ path, headers, body }: SignedRequest): void {
    try {
      this.#connection.client.dispatch({ method: 'POST', path, headers, body }, this);
    } catch (error) {
      this.#fail(error);
    }
  }

  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    if (this.#done === undefined) return;
    this.sent.status = status;
    this.sent.outcome = status < 300 ? 'ok' : 'http_status';
    const retryAfter = headers['retry-after'];
    if (typeof retryAfter === 'string') this.sent.retryAfter = retryAfter;
    if (this.#connection.keepsAnswers) this.sent.headersJson = headersJson(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body ??= new BodyStart();
    if (!this.#body.add(chunk)) this.#end(false);
  }

  onResponseEnd(): void {
    this.#connection.served++;
    this.#end(true);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: unknown): void {
    this.#fail(error);
  }

  expire(): void {
    this.#end(false);
  }

  read(bytes: number): void {
    if (this.#done === undefined || bytes <= maxReadBytes) return;
    if (this.sent.status === undefined) this.sent.outcome = 'protocol';
    this.#end(false);
  }

  #fail(error: unknown): void {
    if (this.#done === undefined) return;
    // Once the headers have arrived, the status has decided the outcome.
    if (this.sent.status === undefined) {
      this.sent.outcome = outcomeOfError(error);
      const { served, reader } = this.#connection;
      this.isStale = this.sent.outcome === 'reset' && served > 0 && reader.bytes === 0;
    }
    this.#end(false);
  }

  #end(isReusable: boolean): void {
    const done = this.#done;
    if (done === undefined) return;
    this.#done = undefined;
    this.sent.address = this.#connection.address;
    if (this.#connection.keepsAnswers) this.sent.body = this.#body?.bytes ?? null;
    done(isReusable);
  }
}
