import { createMollieClient, type MollieClient } from '@mollie/api-client';

/** Where and as whom a client speaks to Mollie, and until when. */
export interface MollieConnection {
  /** What stands before `/v2`: `https://api.mollie.com`, or a simulator. */
  root: string;
  apiKey: string;
  signal: AbortSignal;
}

/** Mollie's own no: a 4xx with the error object of its API. Everything else that goes wrong says nothing of what was done. */
export class MollieApiError extends Error {
  readonly status: number;
  readonly title: string;
  readonly field: string | undefined;

  constructor(status: number, title: string, detail: string, field: string | undefined) {
    super(detail);
    this.name = 'MollieRefused';
    this.status = status;
    this.title = title;
    this.field = field;
  }
}

/**
 * Mollie's library for one call: its requests, shapes and types, over a transport of ours. The library's own transport
 * cannot be used for money: it has no signal; it repeats a 5xx twice after whatever `Retry-After` says, which may be after
 * Mollie has forgotten the idempotency key and would then be a second refund; and it speaks TLS alone, so that no simulator
 * can stand in for Mollie. It offers no option for any of the three, so its one request function is replaced.
 */
export function mollieClient(line: MollieConnection): MollieClient {
  const client = createMollieClient({ apiKey: line.apiKey, apiEndpoint: `${line.root}/v2/` });
  const networkClient: unknown = innerNetworkClient(client);
  if (typeof networkClient !== 'object' || networkClient === null || !('request' in networkClient)) {
    throw new Error(
      '@mollie/api-client is built differently from version 4.6.0: it has no request function to replace.',
    );
  }
  networkClient.request = (path: string, request?: OutgoingRequest) => sendOnce(line, path, request);
  return client;
}

function innerNetworkClient({ payments }: MollieClient): unknown {
  const transforming: unknown = Reflect.get(payments, 'networkClient');
  return typeof transforming === 'object' && transforming !== null
    ? Reflect.get(transforming, 'networkClient')
    : undefined;
}

/** What the library hands to its transport. */
interface OutgoingRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** One attempt. Answers what the library expects: the parsed body, or true where there is none. */
async function sendOnce(
  { root, apiKey, signal }: MollieConnection,
  path: string,
  { method = 'GET', headers, body }: OutgoingRequest = {},
): Promise<unknown> {
  const response = await fetch(new URL(path, `${root}/v2/`), {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${apiKey}`,
      accept: 'application/hal+json',
      'content-type': 'application/json',
      'user-agent': 'Florin',
    },
    body: body ?? null,
    // A redirect would carry the key to wherever it points.
    redirect: 'manual',
    signal,
  });
  const text = await response.text();
  if (response.ok) return text === '' ? true : JSON.parse(text);
  throw apiErrorOf(response.status, text) ?? new Error(`Mollie answered with status ${response.status}.`);
}

function apiErrorOf(status: number, text: string): MollieApiError | undefined {
  if (status < 400 || status >= 500) return undefined;
  const error = jsonObject(text);
  // A proxy's page is not Mollie's word.
  if (typeof error?.title !== 'string' || error.status !== status) return undefined;
  const detail = singleLine(error.detail) ?? singleLine(error.title) ?? '';
  return new MollieApiError(status, singleLine(error.title) ?? '', detail, singleLine(error.field));
}

const maxTextCharacters = 300;

/** A text of Mollie's as it can be stored and shown: one line, well formed, of bounded length. */
export function singleLine(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, maxTextCharacters)
    .toWellFormed();
}

/** The object that a text of JSON holds; undefined where it holds none. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
