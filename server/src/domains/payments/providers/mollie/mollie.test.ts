import { afterAll, beforeAll, expect, test } from 'vitest';
import { MollieSimulator } from '../../../../../tests/support/simulators/mollie.ts';
import { failure } from '../failures.ts';
import type { Outcome } from '../outcome.ts';
import type { ChargeOperation } from '../provider.ts';
import { callWith, cancelOperation, chargeOperation, credentials, refundOperation } from './fixture/operations.ts';
import { MollieProvider } from './mollie.ts';

let simulator: MollieSimulator;
let mollie: MollieProvider;

beforeAll(async () => {
  simulator = await MollieSimulator.start();
  mollie = new MollieProvider(simulator.url);
});
afterAll(() => simulator.close());

const call = callWith();

/** A charge that exists at Mollie, and its reference. */
async function openCharge(facts: Partial<ChargeOperation> = {}): Promise<ChargeOperation & { reference: string }> {
  const operation = chargeOperation(facts);
  const outcome = await mollie.charge(operation, call);
  return { ...operation, reference: referenceOf(outcome) };
}

async function paidCharge(facts: Partial<ChargeOperation> = {}): Promise<ChargeOperation & { reference: string }> {
  const charge = await openCharge(facts);
  simulator.pay(charge.reference);
  return charge;
}

function referenceOf(outcome: Outcome): string {
  if (!('reference' in outcome) || outcome.reference === undefined)
    throw new Error(`The outcome has no reference: ${outcome.kind}`);
  return outcome.reference;
}

/** The outcome of a charge that fails with a reason that need not be documented. */
async function seenAsFailed(charge: ChargeOperation & { reference: string }, reason: string) {
  simulator.fail(charge.reference, reason);
  const seen = await simulator.conformance.unchecked(() => mollie.lookUp(charge, call));
  simulator.payment(charge.reference).failureReason = null;
  return seen;
}

const failed = (outcome: unknown) => (outcome as Extract<Outcome, { kind: 'failed' }>).failure;

test('a charge redirects the payer to the page of Mollie and carries our key', async () => {
  const operation = chargeOperation({ paymentMethod: 'ideal' });
  const outcome = await mollie.charge(operation, call);

  const reference = referenceOf(outcome);
  const url = `${simulator.url}/checkout/${reference}`;
  expect(outcome).toEqual({ kind: 'needs_payer', reference, nextAction: { type: 'redirect', url }, livemode: false });
  expect(simulator.payment(reference)).toMatchObject({
    amount: { currency: 'EUR', value: '19.99' },
    description: 'Order 66',
    redirectUrl: 'https://shop.example.org/back',
    method: 'ideal',
    metadata: { florin_key: operation.key, florin_transaction: operation.transactionId },
  });
  expect(simulator.requests.at(-1)?.headers['idempotency-key']).toBe(operation.key);
});

test.each([
  ['paid', (id: string) => simulator.pay(id), { kind: 'succeeded', money: { amount: 1999, currency: 'EUR' } }],
  ['pending', (id: string) => simulator.pend(id), { kind: 'pending' }],
  ['authorized', (id: string) => simulator.authorize(id), { kind: 'pending' }],
  ['canceled', (id: string) => simulator.cancelByPayer(id), { kind: 'cancelled' }],
  ['expired', (id: string) => simulator.expire(id), { kind: 'failed', failure: failure('payment_expired', 'expired') }],
  ['failed', (id: string) => simulator.fail(id), { kind: 'failed', failure: failure('processing_error') }],
])('a payment that is %s is looked up correctly, with and without its reference', async (_, change, expected) => {
  const charge = await openCharge();
  change(charge.reference);
  expect(await mollie.lookUp(charge, call)).toEqual({ ...expected, reference: charge.reference, livemode: false });
  expect(await mollie.lookUp({ ...charge, reference: null }, call)).toEqual({
    ...expected,
    reference: charge.reference,
    livemode: false,
  });
});

