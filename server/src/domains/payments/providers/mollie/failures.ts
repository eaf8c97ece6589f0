import { type Failure, type FailureCode, failure } from '../failures.ts';
import type { Operation, Outcome } from '../provider.ts';
import type { MollieApiError } from './client.ts';

/**
 * `details.failureReason` of a card payment in our catalogue's words (docs.mollie.com, Get payment). Other methods give
 * reasons of their own or none: these are `processing_error`, with Mollie's word beside it.
 */
const codeOfReason: Record<string, FailureCode> = {
  authentication_abandoned: 'authentication_failed',
  authentication_failed: 'authentication_failed',
  authentication_required: 'authentication_failed',
  authentication_unavailable_acs: 'authentication_failed',
  card_declined: 'card_declined',
  card_expired: 'expired_card',
  inactive_card: 'invalid_card',
  insufficient_funds: 'insufficient_funds',
  invalid_card_holder_name: 'invalid_card',
  invalid_card_number: 'invalid_card',
  invalid_card_type: 'not_supported',
  invalid_cvv: 'invalid_card',
  possible_fraud: 'suspected_fraud',
  refused_by_issuer: 'card_declined',
  unknown_reason: 'card_declined',
};

/** Where the catalogue's sentence would say something else than Mollie does. */
const messageOfReason: Record<string, string> = {
  inactive_card: 'The card is not active.',
  invalid_card_holder_name: "The name of the card's holder is wrong.",
};

/** Why a payment whose status is `failed` did not succeed. */
export function paymentFailure(reason: string | null): Failure {
  if (reason === null || !Object.hasOwn(codeOfReason, reason)) return failure('processing_error', reason);
  return failure(codeOfReason[reason] as FailureCode, reason, messageOfReason[reason]);
}

/**
 * Whether a refusal may come of the operation having been carried out before, by a call whose answer was lost. Mollie's
 * lists are then asked before it counts as failed:
 * - 400: this key was used with other words.
 * - 422 and 409 of a refund: nothing is left to give back, or it is taken for a duplicate, because it is made already and
 *   Mollie has forgotten the key.
 */
export function mayFollowLostCall(refused: MollieApiError, { kind }: Operation): boolean {
  if (kind === 'CANCEL') return false;
  return refused.status === 400 || (kind === 'REFUND' && (refused.status === 422 || isDuplicateRefund(refused)));
}

/**
 * What a 4xx says of an operation that was to begin. Nothing was done after most of them; where that is not certain, the
 * outcome is unknown and the look-up decides:
 * - 408 and 425: a time limit on the way. 409: the same key is under way at this moment.
 * - 429: nothing was done now, and later it may be. A payment may be offered to another channel instead; a refund or a
 *   cancellation has only this one, and tries again after the look-up.
 */
export function outcomeOfApiError(refused: MollieApiError, kind: Operation['kind'], detail: string): Outcome {
  const { status, title, field } = refused;
  const failed = (code: FailureCode, message?: string): Outcome => ({
    kind: 'failed',
    failure: failure(code, title, message),
  });
  if (status === 408 || status === 425) return { kind: 'unknown', cause: refused };
  if (status === 409 && !isDuplicateRefund(refused)) return { kind: 'unknown', cause: refused };
  if (status === 429) return kind === 'CHARGE' ? failed('provider_unavailable') : { kind: 'unknown', cause: refused };
  if (status === 401 || status === 403) return failed('credentials_refused');
  if (kind === 'REFUND') return failed('refund_refused', detail);
  return failed(kind === 'CHARGE' && isOfAmountOrMethod(field, detail) ? 'not_supported' : 'invalid_operation', detail);
}

/** Mollie's guard against a refund sent twice: the same amount of the same payment a short while ago, whatever the key. */
function isDuplicateRefund({ status, message }: MollieApiError): boolean {
  return status === 409 && /duplicate/i.test(message);
}

function isOfAmountOrMethod(field: string | undefined, detail: string): boolean {
  return /^(amount|method)\b/.test(field ?? '') || /no suitable payment method/i.test(detail);
}
