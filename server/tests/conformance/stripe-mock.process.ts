import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayMs } from '../../src/core/clock.ts';
import {
  callWith,
  cancelOperation,
  chargeOperation,
  refundOperation,
} from '../../src/domains/payments/providers/stripe/fixture/operations.ts';
import { StripeProvider } from '../../src/domains/payments/providers/stripe/stripe.ts';
import { builtStripeMock, startStripeMock } from '../support/conformance/stripe-mock.ts';

const file = builtStripeMock();

/** Stripe's own stripe-mock takes every request of the connector. It answers with fixtures and keeps no state. */
describe.skipIf(file === undefined)('stripe-mock', () => {
  let mock: Awaited<ReturnType<typeof startStripeMock>>;
  let stripe: StripeProvider;

  beforeAll(async () => {
    mock = await startStripeMock(file as string);
    stripe = new StripeProvider(mock.url);
  });
  afterAll(() => mock.close());

  const call = callWith();
  const old = { createdMs: Date.now() - 2 * dayMs };

  test.each([
    ['a charge', () => stripe.charge(chargeOperation(), call)],
    ['a charge for the page of the merchant', () => stripe.charge(chargeOperation({ paymentMethod: null }), call)],
    ['a look-up of a charge', () => stripe.lookUp(chargeOperation({ reference: 'pi_1' }), call)],
    ['a search for a charge', () => stripe.lookUp(chargeOperation(old), call)],
    ['a refund', () => stripe.refund(refundOperation('pi_1'), call)],
    ['a look-up of a refund', () => stripe.lookUp(refundOperation('pi_1', { reference: 're_1' }), call)],
    ['a search for a refund', () => stripe.lookUp(refundOperation('pi_1', old), call)],
    ['a cancellation', () => stripe.cancel(cancelOperation(chargeOperation({ reference: 'pi_1' })), call)],
  ])('takes %s', async (_, act) => {
    mock.answered.length = 0;
    await act();
    expect(mock.answered.length).toBeGreaterThan(0);
    expect(mock.answered.filter((line) => !line.endsWith(' 200'))).toEqual([]);
  });

  test('refuses what its document does not have, so that the tests above prove something', async () => {
    const { apiKey } = call.credentials;
    const wrong = await fetch(`${mock.url}/v1/payment_intents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
      body: new URLSearchParams({ amount: '1999', currency: 'usd', colour: 'red' }),
    });
    expect(wrong.status).toBe(400);
  });
});
