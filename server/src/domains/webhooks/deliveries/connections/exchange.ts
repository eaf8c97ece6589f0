import type { Client, Dispatcher } from 'undici';
import { type Answer, BodyStart, headersJson, noAnswer } from './answer.ts';
import type { AnswerReader, ReadListener } from './answer-reader.ts';
import { outcomeOfError } from './outcome.ts';
import type { SignedRequest } from './request.ts';

/** The connection that an exchange uses, alone. */
export interface ExchangeConnection {
  client: Client;
  /** Requests answered since it was opened. */
  served: number;
  /** IP address, once it is open. */
  address: string | undefined;
  /** Whether what the server answers may be kept. */
  keepsAnswers: boolean;
  reader: AnswerReader;
}

/** What came of one request over one connection. */
export interface Exchanged {
  answer: Answer;
  /** The connection can serve another request. */
  isReusable: boolean;
  /** The connection had been used before, and broke without one byte of an answer. */
  isStale: boolean;
}

/**
 * Bytes read for one answer at most: its headers (16 KiB at most), interim answers and the start of its body. Without
 * the limit a receiver that floods us, with interim answers for example, would keep us reading until the deadline.
 */
const maxReadBytes = 256 * 1024;

/**
 * Sends a request over a connection. The status alone decides the outcome, as soon as the headers arrive. Redirects are
 * never followed. At most 8 KiB of the answer's body are read. Never rejects.
 */
export function exchange(
  connection: ExchangeConnection,
  request: SignedRequest,
  timeoutMs: number,
): Promise<Exchanged> {
  return new Promise((resolve) => new Exchange(connection, resolve).begin(request, timeoutMs));
}

/** The handler that undici calls; its last call resolves the exchange. */
class Exchange implements Dispatcher.DispatchHandler, ReadListener {
  readonly #connection: ExchangeConnection;
  readonly #answer: Answer = { ...noAnswer };
  #resolve: ((exchanged: Exchanged) => void) | undefined;
  #body: BodyStart | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(connection: ExchangeConnection, resolve: (exchanged: Exchanged) => void) {
    this.#connection = connection;
    this.#resolve = resolve;
  }

  begin({ path, headers, body }: SignedRequest, timeoutMs: number): void {
    // Sockets are read before an immediate runs: an answer that arrived in time counts even if this process was frozen
    // then. A timer may fire a millisecond early.
    this.#deadline = setTimeout(() => setImmediate(() => this.#end()), timeoutMs + 1);
    this.#connection.reader.begin(this);
    try {
      this.#connection.client.dispatch({ method: 'POST', path, headers, body }, this);
    } catch (error) {
      this.#fail(error);
    }
  }

  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    if (this.#resolve === undefined) return;
    this.#answer.status = status;
    this.#answer.outcome = status < 300 ? 'ok' : 'http_status';
    const retryAfter = headers['retry-after'];
    if (typeof retryAfter === 'string') this.#answer.retryAfter = retryAfter;
    if (this.#connection.keepsAnswers) this.#answer.headersJson = headersJson(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body ??= new BodyStart();
    if (!this.#body.add(chunk)) this.#end();
  }

  onResponseEnd(): void {
    this.#connection.served++;
    this.#end({ isReusable: true });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: unknown): void {
    this.#fail(error);
  }

  read(bytes: number): void {
    if (bytes <= maxReadBytes || this.#resolve === undefined) return;
    if (this.#answer.status === undefined) this.#answer.outcome = 'protocol';
    this.#end();
  }

  #fail(error: unknown): void {
    if (this.#resolve === undefined) return;
    const { served, reader } = this.#connection;
    // Once the headers have arrived, the status has decided the outcome.
    const isAnswered = this.#answer.status !== undefined;
    if (!isAnswered) this.#answer.outcome = outcomeOfError(error);
    this.#end({ isStale: this.#answer.outcome === 'reset' && served > 0 && reader.bytes === 0 });
  }

  #end({ isReusable = false, isStale = false } = {}): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    clearTimeout(this.#deadline);
    this.#answer.address = this.#connection.address;
    if (this.#connection.keepsAnswers) this.#answer.body = this.#body?.bytes ?? null;
    resolve({ answer: this.#answer, isReusable, isStale });
  }
}