test.each([
  ['insufficient_funds', 'insufficient_funds'],
  ['card_expired', 'expired_card'],
  ['refused_by_issuer', 'card_declined'],
  ['possible_fraud', 'suspected_fraud'],
  ['authentication_abandoned', 'authentication_failed'],
  ['invalid_cvv', 'invalid_card'],
  ['authentication_required', 'authentication_required'],
  ['a_reason_of_next_year', 'processing_error'],
  ['constructor', 'processing_error'],
  ['unknown_reason', 'card_declined'],
])('a card payment that failed with %s fails with %s and keeps the code of Mollie', async (reason, code) => {
  const charge = await openCharge();
  const seen = await seenAsFailed(charge, reason);
  expect(failed(seen)).toMatchObject({ code, providerCode: reason });
});

test.each([
  [{ currency: 'VND' }, 'not_supported'],
  [{ amount: 99_999_999_999 }, 'not_supported'],
  [{ returnUrl: 'nowhere' }, 'invalid_operation'],
])('a charge that Mollie refuses (%o) has definitely failed: %s', async (facts, code) => {
  const before = simulator.payments.length;
  const outcome = await mollie.charge(chargeOperation(facts), call);
  expect(failed(outcome)).toMatchObject({ code, providerCode: 'Unprocessable Entity' });
  expect(simulator.payments).toHaveLength(before);
});

test('a currency that Mollie does not support is refused before any call', async () => {
  const before = simulator.requests.length;
  expect(failed(await mollie.charge(chargeOperation({ currency: 'KWD' }), call)).code).toBe('not_supported');
  expect(failed(await mollie.refund(refundOperation('tr_1', { currency: 'KWD' }), call)).code).toBe('not_supported');
  expect(simulator.requests).toHaveLength(before);
});

test.each([[null], ['sk_test_of_another_provider'], ['test_with a space'], ['test_né\nX-Evil: 1']])(
  'without a key of Mollie (%j) a charge fails before any call',
  async (apiKey) => {
    const before = simulator.requests.length;
    const outcome = await mollie.charge(chargeOperation(), callWith({ credentials: { ...credentials, apiKey } }));
    expect(failed(outcome).code).toBe('credentials_refused');
    expect(simulator.requests).toHaveLength(before);
  },
);

test('a payment without a description gets its id as one; a long description is cut between characters', async () => {
  const bare = await openCharge({ description: null });
  expect(simulator.payment(bare.reference).description).toBe(bare.transactionId);
  const long = await openCharge({ description: '🎻'.repeat(300) });
  expect(simulator.payment(long.reference).description).toBe('🎻'.repeat(255));
});

test("another provider's token leaves the choice to the payer", async () => {
  const charge = await openCharge({ paymentMethod: 'pm_card_visa' });
  expect(simulator.payment(charge.reference).method).toBeNull();
});

test('a refund is pending until Mollie reports refunded, and fails when Mollie reports that', async () => {
  const charge = await paidCharge();
  for (const [status, expected] of [
    ['queued', { kind: 'pending' }],
    ['processing', { kind: 'pending' }],
    ['refunded', { kind: 'succeeded', money: { amount: 300, currency: 'EUR' } }],
    ['failed', { kind: 'failed', failure: failure('refund_refused', 'failed') }],
    ['canceled', { kind: 'failed', failure: failure('refund_refused', 'canceled') }],
  ] as const) {
    const operation = refundOperation(charge.reference, { amount: 300 });
    const outcome = await mollie.refund(operation, call);
    const reference = referenceOf(outcome);
    expect(outcome).toEqual({ kind: 'pending', reference, livemode: false });
    simulator.progressRefund(reference, status);
    expect(await mollie.lookUp({ ...operation, reference }, call)).toEqual({ ...expected, reference, livemode: false });
    expect(await mollie.lookUp(operation, call)).toEqual({ ...expected, reference, livemode: false });
  }
});

