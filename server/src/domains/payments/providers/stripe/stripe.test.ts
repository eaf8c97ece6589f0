import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StripeSimulator, startStripeSimulator } from '../../../../../tests/support/simulators/stripe.ts';
import type { Outcome } from '../outcome.ts';
import { callWith, cancelOperation, chargeOperation, credentials, refundOperation } from './fixture/operations.ts';
import { StripeProvider } from './stripe.ts';

let simulator: StripeSimulator;
let stripe: StripeProvider;

beforeAll(async () => {
  simulator = await startStripeSimulator();
  stripe = new StripeProvider(simulator.url);
});
afterAll(() => simulator.close());

const call = callWith();
const referenceOf = (outcome: Outcome | { kind: 'absent' }) => (outcome as { reference: string }).reference;
const paid = async (method = 'pm_card_visa') =>
  referenceOf(await stripe.charge(chargeOperation({ paymentMethod: method }), call));

test('a charge with a payment method takes the money at once and reports the fee', async () => {
  const operation = chargeOperation();
  const outcome = await stripe.charge(operation, call);
  expect(outcome).toEqual({
    kind: 'succeeded',
    livemode: false,
    reference: expect.stringMatching(/^pi_/),
    fee: { amount: 88, currency: 'USD' },
    money: { amount: 1999, currency: 'USD' },
  });
  expect(simulator.charges.at(-1)).toMatchObject({
    amount: 1999,
    currency: 'usd',
    metadata: { florin_key: operation.key },
  });
  const { key, params } = simulator.requests.at(-1) ?? {};
  expect(key).toBe(operation.key);
  expect(params).toMatchObject({
    amount: '1999',
    currency: 'usd',
    description: 'Order 66',
    metadata: { florin_key: operation.key, florin_transaction: operation.transactionId },
    payment_method: 'pm_card_visa',
    confirm: 'true',
    return_url: 'https://shop.example.org/back',
  });
});

test.each([
  [500, 'JPY', '500'],
  [5, 'ISK', '500'],
  [5, 'UGX', '500'],
  [200, 'MGA', '2'],
  [5120, 'KWD', '5120'],
])('%i %s is charged as %s', async (amount, currency, sent) => {
  expect((await stripe.charge(chargeOperation({ amount, currency }), call)).kind).toBe('succeeded');
  expect(simulator.requests.at(-1)?.params).toMatchObject({ amount: sent, currency: currency.toLowerCase() });
});

test.each([
  [5124, 'KWD'],
  [201, 'MGA'],
  [1000, 'IQD'],
])('%i %s, which Stripe does not support, is refused before any call', async (amount, currency) => {
  const requests = simulator.requests.length;
  const expected = { kind: 'failed', failure: { code: 'not_supported' } };
  expect(await stripe.charge(chargeOperation({ amount, currency }), call)).toMatchObject(expected);
  expect(await stripe.refund(refundOperation('pi_any', { amount, currency }), call)).toMatchObject(expected);
  expect(simulator.requests).toHaveLength(requests);
});

test("a description that is too long is cut between characters; the merchant's metadata is not sent", async () => {
  await stripe.charge(chargeOperation({ description: '🎌'.repeat(1_500), metadata: { order: 66 } }), call);
  const { description, metadata } = simulator.requests.at(-1)?.params ?? {};
  expect(description).toBe('🎌'.repeat(500));
  expect(Object.keys(metadata as object)).toEqual(['florin_key', 'florin_transaction']);
});

test.each([
  ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
  ['pm_card_chargeDeclinedInsufficientFunds', 'insufficient_funds', 'insufficient_funds'],
  ['pm_card_visa_chargeDeclinedStolenCard', 'lost_or_stolen', 'stolen_card'],
  ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
  ['pm_card_chargeDeclinedProcessingError', 'processing_error', 'processing_error'],
])('%s is declined as %s, and its intent can no longer be paid', async (paymentMethod, code, providerCode) => {
  const charges = simulator.charges.length;
  const outcome = await stripe.charge(chargeOperation({ paymentMethod }), call);
  const failure = { code, providerCode, message: 'Your card was declined.' };
  expect(outcome).toEqual({ kind: 'failed', reference: expect.stringMatching(/^pi_/), failure, livemode: false });
  const { status, client_secret } = simulator.account.intent(referenceOf(outcome));
  expect({ status, client_secret }).toEqual({ status: 'canceled', client_secret: expect.any(String) });
  expect(() => simulator.account.confirmIntent(referenceOf(outcome), { payment_method: 'pm_card_visa' })).toThrow();
  expect(simulator.charges).toHaveLength(charges);
  expect(await stripe.lookUp(chargeOperation({ paymentMethod, reference: referenceOf(outcome) }), call)).toEqual(
    outcome,
  );
});

