import { afterAll, beforeAll, expect, test } from 'vitest';
import { MollieSimulator } from '../../../../../tests/support/simulators/mollie.ts';
import type { KeptMethod, ProviderMethod } from '../kept-method.ts';
import type { Outcome } from '../outcome.ts';
import type { ChargeOperation } from '../provider.ts';
import {
  callWith,
  cancelOperation,
  chargeOperation,
  credentials,
  keptMethod,
  newCustomer,
  saveRequest,
} from './fixture/operations.ts';
import { MollieProvider } from './mollie.ts';

let simulator: MollieSimulator;
let mollie: MollieProvider;
let nowMs = Date.now();

beforeAll(async () => {
  simulator = await MollieSimulator.start({ now: () => nowMs });
  mollie = new MollieProvider(simulator.url, () => nowMs);
});
afterAll(() => simulator.close());

const call = callWith();

/** A first payment that is not paid yet. */
async function opened(facts: Partial<ChargeOperation> = {}) {
  const operation = chargeOperation({ createdMs: nowMs, save: saveRequest(), ...facts });
  const outcome = (await mollie.charge(operation, call)) as Extract<Outcome, { kind: 'needs_payer' }>;
  expect(outcome.kind).toBe('needs_payer');
  const { reference, customerReference } = outcome;
  return { ...operation, reference, customerReference: customerReference as string };
}

/** A method that a first payment has kept. */
async function kept(paymentMethod: string): Promise<KeptMethod & ProviderMethod> {
  const first = await opened({ paymentMethod });
  simulator.pay(first.reference);
  const outcome = (await mollie.lookUp(first, call)) as Extract<Outcome, { kind: 'succeeded' }>;
  return { ...(outcome.kept as ProviderMethod), agreement: 'SUBSCRIPTION' };
}

const renewal = (method: KeptMethod, facts: Partial<ChargeOperation> = {}) =>
  chargeOperation({ method, initiator: 'MERCHANT', createdMs: nowMs, ...facts });

const failed = (outcome: unknown) => (outcome as Extract<Outcome, { kind: 'failed' }>).failure;
const bodyOf = (at: number) => JSON.parse(simulator.requests.at(at)?.body ?? '{}') as Record<string, unknown>;

test('a payment that keeps its method is a first payment of a customer with our key', async () => {
  const operation = chargeOperation({ save: saveRequest() });
  const outcome = await mollie.charge(operation, call);
  const [customer] = [...simulator.api.customers.all.values()].slice(-1);
  expect(outcome).toMatchObject({ kind: 'needs_payer', customerReference: customer?.id, livemode: false });
  expect(customer).toMatchObject({
    name: 'Ada Lovelace',
    email: 'ada@example.org',
    metadata: { florin_key: operation.save?.customer.key },
  });
  expect(bodyOf(-1)).toMatchObject({
    customerId: customer?.id,
    sequenceType: 'first',
    redirectUrl: operation.returnUrl,
  });
  expect(simulator.requests.at(-2)?.headers['idempotency-key']).toBe(operation.save?.customer.key);
});

test.each([
  ['ideal', 'sepa_debit', 'directdebit'],
  ['bancontact', 'sepa_debit', 'directdebit'],
  ['creditcard', 'card', 'creditcard'],
  ['paypal', 'paypal', 'paypal'],
])('a first payment by %s keeps a %s', async (paymentMethod, type, providerType) => {
  const first = await opened({ paymentMethod });
  expect(await mollie.lookUp(first, call)).toMatchObject({
    kind: 'needs_payer',
    customerReference: expect.any(String),
  });
  simulator.pay(first.reference);
  const { mandateId } = simulator.payment(first.reference);
  expect(await mollie.lookUp(first, call)).toMatchObject({
    kind: 'succeeded',
    reference: first.reference,
    customerReference: first.customerReference,
    kept: { customerReference: first.customerReference, reference: mandateId, type, providerType },
  });
});

test('of a card and an account only what may be shown is kept, with a fingerprint', async () => {
  expect(await kept('creditcard')).toMatchObject({
    brand: 'Mastercard',
    last4: '6787',
    expiryMonth: 12,
    expiryYear: 2030,
    fingerprint: expect.stringMatching(/^fingerprint\d+$/),
    mandateReference: null,
  });
  const debit = await kept('ideal');
  expect(debit).toMatchObject({
    brand: null,
    last4: expect.stringMatching(/^\d{4}$/),
    expiryYear: null,
    country: 'NL',
  });
  expect(debit.mandateReference).toMatch(/^MD-/);
  expect(JSON.stringify(debit)).not.toContain('NL55INGB');
  expect(await kept('paypal')).toMatchObject({ last4: null, country: null, fingerprint: expect.any(String) });
});

