/** A refusal of the service, or a failure to reach it (`type` is then `unreachable`). */
export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly field: string | undefined;
  readonly details: Record<string, unknown>;
  readonly requestId: string | undefined;

  constructor(message: string, facts: { status: number; type: string } & Partial<RefusedBody['error']>) {
    super(message);
    this.name = 'ApiError';
    this.status = facts.status;
    this.type = facts.type;
    this.field = facts.field;
    this.details = facts.details ?? {};
    this.requestId = facts.requestId;
  }
}

export interface Page {
  page: number;
  pageSize: number;
  total: number;
  totalPages: number;
}

export interface CursorPage {
  pageSize: number;
  nextCursor: string | null;
}

/** The envelope of every answer. */
export interface Reply<Data> {
  data: Data;
  message?: string;
  pagination?: Page & CursorPage;
}

interface RefusedBody {
  message: string;
  error: { type: string; field?: string; details?: Record<string, unknown>; requestId?: string };
}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Only the console's own script sends this header; the service refuses changes without it. */
const ownHeaders = { 'x-florin-console': '1' };

export function addressOf(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search === '' ? path : `${path}?${search}`;
}

export function get<Data>(path: string, query?: Query, signal?: AbortSignal): Promise<Reply<Data>> {
  return call<Data>(addressOf(path, query), { method: 'GET', signal: signal ?? null });
}

/** `idempotencyKey`: for what must not happen twice, whatever the connection does. */
export function post<Data>(path: string, body: unknown = {}, idempotencyKey?: string): Promise<Reply<Data>> {
  return call<Data>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) },
    body: JSON.stringify(body),
  });
}

async function call<Data>(address: string, init: RequestInit): Promise<Reply<Data>> {
  const response = await fetch(address, {
    ...init,
    headers: { ...ownHeaders, ...init.headers },
    credentials: 'same-origin',
  }).catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError('The service cannot be reached.', { status: 0, type: 'unreachable' });
  });
  const body = (await response.json().catch(() => undefined)) as Reply<Data> | RefusedBody | undefined;
  if (body === undefined)
    throw new ApiError(`HTTP ${response.status}`, { status: response.status, type: 'unreadable' });
  if ('error' in body) throw new ApiError(body.message, { status: response.status, ...body.error });
  return body;
}