test('a payment that needs authentication redirects the payer and then succeeds', async () => {
  const operation = chargeOperation({ paymentMethod: 'pm_card_threeDSecure' });
  const outcome = await stripe.charge(operation, call);
  const reference = referenceOf(outcome);
  const url = `${simulator.url}/authenticate/${reference}`;
  expect(outcome).toEqual({ kind: 'needs_payer', reference, nextAction: { type: 'redirect', url }, livemode: false });
  const back = await fetch(url, { redirect: 'manual' });
  expect(back.headers.get('location')).toBe(operation.returnUrl);
  expect(await stripe.lookUp({ ...operation, reference }, call)).toMatchObject({ kind: 'succeeded', reference });
});

test('a failed authentication fails the payment for good', async () => {
  const operation = chargeOperation({ paymentMethod: 'pm_card_threeDSecure' });
  const reference = referenceOf(await stripe.charge(operation, call));
  simulator.account.authenticate(reference, false);
  const seen = await stripe.lookUp({ ...operation, reference }, call);
  expect(seen).toMatchObject({ kind: 'failed', reference, failure: { code: 'authentication_failed' } });
  expect(simulator.account.intent(reference).status).toBe('canceled');
});

test('without a payment method the merchant’s page continues with the client secret, again and again', async () => {
  const operation = chargeOperation({ payerFlow: 'EMBEDDED', paymentMethod: null });
  const outcome = await stripe.charge(operation, call);
  const reference = referenceOf(outcome);
  const clientSecret = simulator.account.intent(reference).client_secret;
  expect(outcome).toEqual({
    kind: 'needs_payer',
    reference,
    nextAction: { type: 'confirm', url: null, clientSecret },
    livemode: false,
  });
  expect(simulator.requests.at(-1)?.params).not.toHaveProperty('return_url');
  expect(() => simulator.account.confirmIntent(reference, { payment_method: 'pm_card_chargeDeclined' })).toThrow();
  expect(await stripe.lookUp({ ...operation, reference }, call)).toEqual(outcome);
  simulator.account.confirmIntent(reference, { payment_method: 'pm_card_visa' });
  expect(await stripe.lookUp({ ...operation, reference }, call)).toMatchObject({ kind: 'succeeded', reference });
});

/** A bank debit that its payer has authorised in the merchant's page. */
async function debit(facts = {}) {
  const operation = chargeOperation({ payerFlow: 'EMBEDDED', paymentMethod: null, ...facts });
  const reference = referenceOf(await stripe.charge(operation, call));
  simulator.account.confirmIntent(reference, { payment_method: 'pm_usBankAccount_success' });
  return { ...operation, reference };
}

test('a bank debit is pending until it succeeds, or fails and the payer can pay otherwise', async () => {
  for (const succeeds of [true, false]) {
    const operation = await debit();
    const { reference } = operation;
    expect(await stripe.lookUp(operation, call)).toEqual({ kind: 'pending', reference, livemode: false });
    simulator.account.settle(reference, succeeds);
    expect((await stripe.lookUp(operation, call)).kind).toBe(succeeds ? 'succeeded' : 'needs_payer');
  }
});

test.each([
  [{ paymentMethod: 'pm_nobody' }, 'invalid_operation', 'resource_missing'],
  [{ paymentMethod: 'ideal' }, 'invalid_operation', 'resource_missing'],
  [{ amount: 1 }, 'not_supported', 'amount_too_small'],
  [{ amount: 9_007_199_254_740_991 }, 'not_supported', 'parameter_invalid_integer'],
])('a charge that Stripe refuses fails with its code: %o', async (facts, code, providerCode) => {
  const outcome = await stripe.charge(chargeOperation(facts), call);
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code, providerCode } });
});

test.each([null, '', 'pk_test_publishable', 'test_key_of_mollie', 'sk_test_with\r\nanother-header: 1'])(
  'an apiKey that is none of Stripe’s (%j) is refused before any call',
  async (apiKey) => {
    const requests = simulator.requests.length;
    const wrong = callWith({ credentials: { ...credentials, apiKey } });
    expect(await stripe.charge(chargeOperation(), wrong)).toMatchObject({ failure: { code: 'credentials_refused' } });
    expect((await stripe.lookUp(chargeOperation(), wrong)).kind).toBe('unknown');
    expect(simulator.requests).toHaveLength(requests);
  },
);

