import { createHmac } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StripeSimulator } from '../../../../../tests/support/simulators/stripe.ts';
import type { SignedCallback } from '../../../../../tests/support/simulators/stripe-records.ts';
import { Refusal } from '../../../../core/errors.ts';
import type { Outcome, SetupOutcome } from '../outcome.ts';
import type { ProviderCallback } from '../provider.ts';
import { callWith, chargeOperation, credentials, refundOperation, setupOperation } from './fixture/operations.ts';
import { StripeProvider } from './stripe.ts';

const simulator = new StripeSimulator({});
let stripe: StripeProvider;

beforeAll(async () => {
  await simulator.listen(0);
  stripe = new StripeProvider(simulator.url);
});
afterAll(() => simulator.close());

const call = callWith();
type Attached = Extract<SetupOutcome, { kind: 'attached' }>;
const receivedMs = Date.now();
const secret = credentials.webhookSecret as string;
const referenceOf = (outcome: Outcome) => (outcome as { reference: string }).reference;

function read(
  { headers, body }: { headers: Record<string, string>; body: Buffer },
  of = credentials,
): ProviderCallback {
  return stripe.readCallback({ headers, query: {}, body, receivedMs }, of);
}

/** The message of the refusal. Anything else fails the test. */
function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal && error.type === 'callback_invalid') return `${error.message} ${error.cause}`;
    throw error;
  }
  throw new Error('It was accepted.');
}

const genuine = (): SignedCallback =>
  simulator.sign({ id: 'evt_1', object: 'event', type: 'invented.tomorrow', data: {} });
const hmac = (content: string, key = secret) => createHmac('sha256', key).update(content).digest('hex');
const seconds = Math.floor(receivedMs / 1_000);
const withSignature = (signature: string): SignedCallback => ({
  ...genuine(),
  headers: { ...genuine().headers, 'stripe-signature': signature },
});
const v1 = (at: number | string, key = secret) => hmac(`${at}.${genuine().body}`, key);

test('a genuine event is read, also one signed by Stripe’s own library', () => {
  expect(read(genuine())).toEqual({ eventId: 'evt_1' });
  const payload = genuine().body.toString('utf8');
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds });
  expect(read(withSignature(signature))).toEqual({ eventId: 'evt_1' });
});

test('while a secret is rolled, either of the two signatures is enough', () => {
  const other = v1(seconds, 'whsec_other');
  expect(read(withSignature(`t=${seconds},v1=${other},v1=${v1(seconds)}`)).eventId).toBe('evt_1');
  expect(read(withSignature(`t=${seconds},v1=${v1(seconds)},v1=${other},v0=${other}`)).eventId).toBe('evt_1');
});

test.each([
  ['no signature', ''],
  ['a signature of nothing', 'v1='],
  ['no timestamp', `v1=${v1(seconds)}`],
  ['an empty v1', `t=${seconds},v1=`],
  ['a wrong secret', `t=${seconds},v1=${v1(seconds, 'whsec_other')}`],
  ['two wrong secrets', `t=${seconds},v1=${v1(seconds, 'whsec_other')},v1=${v1(seconds, 'whsec_third')}`],
  ['an unkeyed hash', `t=${seconds},v1=${v1(seconds, '')}`],
  ['only the scheme v0', `t=${seconds},v0=${v1(seconds)}`],
  ['another timestamp than the signed one', `t=${seconds + 1},v1=${v1(seconds)}`],
  ['an old message', `t=${seconds - 301},v1=${v1(seconds - 301)}`],
  ['a very old message', `t=1,v1=${v1(1)}`],
  ['half a signature', `t=${seconds},v1=${v1(seconds).slice(0, 32)}`],
  ['a signature in capitals', `t=${seconds},v1=${v1(seconds).toUpperCase()}`],
  ['a signature of another length', `t=${seconds},v1=${'ü'.repeat(64)}`],
  ['no structure at all', 'x'.repeat(10_000)],
])('%s is refused', (_, signature) => {
  expect(refusalOf(() => read(withSignature(signature)))).not.toContain(secret);
});

