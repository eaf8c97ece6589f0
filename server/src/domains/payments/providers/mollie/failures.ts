import { type Failure, type FailureCode, failure } from '../failures.ts';
import type { Outcome } from '../outcome.ts';
import type { Operation } from '../provider.ts';
import type { MollieApiError } from './client.ts';
import { bankReasons, failureReasons, statusReasons } from './vocabulary.ts';

/** For reasons that the catalogue's message does not fit. */
const messageOfReason: Record<string, string> = {
  inactive_card: 'The card is not active.',
  invalid_card_holder_name: "The name of the card's holder is wrong.",
  MS03: "The payer's bank gives no reason.",
};

/** Why a payment whose status is `failed` did not succeed. */
export function paymentFailure(reason: string | null): Failure {
  const code = reason === null ? undefined : codeOfReason(reason);
  return code === undefined
    ? failure('processing_error', reason)
    : failure(code, reason, messageOfReason[reason ?? '']);
}

function codeOfReason(reason: string): FailureCode | undefined {
  if (Object.hasOwn(failureReasons, reason)) return failureReasons[reason];
  if (Object.hasOwn(bankReasons, reason)) return bankReasons[reason];
  const code = Object.hasOwn(statusReasons, reason) ? statusReasons[reason] : undefined;
  return typeof code === 'string' ? code : undefined;
}

/**
 * Whether Mollie may refuse an operation because an earlier call, whose answer was lost, has already carried it out.
 * Florin then searches Mollie's lists before it treats the operation as failed:
 * - 400: the key was used with other parameters.
 * - 422 and 409 for a refund: nothing is left to refund, or Mollie sees a duplicate, because the refund exists already
 *   and Mollie has forgotten its key.
 * - 422 for a capture or a release: it was made, or the payment was released, before.
 * - 503 for a charge: the method is unavailable. That Mollie has made no payment is what its lists have to say.
 * - 422 for a charge of a kept method: the refusal of a card may come with a payment that nevertheless exists
 *   (https://github.com/mollie/mollie-api-php/issues/745).
 */
export function mayFollowLostCall(error: MollieApiError, operation: Operation): boolean {
  const { kind } = operation;
  if (kind === 'CANCEL') return false;
  if (kind === 'CHARGE' && error.status === 503) return true;
  if (kind === 'CHARGE' && operation.method !== null && error.status === 422) return true;
  if (kind !== 'CHARGE' && error.status === 422) return true;
  return error.status === 400 || (kind === 'REFUND' && isDuplicateRefund(error));
}

/**
 * The outcome of an operation whose first call is answered with an error object of Mollie. Most of them mean that
 * Mollie did nothing. These do not, so the outcome is unknown and a look-up decides: 408 and 425, a time limit on the
 * way, 409, a request with the same key is in progress, and 503 unless it means that a method is unavailable. A rate
 * limit (429) comes before Mollie does anything.
 */
export function outcomeOfApiError(error: MollieApiError, kind: Kind): Refused {
  const { status, title, field, message: detail } = error;
  const failed = (code: FailureCode, message?: string): Refused => ({
    kind: 'failed',
    failure: failure(code, title, message),
  });
  if (status === 408 || status === 425) return { kind: 'unknown', cause: error };
  if (status === 409 && !isDuplicateRefund(error)) return { kind: 'unknown', cause: error };
  if (status === 429) return rateLimited(error);
  if (status === 503)
    return kind === 'CHARGE' ? failed('provider_unavailable', detail) : { kind: 'unknown', cause: error };
  if (status === 401 || status === 403) return failed('credentials_refused');
  if (kind === 'REFUND') return failed('refund_refused', detail);
  if (kind === 'CAPTURE') return failed('capture_failed', detail);
  if (kind === 'SETUP' && field === 'consumerAccount') return failed('account_closed', detail);
  const isRefused = (kind === 'CHARGE' || kind === 'SETUP') && isOfPayment(field, detail);
  return failed(isRefused ? 'not_supported' : 'invalid_operation', detail);
}

type Kind = Operation['kind'] | 'SETUP' | 'DETACH';
type Refused = Extract<Outcome, { kind: 'failed' | 'rate_limited' | 'unknown' }>;

export function rateLimited({ title, retryAfter }: MollieApiError): Extract<Outcome, { kind: 'rate_limited' }> {
  return {
    kind: 'rate_limited',
    failure: failure('provider_unavailable', title),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

/** Mollie refuses a refund if one of the same amount and payment was made shortly before, whatever its key. */
function isDuplicateRefund({ status, message }: MollieApiError): boolean {
  return status === 409 && /duplicate/i.test(message);
}

/** Whether Mollie refuses this amount, this method, or the details of the purchase: another provider may not. */
function isOfPayment(field: string | undefined, detail: string): boolean {
  return /^(amount|method|lines|billingAddress)\b/.test(field ?? '') || /no suitable payment method/i.test(detail);
}

/** The outcome of an operation whose amount Mollie's API cannot express. It is never sent. */
export function unsupportedCurrency({ currency }: Operation): Outcome {
  return { kind: 'failed', failure: failure('not_supported', null, `Mollie does not accept payments in ${currency}.`) };
}
