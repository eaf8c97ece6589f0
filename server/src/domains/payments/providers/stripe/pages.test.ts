import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type StripeSimulator, startStripeSimulator } from '../../../../../tests/support/simulators/stripe.ts';
import { dayMs, minuteMs } from '../../../../core/clock.ts';
import type { KeptMethod, ProviderMethod, SaveRequest } from '../kept-method.ts';
import type { Outcome } from '../outcome.ts';
import type { ChargeOperation } from '../provider.ts';
import { callWith, cancelOperation, chargeOperation, setupOperation } from './fixture/operations.ts';
import { StripeProvider } from './stripe.ts';

/** Payments and setups on a page of Stripe. */
let simulator: StripeSimulator;
let stripe: StripeProvider;
let nowMs = Date.now();

beforeAll(async () => {
  simulator = await startStripeSimulator({ clock: () => nowMs });
  stripe = new StripeProvider(simulator.url, () => nowMs);
});
beforeEach(() => {
  nowMs = Date.now();
});
afterAll(() => simulator.close());

const call = callWith();
const onPage = (facts: Partial<ChargeOperation> = {}) => chargeOperation({ paymentMethod: null, ...facts });
const saving = (key: string): SaveRequest => ({
  customer: { reference: null, key, name: 'Jenny Rosen', email: 'jenny@example.org', livemode: false },
  agreement: 'SUBSCRIPTION',
  consent: null,
});
const lastSession = () => [...simulator.account.sessions.all.values()].at(-1);

/** Opens the page of a payment. */
async function opened(operation: ChargeOperation) {
  const outcome = (await stripe.charge(operation, call)) as Extract<Outcome, { kind: 'needs_payer' }>;
  const { reference, nextAction } = outcome;
  return { outcome, reference, url: nextAction.url as string, operation: { ...operation, reference } };
}

/** Submits the page in a browser. Resolves to the status and where the payer is sent. */
async function submit(url: string, method: string) {
  const form = { method: 'POST', body: new URLSearchParams({ method }), redirect: 'manual' } as const;
  const answer = await fetch(url, form);
  return { status: answer.status, location: answer.headers.get('location') };
}

/** The events since the start that are about this page. */
const eventsOf = (id: string) =>
  simulator.events.filter(({ data }) => (data.object as { id?: string }).id === id).map(({ type }) => type);

test('a payment without a token sends the payer to a page of Stripe, and succeeds there', async () => {
  const { outcome, operation, reference, url } = await opened(onPage());
  expect(outcome).toEqual({
    kind: 'needs_payer',
    reference: expect.stringMatching(/^cs_/),
    nextAction: { type: 'redirect', url: lastSession()?.url },
    livemode: false,
  });
  const { key, params } = simulator.requests.at(-1) ?? {};
  expect(key).toBe(operation.key);
  expect(params).toMatchObject({
    mode: 'payment',
    client_reference_id: operation.key,
    success_url: operation.returnUrl,
    cancel_url: operation.returnUrl,
    line_items: {
      0: { quantity: '1', price_data: { currency: 'usd', unit_amount: '1999', product_data: { name: 'Order 66' } } },
    },
  });
  expect(await (await fetch(url)).text()).toContain(operation.returnUrl);
  expect(await submit(url, 'pm_card_visa')).toEqual({ status: 303, location: operation.returnUrl });
  expect(await stripe.lookUp(operation, call)).toEqual({
    kind: 'succeeded',
    reference: lastSession()?.payment_intent,
    fee: { amount: 88, currency: 'USD' },
    money: { amount: 1999, currency: 'USD' },
    livemode: false,
  });
  expect(eventsOf(reference)).toEqual(['checkout.session.completed']);
});

test('a decline on the page does not fail the payment: the payer pays with another card', async () => {
  const { outcome, operation, url } = await opened(onPage());
  expect((await submit(url, 'pm_card_chargeDeclined')).status).toBe(402);
  expect(await stripe.lookUp(operation, call)).toEqual(outcome);
  const intent = lastSession()?.payment_intent as string;
  const { headers, body } = simulator.callback('payment_intent.payment_failed', intent);
  const read = stripe.readCallback({ headers, query: {}, body, receivedMs: nowMs }, call.credentials);
  expect(read.notice).toEqual({ key: operation.key, livemode: false });
  expect((await submit(url, 'pm_card_visa')).location).toBe(operation.returnUrl);
  expect((await stripe.lookUp(operation, call)).kind).toBe('succeeded');
});

