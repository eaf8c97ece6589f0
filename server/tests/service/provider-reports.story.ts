import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../src/core/clock.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { MollieSimulator, type SimulatedCallback } from '../support/simulators/mollie.ts';
import {
  type StripeSimulator,
  simulatedApiKey,
  simulatedLiveApiKey,
  startStripeSimulator,
} from '../support/simulators/stripe.ts';
import type { SignedCallback } from '../support/simulators/stripe-records.ts';

/** What providers report too late, of the other mode, or not at all: it is never booked, and a person learns of it. */
let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let stripe: StripeSimulator;
let mollie: MollieSimulator;
let skewMs = 0;
const channels: Record<string, number> = {};

beforeAll(async () => {
  db = await databaseFromTemplate();
  const clock = () => Date.now() + skewMs;
  stripe = await startStripeSimulator({ webhookSecret: channelSecret, clock });
  mollie = await MollieSimulator.start({ now: clock });
  const urls = { APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROVIDER_MOLLIE_URL: mollie.url };
  florin = await florinOn(db, urls, clock);
  admin = await administratorOf(florin);
  for (const [name, provider, livemode, apiKey] of [
    ['stripe', 'stripe', false, simulatedApiKey],
    ['stripe live', 'stripe', true, simulatedLiveApiKey],
    ['mollie', 'mollie', false, 'test_simulated'],
    ['mollie live', 'mollie', true, 'live_simulated'],
  ] as const) {
    channels[name] = await makeChannel(florin, admin, { provider, livemode, apiKey, webhookSecret: channelSecret });
  }
});

afterEach(() => {
  stripe.namedLivemode = undefined;
  mollie.api.namedMode = undefined;
});

afterAll(async () => {
  expect((await brokenClaims(db.database)).filter((claim) => !claim.includes('agrees with what is settled'))).toEqual(
    [],
  );
  await florin.stop();
  await mollie.close();
  await stripe.close();
  await db.drop();
});

/** Sessions do not live that long. */
async function later(ms: number): Promise<void> {
  skewMs += ms;
  admin = await administratorOf(florin);
}

const pay = (channel: string, changes = {}) => makePayment(florin, admin, channels[channel] as number, changes);
const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
const comesTo = (id: string, status: string) =>
  eventually(`it is ${status}`, async () => (await payment(id)).status === status);
const discrepancyOf = (id: string) =>
  eventually('a discrepancy is open', async () => {
    const [discrepancy] = dataOf(await florin.get(`/api/discrepancy/list?transactionId=${id}`, admin));
    return discrepancy;
  });
const transfersOf = (id: string) =>
  db.query(`select from ledger_transfer where 'txn_' || replace(transaction_id::text, '-', '') = $1`, [id]);
const pageOf = (id: string) =>
  eventually('the payer is sent to Mollie', async () => {
    const { nextAction, providerReference } = await payment(id);
    return nextAction !== null && (providerReference as string);
  });

function post({ url, headers, body }: SimulatedCallback) {
  return florin.call('POST', new URL(url).pathname + new URL(url).search, { headers, body });
}

describe('a payment of Mollie that has ended', () => {
  test.each([
    ['canceled', 'CANCELLED', (id: string) => mollie.cancelByPayer(id)],
    ['expired', 'FAILED', (id: string) => mollie.expire(id)],
    ['failed', 'FAILED', (id: string) => mollie.fail(id)],
  ] as const)('as %s and is paid afterwards opens a discrepancy', async (_, status, end) => {
    const id = await pay('mollie');
    const reference = await pageOf(id);
    end(reference);
    expect((await post(mollie.callbacks.at(-1) as SimulatedCallback)).status).toBe(200);
    await comesTo(id, status);
    mollie.pay(reference);
    expect((await post(mollie.callbacks.at(-1) as SimulatedCallback)).status).toBe(200);
    expect(await discrepancyOf(id)).toMatchObject({ reported: 'succeeded', reference, amount: 1999, currency: 'USD' });
    expect(await payment(id)).toMatchObject({ status });
    expect(await transfersOf(id)).toEqual([]);
    const steps = dataOf(await florin.get(`/api/transaction/timeline?id=${id}`, admin));
    expect(steps.map(({ type }: { type: string }) => type)).toContain('contradiction');
  });

  test('as expired is looked up after a callback, and nothing follows if it still is', async () => {
    const id = await pay('mollie');
    const reference = await pageOf(id);
    mollie.expire(reference);
    const callback = mollie.callbacks.at(-1) as SimulatedCallback;
    await post(callback);
    await comesTo(id, 'FAILED');
    const before = mollie.requests.length;
    await post(callback);
    await eventually('it is looked up', () => mollie.requests.length > before);
    expect(dataOf(await florin.get(`/api/discrepancy/list?transactionId=${id}`, admin))).toEqual([]);
  });
});

