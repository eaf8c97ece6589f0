import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer } from '../support/billing/invoices.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';
import type { SignedCallback } from '../support/simulators/stripe-records.ts';

/** Payment methods that Stripe keeps: set up, charged again without their payer, changed and ended there. */
let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let stripe: StripeSimulator;
let channelId: number;
let customerId: number;
let areEventsSent = true;

beforeAll(async () => {
  db = await databaseFromTemplate();
  // What a lost callback would change is what the tests wait for.
  const onEvent = (callback: SignedCallback) => {
    if (areEventsSent) receive(callback).catch(() => {});
  };
  stripe = await startStripeSimulator({ webhookSecret: channelSecret, onEvent });
  florin = await florinOn(db, { APP_PROVIDER_STRIPE_URL: stripe.url });
  admin = await administratorOf(florin);
  const credentials = { provider: 'stripe', livemode: false, apiKey: simulatedApiKey, webhookSecret: channelSecret };
  channelId = await makeChannel(florin, admin, { currency: 'EUR,USD', ...credentials });
  customerId = await makeCustomer(florin, admin, { livemode: false });
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await stripe.close();
  await db.drop();
});

const receive = ({ headers, body }: SignedCallback) =>
  florin.call('POST', `/api/callback/${channelId}`, { headers, body: body.toString() });
const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
const paymentIs = (id: string, status: string) =>
  eventually(`the payment is ${status}`, async () => {
    const found = await payment(id);
    return found.status === status ? found : undefined;
  });
const method = async (id: string) => dataOf(await florin.get(`/api/payment-method/detail?id=${id}`, admin));
const methodIs = (id: string, status: string) =>
  eventually(`the method is ${status}`, async () => {
    const found = await method(id);
    return found.status === status ? found : undefined;
  });
const setUp = async (changes: object): Promise<string> => {
  const input = { customerId, channelId, ...changes };
  return dataOf(await florin.post('/api/payment-method/setup', input, admin)).id;
};
const consent = { ipAddress: '192.0.2.1', userAgent: 'Browser', acceptedTime: '2026-11-27T10:00:00.000Z' };
const renew = (methodId: string) => makePayment(florin, admin, channelId, { methodId, initiator: 'MERCHANT' });
/** The id at Stripe of a method that was set up from a token. */
const atStripe = (id: string): string => {
  const setup = [...stripe.account.setups.all.values()].find(({ metadata }) => metadata.florin_payment_method === id);
  return setup?.payment_method as string;
};

test('a card that is set up from a token is charged for periods 2 to 14 without its payer', async () => {
  const id = await setUp({ token: 'pm_card_visa' });
  expect(await methodIs(id, 'ACTIVE')).toMatchObject({ type: 'card', brand: 'visa', last4: '4242', expiryYear: 2034 });
  for (let period = 2; period <= 14; period++) await paymentIs(await renew(id), 'SUCCESS');
  expect(stripe.account.customers.all).toHaveLength(1);
});

test('a card that a payment keeps on a page of Stripe is charged again without its payer', async () => {
  const id = await makePayment(florin, admin, channelId, { customerId, saveMethod: true });
  const { url } = await eventually('the payer has a page', async () => (await payment(id)).nextAction ?? undefined);
  await fetch(url, { method: 'POST', body: new URLSearchParams({ method: 'pm_card_visa' }), redirect: 'manual' });
  const { methodId } = await paymentIs(id, 'SUCCESS');
  expect(await method(methodId)).toMatchObject({ status: 'ACTIVE', last4: '4242' });
  await paymentIs(await renew(methodId), 'SUCCESS');
  expect(stripe.account.customers.all).toHaveLength(1);
});

