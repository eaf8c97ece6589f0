import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPages } from '../../../../../tests/support/payments/dispute-pages.ts';
import { type StripeSimulator, startStripeSimulator } from '../../../../../tests/support/simulators/stripe.ts';
import type { DisputeFacts } from '../../../../../tests/support/simulators/stripe-disputes.ts';
import { dayMs } from '../../../../core/clock.ts';
import type { ProviderDispute } from '../dispute.ts';
import { callWith, chargeOperation, refundOperation } from './fixture/operations.ts';
import { StripeProvider } from './stripe.ts';

let simulator: StripeSimulator;
let stripe: StripeProvider;
let nowMs = Date.parse('2026-11-27T10:00:00Z');

beforeAll(async () => {
  simulator = await startStripeSimulator({ clock: () => nowMs });
  stripe = new StripeProvider(simulator.url, () => nowMs);
});
afterAll(() => simulator.close());

const call = callWith();
const disputes = () => simulator.account.disputes;

async function paid(paymentMethod = 'pm_card_visa', currency = 'USD'): Promise<string> {
  const outcome = await stripe.charge(chargeOperation({ paymentMethod, currency }), call);
  expect(outcome).toMatchObject({ kind: 'succeeded' });
  return (outcome as { reference: string }).reference;
}

async function read(dispute: string): Promise<ProviderDispute> {
  const reading = await stripe.disputes.read({ dispute, charge: null }, call);
  expect(reading).toMatchObject({ kind: 'read' });
  return (reading as { dispute: ProviderDispute }).dispute;
}

async function disputed(facts: DisputeFacts = {}) {
  const charge = await paid();
  const { id } = disputes().open(charge, facts);
  return { charge, id };
}

const since = (sinceMs: number) => readPages((cursor) => stripe.disputes.listSince(sinceMs, cursor, call));
const of = (charge: string) => readPages((cursor) => stripe.disputes.listOf(charge, cursor, call));

test('a dispute waits for an answer until its deadline, and has taken the money and a fee', async () => {
  const { charge, id } = await disputed({ reason: 'product_not_received', amount: 1500 });
  const dispute = await read(id);
  const [booking] = disputes().get(id).balance_transactions;
  expect(dispute).toMatchObject({
    reference: id,
    chargeReference: charge,
    stage: 'CHARGEBACK',
    status: 'OPEN',
    amount: 1500,
    currency: 'USD',
    fee: { amount: 1500, currency: 'USD' },
    reason: 'not_received',
    providerReason: 'product_not_received',
    respondBy: '2026-12-04T10:00:00.000Z',
    actions: ['SUBMIT', 'ACCEPT'],
    defenseReasons: [],
    movements: [{ reference: booking?.id, direction: 'WITHDRAWN', amount: 1500, currency: 'USD' }],
    livemode: false,
  });
  expect(dispute.evidenceFields).toContainEqual({
    name: 'uncategorized_text',
    kind: 'TEXT',
    required: false,
    maxCharacters: 20_000,
  });
  expect(dispute.evidenceFields).toContainEqual({
    name: 'receipt',
    kind: 'FILE',
    required: false,
    fileTypes: ['application/pdf', 'image/jpeg', 'image/png'],
    maxBytes: 5_000_000,
  });
  expect(dispute.evidenceFields.map(({ name }) => name)).not.toContain('appeal');
});

test('after its deadline it takes no answer, and after the decision neither', async () => {
  const { id } = await disputed({ dueInDays: 3 });
  nowMs += 4 * dayMs;
  expect(await read(id)).toMatchObject({ status: 'OPEN', actions: [], evidenceFields: [] });
  disputes().decide(id, 'lost');
  expect(await read(id)).toMatchObject({ status: 'LOST', actions: [], movements: [{ direction: 'WITHDRAWN' }] });
});

test('a win brings the money back, and what Stripe gives back of the fee', async () => {
  const { id } = await disputed();
  disputes().decide(id, 'won', { feeGivenBack: 500 });
  const [withdrawn, reinstated] = disputes().get(id).balance_transactions;
  expect(await read(id)).toMatchObject({
    status: 'WON',
    fee: { amount: 1000, currency: 'USD' },
    movements: [
      { reference: withdrawn?.id, direction: 'WITHDRAWN', amount: 1999 },
      { reference: reinstated?.id, direction: 'REINSTATED', amount: 1999 },
    ],
  });
});

