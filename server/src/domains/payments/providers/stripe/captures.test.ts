import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StripeSimulator, startStripeSimulator } from '../../../../../tests/support/simulators/stripe.ts';
import { dayMs } from '../../../../core/clock.ts';
import type { ChargeOperation } from '../provider.ts';
import {
  callWith,
  cancelOperation,
  captureOperation,
  chargeOperation,
  refundOperation,
  releaseOperation,
} from './fixture/operations.ts';
import { StripeProvider } from './stripe.ts';

let simulator: StripeSimulator;
let stripe: StripeProvider;
const call = callWith();

beforeAll(async () => {
  simulator = await startStripeSimulator();
  stripe = new StripeProvider(simulator.url);
});
afterAll(() => simulator.close());

const manual = (facts: Partial<ChargeOperation> = {}) => chargeOperation({ captureMethod: 'MANUAL', ...facts });

/** An authorized charge, with the id of its intent. */
async function authorized(): Promise<ChargeOperation & { reference: string }> {
  const operation = manual();
  const outcome = await stripe.charge(operation, call);
  if (outcome.kind !== 'authorized') throw new Error(`It is ${outcome.kind}.`);
  return { ...operation, reference: outcome.reference };
}

const takenOf = (reference: string) =>
  simulator.charges.find(({ payment_intent }) => payment_intent === reference)?.amount_captured;

test('a charge that is captured later only reserves its amount, and says until when', async () => {
  const outcome = await stripe.charge(manual(), call);
  expect(outcome).toMatchObject({ kind: 'authorized', money: { amount: 1999, currency: 'USD' }, livemode: false });
  const { captureBefore } = outcome as { captureBefore: string };
  expect(Date.parse(captureBefore) - Date.now()).toBeGreaterThan(6 * dayMs);
  expect(simulator.charges.at(-1)).toMatchObject({ captured: false, amount_captured: 0 });
});

test('a final capture of a part takes it, releases the rest and reports the fee', async () => {
  const { reference } = await authorized();
  const outcome = await stripe.captures.capture(captureOperation(reference, { amount: 1500 }), call);
  const money = { amount: 1500, currency: 'USD' };
  expect(outcome).toMatchObject({
    kind: 'succeeded',
    reference: expect.stringMatching(/^ch_/),
    money,
    isReleased: true,
  });
  expect(outcome).toHaveProperty('fee');
  expect(takenOf(reference)).toBe(1500);
  const found = await stripe.lookUp(manual({ reference }), call);
  expect(found).toMatchObject({ kind: 'succeeded', money });
});

test('several captures take their parts, and the rest is released on request', async () => {
  const { reference } = await authorized();
  const first = captureOperation(reference, { amount: 500, isFinal: false });
  expect(await stripe.captures.capture(first, call)).toMatchObject({ kind: 'succeeded', isReleased: false });
  const second = captureOperation(reference, { amount: 300, isFinal: false, capturedBefore: 500 });
  expect(await stripe.captures.capture(second, call)).toMatchObject({ money: { amount: 300 }, isReleased: false });
  expect(await stripe.lookUp(manual({ reference }), call)).toMatchObject({
    kind: 'authorized',
    money: { amount: 1999, currency: 'USD' },
  });
  const release = releaseOperation(reference, { amount: 1199 });
  expect(await stripe.captures.release(release, call)).toMatchObject({ kind: 'succeeded' });
  expect(await stripe.lookUp(release, call)).toMatchObject({ kind: 'succeeded' });
  expect(takenOf(reference)).toBe(800);
  expect((await stripe.refund(refundOperation(reference, { amount: 801 }), call)).kind).toBe('failed');
  expect((await stripe.refund(refundOperation(reference, { amount: 800 }), call)).kind).toBe('succeeded');
});

test.each(['hangAfter', 'dropAfter', 'status500After'] as const)(
  'a capture whose answer is lost (%s) is found by the total, and not made twice',
  async (fault) => {
    const { reference } = await authorized();
    const operation = captureOperation(reference, { amount: 700, isFinal: false });
    const hit = simulator.next(fault, /capture/);
    const outcome = await stripe.captures.capture(operation, callWith({ timeoutMs: 300 }));
    await hit;
    expect(outcome.kind).toBe('unknown');
    expect(await stripe.lookUp(operation, call)).toMatchObject({ kind: 'succeeded', money: { amount: 700 } });
    expect(takenOf(reference)).toBe(700);
  },
);

test('a capture that never arrived is absent, and is sent again under its key', async () => {
  const { reference } = await authorized();
  const operation = captureOperation(reference, { amount: 700 });
  const hit = simulator.next('dropBefore', /capture/);
  expect((await stripe.captures.capture(operation, call)).kind).toBe('unknown');
  await hit;
  expect(await stripe.lookUp(operation, call)).toEqual({ kind: 'absent' });
  expect((await stripe.captures.capture(operation, call)).kind).toBe('succeeded');
  expect(takenOf(reference)).toBe(700);
});

test('a capture above what is left is refused, and takes nothing', async () => {
  const { reference } = await authorized();
  const outcome = await stripe.captures.capture(captureOperation(reference, { amount: 2000 }), call);
  const failure = { code: 'capture_failed', providerCode: 'amount_too_large' };
  expect(outcome).toMatchObject({ kind: 'failed', failure });
  expect(takenOf(reference)).toBe(0);
});

test('an authorized charge is cancelled as a whole', async () => {
  const charge = await authorized();
  expect(await stripe.cancel(cancelOperation(charge), call)).toMatchObject({ kind: 'cancelled' });
  expect(await stripe.lookUp(charge, call)).toMatchObject({ kind: 'cancelled' });
});

test('an authorization that Stripe has ended is cancelled with its reason, and nothing can be captured', async () => {
  const charge = await authorized();
  simulator.account.expireAuthorization(charge.reference);
  const failure = { code: 'authorization_expired', providerCode: 'automatic' };
  expect(await stripe.lookUp(charge, call)).toMatchObject({ kind: 'cancelled', failure });
  const late = captureOperation(charge.reference, { amount: 700 });
  expect(await stripe.captures.capture(late, call)).toMatchObject({ kind: 'failed', failure });
});

test('an authorization that ends after a capture has succeeded with what was captured', async () => {
  const charge = await authorized();
  await stripe.captures.capture(captureOperation(charge.reference, { amount: 700, isFinal: false }), call);
  simulator.account.expireAuthorization(charge.reference);
  expect(await stripe.lookUp(charge, call)).toMatchObject({ kind: 'succeeded', money: { amount: 700 } });
});

test('a payer authorizes on the page of Stripe', async () => {
  const operation = manual({ paymentMethod: null });
  const opened = await stripe.charge(operation, call);
  if (opened.kind !== 'needs_payer') throw new Error(`It is ${opened.kind}.`);
  simulator.account.sessions.submit(opened.reference, 'pm_card_visa');
  const paid = await stripe.lookUp({ ...operation, reference: opened.reference }, call);
  expect(paid).toMatchObject({ kind: 'authorized', reference: expect.stringMatching(/^pi_/) });
});