test('an API key that Stripe does not know fails a call and leaves a look-up unknown', async () => {
  const wrong = callWith({ credentials: { ...credentials, apiKey: 'sk_test_revoked' } });
  const refused = { kind: 'failed', failure: { code: 'credentials_refused' } };
  expect(await stripe.charge(chargeOperation(), wrong)).toMatchObject(refused);
  expect(await stripe.refund(refundOperation('pi_any'), wrong)).toMatchObject(refused);
  expect(await stripe.cancel(cancelOperation(chargeOperation({ reference: 'pi_any' })), wrong)).toMatchObject(refused);
  for (const reference of [null, 'pi_any']) {
    expect((await stripe.lookUp(chargeOperation({ reference }), wrong)).kind).toBe('unknown');
  }
});

test('partial refunds are possible up to the amount of the charge', async () => {
  const reference = await paid();
  const part = refundOperation(reference, { amount: 1000 });
  const outcome = await stripe.refund(part, call);
  expect(outcome).toEqual({
    kind: 'succeeded',
    reference: expect.stringMatching(/^re_/),
    money: { amount: 1000, currency: 'USD' },
  });
  expect(simulator.refunds.at(-1)?.metadata).toEqual({
    florin_key: part.key,
    florin_transaction: part.transactionId,
  });
  const refused = (providerCode: string | null) => ({
    kind: 'failed',
    failure: { code: 'refund_refused', providerCode },
  });
  expect(await stripe.refund(refundOperation(reference, { amount: 1000 }), call)).toMatchObject(refused(null));
  expect((await stripe.refund(refundOperation(reference, { amount: 999 }), call)).kind).toBe('succeeded');
  expect(await stripe.refund(refundOperation(reference, { amount: 1 }), call)).toMatchObject(
    refused('charge_already_refunded'),
  );
  expect(await stripe.refund(refundOperation('pi_gone', { amount: 1 }), call)).toMatchObject(
    refused('resource_missing'),
  );
  expect(await stripe.refund(refundOperation('', { amount: 1 }), call)).toMatchObject(refused(null));
});

test('a slow refund is pending until Stripe has carried it out or failed it', async () => {
  const ends = { succeeded: 'succeeded', failed: 'failed', canceled: 'cancelled' } as const;
  for (const [status, kind] of Object.entries(ends)) {
    const operation = refundOperation(await paid('pm_card_pendingRefund'));
    const outcome = await stripe.refund(operation, call);
    const reference = referenceOf(outcome);
    expect(outcome).toEqual({ kind: 'pending', reference });
    simulator.account.settleRefund(reference, status as keyof typeof ends);
    const seen = await stripe.lookUp({ ...operation, reference }, call);
    expect(seen).toMatchObject({ kind, reference });
    if (seen.kind === 'failed') expect(seen.failure.providerCode).toBe('expired_or_canceled_card');
  }
});

test('a charge that waits for its payer is cancelled; one that has succeeded is not', async () => {
  const waiting = chargeOperation({ payerFlow: 'EMBEDDED', paymentMethod: null });
  const reference = referenceOf(await stripe.charge(waiting, call));
  const operation = cancelOperation({ ...waiting, reference });
  expect(await stripe.cancel(operation, call)).toEqual({ kind: 'cancelled', reference, livemode: false });
  expect(await stripe.cancel(operation, call)).toEqual({ kind: 'cancelled', reference, livemode: false });
  expect(await stripe.lookUp(operation, call)).toEqual({ kind: 'cancelled', reference, livemode: false });
  expect(await stripe.lookUp({ ...waiting, reference }, call)).toEqual({
    kind: 'cancelled',
    reference,
    livemode: false,
  });

  for (const charge of [chargeOperation({ reference: await paid() }), await debit()]) {
    const late = cancelOperation(charge);
    const tooLate = { kind: 'failed', failure: { code: 'invalid_operation' } };
    expect(await stripe.cancel(late, call)).toMatchObject(tooLate);
    expect(await stripe.lookUp(late, call)).toMatchObject(tooLate);
  }
});

test('a charge without a known reference is cancelled by its key', async () => {
  const waiting = chargeOperation({ payerFlow: 'EMBEDDED', paymentMethod: null });
  const reference = referenceOf(await stripe.charge(waiting, call));
  expect(await stripe.cancel(cancelOperation(waiting), call)).toEqual({
    kind: 'cancelled',
    reference,
    livemode: false,
  });
  expect((await stripe.cancel(cancelOperation(chargeOperation()), call)).kind).toBe('unknown');
  // A request from two days ago can no longer arrive: nobody can pay.
  const old = cancelOperation(chargeOperation({ createdMs: Date.now() - 2 * 86_400_000 }));
  expect(await stripe.lookUp(old, call)).toEqual({ kind: 'cancelled' });
});
