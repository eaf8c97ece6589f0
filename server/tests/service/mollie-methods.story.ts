import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayMs } from '../../src/core/clock.ts';
import { uuidOfPublicId } from '../../src/core/id.ts';
import { makeCustomer } from '../support/billing/invoices.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { MollieSimulator, type SimulatedCallback } from '../support/simulators/mollie.ts';
import type { SimulatedPayment } from '../support/simulators/mollie-records.ts';

/** Payment methods at Mollie, over HTTP and with the database: kept, charged again, ended. */
let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let mollie: MollieSimulator;
let channelId: number;
let skewMs = 0;

beforeAll(async () => {
  db = await databaseFromTemplate();
  const clock = () => Date.now() + skewMs;
  mollie = await MollieSimulator.start({ now: clock });
  florin = await florinOn(db, { APP_PROVIDER_MOLLIE_URL: mollie.url }, clock);
  admin = await administratorOf(florin);
  const facts = { provider: 'mollie', livemode: false, apiKey: 'test_simulated', webhookSecret: channelSecret };
  channelId = await makeChannel(florin, admin, { ...facts, currency: 'EUR' });
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await mollie.close();
  await db.drop();
});

/** Sessions do not live that long. */
async function later(ms: number): Promise<void> {
  skewMs += ms;
  admin = await administratorOf(florin);
}

const newCustomer = () =>
  makeCustomer(florin, admin, { name: 'Ada Lovelace', email: 'ada@example.org', livemode: false });
const create = async (facts: object): Promise<string> => {
  const body = { amount: 1999, currency: 'EUR', channelId, ...facts };
  return dataOf(await florin.post('/api/transaction/create', body, admin)).id;
};
const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
const method = async (id: string) => dataOf(await florin.get(`/api/payment-method/detail?id=${id}`, admin));
const methodsOf = async (customerId: number) =>
  (await florin.get(`/api/payment-method/list?customerId=${customerId}&livemode=false`, admin)).body.data;
const comesTo = (id: string, status: string) =>
  eventually(`it is ${status}`, async () => {
    const found = await payment(id);
    return found.status === status && found;
  });
const methodComesTo = (id: string, status: string) =>
  eventually(`the method is ${status}`, async () => {
    const found = await method(id);
    return found.status === status && found;
  });
/** The payment's id at Mollie. */
const referenceOf = (id: string): Promise<string> =>
  eventually('Mollie has the payment', async () => {
    const ours = ({ metadata }: SimulatedPayment) => (metadata as Record<string, string>).florin_transaction === id;
    return mollie.payments.find(ours)?.id ?? false;
  });

/** Delivers the callbacks that Mollie has sent since. */
let delivered = 0;
async function deliver(): Promise<void> {
  for (const { url, headers, body } of mollie.callbacks.slice(delivered) as SimulatedCallback[]) {
    const { pathname, search } = new URL(url);
    expect((await florin.call('POST', pathname + search, { headers, body })).status).toBe(200);
  }
  delivered = mollie.callbacks.length;
}

/** A method that a payment of a customer has kept. */
async function kept(customerId: number, paymentMethod: string) {
  const id = await create({ customerId, paymentMethod, saveMethod: true });
  mollie.pay(await referenceOf(id));
  await deliver();
  const { methodId } = await comesTo(id, 'SUCCESS');
  return (await method(methodId)) as { id: string; type: string };
}

const mandateOf = async (customerId: number) => {
  const customer = [...mollie.api.customers.all.values()].at(-1);
  expect(customerId).toBeGreaterThan(0);
  return mollie.api.customers.mandatesOf(customer?.id as string).at(-1)?.id as string;
};

test.each([
  ['creditcard', 'card'],
  ['ideal', 'sepa_debit'],
  ['paypal', 'paypal'],
])('what a payer pays with by %s is kept, and charged for 13 more periods', async (paymentMethod, type) => {
  const customerId = await newCustomer();
  const { id: methodId } = await kept(customerId, paymentMethod);
  expect(await method(methodId)).toMatchObject({ type, status: 'ACTIVE', isDefault: true, customerId, channelId });
  for (let period = 2; period <= 14; period++) {
    await later(30 * dayMs);
    const id = await create({ methodId, initiator: 'MERCHANT' });
    const reference = await referenceOf(id);
    if (type === 'sepa_debit') {
      expect(await payment(id)).toMatchObject({ status: 'PROCESSING', nextAction: null });
      mollie.pay(reference);
    }
    await eventually('Mollie has told of it', async () => {
      await deliver();
      return (await payment(id)).status === 'SUCCESS';
    });
  }
  expect((await methodsOf(customerId)).map(({ id }: { id: string }) => id)).toEqual([methodId]);
});