test('the mandate that is kept is that of the payment, not the newest of the customer', async () => {
  const first = await opened({ paymentMethod: 'creditcard' });
  const customer = { ...(first.save?.customer as object), reference: first.customerReference };
  const second = await opened({ paymentMethod: 'ideal', save: saveRequest(customer) });
  simulator.pay(first.reference);
  simulator.pay(second.reference);
  expect(await mollie.lookUp(first, call)).toMatchObject({ kept: { type: 'card' } });
  expect(await mollie.lookUp(second, call)).toMatchObject({
    customerReference: first.customerReference,
    kept: { type: 'sepa_debit' },
  });
});

test('a pending mandate is kept; one that has ended before the look-up is not, and the payment succeeds', async () => {
  const pending = await kept('belfius');
  expect(simulator.mandate(pending.reference).status).toBe('pending');
  expect(pending).toMatchObject({ type: 'sepa_debit', last4: null, fingerprint: null });
  expect((await mollie.charge(renewal(pending), call)).kind).toBe('pending');

  const first = await opened();
  simulator.pay(first.reference);
  simulator.revokeMandate(simulator.payment(first.reference).mandateId as string);
  const outcome = await mollie.lookUp(first, call);
  expect(outcome).toMatchObject({ kind: 'succeeded' });
  expect(outcome).not.toHaveProperty('kept');
});

