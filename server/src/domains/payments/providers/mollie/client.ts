import { createMollieClient, type MollieClient } from '@mollie/api-client';
import { failure } from '../failures.ts';
import { fetchOnce } from '../fetch-once.ts';
import type { Call } from '../provider.ts';
import { singleLine } from '../redaction.ts';

export interface MollieConnection {
  /** The address before `/v2`: `https://api.mollie.com`, or a simulator's. */
  root: string;
  apiKey: string;
  signal: AbortSignal;
}

/**
 * A 4xx or a 503 with an error object of Mollie's API. After any other error it is unknown whether Mollie executed the
 * request.
 */
export class MollieApiError extends Error {
  readonly status: number;
  readonly title: string;
  readonly field: string | undefined;
  /** The value of the header `Retry-After`. */
  readonly retryAfter: string | undefined;

  constructor({ status, title, detail, field, retryAfter }: MollieApiErrorFacts) {
    super(detail);
    this.name = 'MollieRefused';
    this.status = status;
    this.title = title;
    this.field = field;
    this.retryAfter = retryAfter;
  }
}

interface MollieApiErrorFacts extends Pick<MollieApiError, 'status' | 'title' | 'field' | 'retryAfter'> {
  detail: string;
}

/**
 * Mollie's library for one call, with its transport replaced. The library's own transport is unsafe for payments, and
 * cannot be configured otherwise:
 * - It takes no abort signal.
 * - It repeats a 5xx twice, after the delay of `Retry-After`. Mollie may have forgotten the idempotency key by then, so
 *   this could refund twice.
 * - It only supports TLS, so tests could not use a simulator.
 */
export function mollieClient(connection: MollieConnection): MollieClient {
  const client = createMollieClient({ apiKey: connection.apiKey, apiEndpoint: `${connection.root}/v2/` });
  const networkClient: unknown = innerNetworkClient(client);
  if (typeof networkClient !== 'object' || networkClient === null || !('request' in networkClient)) {
    throw new Error(
      '@mollie/api-client is built differently from version 4.6.0: it has no request function to replace.',
    );
  }
  networkClient.request = (path: string, request?: OutgoingRequest) => sendOnce(connection, path, request);
  return client;
}

/** Mollie's library for a call, with the channel's key. Throws if the channel has no key of Mollie. */
export function clientFor({ credentials, signal }: Call, root: string): MollieClient {
  if (!isApiKey(credentials.apiKey)) throw new Error('The channel has no API key of Mollie.');
  return mollieClient({ root, apiKey: credentials.apiKey, signal });
}

export const missingApiKey = {
  kind: 'failed' as const,
  failure: failure('credentials_refused', null, "The channel's apiKey is not a key of Mollie: test_… or live_…."),
};

/** Also rejects text that cannot be a header value: the error about it would quote the key. */
export function isApiKey(apiKey: string | null): apiKey is string {
  return apiKey !== null && /^(?:test|live)_\w{1,200}$/.test(apiKey);
}

function innerNetworkClient({ payments }: MollieClient): unknown {
  const transforming: unknown = Reflect.get(payments, 'networkClient');
  return typeof transforming === 'object' && transforming !== null
    ? Reflect.get(transforming, 'networkClient')
    : undefined;
}

/** A request as the library passes it to its transport. */
interface OutgoingRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request. Resolves to what the library expects: the parsed body, or true for an empty one. */
async function sendOnce(
  { root, apiKey, signal }: MollieConnection,
  path: string,
  { method = 'GET', headers, body }: OutgoingRequest = {},
): Promise<unknown> {
  const response = await fetchOnce(new URL(path, `${root}/v2/`), {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${apiKey}`,
      accept: 'application/hal+json',
      'content-type': 'application/json',
      'user-agent': 'Florin',
    },
    body: body ?? null,
    // Following a redirect would send the API key to another host.
    redirect: 'manual',
    signal,
  });
  const text = await response.text();
  if (response.ok) return text === '' ? true : JSON.parse(text);
  throw apiErrorOf(response, text) ?? new Error(`Mollie answered with status ${response.status}.`);
}

function apiErrorOf({ status, headers }: Response, text: string): MollieApiError | undefined {
  if (status !== 503 && (status < 400 || status >= 500)) return undefined;
  const error = jsonObject(text);
  // Any other body comes from a proxy.
  if (typeof error?.title !== 'string' || error.status !== status) return undefined;
  const detail = textOf(error.detail) ?? textOf(error.title) ?? '';
  return new MollieApiError({
    status,
    title: textOf(error.title) ?? '',
    detail,
    field: textOf(error.field),
    retryAfter: headers.get('retry-after') ?? undefined,
  });
}

/** A field that should be text. The library's types are not checked at run time. */
export function textOf(field: unknown): string | undefined {
  return typeof field === 'string' ? singleLine(field) : undefined;
}

/** Parses a JSON object. Undefined if the text is not one. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