test('a refund of Mollie that has failed and is made afterwards opens a discrepancy', async () => {
  const id = await pay('mollie');
  const reference = await pageOf(id);
  mollie.pay(reference);
  await post(mollie.callbacks.at(-1) as SimulatedCallback);
  await comesTo(id, 'SUCCESS');
  const refund = dataOf(await florin.post('/api/refund/create', { transactionId: id, amount: 500 }, admin));
  const refundReference = await eventually('Mollie has the refund', () => mollie.payment(reference).refunds[0]?.id);
  const state = async () => dataOf(await florin.get(`/api/refund/detail?id=${refund.id}`, admin));
  await eventually('it waits', async () => {
    const [row] = await db.query<{ state: string }>(
      `select state from provider_operation where kind = 'REFUND'
           and 'txn_' || replace(transaction_id::text, '-', '') = $1`,
      [id],
    );
    return row?.state === 'WAITING';
  });
  mollie.progressRefund(refundReference, 'failed');
  await post(mollie.callbacks.at(-1) as SimulatedCallback);
  await eventually('it has failed', async () => (await state()).status === 'FAILED');
  mollie.progressRefund(refundReference, 'refunded');
  await post(mollie.callbacks.at(-1) as SimulatedCallback);
  expect(await discrepancyOf(id)).toMatchObject({ reported: 'succeeded', reference: refundReference });
});

describe('a payment of the other mode', () => {
  test.each([
    ['stripe live', false],
    ['stripe', true],
  ])('that an answer names is not booked on the channel "%s", and opens a discrepancy', async (channel, named) => {
    stripe.namedLivemode = named;
    const id = await pay(channel, { paymentMethod: 'pm_card_visa' });
    expect(await discrepancyOf(id)).toMatchObject({ reported: 'succeeded', reportedLivemode: named, livemode: !named });
    expect(await payment(id)).toMatchObject({ status: 'PROCESSING' });
    expect(await transfersOf(id)).toEqual([]);
  });

  test('sends no payer to a page, and opens a discrepancy', async () => {
    mollie.api.namedMode = 'test';
    const id = await pay('mollie live');
    expect(await discrepancyOf(id)).toMatchObject({ reported: 'needs_payer', reportedLivemode: false });
    expect(await payment(id)).toMatchObject({ status: 'PROCESSING', nextAction: null });
  });

  test('that a callback names is not booked, and opens a discrepancy', async () => {
    const id = await pay('stripe live', { payerFlow: 'EMBEDDED' });
    const reference = await eventually(
      'Stripe has it',
      () => [...stripe.account.intents.values()].find(({ metadata }) => metadata.florin_key === `${id}-1`)?.id,
    );
    await eventually('the charge waits', async () => {
      const [row] = await db.query<{ state: string }>(
        `select state from provider_operation where 'txn_' || replace(transaction_id::text, '-', '') = $1`,
        [id],
      );
      return row?.state === 'WAITING';
    });
    stripe.account.intent(reference).livemode = false;
    stripe.account.livemode = false;
    stripe.account.confirmIntent(reference, { payment_method: 'pm_card_visa' });
    const { headers, body }: SignedCallback = stripe.callback('payment_intent.succeeded', reference);
    const path = `/api/callback/${channels['stripe live']}`;
    expect((await florin.call('POST', path, { headers, body: body.toString() })).status).toBe(200);
    expect(await discrepancyOf(id)).toMatchObject({ reported: 'succeeded', reportedLivemode: false });
    expect(await payment(id)).toMatchObject({ status: 'PROCESSING' });
    expect(await transfersOf(id)).toEqual([]);
  });
});

