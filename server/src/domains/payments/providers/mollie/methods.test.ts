import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MollieSimulator } from '../../../../../tests/support/simulators/mollie.ts';
import type { KeptMethod, ProviderMethod } from '../kept-method.ts';
import type { SetupOutcome } from '../outcome.ts';
import type { SetupOperation } from '../provider.ts';
import { callWith, credentials, keptMethod, setupOperation } from './fixture/operations.ts';
import { MollieProvider } from './mollie.ts';

let simulator: MollieSimulator;
let mollie: MollieProvider;
let nowMs = Date.now();

beforeAll(async () => {
  simulator = await MollieSimulator.start({ now: () => nowMs });
  mollie = new MollieProvider(simulator.url, () => nowMs);
});
afterAll(() => simulator.close());
beforeEach(() => {
  simulator.api.methodsWithoutMoney = ['creditcard', 'paypal'];
});

const call = callWith();
const iban = 'NL55INGB0000000000';
const ofIban = (facts: Partial<SetupOperation> = {}) =>
  setupOperation({ bankAccount: { holder: 'Ada Lovelace', iban }, createdMs: nowMs, ...facts });
const ofCard = (facts: Partial<SetupOperation> = {}) => setupOperation({ type: 'card', createdMs: nowMs, ...facts });

const failed = (outcome: unknown) => (outcome as Extract<SetupOutcome, { kind: 'failed' }>).failure;
const bodyOf = (at: number) => JSON.parse(simulator.requests.at(at)?.body ?? '{}') as Record<string, unknown>;

async function attached(operation: SetupOperation): Promise<KeptMethod & ProviderMethod> {
  const outcome = (await mollie.methods.setUp(operation, call)) as Extract<SetupOutcome, { kind: 'attached' }>;
  expect(outcome.kind).toBe('attached');
  return { ...outcome.method, agreement: 'SUBSCRIPTION' };
}

test('an IBAN becomes a mandate, with the day of the consent and a reference of its own', async () => {
  const operation = ofIban();
  const outcome = await mollie.methods.setUp(operation, call);
  expect(outcome).toMatchObject({
    kind: 'attached',
    livemode: false,
    customerReference: expect.stringMatching(/^cst_/),
    reference: expect.stringMatching(/^mdt_/),
    method: {
      type: 'sepa_debit',
      providerType: 'directdebit',
      last4: '0000',
      country: 'NL',
      mandateReference: operation.methodId.slice(4),
    },
  });
  expect(bodyOf(-1)).toEqual({
    method: 'directdebit',
    consumerName: 'Ada Lovelace',
    consumerAccount: iban,
    // 23:30 two hours west of Greenwich is the next day in UTC.
    signatureDate: '2026-11-27',
    mandateReference: operation.methodId.slice(4),
  });
  expect(JSON.stringify(outcome)).not.toContain(iban);
  expect(await mollie.methods.lookUp({ ...operation, ...withCustomer(outcome, operation) }, call)).toEqual(outcome);
});

const withCustomer = (outcome: SetupOutcome, { customer }: SetupOperation) => ({
  customer: { ...customer, reference: (outcome as { customerReference: string }).customerReference },
});

test('an IBAN is sent as banks write it, whatever the payer has typed', async () => {
  await attached(ofIban({ bankAccount: { holder: 'Ada Lovelace', iban: 'nl55 ingb 0000 0000 00' } }));
  expect(bodyOf(-1)).toMatchObject({ consumerAccount: iban });
});

test('an IBAN that is none fails the setup', async () => {
  const outcome = await mollie.methods.setUp(
    ofIban({ bankAccount: { holder: 'Ada', iban: 'NL00INGB0000000000' } }),
    call,
  );
  expect(failed(outcome)).toMatchObject({ code: 'account_closed' });
  expect(outcome).toMatchObject({ customerReference: expect.any(String) });
});

test.each([
  ['B-12A34567B8901234CD', 'paypalBillingAgreementId'],
  ['8kk8451t', 'payPalVaultId'],
])('the PayPal agreement %s becomes a mandate', async (token, field) => {
  const method = await attached(setupOperation({ token, type: 'paypal' }));
  expect(method).toMatchObject({ type: 'paypal', last4: null });
  expect(bodyOf(-1)).toMatchObject({ method: 'paypal', consumerEmail: 'ada@example.org', [field]: token });
});

test('a card is set up by a first payment of nothing on the page of Mollie', async () => {
  const operation = ofCard();
  const outcome = await mollie.methods.setUp(operation, call);
  const { reference } = outcome as { reference: string };
  expect(outcome).toMatchObject({
    kind: 'needs_payer',
    customerReference: expect.any(String),
    nextAction: { type: 'redirect', url: `${simulator.url}/checkout/${reference}` },
  });
  expect(bodyOf(-1)).toMatchObject({
    amount: { currency: 'EUR', value: '0.00' },
    sequenceType: 'first',
    method: 'creditcard',
    redirectUrl: operation.returnUrl,
    metadata: { florin_key: operation.key, florin_method: operation.methodId },
  });
  simulator.pay(reference);
  for (const known of [reference, null]) {
    expect(await mollie.methods.lookUp({ ...operation, reference: known }, call)).toMatchObject({
      kind: 'attached',
      reference,
      method: { type: 'card', brand: 'Mastercard', last4: '6787' },
    });
  }
});