test('an inquiry has taken nothing, and may end, or go on as a chargeback', async () => {
  const { id } = await disputed({ isInquiry: true });
  expect(await read(id)).toMatchObject({
    stage: 'INQUIRY',
    status: 'OPEN',
    fee: null,
    movements: [],
    actions: ['SUBMIT'],
  });
  disputes().closeInquiry(id);
  expect(await read(id)).toMatchObject({ stage: 'INQUIRY', status: 'CLOSED', movements: [], actions: [] });
  disputes().escalate(id);
  expect(await read(id)).toMatchObject({
    stage: 'CHARGEBACK',
    status: 'OPEN',
    movements: [{ direction: 'WITHDRAWN' }],
    actions: ['SUBMIT', 'ACCEPT'],
  });
});

test('a dispute that a refund by Stripe has prevented is closed, and its refund is one made elsewhere', async () => {
  const charge = await paid();
  const { id } = disputes().prevent(charge);
  expect(await read(id)).toMatchObject({ stage: 'INQUIRY', status: 'CLOSED', movements: [], actions: [] });
  const [refund] = (await of(charge)).refunds;
  expect(refund).toMatchObject({ amount: 1999, status: 'SUCCESS', chargeReference: charge });
  expect(refund).not.toHaveProperty('key');
});

test('the money of a dispute is in its own currency, and its fee in the one in which the account settles', async () => {
  const { id } = await disputed({ settledIn: { currency: 'eur', amount: 1723 } });
  expect(await read(id)).toMatchObject({
    amount: 1999,
    currency: 'USD',
    fee: { amount: 1500, currency: 'EUR' },
    movements: [{ direction: 'WITHDRAWN', amount: 1999, currency: 'USD' }],
  });
});

test("amounts are in minor units of ISO 4217, whatever Stripe's unit is", async () => {
  const charge = await paid('pm_card_visa', 'ISK');
  const { id } = disputes().open(charge);
  expect(await read(id)).toMatchObject({ amount: 1999, currency: 'ISK', movements: [{ amount: 1999 }] });
});

test('one dispute of several is read, and all of a charge are listed', async () => {
  const charge = await paid('pm_card_createMultipleDisputes');
  const list = (await of(charge)).disputes;
  expect(list.map(({ reason }) => reason)).toEqual(['not_received', 'fraudulent']);
  expect(list.every(({ chargeReference, amount }) => chargeReference === charge && amount === 999)).toBe(true);
  expect(await read(list[1]?.reference as string)).toEqual(list[1]);
});

test.each([
  ['insufficient_funds', 'returned', undefined],
  ['incorrect_account_details', 'returned', 'account_closed'],
  ['debit_not_authorized', 'not_authorized', 'mandate_revoked'],
  ['customer_initiated', 'other', undefined],
])(
  'a debit that a bank takes back for %s is lost at once and cannot be answered',
  async (word, reason, methodFailure) => {
    const charge = await paid();
    const { id } = disputes().open(charge, { reason: word, dueInDays: null, fee: 0 });
    const returned = await read(id);
    expect(returned).toMatchObject({ status: 'LOST', reason, respondBy: null, actions: [], evidenceFields: [] });
    expect(returned.movements).toMatchObject([{ direction: 'WITHDRAWN', amount: 1999 }]);
    expect(returned.methodFailure).toBe(methodFailure);
    disputes().decide(id, 'lost');
    expect(await read(id)).toEqual(returned);
  },
);

