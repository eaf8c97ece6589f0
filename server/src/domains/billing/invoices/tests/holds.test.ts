import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pagesOf, pathOf } from '../../../../../tests/support/billing/checkouts.ts';
import { makeCustomer, makeInvoice } from '../../../../../tests/support/billing/invoices.ts';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel } from '../../../../../tests/support/factories.ts';
import { channelSecret } from '../../../../../tests/support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { MollieSimulator } from '../../../../../tests/support/simulators/mollie.ts';
import {
  type StripeSimulator,
  simulatedApiKey,
  startStripeSimulator,
} from '../../../../../tests/support/simulators/stripe.ts';

/** Payments that are authorized for a purchase of which less is left than their amount. */
let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let stripe: StripeSimulator;
let mollie: MollieSimulator;
let bank: number;
let cards: number;
let customerId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  stripe = await startStripeSimulator({ webhookSecret: channelSecret });
  mollie = await MollieSimulator.start();
  florin = await florinOn(db, { APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROVIDER_MOLLIE_URL: mollie.url });
  as = await administratorOf(florin);
  bank = await makeChannel(florin, as, { type: 'OFFLINE', livemode: false });
  cards = await makeChannel(florin, as, { provider: 'sandbox', webhookSecret: channelSecret, capture: 'MULTIPLE' });
  customerId = await makeCustomer(florin, as, { livemode: false });
});

afterAll(async () => {
  await florin.stop();
  await mollie.close();
  await stripe.close();
  await db.drop();
});

// Runs before the one above.
afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
});

const get = async (path: string) => dataOf(await florin.get(`/api/${path}`, as));
const post = async (path: string, body: object) => dataOf(await florin.post(`/api/${path}`, body, as));
const payment = (id: string) => get(`transaction/detail?id=${id}`);
const invoice = (id: number) => get(`invoice/detail?id=${id}`);
/** The issuer releases what it was asked to, and open operations are looked up now instead of by their schedule. */
async function goOn(): Promise<void> {
  for (const { id, status, isReleasing } of mollie.payments) {
    if (isReleasing && status === 'authorized') mollie.release(id);
  }
  await db.query(`update provider_operation set due_at = now() where state = 'WAITING'`);
}

const until = (id: string, what: string, holds: (found: Record<string, unknown>) => boolean) =>
  eventually(what, async () => {
    const found = await payment(id);
    return holds(found) && found;
  });
const untilAuthorized = (id: string) => until(id, 'it is authorized', (found) => found.amountAuthorized === 1000);
const untilStatus = (id: string, status: string) => until(id, `it is ${status}`, (found) => found.status === status);

/** A payment that only reserves its amount on the invoice. */
const authorize = async (id: number, changes: object = {}): Promise<string> =>
  (await post('invoice/pay', { id, channelId: cards, captureMethod: 'MANUAL', ...changes })).transactionId;

/** What the payer does on the sandbox's page. */
async function decide(id: string, decision: string): Promise<void> {
  const { nextAction } = await until(id, 'the payer is awaited', (found) => found.nextAction !== null);
  await pagesOf(florin).submit(pathOf((nextAction as { url: string }).url), { decision });
}

const receive = (id: string) => post('transaction/update', { id, status: 'SUCCESS' });

