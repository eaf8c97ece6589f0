import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StripeSimulator, startStripeSimulator } from '../../../../../tests/support/simulators/stripe.ts';
import type { KeptMethod, ProviderMethod, SaveRequest } from '../kept-method.ts';
import type { Outcome } from '../outcome.ts';
import type { ChargeOperation } from '../provider.ts';
import { callWith, chargeOperation } from './fixture/operations.ts';
import { StripeProvider } from './stripe.ts';

let simulator: StripeSimulator;
let stripe: StripeProvider;

beforeAll(async () => {
  simulator = await startStripeSimulator();
  stripe = new StripeProvider(simulator.url);
});
afterAll(() => simulator.close());

const call = callWith();
const consent = { ipAddress: '192.0.2.1', userAgent: 'Browser', acceptedTime: '2026-11-27T10:00:00.000Z' };
let customers = 0;
const saving = (facts: Partial<SaveRequest['customer']> = {}): SaveRequest => ({
  customer: {
    reference: null,
    key: `ctm_${++customers}`,
    name: 'Jenny Rosen',
    email: 'jenny@example.org',
    livemode: false,
    ...facts,
  },
  agreement: 'SUBSCRIPTION',
  consent: null,
});
const lastIntent = () => [...simulator.account.intents.values()].at(-1);
const lastParams = () => simulator.requests.findLast(({ method }) => method === 'POST')?.params;
const referenceOf = (outcome: Outcome) => (outcome as { reference: string }).reference;

/** The method that a first charge keeps. */
async function kept(facts: Partial<ChargeOperation> = {}): Promise<KeptMethod> {
  const outcome = await stripe.charge(chargeOperation({ save: saving(), ...facts }), call);
  return { ...(outcome as { kept: ProviderMethod }).kept, agreement: 'SUBSCRIPTION' };
}

/** A charge with a kept method, when nobody is there. */
const offSession = (method: KeptMethod, facts: Partial<ChargeOperation> = {}) =>
  chargeOperation({ payerFlow: 'EMBEDDED', paymentMethod: null, method, initiator: 'MERCHANT', ...facts });

test('a first charge keeps its card for a new customer, and tells what it has kept', async () => {
  const save = saving();
  const outcome = await stripe.charge(chargeOperation({ save }), call);
  const customer = simulator.account.customers.all.at(-1);
  expect(customer).toMatchObject({
    name: 'Jenny Rosen',
    email: 'jenny@example.org',
    metadata: { florin_customer: save.customer.key },
  });
  expect(simulator.requests.find(({ path }) => path === '/v1/customers')?.key).toBe('ctm_1');
  expect(lastParams()).toMatchObject({ customer: customer?.id, setup_future_usage: 'off_session' });
  expect(outcome).toMatchObject({
    kind: 'succeeded',
    customerReference: customer?.id,
    kept: {
      customerReference: customer?.id,
      reference: lastIntent()?.payment_method,
      type: 'card',
      providerType: 'card',
      networkTransactionId: '104557651805572',
      brand: 'visa',
      last4: '4242',
      expiryMonth: 12,
      expiryYear: 2034,
      bankName: null,
      country: 'US',
      fingerprint: 'AOB934RVNwzk6xtn',
      mandateReference: null,
      mandateUrl: null,
    },
  });
});

test('periods 2 to 14 are charged with the kept card, when nobody is there', async () => {
  const method = await kept();
  for (let period = 2; period <= 14; period++) {
    const outcome = await stripe.charge(offSession(method), call);
    expect(outcome).toMatchObject({ kind: 'succeeded' });
    expect(outcome).not.toHaveProperty('kept');
  }
  expect(lastParams()).toMatchObject({
    customer: method.customerReference,
    payment_method: method.reference,
    confirm: 'true',
    off_session: 'true',
  });
  expect(lastParams()).not.toHaveProperty('setup_future_usage');
});

test('a second charge of a customer finds the same customer at Stripe', async () => {
  const first = await kept();
  const known = saving({ reference: first.customerReference });
  const second = await kept({ save: known });
  expect(second.customerReference).toBe(first.customerReference);
  expect(second.reference).not.toBe(first.reference);
});

