import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayMs } from '../../src/core/clock.ts';
import type { EvidenceFile } from '../../src/domains/payments/providers/dispute.ts';
import type { KeptMethod, SaveRequest } from '../../src/domains/payments/providers/kept-method.ts';
import {
  callWith,
  cancelOperation,
  captureOperation,
  chargeOperation,
  refundOperation,
  releaseOperation,
  setupOperation,
} from '../../src/domains/payments/providers/stripe/fixture/operations.ts';
import { StripeProvider } from '../../src/domains/payments/providers/stripe/stripe.ts';
import { builtStripeMock, startStripeMock } from '../support/conformance/stripe-mock.ts';

const program = builtStripeMock();

/** Stripe's own stripe-mock takes every request of the connector. It answers with fixtures and keeps no state. */
describe.skipIf(program === undefined)('stripe-mock', () => {
  let mock: Awaited<ReturnType<typeof startStripeMock>>;
  let stripe: StripeProvider;

  beforeAll(async () => {
    mock = await startStripeMock(program as string);
    stripe = new StripeProvider(mock.url);
  });
  afterAll(() => mock.close());

  const call = callWith();
  const method: KeptMethod = {
    customerReference: 'cus_1',
    reference: 'pm_1',
    type: 'card',
    providerType: 'card',
    agreement: 'SUBSCRIPTION',
    networkTransactionId: null,
  };
  const consent = { ipAddress: '192.0.2.1', userAgent: 'Browser', acceptedTime: '2026-11-27T10:00:00.000Z' };
  const { customer } = setupOperation();
  const save: SaveRequest = { customer, agreement: 'SUBSCRIPTION', consent };
  const answer = { key: 'dsp_1-1', disputeId: 'dsp_1', reference: 'dp_1', chargeReference: 'pi_1', calledMs: null };
  const file = {
    name: 'receipt',
    id: 'fil_1',
    fileName: 'a.pdf',
    type: 'application/pdf',
    content: Buffer.from('%PDF'),
  };
  const texts = [{ name: 'product_description', text: 'A chess board' }];
  const submission = { texts, files: [file] as EvidenceFile[], defenseReason: null };
  const old = { createdMs: Date.now() - 2 * dayMs };

  test.each([
    ['a charge', () => stripe.charge(chargeOperation(), call)],
    [
      'a charge for the page of the merchant',
      () => stripe.charge(chargeOperation({ payerFlow: 'EMBEDDED', paymentMethod: null }), call),
    ],
    ['a charge on a page', () => stripe.charge(chargeOperation({ paymentMethod: null }), call)],
    ['a charge that keeps its method', () => stripe.charge(chargeOperation({ save }), call)],
    [
      'a charge on a page that keeps its method',
      () => stripe.charge(chargeOperation({ save, paymentMethod: null }), call),
    ],
    ['a charge with a kept method', () => stripe.charge(chargeOperation({ paymentMethod: null, method }), call)],
    [
      'a charge without its payer',
      () => stripe.charge(chargeOperation({ paymentMethod: null, method, initiator: 'MERCHANT' }), call),
    ],
    ['a setup', () => stripe.methods.setUp(setupOperation({ consent }), call)],
    ['a setup on a page', () => stripe.methods.setUp(setupOperation({ token: null }), call)],
    ['a look-up of a setup', () => stripe.methods.lookUp(setupOperation({ reference: 'seti_1' }), call)],
    ['a look-up of a page', () => stripe.lookUp(chargeOperation({ reference: 'cs_1' }), call)],
    ['a search for a page', () => stripe.lookUp(chargeOperation({ ...old, paymentMethod: null }), call)],
    ['a search for a setup', () => stripe.methods.lookUp(setupOperation(old), call)],
    ['a reading of a method', () => stripe.methods.read({ ...method, type: 'sepa_debit' }, call)],
    ['a detachment', () => stripe.methods.detach({ kind: 'DETACH', key: 'mtd_1-2', methodId: 'mtd_1', method }, call)],
    ['an expiry of a page', () => stripe.cancel(cancelOperation(chargeOperation({ reference: 'cs_1' })), call)],
    ['a look-up of a charge', () => stripe.lookUp(chargeOperation({ reference: 'pi_1' }), call)],
    ['a search for a charge', () => stripe.lookUp(chargeOperation(old), call)],
    ['a charge that is captured later', () => stripe.charge(chargeOperation({ captureMethod: 'MANUAL' }), call)],
    ['a capture', () => stripe.captures.capture(captureOperation('pi_1', { amount: 100, isFinal: false }), call)],
    ['a final capture', () => stripe.captures.capture(captureOperation('pi_1', { amount: 100 }), call)],
    ['a look-up of a capture', () => stripe.lookUp(captureOperation('pi_1', { amount: 100 }), call)],
    ['a release', () => stripe.captures.release(releaseOperation('pi_1'), call)],
    ['a refund', () => stripe.refund(refundOperation('pi_1'), call)],
    ['a look-up of a refund', () => stripe.lookUp(refundOperation('pi_1', { reference: 're_1' }), call)],
    ['a search for a refund', () => stripe.lookUp(refundOperation('pi_1', old), call)],
    ['a reading of a dispute', () => stripe.disputes.read({ dispute: 'dp_1', charge: null }, call)],
    ['a reading of a failed charge', () => stripe.disputes.read({ dispute: 'ch_1', charge: null }, call)],
    ['a reading of a refund', () => stripe.disputes.readRefund({ refund: 're_1', charge: 'pi_1' }, call)],
    ['a list of disputes', () => stripe.disputes.listSince(old.createdMs, null, call)],
    ['a list of refunds', () => stripe.disputes.listSince(old.createdMs, 'refunds', call)],
    ['a list of failed debits', () => stripe.disputes.listSince(old.createdMs, 'returns', call)],
    ['a list of warnings of fraud', () => stripe.disputes.listSince(old.createdMs, 'warnings', call)],
    ['a list of changes of disputes', () => stripe.disputes.listSince(old.createdMs, 'changes', call)],
    ['a further page of disputes', () => stripe.disputes.listSince(old.createdMs, 'disputes dp_1', call)],
    ['the disputes of a charge', () => stripe.disputes.listOf('pi_1', null, call)],
    ['the refunds of a charge', () => stripe.disputes.listOf('pi_1', 'refunds', call)],
    ['a failed debit of a charge', () => stripe.disputes.listOf('pi_1', 'returns', call)],
    ['an acceptance of a dispute', () => stripe.disputes.answers?.accept({ ...answer, kind: 'ACCEPT' }, call)],
    ['evidence', () => stripe.disputes.answers?.submit({ ...answer, ...submission, kind: 'SUBMIT' }, call)],
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