test('a refund that exceeds the rest, or of a payment that does not exist, is refused', async () => {
  const charge = await paidCharge();
  const tooMuch = await mollie.refund(refundOperation(charge.reference, { amount: 2000 }), call);
  expect(failed(tooMuch)).toMatchObject({ code: 'refund_refused', message: 'The amount is higher than the maximum.' });
  expect(failed(await mollie.refund(refundOperation('tr_nothere'), call)).code).toBe('refund_refused');
  expect(simulator.payment(charge.reference).refunds).toEqual([]);
});

test('a refund that Mollie treats as a duplicate is refused, and the first is found by its key', async () => {
  const charge = await paidCharge();
  simulator.api.detectsDuplicateRefunds = true;
  const first = refundOperation(charge.reference, { amount: 500 });
  const outcome = await mollie.refund(first, call);
  const second = await mollie.refund(refundOperation(charge.reference, { amount: 500 }), call);
  simulator.api.detectsDuplicateRefunds = false;
  expect(failed(second)).toMatchObject({ code: 'refund_refused', message: 'A duplicate refund has been detected' });
  expect(await mollie.lookUp(first, call)).toEqual(outcome);
});

test('an open bank transfer is cancelled; a paid one, and what Mollie cannot cancel, is not', async () => {
  const open = await openCharge({ paymentMethod: 'banktransfer' });
  expect(await mollie.cancel(cancelOperation(open), call)).toEqual({
    kind: 'cancelled',
    reference: open.reference,
    livemode: false,
  });
  expect(simulator.payment(open.reference).status).toBe('canceled');
  expect((await mollie.cancel(cancelOperation(open), call)).kind).toBe('cancelled');

  const late = await paidCharge();
  expect(failed(await mollie.cancel(cancelOperation(late), call))).toMatchObject({
    code: 'invalid_operation',
    providerCode: 'paid',
  });
  const uncancelable = await openCharge();
  expect(failed(await mollie.cancel(cancelOperation(uncancelable), call))).toMatchObject({
    code: 'invalid_operation',
    providerCode: 'open',
  });
  expect(simulator.payment(uncancelable.reference).status).toBe('open');
});

test('an authorized payment is released, and is cancelled only when its status says so', async () => {
  const charge = await openCharge();
  const { reference } = charge;
  simulator.authorize(reference);
  const cancellation = cancelOperation(charge);
  expect(await mollie.cancel(cancellation, call)).toEqual({ kind: 'pending', reference });
  expect(simulator.requests.at(-1)).toMatchObject({
    method: 'POST',
    path: `/v2/payments/${reference}/release-authorization`,
  });
  // The release is not guaranteed: until then it can be asked for again.
  expect((await mollie.lookUp(cancellation, call)).kind).toBe('absent');
  simulator.release(reference);
  expect((await mollie.lookUp(cancellation, call)).kind).toBe('cancelled');
});

test('a charge without a known reference is cancelled too', async () => {
  const open = await openCharge({ paymentMethod: 'banktransfer' });
  const lost = { ...open, reference: null };
  expect(await mollie.cancel(cancelOperation(lost), call)).toEqual({
    kind: 'cancelled',
    reference: open.reference,
    livemode: false,
  });
  expect(await mollie.cancel(cancelOperation(chargeOperation()), call)).toEqual({ kind: 'cancelled' });
});

test('the result of a cancellation is found from the payment: cancelled, too late, or still to be sent', async () => {
  const charge = await openCharge({ paymentMethod: 'banktransfer' });
  expect((await mollie.lookUp(cancelOperation(charge), call)).kind).toBe('absent');
  simulator.cancelByPayer(charge.reference);
  expect((await mollie.lookUp(cancelOperation(charge), call)).kind).toBe('cancelled');
  expect((await mollie.lookUp(cancelOperation(await paidCharge()), call)).kind).toBe('failed');
});