describe('a payment method of the other mode', () => {
  const customerOf = async (livemode: boolean): Promise<number> =>
    dataOf(await florin.post('/api/customer/modify', { name: 'Ada Lovelace', livemode }, admin)).id;
  const setUp = async (channel: string, customerId: number, facts: object): Promise<string> => {
    const input = { customerId, channelId: channels[channel], ...facts };
    return dataOf(await florin.post('/api/payment-method/setup', input, admin)).id;
  };
  const method = async (id: string) => dataOf(await florin.get(`/api/payment-method/detail?id=${id}`, admin));
  const methodIs = (id: string, status: string) =>
    eventually(`the method is ${status}`, async () => (await method(id)).status === status);
  const consent = { ipAddress: '192.0.2.1', userAgent: 'Browser', acceptedTime: '2026-11-27T10:00:00.000Z' };
  const iban = { bankAccount: { holder: 'Ada Lovelace', iban: 'NL55INGB0000000000' }, consent };
  const warnings = async (): Promise<number> => {
    const { body } = await florin.get('/metrics');
    return Number(/florin_discrepancies_total{kind="mode_mismatch"} (\d+)/.exec(body)?.[1] ?? 0);
  };
  const warned = (before: number) => eventually('an operator is warned', async () => (await warnings()) > before);

  test.each([
    ['stripe live', false, { token: 'pm_card_visa' }],
    ['stripe', true, { token: 'pm_card_visa' }],
    ['mollie live', false, iban],
    ['mollie', true, iban],
  ] as const)('is not set up on the channel "%s" where its customer is of that mode', async (channel, named, facts) => {
    const customerId = await customerOf(!named);
    const before = await warnings();
    stripe.namedLivemode = named;
    mollie.api.namedMode = named ? 'live' : 'test';
    const [setups, mandates] = [stripe.account.setups.all.size, mollie.api.customers.mandates.size];
    const id = await setUp(channel, customerId, facts);
    await warned(before);
    expect(await method(id)).toMatchObject({ status: 'PENDING', nextAction: null });
    expect([stripe.account.setups.all.size, mollie.api.customers.mandates.size]).toEqual([setups, mandates]);
  });

  test('is not set up from an answer about the setup that names it', async () => {
    const customerId = await customerOf(true);
    await methodIs(await setUp('stripe live', customerId, { token: 'pm_card_visa' }), 'ACTIVE');
    const before = await warnings();
    stripe.namedLivemode = false;
    const id = await setUp('stripe live', customerId, { token: 'pm_card_visa' });
    await warned(before);
    expect(await method(id)).toMatchObject({ status: 'PENDING', last4: null });
  });

  test('changes no method that is kept: neither when it is read nor by a callback', async () => {
    const customerId = await customerOf(true);
    const id = await setUp('stripe live', customerId, { token: 'pm_card_visa' });
    await methodIs(id, 'ACTIVE');
    const setup = [...stripe.account.setups.all.values()].find(({ metadata }) => metadata.florin_payment_method === id);
    const kept = stripe.account.methods.get(setup?.payment_method as string);
    for (const [ofEvent, ofAnswer] of [
      [true, false],
      [false, true],
    ] as const) {
      const before = await warnings();
      kept.livemode = ofAnswer;
      stripe.account.livemode = ofEvent;
      stripe.account.methods.replaceCard(kept.id, { last4: '0001' });
      const { headers, body } = stripe.sign(stripe.events.at(-1));
      const path = `/api/callback/${channels['stripe live']}`;
      expect((await florin.call('POST', path, { headers, body: body.toString() })).status).toBe(200);
      await warned(before);
      expect(await method(id)).toMatchObject({ status: 'ACTIVE', last4: '4242' });
    }
  });

  test('is not kept by a payment, which opens a discrepancy', async () => {
    const customerId = await customerOf(true);
    const id = await pay('mollie live', { currency: 'EUR', customerId, saveMethod: true, paymentMethod: 'creditcard' });
    const reference = await pageOf(id);
    mollie.pay(reference);
    mollie.mandate(mollie.payment(reference).mandateId as string).mode = 'test';
    await post(mollie.callbacks.at(-1) as SimulatedCallback);
    expect(await discrepancyOf(id)).toMatchObject({ reported: 'succeeded', reportedLivemode: false });
    expect(await payment(id)).toMatchObject({ status: 'PROCESSING', methodId: null });
  });
});

const stateOf = async (id: string, number: number) => {
  const [row] = await db.query<{ state: string }>(
    `select state from provider_operation where 'txn_' || replace(transaction_id::text, '-', '') = $1 and number = $2`,
    [id, number],
  );
  return row?.state;
};
const stateIs = (id: string, number: number, state: string) =>
  eventually(`the operation is ${state}`, async () => (await stateOf(id, number)) === state);

