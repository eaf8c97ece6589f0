import Stripe from 'stripe';
import { type Failure, type FailureCode, failure, isRetriable } from '../failures.ts';
import type { Operation, Outcome } from '../provider.ts';

/**
 * Stripe's codes for a failed payment, by the code of our catalogue: the decline codes of
 * https://docs.stripe.com/declines/codes (cards first, then other payment methods), and those error codes of
 * https://docs.stripe.com/error-codes that a payment can get.
 */
const stripeCodes: Partial<Record<FailureCode, string>> = {
  card_declined:
    'approve_with_id call_issuer card_declined do_not_honor generic_decline no_action_taken not_permitted ' +
    'security_violation service_not_allowed testmode_decline transaction_not_allowed ' +
    'invalid_customer_account partner_generic_decline ' +
    'payment_intent_payment_attempt_failed payment_method_provider_decline refer_to_customer',
  // The issuer or the payer has withdrawn consent, or has just paid the same: an attempt at another provider would do
  // harm.
  declined_for_good:
    'do_not_try_again duplicate_transaction revocation_of_all_authorizations revocation_of_authorization ' +
    'stop_payment_order compliance_violation invalid_authorization invalid_billing_agreement payment_disputed ' +
    'debit_not_authorized payment_intent_mandate_invalid payment_method_customer_decline',
  insufficient_funds: 'insufficient_funds',
  limit_exceeded:
    'card_velocity_exceeded invalid_amount withdrawal_count_limit_exceeded payment_limit_exceeded ' +
    'card_decline_rate_limit_exceeded charge_exceeds_source_limit charge_exceeds_transaction_limit',
  expired_card: 'expired_card expired_payment_information expired_payment_method',
  invalid_card:
    'incorrect_address incorrect_cvc incorrect_number incorrect_pin incorrect_zip invalid_account invalid_cvc ' +
    'invalid_expiry_month invalid_expiry_year invalid_number invalid_pin new_account_information_available ' +
    'invalid_payment_information account_closed account_number_invalid bank_account_declined ' +
    'bank_account_restricted bank_account_unusable incorrect_postal_code no_account',
  lost_or_stolen: 'lost_card pickup_card restricted_card stolen_card',
  suspected_fraud: 'fraudulent merchant_blacklist partner_high_risk_customer',
  authentication_failed:
    'authentication_not_handled authentication_required mobile_device_authentication_required offline_pin_required ' +
    'online_or_offline_pin_required pin_try_exceeded authentication_failure payment_intent_action_required ' +
    'payment_intent_authentication_failure three_d_secure_authentication_not_supported',
  not_supported:
    'card_not_supported currency_not_supported invalid_business_account partner_action_not_supported ' +
    'recurring_not_supported_by_bank amount_too_large amount_too_small capability_not_active invalid_card_type ' +
    'invalid_charge_amount invalid_charge_amount_no_decimal_compatible ' +
    'payment_intent_incompatible_payment_method payment_method_currency_mismatch payment_method_unactivated ' +
    'payment_method_unsupported_type',
  payment_expired: 'payment_intent_payment_attempt_expired',
  processing_error:
    'issuer_not_available processing_error reenter_transaction try_again_later partner_payment_not_found ' +
    'payment_method_not_available payment_method_provider_timeout three_d_secure_authentication_upstream_error',
  credentials_refused:
    'account_invalid api_key_expired livemode_mismatch platform_account_required platform_api_key_expired ' +
    'secret_key_required testmode_charges_only tls_version_unsupported',
};

const failureCodeOf = new Map(
  Object.entries(stripeCodes).flatMap(([code, list]) =>
    list.split(' ').map((word) => [word, code as FailureCode] as const),
  ),
);

/** Why a payment failed, from an error or from `last_payment_error` of the intent. */
export interface StripeReason {
  code?: string | null;
  decline_code?: string | null;
  advice_code?: string | null;
  message?: string | null;
  param?: string | null;
}

export function decline(reason: StripeReason): Failure {
  return failureOf(reason, 'card_declined');
}

/**
 * The outcome of an operation whose request fails with this error. Only error objects of Stripe's API are definite
 * (https://docs.stripe.com/error-low-level). The outcome is unknown after any other error and after these:
 * - 409 (and `lock_timeout`): the same key or the object is in use at the moment.
 * - `idempotency_error`: the key was used before with other parameters.
 * - 424 and 5xx: indeterminate, according to the documentation.
 * A rate limit (429) comes before Stripe does anything (https://docs.stripe.com/rate-limits).
 */
export function outcomeOfError(error: unknown, kind: Operation['kind']): Outcome {
  if (!isStripeApiError(error) || error.code === 'lock_timeout') return unknown(error);
  if (error.rawType === 'idempotency_error') return unknown(error);
  const { statusCode: status, code, message } = error;
  switch (status) {
    case 400:
    case 402:
    case 404: {
      const why = failureOf({ ...error, message }, status === 402 ? 'card_declined' : 'invalid_operation');
      if (kind === 'CHARGE' || why.code === 'credentials_refused') return failed(why);
      return failed({ ...why, code: kind === 'REFUND' ? 'refund_refused' : 'invalid_operation' });
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

function failureOf(reason: StripeReason, fallbackCode: FailureCode): Failure {
  const { code, decline_code, advice_code, message, param } = reason;
  const known = failureCodeOf.get(decline_code ?? '') ?? failureCodeOf.get(code ?? '');
  const unspecific = param === 'amount' || param === 'currency' ? ('not_supported' as const) : fallbackCode;
  const why = failure(known ?? unspecific, decline_code || code || null, message || undefined);
  // https://docs.stripe.com/declines/card: the card's issuer will refuse this payment from any provider.
  return advice_code === 'do_not_try_again' && isRetriable(why) ? { ...why, code: 'declined_for_good' } : why;
}

/** https://docs.stripe.com/api/errors */
const errorTypes = ['api_error', 'card_error', 'idempotency_error', 'invalid_request_error'];

/** Whether this is an error object of Stripe's API, and not an answer of a proxy or a transport error. */
export function isStripeApiError(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof Stripe.errors.StripeError && errorTypes.includes(error.rawType ?? '');
}

function rateLimited({ code, headers }: Stripe.errors.StripeError): Outcome {
  const retryAfter = headers?.['retry-after'];
  return {
    kind: 'rate_limited',
    failure: failure('provider_unavailable', code ?? 'rate_limit'),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

function failed(failure: Failure): Outcome {
  return { kind: 'failed', failure };
}

function unknown(cause: unknown): Outcome {
  return { kind: 'unknown', cause };
}
