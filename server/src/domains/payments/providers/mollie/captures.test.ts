import { afterAll, beforeAll, expect, test } from 'vitest';
import { MollieSimulator } from '../../../../../tests/support/simulators/mollie.ts';
import type { ChargeOperation } from '../provider.ts';
import {
  callWith,
  cancelOperation,
  captureOperation,
  chargeOperation,
  releaseOperation,
} from './fixture/operations.ts';
import { MollieProvider } from './mollie.ts';

let simulator: MollieSimulator;
let mollie: MollieProvider;
const call = callWith();

beforeAll(async () => {
  simulator = await MollieSimulator.start();
  mollie = new MollieProvider(simulator.url);
});
afterAll(() => simulator.close());

/** A charge that the payer has authorized. */
async function authorized(): Promise<ChargeOperation & { reference: string }> {
  const operation = chargeOperation({ captureMethod: 'MANUAL', paymentMethod: 'creditcard' });
  const opened = await mollie.charge(operation, call);
  if (opened.kind !== 'needs_payer') throw new Error(`It is ${opened.kind}.`);
  simulator.authorize(opened.reference);
  return { ...operation, reference: opened.reference };
}

const inEuro = (amount: number) => ({ amount, currency: 'EUR' });

test('a payment that is captured later is authorized, until a time that Mollie names', async () => {
  const charge = await authorized();
  const captureBefore = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(await mollie.lookUp(charge, call)).toMatchObject({ kind: 'authorized', money: inEuro(1999), captureBefore });
  expect(simulator.payment(charge.reference)).toMatchObject({ captureMode: 'manual' });
});

test('a capture is pending at first, and its rest is released apart', async () => {
  const charge = await authorized();
  const operation = captureOperation(charge.reference, { amount: 700 });
  const begun = await mollie.captures.capture(operation, call);
  expect(begun).toMatchObject({ kind: 'pending', reference: expect.stringMatching(/^cpt_/) });
  simulator.capture(charge.reference);
  expect(await mollie.lookUp(operation, call)).toMatchObject({ kind: 'succeeded', money: inEuro(700) });
  const { reference } = begun as { reference: string };
  expect(await mollie.lookUp({ ...operation, reference }, call)).toMatchObject({ kind: 'succeeded', reference });
  expect((await mollie.lookUp(charge, call)).kind).toBe('authorized');

  const release = releaseOperation(charge.reference, { amount: 1299 });
  expect((await mollie.captures.release(release, call)).kind).toBe('pending');
  expect(await mollie.lookUp(release, call)).toEqual({ kind: 'absent' });
  simulator.release(charge.reference);
  expect((await mollie.lookUp(release, call)).kind).toBe('succeeded');
  expect(await mollie.lookUp(charge, call)).toMatchObject({ kind: 'succeeded', money: inEuro(700) });
});

test('a capture of the whole pays the payment', async () => {
  const charge = await authorized();
  await mollie.captures.capture(captureOperation(charge.reference), call);
  simulator.capture(charge.reference);
  expect(await mollie.lookUp(charge, call)).toMatchObject({ kind: 'succeeded', money: inEuro(1999) });
});

test('a capture that fails leaves the payment authorized', async () => {
  const charge = await authorized();
  const operation = captureOperation(charge.reference, { amount: 700 });
  await mollie.captures.capture(operation, call);
  simulator.failCapture(charge.reference);
  expect(await mollie.lookUp(operation, call)).toMatchObject({ kind: 'failed', failure: { code: 'capture_failed' } });
  expect((await mollie.lookUp(charge, call)).kind).toBe('authorized');
});

test('a capture above what is left is refused', async () => {
  const charge = await authorized();
  const outcome = await mollie.captures.capture(captureOperation(charge.reference, { amount: 2000 }), call);
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'capture_failed' } });
});

test('a capture without an answer is found by its key, and is absent if Mollie has none', async () => {
  const charge = await authorized();
  const operation = captureOperation(charge.reference, { amount: 700 });
  expect(await mollie.lookUp(operation, call)).toEqual({ kind: 'absent' });
  await mollie.captures.capture(operation, call);
  expect((await mollie.lookUp(operation, call)).kind).toBe('pending');
});

test('an authorized payment is released as a whole when it is cancelled', async () => {
  const charge = await authorized();
  const cancel = cancelOperation(charge);
  expect((await mollie.cancel(cancel, call)).kind).toBe('pending');
  simulator.release(charge.reference);
  expect((await mollie.lookUp(cancel, call)).kind).toBe('cancelled');
});