test('a payment that fails, or that its payer leaves, keeps nothing', async () => {
  const customerId = await newCustomer();
  for (const end of [(id: string) => mollie.fail(id, 'card_declined'), (id: string) => mollie.cancelByPayer(id)]) {
    const id = await create({ customerId, paymentMethod: 'creditcard', saveMethod: true });
    end(await referenceOf(id));
    await deliver();
    await eventually('it has ended', async () => ['FAILED', 'CANCELLED'].includes((await payment(id)).status));
  }
  expect(await methodsOf(customerId)).toEqual([]);
});

test('a mandate that was revoked at Mollie ends the method when it is charged', async () => {
  const customerId = await newCustomer();
  const { id: methodId } = await kept(customerId, 'creditcard');
  mollie.revokeMandate(await mandateOf(customerId));
  const id = await create({ methodId, initiator: 'MERCHANT' });
  expect(await comesTo(id, 'FAILED')).toMatchObject({ failureCode: 'mandate_revoked', retry: 'OTHER_METHOD' });
  expect(await methodComesTo(methodId, 'REVOKED')).toMatchObject({ isDefault: false });
});

test('a revoked mandate, or one of a deleted customer, is found without an event, as Mollie sends none', async () => {
  const ends = [
    (mandateId: string) => mollie.revokeMandate(mandateId),
    (mandateId: string) => mollie.deleteCustomer(mollie.mandate(mandateId).customerId),
  ];
  for (const end of ends) {
    const customerId = await newCustomer();
    const { id: methodId } = await kept(customerId, 'creditcard');
    const mandateId = await mandateOf(customerId);
    await later(2 * dayMs);
    await eventually('the method was read', async () => wasRead(mandateId) && (await readsAgainTomorrow(methodId)));
    expect(await method(methodId)).toMatchObject({ status: 'ACTIVE', version: 1 });
    end(mandateId);
    await later(2 * dayMs);
    expect(await methodComesTo(methodId, 'REVOKED')).toMatchObject({
      isDefault: false,
      failureCode: 'mandate_revoked',
    });
  }
});