test('a debit is charged again, is on its way for days, and then succeeds or fails', async () => {
  const id = await setUp({ token: 'pm_success_de', consent });
  expect(await methodIs(id, 'ACTIVE')).toMatchObject({ type: 'sepa_debit', mandateReference: expect.any(String) });
  for (const [result, status, failureCode] of [
    [true, 'SUCCESS', null],
    ['insufficient_funds', 'FAILED', 'insufficient_funds'],
  ] as const) {
    const renewal = await renew(id);
    const intent = await eventually('it is on its way', () =>
      [...stripe.account.intents.values()].find(
        ({ metadata, status: at }) => metadata.florin_key === `${renewal}-1` && at === 'processing',
      ),
    );
    expect((await payment(renewal)).status).toBe('PROCESSING');
    stripe.account.settle(intent.id, result);
    expect(await paymentIs(renewal, status)).toMatchObject({ failureCode });
  }
});

test('an issuer that wants the payer fails the renewal at once, and the method stays', async () => {
  const id = await setUp({ token: 'pm_card_authenticationRequired' });
  const { url } = await eventually('the payer has a step', async () => (await method(id)).nextAction ?? undefined);
  await fetch(url, { redirect: 'manual' });
  await methodIs(id, 'ACTIVE');
  const renewal = await renew(id);
  expect(await paymentIs(renewal, 'FAILED')).toMatchObject({ failureCode: 'authentication_required' });
  expect((await method(id)).status).toBe('ACTIVE');
});

test('a method is set up on a page of Stripe, where a decline does not end it', async () => {
  const id = await setUp({});
  const { url } = await eventually('the payer has a page', async () => (await method(id)).nextAction ?? undefined);
  const submit = (token: string) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ method: token }), redirect: 'manual' });
  await submit('pm_card_chargeDeclined');
  expect((await method(id)).status).toBe('PENDING');
  await submit('pm_card_visa');
  expect(await methodIs(id, 'ACTIVE')).toMatchObject({ type: 'card', nextAction: null });
});

test('a setup whose payer does not finish in time is ended at Stripe, and the method has FAILED', async () => {
  const [withToken, onPage] = [await setUp({ token: 'pm_card_authenticationRequired' }), await setUp({})];
  for (const id of [withToken, onPage]) {
    await eventually('the payer has a step', async () => (await method(id)).nextAction !== null);
  }
  await db.query(
    `update payment_method_operation set created_at = created_at - interval '25 hours', due_at = now()
      where 'mtd_' || replace(method_id::text, '-', '') = any ($1)`,
    [[withToken, onPage]],
  );
  for (const id of [withToken, onPage]) {
    expect(await methodIs(id, 'FAILED')).toMatchObject({ failureCode: 'payment_expired', nextAction: null });
  }
  const ofMethod =
    (id: string) =>
    ({ metadata }: { metadata: Record<string, string> }) =>
      metadata.florin_payment_method === id;
  expect([...stripe.account.setups.all.values()].find(ofMethod(withToken))?.status).toBe('canceled');
  expect([...stripe.account.sessions.all.values()].find(ofMethod(onPage))?.status).toBe('expired');
});

test('a payment that saves a card that is kept already makes it the default as it asks', async () => {
  const payer = await makeCustomer(florin, admin, { livemode: false });
  const paymentMethod = stripe.account.methods.find('pm_card_visa').id;
  const pay = async (changes: object): Promise<string> => {
    const saving = { customerId: payer, saveMethod: true, paymentMethod, ...changes };
    return (await paymentIs(await makePayment(florin, admin, channelId, saving), 'SUCCESS')).methodId;
  };
  const defaultIs = async () => dataOf(await florin.get(`/api/customer/detail?id=${payer}`, admin)).defaultMethodId;
  const saved = await pay({});
  expect(await defaultIs()).toBe(saved);
  const other = await setUp({ customerId: payer, token: 'pm_card_visa', isDefault: true });
  await methodIs(other, 'ACTIVE');
  expect(await pay({})).toBe(saved);
  expect(await defaultIs()).toBe(other);
  expect(await pay({ isDefault: true })).toBe(saved);
  expect(await defaultIs()).toBe(saved);
  dataOf(await florin.post('/api/payment-method/default', { id: other }, admin));
  dataOf(await florin.post('/api/payment-method/detach', { id: other }, admin));
  expect(await defaultIs()).toBeNull();
  expect(await pay({})).toBe(saved);
  expect(await defaultIs()).toBe(saved);
});

