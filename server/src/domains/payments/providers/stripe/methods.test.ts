import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StripeSimulator, startStripeSimulator } from '../../../../../tests/support/simulators/stripe.ts';
import { dayMs } from '../../../../core/clock.ts';
import type { KeptMethod, ProviderMethod } from '../kept-method.ts';
import type { SetupOutcome } from '../outcome.ts';
import type { DetachOperation } from '../provider.ts';
import { callWith, credentials, setupOperation } from './fixture/operations.ts';
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
const debit = { token: 'pm_success_de', consent, currency: 'EUR' };
const referenceOf = (outcome: SetupOutcome | { kind: 'absent' }) => (outcome as { reference: string }).reference;
const lastSetup = () => [...simulator.account.setups.all.values()].at(-1);

async function kept(facts = {}): Promise<KeptMethod> {
  const outcome = await stripe.methods.setUp(setupOperation(facts), call);
  return { ...(outcome as { method: ProviderMethod }).method, agreement: 'SUBSCRIPTION' };
}
const detachOf = (method: KeptMethod): DetachOperation => ({
  kind: 'DETACH',
  key: 'mtd_1-2',
  methodId: 'mtd_1',
  method,
});

test('a card is set up from a token without a payment', async () => {
  const charges = simulator.charges.length;
  const operation = setupOperation();
  const outcome = await stripe.methods.setUp(operation, call);
  expect(outcome).toMatchObject({
    kind: 'attached',
    reference: lastSetup()?.id,
    customerReference: lastSetup()?.customer,
    livemode: false,
    method: {
      reference: lastSetup()?.payment_method,
      type: 'card',
      brand: 'visa',
      last4: '4242',
      expiryMonth: 12,
      expiryYear: 2034,
      fingerprint: 'AOB934RVNwzk6xtn',
      country: 'US',
    },
  });
  const { key, params } = simulator.requests.findLast(({ path }) => path === '/v1/setup_intents') ?? {};
  expect(key).toBe(operation.key);
  expect(params).toMatchObject({
    confirm: 'true',
    usage: 'off_session',
    payment_method: 'pm_card_visa',
    metadata: { florin_key: operation.key, florin_payment_method: operation.methodId },
  });
  expect(simulator.charges).toHaveLength(charges);
});

test('a debit is set up from a token with the consent of its payer', async () => {
  const outcome = await stripe.methods.setUp(setupOperation(debit), call);
  expect(outcome).toMatchObject({
    kind: 'attached',
    method: { type: 'sepa_debit', last4: '3000', mandateReference: expect.any(String), mandateUrl: expect.any(String) },
  });
  expect(await stripe.methods.setUp(setupOperation({ ...debit, consent: null }), call)).toMatchObject({
    kind: 'failed',
    failure: { code: 'invalid_operation', providerCode: 'parameter_missing' },
  });
});

test('a declined setup is found as declined after its intent was cancelled and the answer was lost', async () => {
  const operation = setupOperation({ token: 'pm_card_chargeDeclinedStolenCard' });
  const outcome = await stripe.methods.setUp(operation, call);
  expect(lastSetup()?.status).toBe('canceled');
  expect(await stripe.methods.lookUp(operation, call)).toEqual(outcome);
});

test('a declined card fails the setup, and its intent can no longer be confirmed', async () => {
  const operation = setupOperation({ token: 'pm_card_chargeDeclinedStolenCard' });
  const outcome = await stripe.methods.setUp(operation, call);
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'lost_or_stolen' } });
  expect(lastSetup()?.status).toBe('canceled');
  expect(await stripe.methods.lookUp({ ...operation, reference: referenceOf(outcome) }, call)).toEqual(outcome);
});

