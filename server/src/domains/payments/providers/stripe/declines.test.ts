import Stripe from 'stripe';
import { expect, test } from 'vitest';
import type { FailureCode } from '../failures.ts';
import { decline, outcomeOfError } from './declines.ts';

/** Every code of https://docs.stripe.com/declines/codes, cards first, and its code in our catalogue. */
const documented: Record<string, FailureCode> = {
  authentication_required: 'authentication_required',
  authentication_not_handled: 'authentication_required',
  approve_with_id: 'card_declined',
  call_issuer: 'card_declined',
  card_not_supported: 'not_supported',
  card_velocity_exceeded: 'limit_exceeded',
  currency_not_supported: 'not_supported',
  do_not_honor: 'card_declined',
  do_not_try_again: 'declined_for_good',
  duplicate_transaction: 'declined_for_good',
  expired_card: 'expired_card',
  fraudulent: 'suspected_fraud',
  generic_decline: 'card_declined',
  incorrect_address: 'invalid_card',
  incorrect_cvc: 'invalid_card',
  incorrect_number: 'invalid_card',
  incorrect_pin: 'invalid_card',
  incorrect_zip: 'invalid_card',
  insufficient_funds: 'insufficient_funds',
  invalid_account: 'invalid_card',
  invalid_amount: 'limit_exceeded',
  invalid_cvc: 'invalid_card',
  invalid_expiry_month: 'invalid_card',
  invalid_expiry_year: 'invalid_card',
  invalid_number: 'invalid_card',
  invalid_pin: 'invalid_card',
  issuer_not_available: 'processing_error',
  lost_card: 'lost_or_stolen',
  merchant_blacklist: 'suspected_fraud',
  mobile_device_authentication_required: 'authentication_required',
  new_account_information_available: 'invalid_card',
  no_action_taken: 'card_declined',
  not_permitted: 'card_declined',
  offline_pin_required: 'authentication_failed',
  online_or_offline_pin_required: 'authentication_failed',
  pickup_card: 'lost_or_stolen',
  pin_try_exceeded: 'authentication_failed',
  processing_error: 'processing_error',
  reenter_transaction: 'processing_error',
  restricted_card: 'lost_or_stolen',
  revocation_of_all_authorizations: 'mandate_revoked',
  revocation_of_authorization: 'mandate_revoked',
  security_violation: 'card_declined',
  service_not_allowed: 'card_declined',
  stolen_card: 'lost_or_stolen',
  stop_payment_order: 'declined_for_good',
  testmode_decline: 'card_declined',
  transaction_not_allowed: 'card_declined',
  try_again_later: 'processing_error',
  withdrawal_count_limit_exceeded: 'limit_exceeded',

  partner_generic_decline: 'card_declined',
  invalid_customer_account: 'card_declined',
  payment_limit_exceeded: 'limit_exceeded',
  invalid_billing_agreement: 'mandate_revoked',
  invalid_business_account: 'not_supported',
  partner_high_risk_customer: 'suspected_fraud',
  compliance_violation: 'declined_for_good',
  payment_disputed: 'declined_for_good',
  invalid_authorization: 'mandate_revoked',
  invalid_payment_information: 'invalid_card',
  partner_payment_not_found: 'processing_error',
  expired_payment_information: 'expired_card',
  recurring_not_supported_by_bank: 'not_supported',
  partner_action_not_supported: 'not_supported',
};

test.each(Object.entries(documented))('%s becomes %s and stays as the provider code', (word, code) => {
  const reason = { code: 'card_declined', decline_code: word, message: 'Your card was declined.' };
  expect(decline(reason)).toEqual({ code, providerCode: word, message: 'Your card was declined.' });
});

test('an undocumented decline becomes card_declined', () => {
  const reason = { code: 'card_declined', decline_code: 'invented_tomorrow' };
  expect(decline(reason)).toMatchObject({ code: 'card_declined', providerCode: 'invented_tomorrow' });
  expect(decline({})).toMatchObject({ code: 'card_declined', providerCode: null });
  expect(decline({ code: 'expired_card' })).toMatchObject({ code: 'expired_card', providerCode: 'expired_card' });
});

