import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { intentOutcome, lastFailure, refundOutcome } from './outcomes.ts';

const intent = (facts: object) => ({ id: 'pi_1', object: 'payment_intent', ...facts }) as Stripe.PaymentIntent;
const refund = (facts: object) => ({ id: 're_1', object: 'refund', ...facts }) as Stripe.Refund;

test.each([
  [
    { fee: 59, currency: 'eur' },
    { amount: 59, currency: 'EUR' },
  ],
  [
    { fee: 300, currency: 'isk' },
    { amount: 3, currency: 'ISK' },
  ],
  [{ fee: 350, currency: 'isk' }, undefined],
  [{ fee: 0, currency: 'usd' }, undefined],
  [null, undefined],
  ['txn_1', undefined],
])('the fee of the balance transaction %o is %o', (balance_transaction, fee) => {
  const charge = { id: 'ch_1', object: 'charge', balance_transaction };
  const outcome = intentOutcome(intent({ status: 'succeeded', latest_charge: charge }));
  expect(outcome).toEqual({ kind: 'succeeded', reference: 'pi_1', ...(fee && { fee }) });
});

test.each([
  [
    { type: 'redirect_to_url', redirect_to_url: { url: 'https://hooks.stripe.com/3ds' } },
    'https://hooks.stripe.com/3ds',
  ],
  [
    { type: 'oxxo_display_details', oxxo_display_details: { hosted_voucher_url: 'https://pay.stripe.com/v/1' } },
    'https://pay.stripe.com/v/1',
  ],
  [{ type: 'use_stripe_sdk', use_stripe_sdk: { stripe_js: 'https://js.stripe.com/x' } }, null],
  [{ type: 'redirect_to_url', redirect_to_url: { url: 'javascript:alert(1)' } }, null],
  [{ type: 'invented_tomorrow' }, null],
  [null, null],
])('with the next action %o the payer goes to %j', (next_action, url) => {
  const outcome = intentOutcome(intent({ status: 'requires_action', next_action, client_secret: 'pi_1_secret_2' }));
  const nextAction = url === null ? { type: 'confirm', url, clientSecret: 'pi_1_secret_2' } : { type: 'redirect', url };
  expect(outcome).toEqual({ kind: 'needs_payer', reference: 'pi_1', nextAction });
});

test('unknown statuses are pending', () => {
  for (const status of ['processing', 'invented_tomorrow', null, undefined]) {
    expect(intentOutcome(intent({ status }))).toEqual({ kind: 'pending', reference: 'pi_1' });
    expect(refundOutcome(refund({ status })).kind).toBe('pending');
  }
  expect(refundOutcome(refund({ status: 'requires_action' })).kind).toBe('pending');
});

test('the last decline is taken from the charge if the intent does not have it', () => {
  const charge = { failure_code: 'card_declined', failure_message: 'No.', outcome: { reason: 'stolen_card' } };
  expect(lastFailure(intent({ latest_charge: charge }))).toEqual({
    code: 'lost_or_stolen',
    providerCode: 'stolen_card',
    message: 'No.',
  });
  expect(lastFailure(intent({ latest_charge: 'ch_1' }))).toMatchObject({ code: 'card_declined', providerCode: null });
});

test('an intent without an attempt to pay, or with an error of our request, was not declined', () => {
  const nothing = { latest_charge: null, last_payment_error: null };
  expect(lastFailure(intent(nothing))).toMatchObject({ code: 'invalid_operation' });
  const error = { type: 'invalid_request_error', code: 'parameter_missing' };
  expect(lastFailure(intent({ ...nothing, last_payment_error: error }))).toMatchObject({
    code: 'invalid_operation',
    providerCode: 'parameter_missing',
  });
});

test.each([
  [{ cancellation_reason: 'abandoned', last_payment_error: { decline_code: 'stolen_card' } }, 'lost_or_stolen'],
  [{ cancellation_reason: 'abandoned', latest_charge: 'ch_1' }, 'card_declined'],
  [{ cancellation_reason: 'expired' }, 'payment_expired'],
  [{ cancellation_reason: 'automatic', latest_charge: 'ch_1' }, 'payment_expired'],
  [{ cancellation_reason: 'abandoned' }, undefined],
  [{ cancellation_reason: 'requested_by_customer', last_payment_error: { code: 'card_declined' } }, undefined],
  [{ cancellation_reason: null }, undefined],
])('a canceled intent (%o) has failed if its last attempt was declined: %s', (facts, code) => {
  const outcome = intentOutcome(
    intent({ status: 'canceled', latest_charge: null, last_payment_error: null, ...facts }),
  );
  expect(outcome.kind).toBe(code === undefined ? 'cancelled' : 'failed');
  if (outcome.kind === 'failed') expect(outcome.failure.code).toBe(code);
});
