import type { Credentials, Tokens } from './credentials.ts';
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  FlorinError,
  refusalError,
  TimeoutError,
  ValidationError,
} from './errors.ts';
import { version } from './generated/operations.ts';
import type { GivenHeaders, Operation, Params, RawBody, Reply, WriteOptions } from './operation.ts';
import { printable } from './printable.ts';

export interface Logger {
  debug?(message: string, facts: Readonly<Record<string, unknown>>): void;
  warn?(message: string, facts: Readonly<Record<string, unknown>>): void;
}

export interface TransportOptions {
  baseUrl: string;
  timeoutMs: number;
  maxRetries: number;
  fetch: typeof fetch;
  logger: Logger | undefined;
  headers: GivenHeaders;
}

const firstDelayMs = 250;
const maxDelayMs = 8_000;
/** After a longer `Retry-After` the call rejects. */
const maxRetryAfterMs = 60_000;

/** Sends operations, retries those that may be retried, and turns refusals into errors. */
export class Transport {
  private readonly options: TransportOptions;
  private readonly credentials: Credentials;

  constructor(options: TransportOptions, credentials: Credentials) {
    this.options = options;
    this.credentials = credentials;
  }

  /** Rejects with a `FlorinError`, or with the reason of `options.signal`. */
  async send<Data>(operation: Operation, params: Params = {}, options: WriteOptions = {}): Promise<Reply<Data>> {
    const [method, , flags = ''] = operation;
    const isRepeatable = method === 'GET' || flags.includes('k');
    const request = this.requestFor(operation, params, options);
    const maxRetries = options.maxRetries ?? this.options.maxRetries;
    for (let retries = 0, hasRefreshed = false; ; ) {
      const used = operation === refreshOperation ? undefined : this.credentials.authorization;
      try {
        const reply = await this.try<Data>(request, used, isRepeatable, options);
        if (stepUps.has(operation[1])) this.credentials.replace((reply.data as StepUp).token);
        return reply;
      } catch (error) {
        if (!hasRefreshed && (await this.hasNewToken(error, used))) {
          hasRefreshed = true;
          continue;
        }
        const delayMs =
          error instanceof FlorinError && error.retryable ? delayBefore(retries, error.retryAfterMs) : null;
        if (delayMs === null || retries >= maxRetries) throw error;
        retries++;
        this.options.logger?.warn?.('Retrying a request', { ...request.facts, ...factsOf(error), retries, delayMs });
        await pause(delayMs, options.signal);
      }
    }
  }

  private requestFor(
    [method, path, flags = '']: Operation,
    params: Params,
    { idempotencyKey, headers }: WriteOptions,
  ): PreparedRequest {
    const isRaw = flags.includes('r');
    const takesKey = flags.includes('k');
    const isJson = method === 'POST' && !isRaw;
    const left: Record<string, unknown> = { ...params };
    if (isRaw) delete left.body;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
      const value = left[name];
      delete left[name];
      return encodeURIComponent(String(value));
    });
    const query = isJson ? '' : queryOf(left);
    return {
      url: this.options.baseUrl + filled + query,
      method,
      body: isJson ? JSON.stringify(left) : isRaw ? (params.body as RawBody) : undefined,
      headers: mergedHeaders(
        { ...userAgent, ...(isJson && { 'content-type': 'application/json' }) },
        takesKey && { 'idempotency-key': crypto.randomUUID() },
        this.options.headers,
        takesKey && idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey },
        headers,
      ),
      isDocument: flags.includes('d'),
      facts: { method, path: filled },
    };
  }

  private async try<Data>(
    { url, method, body, headers, isDocument, facts }: PreparedRequest,
    authorization: string | undefined,
    isRepeatable: boolean,
    { signal, timeoutMs = this.options.timeoutMs }: WriteOptions,
  ): Promise<Reply<Data>> {
    signal?.throwIfAborted();
    const sent = mergedHeaders(authorization !== undefined && { authorization }, headers);
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const startedAt = Date.now();
    let response: Response;
    let text = '';
    try {
      response = await this.options.fetch(url, {
        method,
        headers: sent,
        // A redirect would carry passwords and keys to another host. Some edge runtimes do not know `error`.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
        ...(body !== undefined && { body }),
      });
      if (!isDocument || !response.ok) text = await response.text();
    } catch (cause) {
      signal?.throwIfAborted();
      if (timeout.signal.aborted) {
        const message = `${method} ${facts.path} was not answered within ${timeoutMs} ms.`;
        throw new TimeoutError(message, { type: 'timeout', retryable: isRepeatable, cause });
      }
      const message = `${this.options.baseUrl} could not be reached: ${reasonOf(cause)}.`;
      throw new ConnectionError(message, { type: 'connection_failed', retryable: isRepeatable, cause });
    } finally {
      // A document may take longer, and its reader decides how long.
      clearTimeout(timer);
    }
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const durationMs = Date.now() - startedAt;
    this.options.logger?.debug?.('Request', { ...facts, status: response.status, durationMs, requestId });
    requireNoRedirect(response, this.options.baseUrl);
    if (!response.ok) {
      throw refusalError({ response, text, isRepeatable, baseUrl: this.options.baseUrl });
    }
    const { data, message, pagination } = isDocument ? { data: response as never } : envelopeOf<Data>(text, response);
    const replayed = response.headers.get('idempotency-replayed') === 'true';
    return { data, message, pagination, status: response.status, headers: response.headers, requestId, replayed };
  }

  /** After a 401, gets a new access token. Returns whether there is one. */
  private async hasNewToken(error: unknown, used: string | undefined): Promise<boolean> {
    const isExpired = error instanceof FlorinError && error.type === 'credentials_invalid';
    if (!isExpired || used === undefined) return false;
    const refreshing = this.credentials.refresh(used, async (refreshToken) => {
      const { data } = await this.send<Tokens>(refreshOperation, { refreshToken });
      return { accessToken: data.accessToken, refreshToken: data.refreshToken ?? refreshToken };
    });
    await refreshing.catch((failure) => {
      // The first refusal says more.
      if (!(failure instanceof AuthenticationError)) throw failure;
    });
    return this.credentials.authorization !== used;
  }
}