/** Stripe has nothing of an operation in its lists, and has forgotten the keys. */
function forget(operation: string): void {
  const { intents, refunds } = stripe.account;
  for (const [id, { metadata }] of intents) if (metadata.florin_key === operation) intents.delete(id);
  const index = refunds.findIndex(({ metadata }) => metadata.florin_key === operation);
  const [refund] = index < 0 ? [] : refunds.splice(index, 1);
  const charge = stripe.charges.find(({ id }) => id === refund?.charge);
  if (refund !== undefined && charge !== undefined) charge.amount_refunded -= refund.amount;
  stripe.forgetKeys();
}

/** Closes the discrepancy about an operation of a payment. */
async function closeDiscrepancy({ transactionId, operation, ...body }: Record<string, unknown>) {
  const [row] = await db.query<{ id: string }>(
    `select 'dcp_' || replace(id::text, '-', '') as id from discrepancy
      where 'txn_' || replace(transaction_id::text, '-', '') = $1 and number = $2`,
    [transactionId, operation],
  );
  return florin.post('/api/discrepancy/close', { id: row?.id, note: 'Looked at the dashboard', ...body }, admin);
}

test('a charge that Stripe answered with a stored 500 and has forgotten is ended by a person', async () => {
  const hit = stripe.next('status500After');
  const id = await pay('stripe', { paymentMethod: 'pm_card_visa' });
  await hit;
  await stateIs(id, 1, 'UNKNOWN');
  forget(`${id}-1`);
  const isCharge = ({ method, key }: { method: string; key: string | undefined }) =>
    method === 'POST' && key === `${id}-1`;
  const sent = stripe.requests.filter(isCharge).length;
  await later(dayMs + hourMs);
  expect(await discrepancyOf(id)).toMatchObject({ reported: null, reference: null, reportedLivemode: null });
  await later(2 * dayMs);
  await eventually('it is looked up again', async () => {
    const [discrepancy] = dataOf(await florin.get(`/api/discrepancy/list?transactionId=${id}`, admin));
    return discrepancy.lookUps > 1;
  });
  expect(stripe.requests.filter(isCharge)).toHaveLength(sent);
  expect(await payment(id)).toMatchObject({ status: 'PROCESSING' });
  dataOf(await florin.post('/api/transaction/update', { id, status: 'CANCELLED' }, admin));
  await comesTo(id, 'CANCELLED');
  await later(2 * dayMs);
  await eventually('the discrepancy is closed', async () => {
    const closed = dataOf(await florin.get(`/api/discrepancy/list?transactionId=${id}&state=AGREES`, admin));
    return closed.length === 1;
  });
  expect(stripe.requests.filter(isCharge)).toHaveLength(sent);
});