test('a setup without a type offers what takes a first payment of nothing; a card token is sent on', async () => {
  await mollie.methods.setUp(setupOperation(), call);
  expect(bodyOf(-1)).toMatchObject({ method: ['creditcard', 'paypal'] });
  await mollie.methods.setUp(setupOperation({ token: 'tkn_abc' }), call);
  expect(bodyOf(-1)).toMatchObject({ method: 'creditcard', cardToken: 'tkn_abc' });
});

test.each<[string, Partial<SetupOperation>]>([
  ['a direct debit without an IBAN', { type: 'sepa_debit' }],
  ['a kind that Mollie does not have', { type: 'ach_debit' }],
  ["another provider's token", { token: 'pm_card_visa' }],
  ['a currency that Mollie does not have', { type: 'card', currency: 'KWD' }],
])('%s needs a payment, and no customer is made', async (_, facts) => {
  const before = simulator.requests.length;
  expect(failed(await mollie.methods.setUp(setupOperation(facts), call)).code).toBe('setup_needs_payment');
  expect(simulator.requests).toHaveLength(before);
});

test('a card needs a payment where the account takes no first payment of nothing', async () => {
  simulator.api.methodsWithoutMoney = ['paypal'];
  const before = simulator.payments.length;
  expect(failed(await mollie.methods.setUp(ofCard(), call)).code).toBe('setup_needs_payment');
  expect(simulator.payments).toHaveLength(before);
});

test.each([
  ['cancels', (id: string) => simulator.cancelByPayer(id), 'payment_expired'],
  ['lets it expire', (id: string) => simulator.expire(id), 'payment_expired'],
  ['is declined', (id: string) => simulator.fail(id, 'card_declined'), 'card_declined'],
])('a setup whose payer %s fails', async (_, act, code) => {
  const operation = ofCard();
  const { reference } = (await mollie.methods.setUp(operation, call)) as { reference: string };
  act(reference);
  expect(failed(await mollie.methods.lookUp({ ...operation, reference }, call)).code).toBe(code);
});

test('a setup whose answer was lost is found, also after an hour, and made once', async () => {
  for (const make of [ofIban, ofCard]) {
    for (const when of ['before', 'after'] as const) {
      const operation = make({ calledMs: nowMs });
      const path = make === ofIban ? /\/mandates$/ : /\/payments$/;
      const made = () => simulator.api.customers.mandates.size + simulator.payments.length;
      const before = made();
      const answered = simulator.fault({ method: 'POST', path, when, how: 'cut' });
      expect((await mollie.methods.setUp(operation, call)).kind).toBe('unknown');
      await answered;
      nowMs += 2 * 3_600_000;
      const found = await mollie.methods.lookUp(operation, call);
      expect(found.kind === 'absent').toBe(when === 'before');
      if (found.kind === 'absent') await mollie.methods.setUp(operation, call);
      expect(made()).toBe(before + 1);
    }
  }
});

test('a look-up that is refused says nothing of the setup', async () => {
  for (const how of [401, 404, 422, 500, 'silence'] as const) {
    if (how === 'silence') continue;
    const answered = simulator.fault({ method: 'GET', when: 'before', how });
    expect((await mollie.methods.lookUp(ofCard(), call)).kind).toBe('unknown');
    await answered;
  }
});

test('a mandate can be charged while it is valid or pending, and has ended when it is invalid or gone', async () => {
  const method = await attached(ofIban());
  expect(await mollie.methods.read(method, call)).toMatchObject({
    kind: 'usable',
    method: { reference: method.reference },
  });
  simulator.mandate(method.reference).status = 'pending';
  expect((await mollie.methods.read(method, call)).kind).toBe('usable');
  simulator.revokeMandate(method.reference);
  expect(await mollie.methods.read(method, call)).toMatchObject({
    kind: 'ended',
    failure: { code: 'mandate_revoked' },
  });

  const other = await attached(ofIban());
  simulator.deleteCustomer(other.customerReference as string);
  expect((await mollie.methods.read(other, call)).kind).toBe('ended');
});

test('a method that cannot be read is neither usable nor ended', async () => {
  const method = await attached(ofIban());
  for (const [how, kind] of [
    [500, 'unknown'],
    [401, 'unknown'],
    [429, 'rate_limited'],
  ] as const) {
    const answered = simulator.fault({ method: 'GET', when: 'before', how });
    expect((await mollie.methods.read(method, call)).kind).toBe(kind);
    await answered;
  }
  expect((await mollie.methods.read(keptMethod('../payments', 'mdt_1'), call)).kind).toBe('unknown');
});

test('detaching revokes the mandate, and has succeeded also where it had ended before', async () => {
  const method = await attached(ofIban());
  const detach = { kind: 'DETACH' as const, key: 'mtd_1-2', methodId: 'mtd_1', method };
  const answered = simulator.fault({ method: 'DELETE', when: 'after', how: 'cut' });
  expect((await mollie.methods.detach(detach, call)).kind).toBe('unknown');
  await answered;
  expect(simulator.mandate(method.reference).status).toBe('invalid');
  expect(await mollie.methods.detach(detach, call)).toEqual({ kind: 'succeeded', reference: method.reference });
  simulator.deleteCustomer(method.customerReference as string);
  expect((await mollie.methods.detach(detach, call)).kind).toBe('succeeded');

  const keyless = callWith({ credentials: { ...credentials, apiKey: null } });
  expect(failed(await mollie.methods.detach(detach, keyless)).code).toBe('credentials_refused');
});