test('a customer whose creation was lost is found, also under another name', async () => {
  const save = saving();
  const hit = simulator.next('dropAfter', /^POST \/v1\/customers/);
  const operation = chargeOperation({ save });
  expect((await stripe.charge(operation, call)).kind).toBe('unknown');
  await hit;
  const created = simulator.account.customers.all.at(-1)?.id;
  expect(await stripe.lookUp(operation, call)).toMatchObject({ kind: 'succeeded', customerReference: created });
  const renamed = { ...save, customer: { ...save.customer, name: 'Jenny Smith' } };
  expect(await stripe.charge(chargeOperation({ save: renamed }), call)).toMatchObject({ customerReference: created });
  expect(simulator.account.customers.all.at(-1)?.id).toBe(created);
});

test('a customer that was deleted at Stripe is replaced, so that a new card can be kept', async () => {
  const { customerReference } = await kept();
  simulator.account.customers.delete(customerReference as string);
  const save = saving({ reference: customerReference, key: 'ctm_deleted' });
  const operation = chargeOperation({ save });
  const outcome = await stripe.charge(operation, call);
  expect(outcome).toMatchObject({ kind: 'succeeded', kept: { type: 'card' } });
  const { customerReference: replaced } = outcome as { customerReference: string };
  expect(replaced).not.toBe(customerReference);
  expect(await stripe.lookUp(operation, call)).toMatchObject({ kind: 'succeeded', customerReference: replaced });
});

test('every answer names the customer: a decline, a payment that waits for its payer, a look-up', async () => {
  const customerReference = expect.stringMatching(/^cus_/);
  for (const [paymentMethod, kind] of [
    ['pm_card_chargeDeclined', 'failed'],
    ['pm_card_threeDSecure', 'needs_payer'],
    [null, 'needs_payer'],
  ] as const) {
    const operation = chargeOperation({ save: saving(), paymentMethod, payerFlow: 'EMBEDDED' });
    const outcome = await stripe.charge(operation, call);
    expect(outcome).toMatchObject({ kind, customerReference });
    const seen = await stripe.lookUp({ ...operation, reference: referenceOf(outcome) }, call);
    expect(seen).toMatchObject({ kind, customerReference });
  }
});

test('a card that its payer has authenticated is kept, and then charged without them', async () => {
  const operation = chargeOperation({ save: saving(), paymentMethod: 'pm_card_authenticationRequiredOnSetup' });
  const reference = referenceOf(await stripe.charge(operation, call));
  simulator.account.authenticate(reference, true);
  const seen = await stripe.lookUp({ ...operation, reference }, call);
  const { kept: method } = seen as { kept: ProviderMethod };
  expect(method).toMatchObject({ type: 'card', last4: '4242' });
  const charge = offSession({ ...method, agreement: 'SUBSCRIPTION' });
  expect((await stripe.charge(charge, call)).kind).toBe('succeeded');
});

test('an issuer that wants the payer when nobody is there fails the charge for good', async () => {
  const operation = chargeOperation({ save: saving(), paymentMethod: 'pm_card_authenticationRequired' });
  const reference = referenceOf(await stripe.charge(operation, call));
  simulator.account.authenticate(reference, true);
  const { kept: method } = (await stripe.lookUp({ ...operation, reference }, call)) as { kept: ProviderMethod };
  const charge = offSession({ ...method, agreement: 'SUBSCRIPTION' });
  const outcome = await stripe.charge(charge, call);
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'authentication_required' } });
  expect(lastIntent()?.status).toBe('canceled');
  expect(await stripe.lookUp({ ...charge, reference: referenceOf(outcome) }, call)).toEqual(outcome);
  // The payer is there, pays with the same method and authenticates.
  const present = await stripe.charge(offSession(charge.method as KeptMethod, { initiator: 'PAYER' }), call);
  expect(present).toMatchObject({ kind: 'needs_payer', nextAction: { type: 'redirect' } });
  // For later charges as well.
  expect(lastParams()).toMatchObject({ setup_future_usage: 'off_session' });
});

test('a charge that its network announces first goes on by itself, and no payer is waited for', async () => {
  const method = await kept();
  for (const initiator of ['MERCHANT', 'PAYER'] as const) {
    const charge = offSession(method, { initiator });
    const reference = referenceOf(await stripe.charge(charge, call));
    const action = { type: 'card_await_notification', card_await_notification: { customer_approval_required: false } };
    const intent = simulator.account.intent(reference);
    Object.assign(intent, { status: 'requires_action', next_action: action, latest_charge: null });
    expect(await stripe.lookUp({ ...charge, reference }, call)).toMatchObject({ kind: 'pending', reference });
    expect(intent.status).toBe('requires_action');
  }
});

