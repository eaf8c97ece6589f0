import Stripe from 'stripe';
import type { DisputeOperation } from '../dispute.ts';
import { type Failure, type FailureCode, failure, mayFallBack } from '../failures.ts';
import type { Outcome } from '../outcome.ts';
import type { DetachOperation, Operation, SetupOperation } from '../provider.ts';
import { failureCodeOf, refusalCodeOf } from './error-codes.ts';

/** Why a payment failed, from an error or from `last_payment_error` of the intent. */
export interface StripeReason {
  code?: string | null;
  decline_code?: string | null;
  advice_code?: string | null;
  message?: string | null;
  param?: string | null;
}

/** Why the issuer, the bank or the payer refused a payment. */
export function decline({ code, decline_code, advice_code, message }: StripeReason): Failure {
  const known = failureCodeOf(decline_code) ?? failureCodeOf(code) ?? 'card_declined';
  const why = failure(known, decline_code || code || null, message || undefined);
  // https://docs.stripe.com/declines/card: the card's issuer will refuse this payment from any provider.
  return advice_code === 'do_not_try_again' && mayFallBack(why) ? { ...why, code: 'declined_for_good' } : why;
}

export type OperationKind = (Operation | SetupOperation | DetachOperation | DisputeOperation)['kind'];
export type ErrorOutcome = Extract<Outcome, { kind: 'failed' | 'rate_limited' | 'unknown' }>;

/** What a refusal means that is not of a payer. */
const codesOfRefusals: Partial<Record<OperationKind, FailureCode>> = {
  REFUND: 'refund_refused',
  CAPTURE: 'capture_failed',
};

/**
 * The outcome of an operation whose request fails with this error. Only error objects of Stripe's API are definite
 * (https://docs.stripe.com/error-low-level). The outcome is unknown after any other error and after these:
 * - 409 (and `lock_timeout`): the same key or the object is in use at the moment.
 * - `idempotency_error`: the key was used before with other parameters.
 * - 424 and 5xx: indeterminate, according to the documentation.
 * A rate limit (429) comes before Stripe does anything (https://docs.stripe.com/rate-limits).
 */
export function outcomeOfError(error: unknown, kind: OperationKind): ErrorOutcome {
  if (!isStripeApiError(error) || error.code === 'lock_timeout') return unknown(error);
  if (error.rawType === 'idempotency_error') return unknown(error);
  const { statusCode: status, code } = error;
  switch (status) {
    case 400:
    case 402:
    case 404: {
      const why = isDecline(error) ? decline({ ...error, message: error.message }) : refusal(error);
      if (kind === 'CHARGE' || kind === 'SETUP' || why.code === 'credentials_refused') return failed(why);
      return failed({ ...why, code: codesOfRefusals[kind] ?? 'invalid_operation' });
    }
    case 401:
    case 403:
      return failed(failure('credentials_refused', code ?? null));
    case 429:
      return rateLimited(error);
    default:
      return unknown(error);
  }
}

/**
 * Whether the issuer, the bank or the payer refused. Any other refusal is one of our request, although Stripe attaches
 * the intent to many of them and uses some codes of declines for both.
 */
export function isDecline(error: Stripe.errors.StripeError): boolean {
  return error.statusCode === 402 && error.rawType === 'card_error';
}

/** Why Stripe refused our request. */
export function refusal({ code, param, message }: StripeReason): Failure {
  const isOfMoney = param === 'amount' || param === 'currency';
  const known = refusalCodeOf(code) ?? (isOfMoney ? 'not_supported' : 'invalid_operation');
  return failure(known, code || null, message || undefined);
}

/** https://docs.stripe.com/api/errors */
const errorTypes = ['api_error', 'card_error', 'idempotency_error', 'invalid_request_error'];

/** Whether this is an error object of Stripe's API, and not an answer of a proxy or a transport error. */
export function isStripeApiError(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof Stripe.errors.StripeError && errorTypes.includes(error.rawType ?? '');
}

function rateLimited({ code, headers }: Stripe.errors.StripeError): ErrorOutcome {
  const retryAfter = headers?.['retry-after'];
  return {
    kind: 'rate_limited',
    failure: failure('provider_unavailable', code ?? 'rate_limit'),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

function failed(failure: Failure): ErrorOutcome {
  return { kind: 'failed', failure };
}

function unknown(cause: unknown): ErrorOutcome {
  return { kind: 'unknown', cause };
}
