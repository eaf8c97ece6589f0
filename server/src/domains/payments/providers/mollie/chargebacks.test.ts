import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPages } from '../../../../../tests/support/payments/dispute-pages.ts';
import { MollieSimulator } from '../../../../../tests/support/simulators/mollie.ts';
import { hourMs } from '../../../../core/clock.ts';
import type { ProviderDispute } from '../dispute.ts';
import { callWith, chargeOperation, refundOperation } from './fixture/operations.ts';
import { MollieProvider } from './mollie.ts';

let simulator: MollieSimulator;
let mollie: MollieProvider;
let nowMs = Date.parse('2026-11-27T10:00:00Z');

beforeAll(async () => {
  simulator = await MollieSimulator.start({ now: () => nowMs });
  mollie = new MollieProvider(simulator.url, () => nowMs);
});
afterAll(() => simulator.close());

const call = callWith();

async function paid(): Promise<string> {
  const { reference } = (await mollie.charge(chargeOperation(), call)) as { reference: string };
  simulator.pay(reference);
  return reference;
}

const read = (dispute: string, charge: string | null) => mollie.disputes.read({ dispute, charge }, call);

const since = (sinceMs: number) => readPages((cursor) => mollie.disputes.listSince(sinceMs, cursor, call));
const of = (charge: string) => readPages((cursor) => mollie.disputes.listOf(charge, cursor, call));

test('a chargeback is lost at once, with its money withdrawn, and cannot be answered', async () => {
  const charge = await paid();
  const { id } = simulator.chargeBack(charge);
  expect(await read(id, charge)).toEqual({
    kind: 'read',
    dispute: {
      reference: id,
      chargeReference: charge,
      stage: 'CHARGEBACK',
      status: 'LOST',
      amount: 1999,
      currency: 'EUR',
      fee: null,
      reason: 'other',
      providerReason: null,
      respondBy: null,
      actions: [],
      evidenceFields: [],
      defenseReasons: [],
      movements: [{ reference: id, direction: 'WITHDRAWN', amount: 1999, currency: 'EUR' }],
    },
  });
  expect(mollie.disputes).not.toHaveProperty('answers');
});

test('a reversal wins it: the same money comes back, as another movement, whose reference stays', async () => {
  const charge = await paid();
  const { id } = simulator.chargeBack(charge, { value: '12.00' });
  nowMs += hourMs;
  simulator.reverseChargeback(id);
  const reversed = await read(id, charge);
  expect(reversed).toMatchObject({
    dispute: {
      status: 'WON',
      amount: 1200,
      movements: [
        { reference: id, direction: 'WITHDRAWN', amount: 1200 },
        { reference: `${id}-2026-11-27T11:00:00+00:00`, direction: 'REINSTATED', amount: 1200 },
      ],
    },
  });
  nowMs += hourMs;
  expect(await read(id, charge)).toEqual(reversed);
});

test.each([
  ['AM04', 'returned', undefined],
  ['AC04', 'returned', 'account_closed'],
  ['MD01', 'not_authorized', 'mandate_revoked'],
  ['MD06', 'other', undefined],
  ['ZZ99', 'other', undefined],
])('a bank that takes a debit back with %s means %s', async (code, reason, methodFailure) => {
  const charge = await paid();
  const { id } = simulator.chargeBack(charge, { code });
  const { dispute } = (await read(id, charge)) as { dispute: ProviderDispute };
  expect(dispute).toMatchObject({ reason, providerReason: code, status: 'LOST' });
  expect(dispute.methodFailure).toBe(methodFailure);
});

test('one that Mollie does not have is absent, and one of an unknown payment is not known', async () => {
  const charge = await paid();
  expect(await read('chb_nothing', charge)).toEqual({ kind: 'absent' });
  expect(await read('chb_nothing', null)).toMatchObject({ kind: 'unknown' });
  const failed = simulator.fault({ when: 'before', how: 503 });
  expect(await read('chb_nothing', charge)).toMatchObject({ kind: 'unknown' });
  await failed;
  const limited = simulator.fault({ when: 'before', how: 429 });
  expect(await read('chb_nothing', charge)).toMatchObject({ kind: 'rate_limited' });
  await limited;
});

test('a charge has several chargebacks, refunds of ours and refunds made elsewhere, in any order', async () => {
  const charge = await paid();
  const refund = refundOperation(charge, { amount: 500 });
  await mollie.refund(refund, call);
  const [ours] = simulator.payment(charge).refunds;
  const elsewhere = simulator.refundInDashboard(charge, '3.00');
  simulator.progressRefund(elsewhere.id, 'refunded');
  const chargebacks = ['11.99', '19.99'].map((value) => simulator.chargeBack(charge, { value }).id);
  const list = await of(charge);
  expect(list.disputes.map(({ reference }) => reference)).toEqual(chargebacks.toReversed());
  expect(list.refunds).toEqual([
    {
      reference: elsewhere.id,
      chargeReference: charge,
      amount: 300,
      currency: 'EUR',
      status: 'SUCCESS',
      livemode: false,
    },
    {
      reference: ours?.id,
      chargeReference: charge,
      amount: 500,
      currency: 'EUR',
      status: 'PROCESSING',
      key: refund.key,
      livemode: false,
    },
  ]);
});

test('what began since a time is listed over all payments, by pages, and nothing older', async () => {
  const old = await paid();
  simulator.chargeBack(old);
  nowMs += 24 * hourMs;
  const sinceMs = nowMs;
  const charges = await Promise.all([paid(), paid()]);
  const chargebacks = charges.map((charge) => simulator.chargeBack(charge).id);
  const refund = simulator.refundInDashboard(old, '1.00').id;
  for (let count = 0; count < 260; count++) simulator.refundInDashboard(charges[0] as string, '0.01');
  const list = await since(sinceMs);
  expect(list.disputes.map(({ reference }) => reference).sort()).toEqual(chargebacks.sort());
  expect(list.refunds).toHaveLength(261);
  expect(list.refunds.map(({ reference }) => reference)).toContain(refund);
  expect(list.pages).toBe(3);
});

test('an older chargeback that was reversed since is listed as well', async () => {
  const [reversed, lost] = [await paid(), await paid()].map((charge) => simulator.chargeBack(charge).id);
  nowMs += 9 * hourMs;
  const sinceMs = nowMs;
  simulator.reverseChargeback(reversed as string);
  const { disputes } = await since(sinceMs);
  expect(disputes).toMatchObject([{ reference: reversed, status: 'WON' }]);
  expect(disputes.map(({ reference }) => reference)).not.toContain(lost);
});

test('a refund is read by its id, also one made elsewhere', async () => {
  const charge = await paid();
  const { id: refund } = simulator.refundInDashboard(charge, '5.00');
  const readRefund = (of = refund) => mollie.disputes.readRefund({ refund: of, charge }, call);
  expect(await readRefund()).toMatchObject({ refund: { reference: refund, amount: 500, status: 'PROCESSING' } });
  simulator.progressRefund(refund, 'failed');
  expect(await readRefund()).toMatchObject({ refund: { status: 'FAILED' } });
  expect(await readRefund('re_nothing')).toEqual({ kind: 'absent' });
});
