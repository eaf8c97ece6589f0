import { moduleErrors } from './generated/errors.ts';
import { type BrokenRule, rule, sentenceOf } from './refusal-rules.ts';

/** What kind of refusal it is: `platform/http/refusal-reply.ts` maps kinds to HTTP statuses. */
export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'absent'
  | 'wrong_method'
  | 'conflict'
  | 'too_large'
  | 'unsupported'
  | 'unexpected'
  | 'mismatch'
  | 'too_many'
  | 'unavailable'
  | 'defect';

/** The error types that any part of the service may refuse with. */
const commonErrors = {
  invalid_request: 'invalid',
  malformed_json: 'invalid',
  credentials_missing: 'unauthenticated',
  credentials_invalid: 'unauthenticated',
  scope_missing: 'forbidden',
  role_missing: 'forbidden',
  second_factor_not_enrolled: 'forbidden',
  step_up_required: 'forbidden',
  address_not_allowed: 'forbidden',
  path_unknown: 'absent',
  record_not_found: 'absent',
  method_not_allowed: 'wrong_method',
  livemode_mismatch: 'conflict',
  body_too_large: 'too_large',
  not_json: 'unsupported',
  encoding_not_supported: 'unsupported',
  expectation_not_supported: 'unexpected',
  idempotency_mismatch: 'mismatch',
  too_many_attempts: 'too_many',
  too_many_requests: 'too_many',
  overloaded: 'unavailable',
  database_unavailable: 'unavailable',
  storage_full: 'unavailable',
  shutting_down: 'unavailable',
  internal_error: 'defect',
} as const satisfies Record<string, RefusalKind>;

/**
 * All error types of the API, each with its kind. Modules declare their own (`errors` in `module.ts`), and `npm run
 * docs` collects them; `docs/reference/errors.md` explains each type.
 */
export const refusalTypes = { ...commonErrors, ...moduleErrors } as const;
export type RefusalType = keyof typeof refusalTypes;

export interface RefusalFacts {
  /** The input field that is wrong, as the caller writes it: `amount`, `metadata.order`. */
  field?: string;
  /** Further facts for programs. Sent to the caller, with the rule and its values. */
  details?: Record<string, unknown>;
  /** Sent as Retry-After. */
  retryAfterSeconds?: number;
  /** The underlying error. Logged, never sent. */
  cause?: unknown;
}

/**
 * An error for the caller: a type for programs, a message for people, and a cause that stays private. The message is
 * the sentence of a rule, whose values are sent as `details`; or a text without values, if it is the only one of its
 * type.
 */
export class Refusal extends Error {
  readonly type: RefusalType;
  readonly field: string | undefined;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(type: RefusalType, message: string | BrokenRule, facts: RefusalFacts = {}) {
    const broken = typeof message === 'string' ? undefined : message;
    super(typeof message === 'string' ? message : sentenceOf(message, facts.field), { cause: facts.cause });
    this.name = 'Refusal';
    this.type = type;
    this.field = facts.field;
    this.details = broken === undefined ? facts.details : { rule: broken.rule, ...broken.values, ...facts.details };
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }

  get kind(): RefusalKind {
    return refusalTypes[this.type];
  }
}

/**
 * Whether the database or another part of this service is unavailable for now, so that the same work can succeed later.
 */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Refusal && error.kind === 'unavailable';
}

/** The value of a field is not valid. */
export function invalid(field: string, message: string | BrokenRule): Refusal {
  return new Refusal('invalid_request', message, { field });
}

/**
 * A record that does not exist and one of another tenant get the same refusal (docs/decisions/answers-and-errors.md).
 */
export function notFound(noun: string, id: string | number, field = 'id'): Refusal {
  return new Refusal('record_not_found', rule('not_found', { noun, id }), { field });
}