describe('a person who has looked at Stripe ends', () => {
  const eventsOf = async (objectId: string) =>
    dataOf(await florin.get(`/api/event/list?objectId=${objectId}`, admin)).map(({ type }: { type: string }) => type);
  const endsOf = async (id: string) =>
    dataOf(await florin.get(`/api/audit/list?recordType=discrepancy&recordId=${id}`, admin)).map(
      ({ details }: { details: { outcome?: string } }) => details.outcome,
    );

  async function forgottenCharge(changes = {}): Promise<string> {
    const hit = stripe.next('status500After');
    const id = await pay('stripe', { paymentMethod: 'pm_card_visa', ...changes });
    await hit;
    await stateIs(id, 1, 'UNKNOWN');
    forget(`${id}-1`);
    await later(dayMs + hourMs);
    await discrepancyOf(id);
    return id;
  }

  async function forgottenRefund(): Promise<{ id: string; refundId: string }> {
    const id = await pay('stripe', { paymentMethod: 'pm_card_visa' });
    await comesTo(id, 'SUCCESS');
    const hit = stripe.next('status500After', /^POST .*refunds/);
    const { id: refundId } = dataOf(await florin.post('/api/refund/create', { transactionId: id, amount: 500 }, admin));
    await hit;
    await stateIs(id, 2, 'UNKNOWN');
    forget(`${id}-2`);
    await later(dayMs + hourMs);
    expect(await discrepancyOf(id)).toMatchObject({ operation: 2, reported: null });
    return { id, refundId };
  }
  const refund = async (id: string) => dataOf(await florin.get(`/api/refund/detail?id=${id}`, admin));

  test('a forgotten refund as failed, and its amount can be refunded again', async () => {
    const { id, refundId } = await forgottenRefund();
    // A discrepancy that was closed without an outcome leaves the refund as it is.
    dataOf(await closeDiscrepancy({ transactionId: id, operation: 2 }));
    expect((await refund(refundId)).status).toBe('PROCESSING');
    const closed = dataOf(
      await closeDiscrepancy({ transactionId: id, operation: 2, outcome: 'FAILED', note: 'None there' }),
    );
    expect(closed).toMatchObject({ state: 'CLOSED', note: 'None there' });
    expect(await refund(refundId)).toMatchObject({ status: 'FAILED', failureCode: 'refund_refused' });
    expect(await eventsOf(refundId)).toContain('refund.failed');
    expect(await payment(id)).toMatchObject({ status: 'SUCCESS', amountRefunded: 0 });
    // The charge and its fee.
    expect(await transfersOf(id)).toHaveLength(2);
    expect(await endsOf(id)).toEqual(['FAILED', undefined]);
    const steps = dataOf(await florin.get(`/api/transaction/timeline?id=${id}`, admin));
    expect(steps).toContainEqual(
      expect.objectContaining({ type: 'refund_failed', detail: expect.objectContaining({ settledBy: 'user' }) }),
    );
    const again = await florin.post('/api/refund/create', { transactionId: id, amount: 1999 }, admin);
    await eventually('it is refunded', async () => (await refund(dataOf(again).id)).status === 'SUCCESS');
  });

  test('a forgotten refund as made, and it is booked once', async () => {
    const { id, refundId } = await forgottenRefund();
    const ending = { transactionId: id, operation: 2, outcome: 'SUCCEEDED' };
    expect(await closeDiscrepancy(ending)).toMatchObject({ status: 400, body: { error: { field: 'reference' } } });
    const closed = dataOf(await closeDiscrepancy({ ...ending, reference: 're_dashboard' }));
    expect(dataOf(await closeDiscrepancy({ ...ending, reference: 're_dashboard' }))).toEqual(closed);
    expect(await refund(refundId)).toMatchObject({ status: 'SUCCESS', providerReference: 're_dashboard' });
    expect(await eventsOf(refundId)).toContain('refund.succeeded');
    expect(await payment(id)).toMatchObject({ status: 'REFUNDED', amountRefunded: 500 });
    // The charge, its fee and the refund.
    expect(await transfersOf(id)).toHaveLength(3);
    expect(await closeDiscrepancy({ ...ending, outcome: 'FAILED' })).toMatchObject({
      status: 409,
      body: { error: { type: 'illegal_transition', field: 'outcome' } },
    });
  });

  test('a forgotten charge as made', async () => {
    const id = await forgottenCharge();
    const paid = await pay('stripe', { paymentMethod: 'pm_card_visa' });
    await comesTo(paid, 'SUCCESS');
    const known = (await payment(paid)).providerReference;
    const ending = { transactionId: id, operation: 1, outcome: 'SUCCEEDED' };
    expect(await closeDiscrepancy({ ...ending, reference: known })).toMatchObject({
      status: 400,
      body: { error: { field: 'reference' } },
    });
    dataOf(await closeDiscrepancy({ ...ending, reference: 'pi_dashboard' }));
    expect(await payment(id)).toMatchObject({ status: 'SUCCESS', providerReference: 'pi_dashboard' });
    expect(await transfersOf(id)).toHaveLength(1);
    expect(await eventsOf(id)).toContain('transaction.succeeded');
  });

  test('a forgotten charge as failed, and no fallback channel is charged', async () => {
    const fallback = await makeChannel(florin, admin, {
      provider: 'stripe',
      livemode: false,
      apiKey: simulatedApiKey,
      webhookSecret: channelSecret,
    });
    const stripeChannel = { id: channels.stripe, fallbackChannelIds: [fallback] };
    dataOf(await florin.post('/api/channel/modify', stripeChannel, admin));
    const id = await forgottenCharge();
    dataOf(await closeDiscrepancy({ transactionId: id, operation: 1, outcome: 'FAILED' }));
    expect(await payment(id)).toMatchObject({ status: 'FAILED', failureCode: 'processing_error' });
    expect(await eventsOf(id)).toContain('transaction.failed');
    expect(await stateOf(id, 2)).toBeUndefined();
    expect(await transfersOf(id)).toEqual([]);
    dataOf(await florin.post('/api/channel/modify', { id: channels.stripe, fallbackChannelIds: [] }, admin));
  });
});