test('what the network replaces is shown, and a method that ends at Stripe is revoked', async () => {
  const id = await setUp({ token: 'pm_card_visa' });
  await methodIs(id, 'ACTIVE');
  stripe.account.methods.replaceCard(atStripe(id), { exp_month: 3, exp_year: 2041, last4: '0001' });
  await eventually('the new card is shown', async () => (await method(id)).last4 === '0001');
  stripe.account.methods.detach(atStripe(id));
  await methodIs(id, 'REVOKED');
  const refused = await florin.post(
    '/api/transaction/create',
    { amount: 100, currency: 'USD', channelId, methodId: id, initiator: 'MERCHANT' },
    admin,
  );
  expect(refused.body.error.type).toBe('payment_method_unusable');
});

test('a method that is detached here is detached at Stripe', async () => {
  const id = await setUp({ token: 'pm_card_visa' });
  await methodIs(id, 'ACTIVE');
  dataOf(await florin.post('/api/payment-method/detach', { id }, admin));
  const reference = atStripe(id);
  await eventually('Stripe has detached it', () => stripe.account.methods.get(reference).customer === null);
});

test('a debit whose mandate ends is revoked; after its customer was deleted a new card can be kept', async () => {
  const other = await makeCustomer(florin, admin, { livemode: false });
  const debit = await setUp({ customerId: other, token: 'pm_success_de', consent });
  const card = await setUp({ customerId: other, token: 'pm_card_visa' });
  await methodIs(debit, 'ACTIVE');
  await methodIs(card, 'ACTIVE');
  stripe.account.methods.endMandate(atStripe(debit));
  await methodIs(debit, 'REVOKED');
  expect((await method(card)).status).toBe('ACTIVE');
  stripe.account.customers.delete(stripe.account.methods.get(atStripe(card)).customer as string);
  await methodIs(card, 'REVOKED');
  await methodIs(await setUp({ customerId: other, token: 'pm_card_visa' }), 'ACTIVE');
});

test('a charge that meets a method which has ended fails, and is not taken for a wrong request', async () => {
  const id = await setUp({ token: 'pm_card_visa' });
  await methodIs(id, 'ACTIVE');
  // Without an event.
  stripe.account.methods.release(stripe.account.methods.get(atStripe(id)));
  expect(await paymentIs(await renew(id), 'FAILED')).toMatchObject({ failureCode: 'mandate_revoked' });
});

test('a setup whose answer is lost is made once', async () => {
  const hit = stripe.next('dropAfter', /^POST \/v1\/setup_intents/);
  const id = await setUp({ token: 'pm_card_visa' });
  await hit;
  await methodIs(id, 'ACTIVE');
  const made = [...stripe.account.setups.all.values()].filter(({ metadata }) => metadata.florin_payment_method === id);
  expect(made).toHaveLength(1);
});

test('a customer deleted at Stripe without an event is made again once, and its methods are revoked', async () => {
  const other = await makeCustomer(florin, admin, { livemode: false });
  const customerOf = (id: string) => stripe.account.methods.get(atStripe(id)).customer as string;
  const deleted = await setUp({ customerId: other, token: 'pm_card_visa' });
  await methodIs(deleted, 'ACTIVE');
  areEventsSent = false;
  stripe.account.customers.delete(customerOf(deleted));
  areEventsSent = true;
  const next = await setUp({ customerId: other, token: 'pm_card_visa' });
  await methodIs(next, 'ACTIVE');
  await methodIs(deleted, 'REVOKED');
  // As a day later.
  stripe.forgetKeys();
  const last = await setUp({ customerId: other, token: 'pm_card_visa' });
  await methodIs(last, 'ACTIVE');
  expect(customerOf(last)).toBe(customerOf(next));
});