interface StepUp {
  token?: Tokens;
}

/** What steps a session up. In the strict profile the answers have new tokens, and the old ones stop working. */
const stepUps = new Set([
  '/api/user/step-up',
  '/api/user/step-up/passkey',
  '/api/user/second-factor/confirm',
  '/api/user/passkey/register',
]);

const refreshOperation: Operation = ['POST', '/api/user/refresh'];

/** Browsers send their own. */
const userAgent: Record<string, string> = 'document' in globalThis ? {} : { 'user-agent': `florin-sdk/${version}` };

interface PreparedRequest {
  url: string;
  method: string;
  body: RawBody | undefined;
  headers: Headers;
  isDocument: boolean;
  facts: { method: string; path: string };
}

/**
 * One header of each name: the later value replaces the earlier, whatever the case of the name. A value that is
 * undefined or null is not given. Without the check, `fetch` reports a wrong header like an outage, and quotes it.
 */
function mergedHeaders(...layers: readonly (GivenHeaders | false | undefined)[]): Headers {
  const merged = new Headers();
  try {
    for (const layer of layers) {
      for (const [name, value] of pairsIn(layer || {})) {
        if (value !== undefined && value !== null) merged.set(name, value);
      }
    }
  } catch {
    throw new ValidationError('A header or key cannot be sent.', { type: 'header_invalid' });
  }
  return merged;
}

const pairsIn = (headers: GivenHeaders): Iterable<readonly [string, string]> =>
  Symbol.iterator in headers ? (headers as Iterable<readonly [string, string]>) : Object.entries(headers);

/** Browsers hide where a redirect leads. */
function requireNoRedirect({ status, type, headers }: Response, baseUrl: string): void {
  const target = headers.get('location');
  if (type !== 'opaqueredirect' && (target === null || status < 300 || status > 399)) return;
  const to = target === null ? '' : ` to ${printable(target)}`;
  const message = `${baseUrl} redirects${to}, and redirects are not followed.`;
  throw new ApiError(message, { type: 'redirected', status });
}

interface Envelope<Data> {
  data: Data;
  message?: string;
  pagination?: Record<string, never>;
}

function envelopeOf<Data>(text: string, response: Response): Envelope<Data> {
  try {
    const envelope = JSON.parse(text) as Envelope<Data>;
    if ('data' in envelope) return envelope;
  } catch {
    // Not JSON.
  }
  const { status } = response;
  throw new ApiError(`HTTP ${status}, and not an answer of Florin: ${printable(text.slice(0, 200))}`, {
    type: 'unexpected_answer',
    status,
  });
}

/** An object becomes `metadata[order]=7`. */
function pairsOf(name: string, value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[name, String(value)]];
  return Object.entries(value).map(([key, inner]) => [`${name}[${key}]`, String(inner)]);
}

function queryOf(params: Params): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.flatMap(([name, value]) => pairsOf(name, value)))}`;
}

/** Exponential, half of it random, so that clients do not retry together. null: too long. */
function delayBefore(retries: number, askedMs: number | undefined): number | null {
  const ownMs = Math.min(maxDelayMs, firstDelayMs * 2 ** retries) * (0.5 + Math.random() / 2);
  const delayMs = Math.max(askedMs ?? 0, ownMs);
  return delayMs > maxRetryAfterMs ? null : Math.round(delayMs);
}

/** Rejects with the signal's reason when it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

const factsOf = (error: unknown) =>
  error instanceof FlorinError ? { type: error.type, requestId: error.requestId } : {};

/** The innermost cause: fetch itself says only "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause, code, message } = error as { cause?: unknown; code?: string; message?: string };
  return cause === undefined ? printable(message || code || String(error)).trim() : reasonOf(cause);
}