test('an issuer that wants the payer fails a renewal at once, and the method stays', async () => {
  const customerId = await newCustomer();
  const { id: methodId } = await kept(customerId, 'creditcard');
  mollie.mandate(await mandateOf(customerId)).declines = 'authentication_required';
  const id = await create({ methodId, initiator: 'MERCHANT' });
  const failed = await comesTo(id, 'FAILED');
  expect(failed).toMatchObject({ failureCode: 'authentication_required', nextAction: null });
  expect(await method(methodId)).toMatchObject({ status: 'ACTIVE' });

  // The payer pays with the same card in person, and the next renewal needs nobody.
  const inPerson = await create({ methodId });
  const { url } = await eventually('Mollie waits', async () => (await payment(inPerson)).nextAction ?? undefined);
  expect(url).toMatch(/\/checkout\//);
  const reference = await referenceOf(inPerson);
  expect(mollie.payment(reference)).toMatchObject({ method: 'creditcard', sequenceType: 'first' });
  mollie.pay(reference);
  await deliver();
  expect(await comesTo(inPerson, 'SUCCESS')).toMatchObject({ methodId });
  expect(await methodsOf(customerId)).toMatchObject([{ id: methodId, status: 'ACTIVE', isDefault: true }]);
  await comesTo(await create({ methodId, initiator: 'MERCHANT' }), 'SUCCESS');
});

test('a customer who was deleted at Mollie gets another there, with the next method', async () => {
  const customerId = await newCustomer();
  const { id: first } = await kept(customerId, 'creditcard');
  mollie.deleteCustomer([...mollie.api.customers.all.keys()].at(-1) as string);
  expect(await comesTo(await create({ methodId: first, initiator: 'MERCHANT' }), 'FAILED')).toMatchObject({
    failureCode: 'mandate_revoked',
  });
  await methodComesTo(first, 'REVOKED');
  const { id: second } = await kept(customerId, 'creditcard');
  expect(second).not.toBe(first);
  await comesTo(await create({ methodId: second, initiator: 'MERCHANT' }), 'SUCCESS');
});

const wasRead = (mandateId: string) =>
  mollie.requests.filter(({ method: verb, path }) => verb === 'GET' && path.endsWith(`/mandates/${mandateId}`)).length >
  1;

/**
 * Whether the result of the last reading is recorded. Were the clock set forward before that, the next reading would be
 * a day after the new time.
 */
async function readsAgainTomorrow(methodId: string): Promise<boolean> {
  const [row] = await db.query<{ read_due_at: string }>('select read_due_at from payment_method where id = $1', [
    uuidOfPublicId('mtd', methodId),
  ]);
  return Date.parse((row as { read_due_at: string }).read_due_at) > Date.now() + skewMs + dayMs / 2;
}

const consent = { ipAddress: '192.0.2.1', userAgent: 'Test', acceptedTime: '2026-11-01T10:00:00.000Z' };
const setUp = async (facts: object) =>
  dataOf(await florin.post('/api/payment-method/setup', { channelId, ...facts }, admin)).id as string;

test('an IBAN is set up without the payer, charged, and its mandate revoked when it is detached', async () => {
  const customerId = await newCustomer();
  const bankAccount = { holder: 'Ada Lovelace', iban: 'NL55INGB0000000000' };
  const methodId = await setUp({ customerId, bankAccount, consent });
  expect(await methodComesTo(methodId, 'ACTIVE')).toMatchObject({
    type: 'sepa_debit',
    last4: '0000',
    country: 'NL',
    mandateReference: methodId.slice(4),
  });
  const id = await create({ methodId, initiator: 'MERCHANT' });
  mollie.pay(await referenceOf(id));
  await deliver();
  await comesTo(id, 'SUCCESS');
  const mandateId = await mandateOf(customerId);
  dataOf(await florin.post('/api/payment-method/detach', { id: methodId }, admin));
  await methodComesTo(methodId, 'DETACHED');
  await eventually('the mandate is revoked', async () => mollie.mandate(mandateId).status === 'invalid');
});

test('a card is set up by a first payment of nothing, and a setup that needs money is refused', async () => {
  const customerId = await newCustomer();
  const methodId = await setUp({ customerId, type: 'card', returnUrl: 'https://shop.example.org/account' });
  const { url } = await eventually(
    'the payer is sent to Mollie',
    async () => (await method(methodId)).nextAction ?? false,
  );
  await fetch(url, { method: 'POST', body: new URLSearchParams({ choice: 'pay' }), redirect: 'manual' });
  await deliver();
  expect(await methodComesTo(methodId, 'ACTIVE')).toMatchObject({ type: 'card', last4: '6787', nextAction: null });

  const debit = { customerId, channelId, type: 'sepa_debit' };
  expect(await florin.post('/api/payment-method/setup', debit, admin)).toMatchObject({
    status: 409,
    body: { error: { type: 'setup_needs_payment', field: 'channelId', details: { provider: 'mollie' } } },
  });
  const token = { id: customerId, defaultChannelId: channelId, paymentMethod: 'ideal' };
  expect(await florin.post('/api/customer/modify', token, admin)).toMatchObject({
    status: 409,
    body: { error: { type: 'setup_needs_payment', field: 'defaultChannelId' } },
  });
});

test('a look-up whose connection breaks is sent again at once, and not after the next wait', async () => {
  const customerId = await newCustomer();
  const methodId = await setUp({ customerId, type: 'card' });
  const { url } = await eventually('the payer has a page', async () => (await method(methodId)).nextAction ?? false);
  const id = url.split('/').at(-1) as string;
  mollie.pay(id);
  const broken = mollie.fault({ method: 'GET', path: new RegExp(id), when: 'before', how: 'cut' });
  const before = mollie.requests.length;
  await deliver();
  await broken;
  await methodComesTo(methodId, 'ACTIVE');
  const reads = mollie.requests.slice(before).filter(({ path }) => path.endsWith(id));
  expect(reads).toHaveLength(2);
});

test('a mandate that Mollie refuses to revoke is tried for days, and then given up', async () => {
  const { id } = await kept(await newCustomer(), 'creditcard');
  const refuse = () => mollie.fault({ method: 'DELETE', path: /mandates/, when: 'before', how: 422 });
  const operation = async () => {
    const [row] = await db.query<{ state: string; look_ups: number; is_leased: boolean }>(
      `select state, look_ups, lease is not null as is_leased from payment_method_operation
        where kind = 'DETACH' and 'mtd_' || replace(method_id::text, '-', '') = $1`,
      [id],
    );
    return row;
  };
  let refused = refuse();
  dataOf(await florin.post('/api/payment-method/detach', { id }, admin));
  for (let tries = 0; tries < 7; tries++) {
    await refused;
    await eventually('it waits', async () => {
      const found = await operation();
      return found?.state === 'UNKNOWN' && found.look_ups === tries && !found.is_leased;
    });
    refused = refuse();
    await later(dayMs);
  }
  await refused;
  await eventually('it is given up', async () => (await operation())?.state === 'FAILED');
});