test.each(['klarna', 'riverty', 'voucher', 'alma', 'billie', 'billink', 'in3', 'directdebit', 'pointofsale'])(
  '%s, which needs what a payment here does not have, is refused before any call',
  async (paymentMethod) => {
    const before = simulator.requests.length;
    expect(failed(await mollie.charge(chargeOperation({ paymentMethod }), call)).code).toBe('not_supported');
    expect(simulator.requests).toHaveLength(before);
  },
);

test('an operation that never arrived is absent after all pages have been read', async () => {
  const lost = chargeOperation();
  expect(await mollie.lookUp(lost, call)).toEqual({ kind: 'absent' });
  const early = await openCharge();
  for (let i = 0; i < 300; i++)
    simulator.api.payments.set(`tr_other${i}`, {
      ...simulator.payment(early.reference),
      id: `tr_other${i}`,
      metadata: null,
    });
  expect((await mollie.lookUp({ ...early, reference: null }, call)).kind).toBe('needs_payer');
  expect(await mollie.lookUp({ ...lost, createdMs: 0 }, call)).toEqual({ kind: 'absent' });

  const charge = await paidCharge();
  expect(await mollie.lookUp(refundOperation(charge.reference), call)).toEqual({ kind: 'absent' });
});

test('a payment with our reference but another key or amount is never taken as ours', async () => {
  const mine = await paidCharge();
  const theirs = await paidCharge();
  expect((await mollie.lookUp({ ...mine, reference: theirs.reference }, call)).kind).toBe('unknown');
  expect((await mollie.lookUp({ ...mine, amount: mine.amount + 1 }, call)).kind).toBe('unknown');
  expect((await mollie.lookUp({ ...mine, currency: 'USD' }, call)).kind).toBe('unknown');
  expect(await mollie.lookUp({ ...mine, amount: mine.amount + 1 }, call)).toMatchObject({
    mismatch: { kind: 'succeeded', reference: mine.reference, money: { amount: mine.amount, currency: 'EUR' } },
  });
  expect((await mollie.lookUp(mine, call)).kind).toBe('succeeded');
});

test('a payment or refund of another amount is unknown, and carries the amount that was moved', async () => {
  const charge = await paidCharge();
  const payment = simulator.payment(charge.reference);
  payment.amountCaptured = { currency: 'EUR', value: '10.00' };
  expect(await mollie.lookUp(charge, call)).toMatchObject({
    kind: 'unknown',
    mismatch: { kind: 'succeeded', reference: charge.reference, money: { amount: 1000, currency: 'EUR' } },
  });
  payment.amountCaptured = payment.amount;
  expect(await mollie.lookUp(charge, call)).toMatchObject({ kind: 'succeeded' });

  const operation = refundOperation(charge.reference, { amount: 300 });
  const reference = referenceOf(await mollie.refund(operation, call));
  const [refund] = payment.refunds;
  Object.assign(refund as object, { status: 'refunded', amount: { currency: 'EUR', value: '2.00' } });
  expect(await mollie.lookUp({ ...operation, reference }, call)).toMatchObject({
    kind: 'unknown',
    mismatch: { kind: 'succeeded', reference, money: { amount: 200, currency: 'EUR' } },
  });
});

test('texts of Mollie become one line of bounded length before they are stored', async () => {
  const charge = await openCharge();
  const { providerCode } = failed(await seenAsFailed(charge, `odd\u0000\ud800\n${'x'.repeat(1_000)}`));
  expect(providerCode).toMatch(/^odd \ufffd x{494}$/);
});

test('a payer is redirected to HTTP addresses only', async () => {
  const charge = await openCharge();
  const root = simulator.api.root;
  simulator.api.root = 'javascript:alert(1)';
  const outcome = await mollie.lookUp(charge, call);
  simulator.api.root = root;
  expect(outcome.kind).toBe('unknown');
});
