import { printable } from './printable.ts';

export interface ErrorFacts {
  /** A stable word for programs, such as `channel_inactive`. */
  type: string;
  /** The HTTP status; undefined if there was no response. */
  status?: number | undefined;
  requestId?: string | undefined;
  /** The input field that is wrong. */
  field?: string | undefined;
  details?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The same call can be retried: it may succeed, and does nothing twice. The SDK has already done so `maxRetries`
   * times.
   */
  retryable?: boolean;
  /** How long the service asks to wait before a retry. */
  retryAfterMs?: number | undefined;
  doc?: string | undefined;
  cause?: unknown;
}

/** The base of all errors. The class says how to react, `type` what exactly is wrong. */
export class FlorinError extends Error {
  readonly type: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly field: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** The address of the page that explains the type. Undefined for errors that are not from the service. */
  readonly doc: string | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.type = facts.type;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.field = facts.field;
    this.details = facts.details ?? {};
    this.retryable = facts.retryable ?? false;
    this.retryAfterMs = facts.retryAfterMs;
    this.doc = facts.doc;
  }
}

/** 401: no credentials, wrong ones, or expired or revoked ones. */
export class AuthenticationError extends FlorinError {}

/** 403: the caller lacks a permission. */
export class PermissionError extends FlorinError {
  /** The missing scope, if that is what is missing. */
  get scope(): string | undefined {
    return textOf(this.details.scope);
  }
}

/** 404: there is no such record, or it belongs to another tenant. */
export class NotFoundError extends FlorinError {}

/** 400, 413, 415: the request itself is wrong. */
export class ValidationError extends FlorinError {
  /** The messages by field. */
  get fields(): Readonly<Record<string, string>> {
    return this.field === undefined ? {} : { [this.field]: this.message };
  }
}

/** 409: the state of a record does not allow it. */
export class ConflictError extends FlorinError {}

/** 422: the Idempotency-Key was used before, with another body. */
export class IdempotencyError extends FlorinError {}

/** 429: too many requests or attempts; `retryAfterMs` says how long to wait. */
export class RateLimitError extends FlorinError {}

/** The service failed or is unavailable, or a proxy sent a response that is not Florin's. */
export class ApiError extends FlorinError {}

/** The service could not be reached, or the connection broke. */
export class ConnectionError extends FlorinError {}

/** No response within `timeoutMs`, or `waitFor` waited too long. */
export class TimeoutError extends ConnectionError {}

/** A webhook is not genuine, is too old, or was not passed in a form that can be verified. */
export class SignatureError extends FlorinError {}

const classes: Readonly<Record<number, typeof FlorinError>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  413: ValidationError,
  415: ValidationError,
  422: IdempotencyError,
  429: RateLimitError,
};

export interface RefusedAnswer {
  response: Response;
  text: string;
  /** A retry does nothing twice. */
  isRepeatable: boolean;
  baseUrl: string;
}

/** The error for a refusal of the service. */
export function refusalError({ response, text, isRepeatable, baseUrl }: RefusedAnswer): FlorinError {
  const { status, headers } = response;
  const envelope = parsed(text);
  const error = objectOf(envelope?.error);
  const type = textOf(error.type);
  const facts: ErrorFacts = {
    type: type ?? 'unexpected_answer',
    status,
    requestId: textOf(error.requestId) ?? headers.get('x-request-id') ?? undefined,
    field: textOf(error.field),
    details: objectOf(error.details),
    retryable: isTransient(status) && (isRepeatable || wasNotStarted(status, type)),
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
    doc: textOf(error.doc)?.replace(/^\//, `${baseUrl}/`),
  };
  const said = textOf(envelope?.message) ?? `HTTP ${status}, and not an answer of Florin: ${text.slice(0, 200)}`;
  return new (classes[status] ?? ApiError)(printable(said), facts);
}

const isTransient = (status: number) => status === 408 || status === 429 || status >= 500;

/** Refused before it did anything. */
const wasNotStarted = (status: number, type: string | undefined) => status === 429 || type === 'overloaded';

/** Seconds, or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const objectOf = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