test('a message is accepted for five minutes', () => {
  expect(read(withSignature(`t=${seconds - 299},v1=${v1(seconds - 299)}`)).eventId).toBe('evt_1');
});

test('a missing header and a modified body are refused', () => {
  const { body, headers } = genuine();
  refusalOf(() => read({ headers: {}, body }));
  for (const changed of [`${body} `, body.toString().replace('evt_1', 'evt_2'), '', '{}']) {
    refusalOf(() => read({ headers, body: Buffer.from(changed) }));
  }
});

test('a channel without a webhookSecret refuses every callback', () => {
  for (const webhookSecret of [null, '', '   ']) {
    const key = webhookSecret ?? '';
    const forged = withSignature(`t=${seconds},v1=${v1(seconds, key)}`);
    refusalOf(() => read(forged, { ...credentials, webhookSecret }));
  }
});

test('a signed body that is not an event is refused, and no cause contains it', () => {
  for (const body of ['null', '[]', '"text"', '{"id":7,"type":"x"}', '{"id":"evt_1"}', 'no JSON canary', '\u0000']) {
    const refusal = refusalOf(() =>
      read({
        headers: { 'stripe-signature': `t=${seconds},v1=${hmac(`${seconds}.${body}`)}` },
        body: Buffer.from(body),
      }),
    );
    expect(refusal).not.toContain(secret);
  }
  const thin = { id: 'evt_1', object: 'v2.core.event', type: 'v1.payment_intent.succeeded' };
  expect(refusalOf(() => read(simulator.sign(thin)))).toContain('snapshot');
});

test('events of a payment carry its outcome, our key and Stripe’s id', async () => {
  const operation = chargeOperation({ paymentMethod: 'pm_card_threeDSecure' });
  const reference = referenceOf(await stripe.charge(operation, call));
  const { key } = operation;
  const url = `${simulator.url}/authenticate/${reference}`;
  expect(read(simulator.callback('payment_intent.requires_action', reference))).toEqual({
    eventId: expect.stringMatching(/^evt_/),
    notice: {
      key,
      reference,
      livemode: false,
      outcome: { kind: 'needs_payer', reference, nextAction: { type: 'redirect', url }, livemode: false },
    },
  });
  simulator.account.authenticate(reference, true);
  expect(read(simulator.callback('payment_intent.succeeded', reference)).notice).toEqual({
    key,
    reference,
    livemode: false,
    outcome: { kind: 'succeeded', reference, money: { amount: operation.amount, currency: 'USD' }, livemode: false },
  });

  const debited = referenceOf(
    await stripe.charge(chargeOperation({ payerFlow: 'EMBEDDED', paymentMethod: null }), call),
  );
  simulator.account.confirmIntent(debited, { payment_method: 'pm_usBankAccount_success' });
  expect(read(simulator.callback('payment_intent.processing', debited)).notice?.outcome?.kind).toBe('pending');
});

test('an event carries the received amount, which is lower after a partial capture', async () => {
  const reference = referenceOf(await stripe.charge(chargeOperation(), call));
  const moneyIn = (changes: object) => {
    const intent = { ...simulator.account.intent(reference), ...changes };
    const { notice } = read(simulator.sign(simulator.event('payment_intent.succeeded', intent)));
    return (notice?.outcome as { money?: object } | undefined)?.money;
  };
  expect(moneyIn({})).toEqual({ amount: 1999, currency: 'USD' });
  expect(moneyIn({ amount_received: 1000 })).toEqual({ amount: 1000, currency: 'USD' });
  expect(moneyIn({ currency: 'jpy', amount_received: 1000 })).toEqual({ amount: 1000, currency: 'JPY' });
  expect(moneyIn({ currency: 'isk', amount_received: 550 })).toEqual({ amount: null, currency: 'ISK' });
  expect(moneyIn({ amount_received: undefined })).toEqual({ currency: 'USD' });
  expect(moneyIn({ currency: undefined })).toBeUndefined();
});