test('a payer whose bank refuses comes back to the page, and pays otherwise', async () => {
  const { outcome, operation, url } = await opened(onPage());
  const { location: bank } = await submit(url, 'pm_card_authenticationRequired');
  const back = await fetch(`${bank}?outcome=fail`, { redirect: 'manual' });
  expect(back.headers.get('location')).toBe(url);
  expect(await stripe.lookUp(operation, call)).toEqual(outcome);
  const { location: again } = await submit(url, 'pm_card_authenticationRequired');
  const paid = await fetch(again as string, { redirect: 'manual' });
  expect(paid.headers.get('location')).toBe(operation.returnUrl);
  expect((await stripe.lookUp(operation, call)).kind).toBe('succeeded');
});

test('a page whose answer is lost is found, and no second one is opened, although no intent exists', async () => {
  for (const laterMs of [0, 2 * dayMs]) {
    const operation = onPage({ createdMs: nowMs, calledMs: nowMs });
    const hit = simulator.next('dropAfter', /checkout/);
    expect((await stripe.charge(operation, call)).kind).toBe('unknown');
    await hit;
    const page = lastSession()?.id;
    nowMs += laterMs;
    const found = await stripe.lookUp(operation, call);
    expect(found).toMatchObject({ kind: laterMs === 0 ? 'needs_payer' : 'failed', reference: page });
    expect(lastSession()?.id).toBe(page);
  }
  const never = onPage({ createdMs: nowMs - 3 * dayMs });
  expect(await stripe.lookUp(never, call)).toMatchObject({ kind: 'unknown', isForgotten: true });
});

test('a page is cancelled by expiring it, also by its key alone; one that was paid is not', async () => {
  const { operation, reference, url } = await opened(onPage());
  const cancelled = { kind: 'cancelled', reference, livemode: false };
  expect(await stripe.cancel(cancelOperation(operation), call)).toEqual(cancelled);
  expect(await stripe.cancel(cancelOperation(operation), call)).toEqual(cancelled);
  expect(await stripe.lookUp(operation, call)).toEqual(cancelled);
  expect((await submit(url, 'pm_card_visa')).status).toBe(402);

  const lost = await opened(onPage());
  const byKey = cancelOperation({ ...lost.operation, reference: null });
  expect(await stripe.cancel(byKey, call)).toMatchObject({ kind: 'cancelled', reference: lost.reference });

  const paid = await opened(onPage());
  await submit(paid.url, 'pm_card_visa');
  for (const known of [paid.reference, lastSession()?.payment_intent as string]) {
    const late = cancelOperation({ ...paid.operation, reference: known });
    expect(await stripe.cancel(late, call)).toMatchObject({ kind: 'failed', failure: { code: 'invalid_operation' } });
  }
});

test('a page that nobody finishes expires after a day', async () => {
  const { operation, reference } = await opened(onPage());
  nowMs += dayMs - minuteMs;
  expect((await stripe.lookUp(operation, call)).kind).toBe('needs_payer');
  nowMs += 2 * minuteMs;
  expect(await stripe.lookUp(operation, call)).toMatchObject({
    kind: 'failed',
    reference,
    failure: { code: 'payment_expired' },
  });
  expect(eventsOf(reference)).toEqual(['checkout.session.expired']);
});

test.each([
  [true, 'checkout.session.async_payment_succeeded', { kind: 'succeeded' }],
  [
    'insufficient_funds',
    'checkout.session.async_payment_failed',
    { kind: 'failed', failure: { code: 'insufficient_funds' } },
  ],
])('a debit of a page is on its way for days, and then ends for good: %s', async (result, event, expected) => {
  const { operation, reference, url } = await opened(onPage());
  await submit(url, 'pm_usBankAccount_success');
  expect(await stripe.lookUp(operation, call)).toEqual({ kind: 'pending', reference, livemode: false });
  const intent = lastSession()?.payment_intent as string;
  simulator.account.settle(intent, result);
  expect(eventsOf(reference)).toEqual(['checkout.session.completed', event]);
  expect(await stripe.lookUp(operation, call)).toMatchObject({ ...expected, reference: intent });
});

test.each([
  ['pm_card_visa', { type: 'card', last4: '4242' }],
  ['pm_ideal', { type: 'sepa_debit', providerType: 'sepa_debit', last4: '3000', mandateReference: expect.any(String) }],
])('a page keeps what the payer pays with: %s', async (token, expected) => {
  const { outcome, operation, url } = await opened(onPage({ save: saving(`ctm_page_${token}`), currency: 'EUR' }));
  const { customer } = lastSession() ?? {};
  expect(outcome).toMatchObject({ customerReference: customer });
  await submit(url, token);
  const seen = await stripe.lookUp(operation, call);
  expect(seen).toMatchObject({ kind: 'succeeded', customerReference: customer, kept: expected });
  const method: KeptMethod = { ...(seen as { kept: ProviderMethod }).kept, agreement: 'SUBSCRIPTION' };
  const renewal = chargeOperation({ paymentMethod: null, method, initiator: 'MERCHANT', currency: 'EUR' });
  expect(['succeeded', 'pending']).toContain((await stripe.charge(renewal, call)).kind);
});