describe('an authorization of an invoice', () => {
  test('that another payment has paid is released, and ends CANCELLED', async () => {
    const id = await makeInvoice(florin, as, customerId);
    const { transactionId: transfer } = await post('invoice/pay', { id, channelId: bank });
    const held = await authorize(id);
    await untilAuthorized(held);
    await receive(transfer);
    await untilStatus(held, 'CANCELLED');
    expect(await invoice(id)).toMatchObject({ status: 'PAID', amountPaid: 1000, amountToReturn: 0 });
    const types = (await get(`transaction/timeline?id=${held}`)).map(({ type }: { type: string }) => type);
    expect(types).toContain('hold_released');
    expect((await florin.get('/metrics')).body).toMatch(/^florin_excess_payments_total\{result="released"\} [1-9]/m);
  });

  test('of which an earlier one reserves the amount is released, and the earlier one stays', async () => {
    const id = await makeInvoice(florin, as, customerId);
    const late = await authorize(id, { paymentMethod: 'sandbox:payer' });
    await until(late, 'the payer is awaited', (found) => found.nextAction !== null);
    const first = await authorize(id);
    await untilAuthorized(first);
    await decide(late, 'pay');
    await untilStatus(late, 'CANCELLED');
    expect(await payment(first)).toMatchObject({ status: 'PROCESSING', amountCapturable: 1000 });
    await post('transaction/capture', { id: first });
    await untilStatus(first, 'SUCCESS');
    expect(await invoice(id)).toMatchObject({ status: 'PAID', amountPaid: 1000, amountToReturn: 0 });
  });

  test('of which a part was captured releases the rest, and is SUCCESS', async () => {
    const id = await makeInvoice(florin, as, customerId);
    const { transactionId: transfer } = await post('invoice/pay', { id, channelId: bank, amount: 700 });
    const held = await authorize(id);
    await untilAuthorized(held);
    await post('transaction/capture', { id: held, amount: 300, final: false });
    await until(held, 'a part is captured', (found) => found.amountCaptured === 300);
    await receive(transfer);
    expect(await untilStatus(held, 'SUCCESS')).toMatchObject({ amountCaptured: 300, amountCapturable: 0 });
    expect(await invoice(id)).toMatchObject({ status: 'PAID', amountPaid: 1000, amountToReturn: 0 });
  });

  test('that can still be captured in part stays', async () => {
    const id = await makeInvoice(florin, as, customerId);
    const { transactionId: transfer } = await post('invoice/pay', { id, channelId: bank, amount: 300 });
    const held = await authorize(id);
    await untilAuthorized(held);
    await receive(transfer);
    await post('transaction/capture', { id: held, amount: 700 });
    await untilStatus(held, 'SUCCESS');
    expect(await invoice(id)).toMatchObject({ status: 'PAID', amountPaid: 1000, amountToReturn: 0 });
  });

  test('stays where the provider refuses to release it, and an operator is warned', async () => {
    const id = await makeInvoice(florin, as, customerId);
    const { transactionId: transfer } = await post('invoice/pay', { id, channelId: bank });
    const held = await authorize(id);
    await untilAuthorized(held);
    // As if the channel had been given to another provider since.
    await db.query(`update channel set provider = 'stripe' where id = $1`, [cards]);
    await receive(transfer);
    await eventually('an operator is warned', async () =>
      /^florin_excess_payments_total\{result="held"\} 1$/m.test((await florin.get('/metrics')).body),
    );
    await db.query(`update channel set provider = 'sandbox' where id = $1`, [cards]);
    expect(await payment(held)).toMatchObject({ status: 'PROCESSING', amountCapturable: 1000 });
    await post('transaction/update', { id: held, status: 'CANCELLED' });
    await untilStatus(held, 'CANCELLED');
  });

  test.each([
    ['Stripe', { provider: 'stripe', apiKey: simulatedApiKey }, 'pm_card_visa', () => {}],
    [
      'Mollie',
      { provider: 'mollie', apiKey: 'test_simulated' },
      'creditcard',
      (reference: string) => mollie.authorize(reference),
    ],
  ])('is released at %s', async (_, facts, paymentMethod, act) => {
    const channel = { ...facts, webhookSecret: channelSecret, livemode: false, currency: 'USD' };
    const channelId = await makeChannel(florin, as, channel);
    const id = await makeInvoice(florin, as, customerId);
    const { transactionId: transfer } = await post('invoice/pay', { id, channelId: bank });
    const held = await authorize(id, { channelId, paymentMethod });
    const reference = await eventually('the provider has it', async () => {
      const [row] = await db.query<{ provider_reference: string | null }>(
        `select provider_reference from provider_operation where 'txn_' || replace(transaction_id::text, '-', '') = $1`,
        [held],
      );
      return row?.provider_reference ?? undefined;
    });
    act(reference);
    await goOn();
    await untilAuthorized(held);
    await receive(transfer);
    await eventually('its release was asked for', async () =>
      (await get(`transaction/timeline?id=${held}`)).some(({ type }: { type: string }) => /^cancel_/.test(type)),
    );
    await eventually('it is cancelled', async () => {
      await goOn();
      return (await payment(held)).status === 'CANCELLED';
    });
    expect(await invoice(id)).toMatchObject({ status: 'PAID', amountToReturn: 0 });
  });
});

describe('an authorization of a payment link', () => {
  const open = async () => {
    const input = { amount: 1000, currency: 'USD', channelIds: [cards], captureMethod: 'MANUAL' };
    const checkout = await post('checkout/create', { ...input, metadata: { sandbox: 'payer' } });
    expect(checkout.captureMethod).toBe('MANUAL');
    const path = pathOf(checkout.url);
    await pagesOf(florin).submit(path, { channel: cards });
    const newest = async () => (await get(`checkout/detail?id=${checkout.id}`)).transactionId as string;
    const first = await newest();
    await until(first, 'the payer is awaited', (found) => found.nextAction !== null);
    return { ...checkout, path, first, newest };
  };

  test('tells its payer that it waits, and pays the link with its capture', async () => {
    const { id, path, first } = await open();
    await decide(first, 'pay');
    await untilAuthorized(first);
    expect((await pagesOf(florin).open(path)).body).toContain('Your payment is authorised');
    expect((await get(`checkout/detail?id=${id}`)).status).toBe('PROCESSING');
    await post('transaction/capture', { id: first });
    await untilStatus(first, 'SUCCESS');
    expect((await get(`checkout/detail?id=${id}`)).status).toBe('PAID');
  });

  test('besides another authorization is released', async () => {
    const { path, first, newest } = await open();
    await pagesOf(florin).submit(path, { channel: cards, besides: 1 });
    const second = await newest();
    expect(second).not.toBe(first);
    await decide(first, 'pay');
    await untilAuthorized(first);
    await decide(second, 'pay');
    await untilStatus(second, 'CANCELLED');
    expect(await payment(first)).toMatchObject({ status: 'PROCESSING', amountCapturable: 1000 });
    await post('transaction/capture', { id: first });
    await untilStatus(first, 'SUCCESS');
  });

  test('is refused where a channel captures at once', async () => {
    const input = { amount: 1000, currency: 'USD', channelIds: [cards, bank], captureMethod: 'MANUAL' };
    const { status, body } = await florin.post('/api/checkout/create', input, as);
    expect({ status, error: body.error }).toMatchObject({
      status: 409,
      error: { type: 'channel_cannot', field: 'captureMethod', details: { provider: null, ability: 'capture' } },
    });
  });
});