test('a look-up carries the received and the refunded amount too', async () => {
  const operation = chargeOperation();
  const reference = referenceOf(await stripe.charge(operation, call));
  simulator.account.intent(reference).amount_received = 1000;
  const seen = await stripe.lookUp({ ...operation, reference }, call);
  expect(seen).toMatchObject({ kind: 'succeeded', money: { amount: 1000, currency: 'USD' } });
  simulator.account.intent(reference).currency = 'eur';
  expect(await stripe.lookUp({ ...operation, reference }, call)).toMatchObject({ money: { currency: 'EUR' } });
});

test('a cancelled payment is cancelled; one that Florin cancelled after a decline has failed', async () => {
  const waiting = referenceOf(
    await stripe.charge(chargeOperation({ payerFlow: 'EMBEDDED', paymentMethod: null }), call),
  );
  simulator.account.cancelIntent(waiting, { cancellation_reason: 'abandoned' });
  expect(read(simulator.callback('payment_intent.canceled', waiting)).notice?.outcome?.kind).toBe('cancelled');

  const outcome = await stripe.charge(chargeOperation({ paymentMethod: 'pm_card_chargeDeclinedLostCard' }), call);
  const { notice } = read(simulator.callback('payment_intent.canceled', referenceOf(outcome)));
  expect(notice?.outcome).toEqual(outcome);

  const expired = { ...simulator.account.intent(waiting), cancellation_reason: 'expired' };
  expect(read(simulator.sign(simulator.event('payment_intent.canceled', expired))).notice?.outcome).toMatchObject({
    kind: 'failed',
    failure: { code: 'payment_expired' },
  });
});

test('a declined attempt is not final and leads to a look-up', async () => {
  for (const paymentMethod of [null, 'pm_card_threeDSecure']) {
    const operation = chargeOperation({ payerFlow: 'EMBEDDED', paymentMethod });
    const reference = referenceOf(await stripe.charge(operation, call));
    const callback = read(simulator.callback('payment_intent.payment_failed', reference));
    expect(callback.notice).toEqual({ key: operation.key, reference, livemode: false });
  }
});

test('events of a refund carry its outcome and its own key', async () => {
  const charged = await stripe.charge(chargeOperation({ paymentMethod: 'pm_card_refundFail' }), call);
  const operation = refundOperation(referenceOf(charged));
  const { key } = operation;
  const reference = referenceOf(await stripe.refund(operation, call));
  const pending = { key, reference, livemode: false, outcome: { kind: 'pending', reference } };
  expect(read(simulator.callback('refund.created', reference)).notice).toEqual(pending);
  simulator.account.settleRefund(reference, 'failed');
  for (const type of ['refund.failed', 'refund.updated', 'charge.refund.updated']) {
    expect(read(simulator.callback(type, reference)).notice).toMatchObject({
      key,
      reference,
      outcome: { kind: 'failed', failure: { code: 'refund_refused', providerCode: 'expired_or_canceled_card' } },
    });
  }
});

test('events about things that Florin did not start or does not track carry only their id', async () => {
  const ours = referenceOf(await stripe.charge(chargeOperation(), call));
  for (const type of ['payment_intent.created', 'charge.succeeded', 'charge.refunded']) {
    expect(read(simulator.callback(type, ours))).toEqual({ eventId: expect.stringMatching(/^evt_/) });
  }
  const { id } = simulator.account.createIntent({ amount: '100', currency: 'usd', payment_method: 'pm_card_visa' });
  expect(read(simulator.callback('payment_intent.succeeded', id))).not.toHaveProperty('notice');
  for (const object of [null, 7, {}, { metadata: { florin_key: 7 } }, { metadata: { florin_key: 'txn_1-1' } }]) {
    const odd = simulator.sign(simulator.event('payment_intent.succeeded', object));
    expect(read(odd)).not.toHaveProperty('notice');
  }
  expect(read(simulator.sign({ id: 'evt_2', type: 'payment_intent.succeeded' }))).toEqual({ eventId: 'evt_2' });
});

