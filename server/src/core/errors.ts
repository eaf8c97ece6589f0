/**
 * All error types of the API, each with its kind. `platform/http/refusal-reply.ts` maps kinds to HTTP statuses;
 * `docs/reference/errors.md` explains each type.
 */
export const refusalTypes = {
  invalid_request: 'invalid',
  malformed_json: 'invalid',
  currency_not_supported: 'invalid',
  password_too_weak: 'invalid',
  reset_token_invalid: 'invalid',
  old_password_wrong: 'invalid',
  code_wrong: 'invalid',
  passkey_wrong: 'invalid',
  challenge_invalid: 'invalid',
  webhook_address_forbidden: 'invalid',
  authorization_pending: 'invalid',
  slow_down: 'invalid',
  access_denied: 'invalid',
  expired_token: 'invalid',

  credentials_missing: 'unauthenticated',
  credentials_invalid: 'unauthenticated',
  login_refused: 'unauthenticated',
  second_factor_challenge: 'unauthenticated',
  callback_invalid: 'unauthenticated',

  scope_missing: 'forbidden',
  role_missing: 'forbidden',
  session_required: 'forbidden',
  second_factor_not_enrolled: 'forbidden',
  step_up_required: 'forbidden',
  address_not_allowed: 'forbidden',
  origin_not_allowed: 'forbidden',
  clocks_not_offered: 'forbidden',
  sandbox_disabled: 'forbidden',

  path_unknown: 'absent',
  record_not_found: 'absent',

  method_not_allowed: 'wrong_method',

  channel_inactive: 'conflict',
  channel_code_taken: 'conflict',
  channel_in_use: 'conflict',
  livemode_mismatch: 'conflict',
  account_taken: 'conflict',
  illegal_transition: 'conflict',
  not_refundable: 'conflict',
  refund_exceeds_payment: 'conflict',
  external_id_taken: 'conflict',
  invoice_not_payable: 'conflict',
  invoice_not_draft: 'conflict',
  payment_exceeds_invoice: 'conflict',
  invoice_payment_under_way: 'conflict',
  payment_method_unreadable: 'conflict',
  clock_under_way: 'conflict',
  last_administrator: 'conflict',
  second_factor_active: 'conflict',
  second_factor_absent: 'conflict',
  passkeys_unavailable: 'conflict',
  passkey_limit_reached: 'conflict',
  key_limit_reached: 'conflict',
  channel_limit_reached: 'conflict',
  view_limit_reached: 'conflict',
  key_inactive: 'conflict',
  webhook_inactive: 'conflict',
  webhook_limit_reached: 'conflict',
  no_secret_staged: 'conflict',
  replay_running: 'conflict',
  plan_in_use: 'conflict',
  plan_inactive: 'conflict',
  subscription_fixed: 'conflict',

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
  rendering_failed: 'unavailable',

  internal_error: 'defect',
} as const;

export type RefusalType = keyof typeof refusalTypes;
export type RefusalKind = (typeof refusalTypes)[RefusalType];

export interface RefusalFacts {
  /** The input field that is wrong, as the caller writes it: `amount`, `metadata.order`. */
  field?: string;
  /** Further facts for programs. Sent to the caller. */
  details?: Record<string, unknown>;
  /** Sent as Retry-After. */
  retryAfterSeconds?: number;
  /** The underlying error. Logged, never sent. */
  cause?: unknown;
}

/** An error for the caller: a type for programs, a message for people, and a cause that stays private. */
export class Refusal extends Error {
  readonly type: RefusalType;
  readonly field: string | undefined;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(type: RefusalType, message: string, facts: RefusalFacts = {}) {
    super(message, { cause: facts.cause });
    this.name = 'Refusal';
    this.type = type;
    this.field = facts.field;
    this.details = facts.details;
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
export function invalid(field: string, message: string): Refusal {
  return new Refusal('invalid_request', message, { field });
}

/**
 * A record that does not exist and one of another tenant get the same refusal (docs/decisions/answers-and-errors.md).
 */
export function notFound(noun: string, id: string | number, field = 'id'): Refusal {
  return new Refusal('record_not_found', `There is no ${noun} ${id}.`, { field });
}