test.each([
  ['insufficient_funds', 'returned', undefined],
  ['account_closed', 'returned', 'account_closed'],
  ['debit_not_authorized', 'not_authorized', 'mandate_revoked'],
])('a debit that fails after it has succeeded, for %s, is known by its charge', async (code, reason, methodFailure) => {
  const charge = await paid();
  const { id } = simulator.charges.at(-1) as { id: string };
  expect(await stripe.disputes.read({ dispute: id, charge }, call)).toEqual({ kind: 'absent' });
  disputes().failDebit(charge, code);
  const returned = await read(id);
  expect(returned).toMatchObject({
    reference: id,
    chargeReference: charge,
    stage: 'CHARGEBACK',
    status: 'LOST',
    amount: 1999,
    reason,
    providerReason: code,
    movements: [{ reference: disputes().failures.at(-1)?.id, direction: 'WITHDRAWN', amount: 1999 }],
  });
  expect(returned.methodFailure).toBe(methodFailure);
  expect((await of(charge)).disputes).toEqual([returned]);
  expect((await since(nowMs)).disputes).toContainEqual(returned);
});

test('what began since a time is listed by pages: disputes, refunds and failed debits, and nothing older', async () => {
  await disputed();
  nowMs += dayMs;
  const sinceMs = nowMs;
  const charge = await paid();
  const refund = refundOperation(charge, { amount: 100 });
  await stripe.refund(refund, call);
  const elsewhere = simulator.account.createRefund({ payment_intent: charge, amount: '200' });
  const opened = Array.from({ length: 120 }, () => disputes().open(charge, { amount: 1 }).id);
  const list = await since(sinceMs);
  // The disputes have two pages, and the events of their funds as well.
  expect(list.pages).toBe(7);
  expect(list.disputes.map(({ reference }) => reference)).toEqual(opened.toReversed());
  expect(list.refunds).toMatchObject([
    { reference: elsewhere.id, chargeReference: charge, amount: 200, currency: 'USD', status: 'SUCCESS' },
    { chargeReference: charge, amount: 100, key: refund.key },
  ]);
});

test('disputes that have changed since a time are named by the events about them, whatever these show', async () => {
  const decided = await disputed();
  const untouched = await disputed();
  nowMs += 5 * dayMs;
  const sinceMs = nowMs;
  disputes().decide(decided.id, 'won');
  const list = await since(sinceMs);
  expect(list.disputes).toEqual([]);
  expect(new Set(list.changed)).toEqual(new Set([decided.id]));
  expect(list.changed).not.toContain(untouched.id);

  simulator.mayNotReadEvents = true;
  // Neither does it hold up the list that a key may not read them.
  expect((await since(sinceMs)).changed).toEqual([]);
  simulator.mayNotReadEvents = false;
});

test('a dispute with a status that Stripe may add is not known, and does not hold up a list', async () => {
  const { charge, id } = await disputed();
  const other = disputes().open(charge, { amount: 1 });
  await simulator.conformance.unchecked(async () => {
    disputes().get(id).status = 'invented_tomorrow';
    expect(await stripe.disputes.read({ dispute: id, charge }, call)).toMatchObject({ kind: 'unknown' });
    expect((await of(charge)).disputes.map(({ reference }) => reference)).toEqual([other.id]);
    disputes().get(id).status = 'lost';
  });
});

test('a refund is read by its id, also one made elsewhere', async () => {
  const charge = await paid();
  const { id: refund } = simulator.account.createRefund({ payment_intent: charge, amount: '500' });
  const readRefund = (of = refund) => stripe.disputes.readRefund({ refund: of, charge }, call);
  const made = { reference: refund, chargeReference: charge, amount: 500, currency: 'USD', status: 'SUCCESS' };
  expect(await readRefund()).toEqual({ kind: 'read', refund: made });
  simulator.account.settleRefund(refund, 'failed');
  expect(await readRefund()).toMatchObject({ refund: { status: 'FAILED' } });
  expect(await readRefund('re_nothing')).toEqual({ kind: 'absent' });
});

test('what Stripe does not have is absent, and what it does not answer is not known', async () => {
  const reading = () => stripe.disputes.read({ dispute: 'dp_nothing', charge: null }, call);
  expect(await reading()).toEqual({ kind: 'absent' });
  for (const [fault, kind] of [
    ['status500Before', 'unknown'],
    ['rateLimit', 'rate_limited'],
    ['garbageAfter', 'unknown'],
  ] as const) {
    const hit = simulator.next(fault, /disputes/);
    expect(await reading(), fault).toMatchObject({ kind });
    await hit;
  }
});