test('a payment that Stripe advises not to retry is not retriable', () => {
  const reason = { code: 'card_declined', decline_code: 'generic_decline', advice_code: 'do_not_try_again' };
  expect(decline(reason)).toMatchObject({ code: 'declined_for_good', providerCode: 'generic_decline' });
  expect(decline({ ...reason, advice_code: 'try_again_later' }).code).toBe('card_declined');
  expect(decline({ ...reason, decline_code: 'stolen_card' }).code).toBe('lost_or_stolen');
});

const error = (statusCode: number, raw: Record<string, unknown> = {}) =>
  Stripe.errors.generateV1Error({ type: 'invalid_request_error', message: 'No.', statusCode, ...raw } as never);

test.each([
  [400, { param: 'currency' }, 'not_supported'],
  [400, { param: 'amount', code: 'amount_too_small' }, 'not_supported'],
  [400, { code: 'parameter_unknown' }, 'invalid_operation'],
  [400, { code: 'testmode_charges_only' }, 'credentials_refused'],
  // Not declines, although Stripe uses the same codes for both.
  [400, { code: 'expired_card' }, 'invalid_operation'],
  [400, { code: 'card_declined', decline_code: 'stolen_card' }, 'invalid_operation'],
  [400, { code: 'parameter_missing', param: 'source', payment_intent: { id: 'pi_1' } }, 'invalid_operation'],
  [402, { code: 'card_declined' }, 'invalid_operation'],
  [402, { type: 'card_error', code: 'incorrect_cvc' }, 'invalid_card'],
  [402, { type: 'card_error', code: 'invented_tomorrow' }, 'card_declined'],
  [404, { code: 'resource_missing' }, 'invalid_operation'],
  [401, {}, 'credentials_refused'],
  [403, {}, 'credentials_refused'],
] as const)('a charge answered with %i %o has failed: %s', (status, raw, code) => {
  expect(outcomeOfError(error(status, raw), 'CHARGE')).toMatchObject({ kind: 'failed', failure: { code } });
});

test.each([
  [400, { code: 'charge_already_refunded' }, 'refund_refused'],
  [400, { code: 'charge_disputed' }, 'refund_refused'],
  [400, { code: 'balance_insufficient' }, 'refund_refused'],
  [400, { param: 'amount' }, 'refund_refused'],
  [402, {}, 'refund_refused'],
  [404, { code: 'resource_missing' }, 'refund_refused'],
  [400, { code: 'api_key_expired' }, 'credentials_refused'],
  [401, {}, 'credentials_refused'],
] as const)('a refund answered with %i %o has failed: %s', (status, raw, code) => {
  expect(outcomeOfError(error(status, raw), 'REFUND')).toMatchObject({ kind: 'failed', failure: { code } });
});

test.each([
  [400, { type: 'idempotency_error' }],
  [400, { code: 'lock_timeout' }],
  [409, { code: 'idempotency_key_in_use' }],
  [424, { type: 'api_error' }],
  [429, { code: 'lock_timeout' }],
  [500, { type: 'api_error' }],
  [503, { type: 'api_error' }],
  [400, { type: undefined }],
] as const)('an operation answered with %i %o is unknown', (status, raw) => {
  for (const kind of ['CHARGE', 'REFUND', 'CANCEL'] as const) {
    expect(outcomeOfError(error(status, raw), kind).kind).toBe('unknown');
  }
});

test('an error that is not an answer of Stripe is unknown', () => {
  for (const thrown of [new Error('socket'), new TypeError('fetch failed'), 'a text', undefined]) {
    expect(outcomeOfError(thrown, 'CHARGE')).toEqual({ kind: 'unknown', cause: thrown });
  }
});