test('events of a page say only that something has changed', async () => {
  const { operation, reference, url } = await opened(onPage());
  await submit(url, 'pm_card_visa');
  for (const type of ['completed', 'expired', 'async_payment_succeeded', 'async_payment_failed']) {
    const { headers, body } = simulator.callback(`checkout.session.${type}`, reference);
    const read = stripe.readCallback({ headers, query: {}, body, receivedMs: nowMs }, call.credentials);
    expect(read).toEqual({ eventId: read.eventId, notice: { key: operation.key, reference, livemode: false } });
  }
});

test('a method is set up on a page, without a payment', async () => {
  const operation = setupOperation({ token: null, currency: 'EUR' });
  const outcome = await stripe.methods.setUp(operation, call);
  const session = lastSession();
  const { id: reference, customer, url } = session as { id: string; customer: string; url: string };
  expect(outcome).toEqual({
    kind: 'needs_payer',
    reference,
    customerReference: customer,
    nextAction: { type: 'redirect', url },
    livemode: false,
  });
  expect(session).toMatchObject({ mode: 'setup', currency: 'eur', client_reference_id: operation.key });
  expect(await stripe.methods.lookUp({ ...operation, reference }, call)).toEqual(outcome);
  expect((await submit(url, 'pm_card_chargeDeclined')).status).toBe(402);
  expect(await stripe.methods.lookUp({ ...operation, reference }, call)).toEqual(outcome);
  const { location: bank } = await submit(url, 'pm_card_authenticationRequiredOnSetup');
  expect((await fetch(bank as string, { redirect: 'manual' })).headers.get('location')).toBe(operation.returnUrl);
  expect(await stripe.methods.lookUp({ ...operation, reference }, call)).toMatchObject({
    kind: 'attached',
    reference,
    customerReference: customer,
    method: { type: 'card', last4: '4242' },
  });
  const { headers, body } = simulator.callback('checkout.session.completed', reference);
  const read = stripe.readCallback({ headers, query: {}, body, receivedMs: nowMs }, call.credentials);
  expect(read.methodNotice).toEqual({ key: operation.key, reference, of: 'SETUP', livemode: false });
  expect(read).not.toHaveProperty('notice');
});

test('the page of a setup offers only the type that was asked for', async () => {
  for (const [type, taken, refused] of [
    ['card', 'pm_card_visa', 'pm_success_de'],
    ['sepa_debit', 'pm_success_de', 'pm_card_visa'],
  ] as const) {
    const operation = setupOperation({ token: null, currency: 'EUR', type });
    await stripe.methods.setUp(operation, call);
    const { id: reference, url } = lastSession() as { id: string; url: string };
    const page = await (await fetch(url)).text();
    expect(page).toContain(taken);
    expect(page).not.toContain(refused);
    expect((await submit(url, refused)).status).toBe(402);
    await submit(url, taken);
    expect(await stripe.methods.lookUp({ ...operation, reference }, call)).toMatchObject({
      kind: 'attached',
      method: { type },
    });
  }
});

test('a lost page of a setup is found, and one that nobody finishes fails', async () => {
  const operation = setupOperation({ token: null, createdMs: nowMs, calledMs: nowMs });
  const hit = simulator.next('dropAfter', /checkout/);
  expect((await stripe.methods.setUp(operation, call)).kind).toBe('unknown');
  await hit;
  const page = lastSession()?.id as string;
  expect(await stripe.methods.lookUp(operation, call)).toMatchObject({ kind: 'needs_payer', reference: page });
  nowMs += 2 * dayMs;
  const expired = { kind: 'failed', reference: page, failure: { code: 'payment_expired' } };
  expect(await stripe.methods.lookUp(operation, call)).toMatchObject(expired);
  expect(await stripe.methods.lookUp({ ...operation, reference: page }, call)).toMatchObject(expired);
});

test('numbers of bank accounts are not sent to Stripe', async () => {
  const requests = simulator.requests.length;
  const bankAccount = { holder: 'Jenny Rosen', iban: 'DE89370400440532013000' };
  expect(await stripe.methods.setUp(setupOperation({ token: null, bankAccount }), call)).toMatchObject({
    kind: 'failed',
    failure: { code: 'not_supported' },
  });
  expect(simulator.requests).toHaveLength(requests);
});