test('a mandate that cannot be read leaves the payment unknown until it can', async () => {
  const first = await opened();
  simulator.pay(first.reference);
  const answered = simulator.fault({ method: 'GET', path: /\/mandates\//, when: 'before', how: 500 });
  expect((await mollie.lookUp(first, call)).kind).toBe('unknown');
  await answered;
  expect(await mollie.lookUp(first, call)).toMatchObject({ kind: 'succeeded', kept: { type: 'sepa_debit' } });
});

test('a kept method is charged with its own mandate and without a payer', async () => {
  const card = await kept('creditcard');
  await kept('ideal');
  const operation = renewal(card);
  expect(await mollie.charge(operation, call)).toMatchObject({
    kind: 'succeeded',
    customerReference: card.customerReference,
    money: { amount: 1999, currency: 'EUR' },
  });
  expect(bodyOf(-1)).toMatchObject({
    customerId: card.customerReference,
    mandateId: card.reference,
    sequenceType: 'recurring',
  });
  expect(bodyOf(-1)).not.toHaveProperty('redirectUrl');
});

test('periods 2 to 14 are paid with a card, a direct debit and PayPal', async () => {
  for (const paymentMethod of ['creditcard', 'ideal', 'paypal']) {
    const method = await kept(paymentMethod);
    for (let period = 2; period <= 14; period++) {
      nowMs += 30 * 86_400_000;
      const operation = renewal(method);
      const outcome = await mollie.charge(operation, call);
      if (method.type !== 'sepa_debit') {
        expect(outcome.kind).toBe('succeeded');
        continue;
      }
      expect(outcome.kind).toBe('pending');
      const { reference } = outcome as { reference: string };
      nowMs += 3 * 86_400_000;
      simulator.pay(reference);
      expect((await mollie.lookUp({ ...operation, reference }, call)).kind).toBe('succeeded');
    }
  }
});

test.each([
  ['AM04', 'insufficient_funds'],
  ['AC04', 'account_closed'],
  ['MD01', 'mandate_revoked'],
  ['MS03', 'card_declined'],
  ['XX99', 'processing_error'],
])('a direct debit is pending for days, and fails with %s as %s', async (reason, code) => {
  const operation = renewal(await kept('ideal'));
  const { reference } = (await mollie.charge(operation, call)) as { reference: string };
  expect((await mollie.lookUp({ ...operation, reference }, call)).kind).toBe('pending');
  simulator.returnDebit(reference, reason);
  expect(failed(await mollie.lookUp({ ...operation, reference }, call))).toMatchObject({ code, providerCode: reason });
});

test('a direct debit that is on its way is cancelled, and one that was paid is not', async () => {
  const method = await kept('ideal');
  const charged = async () => {
    const operation = renewal(method);
    return { ...operation, ...((await mollie.charge(operation, call)) as { reference: string }), kind: operation.kind };
  };
  const debit = await charged();
  expect((await mollie.cancel(cancelOperation(debit), call)).kind).toBe('cancelled');
  expect((await mollie.lookUp(debit, call)).kind).toBe('cancelled');
  const late = await charged();
  simulator.pay(late.reference);
  expect(failed(await mollie.cancel(cancelOperation(late), call)).code).toBe('invalid_operation');
});

test('a renewal that the issuer wants the payer for fails at once, and never sends anybody to a page', async () => {
  const method = await kept('creditcard');
  simulator.mandate(method.reference).declines = 'authentication_required';
  const outcome = await mollie.charge(renewal(method), call);
  expect(failed(outcome)).toMatchObject({ code: 'authentication_required' });
  expect(outcome).toMatchObject({ reference: expect.stringMatching(/^tr_/) });
});

test.each([
  ['a revoked mandate', (method: ProviderMethod) => simulator.revokeMandate(method.reference)],
  ['a deleted customer', (method: ProviderMethod) => simulator.deleteCustomer(method.customerReference as string)],
])('%s fails the renewal as mandate_revoked, and nothing is charged', async (_, end) => {
  const method = await kept('creditcard');
  await kept('ideal');
  end(method);
  const before = simulator.payments.length;
  const outcome = await mollie.charge(renewal(method), call);
  expect(failed(outcome)).toMatchObject({ code: 'mandate_revoked' });
  expect(simulator.payments).toHaveLength(before);
});

test('a refusal of another kind is no revocation of a mandate that is valid', async () => {
  const method = await kept('creditcard');
  const outcome = await mollie.charge(renewal(method, { amount: 99_999_999_999 }), call);
  expect(failed(outcome).code).toBe('not_supported');
  expect(failed(await mollie.charge(renewal(keptMethod('cst_none', 'mdt_none')), call)).code).toBe('mandate_revoked');
});

test('a mandate without its customer is not charged, and Mollie not called', async () => {
  const before = simulator.requests.length;
  const method = { ...keptMethod('cst_1', 'mdt_1'), customerReference: null };
  expect(failed(await mollie.charge(renewal(method), call)).code).toBe('invalid_operation');
  expect(simulator.requests).toHaveLength(before);
});

test('a charge of a kept method whose answer was lost is found and never made twice', async () => {
  const method = await kept('creditcard');
  for (const when of ['before', 'after'] as const) {
    const operation = renewal(method);
    const before = simulator.payments.length;
    const answered = simulator.fault({ method: 'POST', when, how: 'cut' });
    expect((await mollie.charge(operation, call)).kind).toBe('unknown');
    await answered;
    nowMs += 2 * 3_600_000;
    const found = await mollie.lookUp(operation, call);
    expect(found.kind).toBe(when === 'after' ? 'succeeded' : 'absent');
    if (found.kind === 'absent') expect((await mollie.charge(operation, call)).kind).toBe('succeeded');
    expect(simulator.payments).toHaveLength(before + 1);
  }
});

test('a customer whose answer was lost is made once, also after Mollie has forgotten the key', async () => {
  for (const hours of [0, 2]) {
    const operation = chargeOperation({ createdMs: nowMs, calledMs: nowMs, save: saveRequest() });
    const before = simulator.api.customers.all.size;
    const answered = simulator.fault({ method: 'POST', path: /\/customers$/, when: 'after', how: 'cut' });
    expect((await mollie.charge(operation, call)).kind).toBe('unknown');
    await answered;
    expect(await mollie.lookUp(operation, call)).toEqual({ kind: 'absent' });
    nowMs += hours * 3_600_000;
    expect((await mollie.charge(operation, call)).kind).toBe('needs_payer');
    expect(simulator.api.customers.all.size).toBe(before + 1);
  }
});

test('a customer whose name has changed since the first call is found, not made again', async () => {
  const customer = newCustomer();
  const first = await opened({ save: { customer, agreement: 'SUBSCRIPTION', consent: null } });
  const before = simulator.api.customers.all.size;
  const renamed = { ...customer, name: 'Ada King' };
  const second = await opened({ save: { customer: renamed, agreement: 'SUBSCRIPTION', consent: null } });
  expect(second.customerReference).toBe(first.customerReference);
  expect(simulator.api.customers.all.size).toBe(before);
});

test('a customer that was deleted at Mollie gets a successor', async () => {
  const first = await opened();
  simulator.deleteCustomer(first.customerReference);
  const customer = { ...first.save?.customer, reference: first.customerReference };
  const second = await opened({ save: saveRequest(customer) });
  expect(second.customerReference).not.toBe(first.customerReference);
  const third = await opened({ save: saveRequest(customer) });
  expect(third.customerReference).toBe(second.customerReference);
});

test('the customer is named also by a payment that is refused', async () => {
  const operation = chargeOperation({ save: saveRequest(), paymentMethod: 'banktransfer' });
  const outcome = await mollie.charge(operation, call);
  expect(outcome).toMatchObject({ kind: 'failed', customerReference: expect.stringMatching(/^cst_/) });
  expect(failed(outcome).code).toBe('not_supported');
});

test('no customer is made for a payment that fails before any call', async () => {
  const before = simulator.requests.length;
  const save = saveRequest();
  expect(failed(await mollie.charge(chargeOperation({ save, currency: 'KWD' }), call)).code).toBe('not_supported');
  const keyless = callWith({ credentials: { ...credentials, apiKey: null } });
  expect(failed(await mollie.charge(chargeOperation({ save }), keyless)).code).toBe('credentials_refused');
  expect(simulator.requests).toHaveLength(before);
});