test('a method whose customer is deleted at Stripe before an answer tells of the method is revoked', async () => {
  const ends = async (on: RegExp, act: () => Promise<string>): Promise<string> => {
    const hit = stripe.next('dropAfter', on);
    const id = await act();
    await hit;
    stripe.account.customers.delete(stripe.account.customers.all.at(-1)?.id as string);
    return id;
  };
  const token = 'pm_card_visa';
  const first = await makeCustomer(florin, admin, { livemode: false });
  const setup = await ends(/^POST \/v1\/setup_intents/, () => setUp({ customerId: first, token }));
  const second = await makeCustomer(florin, admin, { livemode: false });
  const saving = { customerId: second, saveMethod: true, paymentMethod: token };
  const charge = await ends(/^POST \/v1\/payment_intents/, () => makePayment(florin, admin, channelId, saving));
  await methodIs(setup, 'REVOKED');
  await methodIs((await paymentIs(charge, 'SUCCESS')).methodId, 'REVOKED');
});

test('payments at the same time that save the same card keep one method', async () => {
  const payer = await makeCustomer(florin, admin, { livemode: false });
  const paymentMethod = stripe.account.methods.find('pm_card_visa').id;
  const saving = { customerId: payer, saveMethod: true, paymentMethod };
  const ids = await Promise.all(Array.from({ length: 8 }, () => makePayment(florin, admin, channelId, saving)));
  const paid = await Promise.all(ids.map((id) => paymentIs(id, 'SUCCESS')));
  expect(new Set(paid.map(({ methodId }) => methodId)).size).toBe(1);
  const methods = await florin.get(`/api/payment-method/list?customerId=${payer}&livemode=false`, admin);
  expect(dataOf(methods)).toHaveLength(1);
});

/** What is detached is tried again now instead of after 5 s. */
const isDetachedAtStripe = (id: string) =>
  eventually('Stripe has detached it', async () => {
    await db.query('update payment_method_operation set due_at = now() where finished_at is null and lease is null');
    return stripe.account.methods.get(atStripe(id)).customer === null;
  });

test('a method that is detached while Stripe refuses the API key is detached at Stripe with the next key', async () => {
  const id = await setUp({ token: 'pm_card_visa' });
  await methodIs(id, 'ACTIVE');
  const useKey = async (apiKey: string) =>
    dataOf(await florin.post('/api/channel/modify', { id: channelId, apiKey }, admin));
  await useKey('sk_test_refused00000000000000000000');
  const refused = stripe.requests.length;
  dataOf(await florin.post('/api/payment-method/detach', { id }, admin));
  await eventually('Stripe is asked', () => stripe.requests.length > refused);
  await useKey(simulatedApiKey);
  await isDetachedAtStripe(id);
});

test('a detachment that Stripe refuses is tried again', async () => {
  const id = await setUp({ token: 'pm_card_visa' });
  await methodIs(id, 'ACTIVE');
  const error = { type: 'invalid_request_error', message: 'Not now.' };
  const refused = stripe.next({ status: 400, body: JSON.stringify({ error }) }, /detach$/);
  dataOf(await florin.post('/api/payment-method/detach', { id }, admin));
  await refused;
  await isDetachedAtStripe(id);
});

test('a setup that is detached before it was sent is never sent, and its token is forgotten', async () => {
  const limited = stripe.next('rateLimit', /setup_intents$/);
  const id = await setUp({ token: 'pm_card_visa' });
  await limited;
  const stateIs = (state: string) =>
    eventually(`the setup is ${state}`, async () => {
      const [row] = await db.query<{ state: string }>(
        `select state from payment_method_operation where 'mtd_' || replace(method_id::text, '-', '') = $1`,
        [id],
      );
      return row?.state === state;
    });
  await stateIs('READY');
  dataOf(await florin.post('/api/payment-method/detach', { id }, admin));
  await stateIs('CANCELLED');
  const kept = await db.query<{ source_sealed: Buffer | null }>(
    `select source_sealed from payment_method where 'mtd_' || replace(id::text, '-', '') = $1`,
    [id],
  );
  expect(kept).toEqual([{ source_sealed: null }]);
  expect(atStripe(id)).toBeUndefined();
});