test('a charge without its payer never waits for one', async () => {
  const method = await kept();
  const charge = offSession(method);
  const reference = referenceOf(await stripe.charge(charge, call));
  const intent = simulator.account.intent(reference);
  const action = { type: 'redirect_to_url', redirect_to_url: { url: simulator.url, return_url: null } };
  Object.assign(intent, { status: 'requires_action', next_action: action, latest_charge: null });
  const outcome = await stripe.lookUp({ ...charge, reference }, call);
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'authentication_required' } });
  expect(intent.status).toBe('canceled');
  expect(await stripe.lookUp({ ...charge, reference }, call)).toEqual(outcome);
});

test('a debit is kept with its mandate once the bank has paid, and charged again without the payer', async () => {
  const save = { ...saving(), consent };
  const operation = chargeOperation({ save, paymentMethod: 'pm_success_de', currency: 'EUR' });
  const outcome = await stripe.charge(operation, call);
  const reference = referenceOf(outcome);
  expect(outcome).toMatchObject({ kind: 'pending', customerReference: expect.stringMatching(/^cus_/) });
  expect(lastParams()).toMatchObject({
    mandate_data: {
      customer_acceptance: {
        type: 'online',
        accepted_at: `${Date.parse(consent.acceptedTime) / 1_000}`,
        online: { ip_address: '192.0.2.1', user_agent: 'Browser' },
      },
    },
  });
  simulator.account.settle(reference, true);
  const seen = (await stripe.lookUp({ ...operation, reference }, call)) as { kept: ProviderMethod };
  expect(seen.kept).toMatchObject({
    type: 'sepa_debit',
    last4: '3000',
    country: 'DE',
    mandateReference: expect.stringMatching(/^[0-9A-F]{12}$/),
    mandateUrl: expect.stringMatching(/^https:/),
  });
  const method: KeptMethod = { ...seen.kept, agreement: 'SUBSCRIPTION' };
  for (const [result, expected] of [
    [true, { kind: 'succeeded' }],
    ['insufficient_funds', { kind: 'failed', failure: { code: 'insufficient_funds' } }],
    ['account_closed', { kind: 'failed', failure: { code: 'account_closed' } }],
  ] as const) {
    const renewal = offSession(method, { currency: 'EUR' });
    const sent = await stripe.charge(renewal, call);
    expect(sent.kind).toBe('pending');
    expect(lastParams()).not.toHaveProperty('mandate_data');
    simulator.account.settle(referenceOf(sent), result);
    expect(await stripe.lookUp({ ...renewal, reference: referenceOf(sent) }, call)).toMatchObject(expected);
  }
});

test.each<[string, (method: KeptMethod) => void]>([
  ['was detached', ({ reference }) => simulator.account.methods.detach(reference)],
  ['lost its customer', ({ customerReference }) => simulator.account.customers.delete(customerReference as string)],
])('a method that %s fails as ended, not as a wrong request', async (_, end) => {
  const method = await kept();
  end(method);
  const outcome = await stripe.charge(offSession(method), call);
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'mandate_revoked' } });
  expect(await stripe.methods.read(method, call)).toMatchObject({ kind: 'ended' });
});

test('what was kept is read again when its mandate could not be read', async () => {
  const save = { ...saving(), consent };
  const operation = chargeOperation({ save, paymentMethod: 'pm_success_de', currency: 'EUR' });
  const reference = referenceOf(await stripe.charge(operation, call));
  simulator.account.settle(reference, true);
  const isHit = simulator.next('status500Before', /^GET \/v1\/mandates/);
  expect((await stripe.lookUp({ ...operation, reference }, call)).kind).toBe('unknown');
  await isHit;
  expect(await stripe.lookUp({ ...operation, reference }, call)).toMatchObject({ kind: 'succeeded', kept: {} });
});

test('an event of a charge that keeps its method leads to a look-up, which tells what was kept', async () => {
  const operation = chargeOperation({ save: saving() });
  const reference = referenceOf(await stripe.charge(operation, call));
  const { headers, body } = simulator.callback('payment_intent.succeeded', reference);
  const { notice } = stripe.readCallback({ headers, query: {}, body, receivedMs: Date.now() }, call.credentials);
  expect(notice).toEqual({ key: operation.key, reference, livemode: false });
});
