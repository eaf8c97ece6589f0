import type { FastifyError } from 'fastify';
import { Refusal, type RefusalKind, type RefusalType } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';
import { maximumBodyBytes } from './json-body.ts';

/** The HTTP status of each kind of refusal (docs/decisions/answers-and-errors.md). */
const statusOfKind: Record<RefusalKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  absent: 404,
  wrong_method: 405,
  conflict: 409,
  too_large: 413,
  unsupported: 415,
  unexpected: 417,
  mismatch: 422,
  too_many: 429,
  unavailable: 503,
  defect: 500,
};

export function statusOf(refusal: Refusal): number {
  return statusOfKind[refusal.kind];
}

/** Where the node that answers serves the paragraph about an error type. */
export const documentationOf = (type: RefusalType) => `/docs/errors#${type}`;

/** The body of a refusal; `code` equals the HTTP status. */
export function refusalBody(refusal: Refusal, requestId: string): string {
  const { type, field, details } = refusal;
  return JSON.stringify({
    code: statusOf(refusal),
    message: refusal.message,
    data: null,
    error: { type, field, details, requestId, doc: documentationOf(type) },
  });
}

/** Converts anything thrown to the refusal for the caller. An unexpected error becomes `internal_error`. */
export function toRefusal(error: unknown, bodyLimit: number = maximumBodyBytes): Refusal {
  if (error instanceof Refusal) return error;
  const { code, statusCode, message } = error as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Refusal('body_too_large', rule('body_size', { limit: bodyLimit / 1024 }));
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Refusal('not_json', rule('body_must_be_json'));
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Refusal('invalid_request', rule('unreadable_request', { reason: message }), { cause: error });
  }
  return new Refusal('internal_error', 'Something went wrong here. Please report the request id.', { cause: error });
}