test('a payer who has to authenticate is redirected, and then the card is kept, or the setup fails', async () => {
  for (const [succeeds, expected] of [
    [true, { kind: 'attached' }],
    [false, { kind: 'failed', failure: { code: 'authentication_failed' } }],
  ] as const) {
    const operation = setupOperation({ token: 'pm_card_threeDSecure' });
    const outcome = await stripe.methods.setUp(operation, call);
    const reference = referenceOf(outcome);
    const url = `${simulator.url}/authenticate/${reference}`;
    expect(outcome).toMatchObject({ kind: 'needs_payer', nextAction: { type: 'redirect', url } });
    expect(await stripe.methods.lookUp({ ...operation, reference }, call)).toEqual(outcome);
    const back = await fetch(`${url}?outcome=${succeeds ? 'ok' : 'fail'}`, { redirect: 'manual' });
    expect(back.headers.get('location')).toBe(operation.returnUrl);
    expect(await stripe.methods.lookUp({ ...operation, reference }, call)).toMatchObject(expected);
  }
});

test('a setup whose answer is lost is found by its key, also after Stripe has forgotten the key', async () => {
  const later = new StripeProvider(simulator.url, () => Date.now() + 2 * dayMs);
  for (const finder of [stripe, later]) {
    const operation = setupOperation({ calledMs: Date.now() });
    const hit = simulator.next('dropAfter', /^POST .*setup_intents/);
    expect((await stripe.methods.setUp(operation, call)).kind).toBe('unknown');
    await hit;
    const found = await finder.methods.lookUp(operation, call);
    expect(found).toMatchObject({ kind: 'attached', reference: lastSetup()?.id });
  }
  expect(await later.methods.lookUp(setupOperation(), call)).toMatchObject({ kind: 'unknown', isForgotten: true });
});

test('a key that Stripe refuses fails a setup, and leaves a look-up and a reading unknown', async () => {
  for (const apiKey of ['sk_test_revoked', null]) {
    const wrong = callWith({ credentials: { ...credentials, apiKey } });
    expect(await stripe.methods.setUp(setupOperation(), wrong)).toMatchObject({
      kind: 'failed',
      failure: { code: 'credentials_refused' },
    });
    expect((await stripe.methods.lookUp(setupOperation(), wrong)).kind).toBe('unknown');
    expect((await stripe.methods.read(await kept(), wrong)).kind).toBe('unknown');
  }
});

test('a detached method has ended, and detaching it again succeeds', async () => {
  const method = await kept();
  expect(await stripe.methods.read(method, call)).toMatchObject({ kind: 'usable' });
  const detached = { kind: 'succeeded', reference: method.reference };
  expect(await stripe.methods.detach(detachOf(method), call)).toEqual(detached);
  expect(await stripe.methods.read(method, call)).toMatchObject({
    kind: 'ended',
    failure: { code: 'mandate_revoked' },
  });
  simulator.forgetKeys();
  expect(await stripe.methods.detach(detachOf(method), call)).toEqual(detached);
  expect(await stripe.methods.detach(detachOf({ ...method, reference: 'pm_gone' }), call)).toMatchObject({
    kind: 'succeeded',
  });
});

test('a card that its network has replaced is read with its new month', async () => {
  const method = await kept();
  simulator.account.methods.replaceCard(method.reference, { exp_month: 3, exp_year: 2040, last4: '0001' });
  expect(await stripe.methods.read(method, call)).toMatchObject({
    kind: 'usable',
    method: { last4: '0001', expiryMonth: 3, expiryYear: 2040, reference: method.reference },
  });
});

test('a debit whose mandate has ended has ended, however it was kept', async () => {
  const method = await kept(debit);
  expect(await stripe.methods.read(method, call)).toMatchObject({
    kind: 'usable',
    method: { mandateReference: expect.any(String) },
  });
  simulator.account.methods.endMandate(method.reference);
  expect(await stripe.methods.read(method, call)).toMatchObject({ kind: 'ended' });
});

test('a method whose customer was deleted has ended, and so has one that Stripe does not know', async () => {
  const method = await kept();
  simulator.account.customers.delete(method.customerReference as string);
  expect(await stripe.methods.read(method, call)).toMatchObject({ kind: 'ended' });
  expect(await stripe.methods.read({ ...method, reference: 'pm_nobody' }, call)).toMatchObject({ kind: 'ended' });
});