test('events of disputes, warnings and refunds made elsewhere name only them and their charge', async () => {
  const { disputes, createRefund } = simulator.account;
  const reference = referenceOf(await stripe.charge(chargeOperation(), call));
  const last = (type: string) => read(simulator.sign(simulator.events.findLast((event) => event.type === type)));
  const eventId = expect.any(String);
  const named = { chargeReference: reference, livemode: false };

  const refund = createRefund.call(simulator.account, { payment_intent: reference, amount: '100' });
  expect(last('refund.created')).toEqual({ eventId, refundNotice: { reference: refund.id, ...named } });
  simulator.account.settleRefund(refund.id, 'failed');
  expect(last('refund.failed')).toEqual({ eventId, refundNotice: { reference: refund.id, ...named } });

  const warning = disputes.warn(reference);
  const fraudWarning = { reference: warning.id, ...named, atMs: warning.created * 1_000 };
  expect(last('radar.early_fraud_warning.created')).toEqual({ eventId, fraudWarning });

  const { id } = disputes.open(reference, { isInquiry: true });
  disputes.escalate(id);
  disputes.decide(id, 'won');
  for (const word of ['created', 'updated', 'funds_withdrawn', 'closed', 'funds_reinstated']) {
    expect(last(`charge.dispute.${word}`), word).toEqual({ eventId, disputeNotice: { reference: id, ...named } });
  }

  disputes.failDebit(reference, 'insufficient_funds');
  expect(last('charge.failed')).toEqual({ eventId, chargeNotice: { reference, livemode: false } });
});

test('a refund of Florin and a declined charge are told as before', async () => {
  const reference = referenceOf(await stripe.charge(chargeOperation(), call));
  const refund = referenceOf(await stripe.refund(refundOperation(reference, { amount: 100 }), call));
  expect(read(simulator.callback('refund.updated', refund))).toEqual({
    eventId: expect.any(String),
    notice: expect.objectContaining({ reference: refund }),
  });
  await stripe.charge(chargeOperation({ paymentMethod: 'pm_card_chargeDeclined' }), call);
  const [declined] = [...simulator.account.intents.keys()].slice(-1);
  expect(read(simulator.callback('charge.failed', declined as string))).toEqual({ eventId: expect.any(String) });
});

test('events of payment methods say which method, setup or customer has changed, and nothing more', async () => {
  const operation = setupOperation();
  const { method, reference } = (await stripe.methods.setUp(operation, call)) as Attached;
  const events = simulator.events.filter(({ type }) => type.startsWith('setup_intent.'));
  const setup = { key: operation.key, reference, of: 'SETUP', livemode: false };
  expect(events.map((event) => read(simulator.sign(event)).methodNotice)).toEqual([undefined, setup]);

  const { methods, customers } = simulator.account;
  const of = (type: string) =>
    read(simulator.sign(simulator.events.findLast((event) => event.type === type))).methodNotice;
  methods.replaceCard(method.reference, { exp_year: 2040 });
  const changed = { reference: method.reference, of: 'METHOD', livemode: false };
  expect(of('payment_method.automatically_updated')).toEqual(changed);
  expect(of('payment_method.attached')).toBeUndefined();
  methods.detach(method.reference);
  expect(of('payment_method.detached')).toEqual(changed);

  const consent = { ipAddress: '192.0.2.1', userAgent: 'Browser', acceptedTime: '2026-11-27T10:00:00.000Z' };
  const debit = (await stripe.methods.setUp(setupOperation({ token: 'pm_success_de', consent }), call)) as Attached;
  methods.endMandate(debit.method.reference);
  expect(of('mandate.updated')).toEqual({ ...changed, reference: debit.method.reference });
  customers.delete(debit.customerReference as string);
  const gone = { reference: debit.customerReference, of: 'CUSTOMER', livemode: false };
  expect(of('customer.deleted')).toEqual(gone);
});

test.each([
  'setup_intent.succeeded',
  'payment_method.detached',
  'mandate.updated',
  'customer.deleted',
  'charge.dispute.created',
  'charge.failed',
  'refund.created',
  'radar.early_fraud_warning.created',
])('an odd %s carries only its id', (type) => {
  for (const object of [null, 7, {}, { object: 'mandate' }, { object: 'setup_intent', id: 'seti_1' }, { id: 7 }]) {
    expect(Object.keys(read(simulator.sign(simulator.event(type, object))))).toEqual(['eventId']);
  }
});
