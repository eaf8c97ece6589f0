import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCustomer } from '../../../../../tests/support/billing/invoices.ts';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let channelId: number;
let otherChannelId: number;
let planId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await administratorOf(florin);
  channelId = await makeChannel(florin, as, { provider: 'sandbox', webhookSecret: 'whsec' });
  otherChannelId = await makeChannel(florin, as, { provider: 'sandbox' });
  const plan = { name: 'Gold', currency: 'USD', amount: 1000, interval: 'month', livemode: false, state: true };
  planId = dataOf(await florin.post('/api/plan/modify', plan, as)).id;
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await db.drop();
});

const post = async (path: string, body: unknown) => dataOf(await florin.post(`/api/${path}`, body, as));
const get = async (path: string) => dataOf(await florin.get(`/api/${path}`, as));

async function subscriber() {
  const { id: clockId } = await post('clock/create', { name: 'A year', nowTime: '2027-01-01T00:00:00Z' });
  return { clockId, customerId: await makeCustomer(florin, as, { clockId, livemode: false }) };
}

/** A method that the sandbox keeps; how it behaves is said by its word. */
async function kept(customerId: number, word = 'succeed', changes: object = {}): Promise<string> {
  const { id } = await post('payment-method/setup', { customerId, channelId, token: `sandbox:${word}`, ...changes });
  await eventually(
    `${id} can be charged`,
    async () => (await get(`payment-method/detail?id=${id}`)).status === 'ACTIVE',
  );
  return id;
}

const subscribe = async (customerId: number, changes: object = {}): Promise<number> =>
  (await post('subscription/create', { customerId, planId, ...changes })).id;
const subscription = (id: number) => get(`subscription/detail?id=${id}`);
const stateIs = (id: number, state: string) =>
  eventually(`subscription ${id} is ${state}`, async () => (await subscription(id)).state === state);

async function advance(id: number, toTime: string): Promise<void> {
  await post('clock/advance', { id, toTime });
  await eventually('the clock has arrived', async () => (await get(`clock/detail?id=${id}`)).state === 'READY', 30_000);
}

/** The invoices of a customer, oldest first. */
const invoicesOf = async (customerId: number) =>
  (await get(`invoice/list?customerId=${customerId}&pageSize=100`)).toReversed();
const paymentsOf = async (customerId: number) =>
  (await get(`transaction/list?customerId=${customerId}&pageSize=100`)).toReversed();
const payment = (id: string) => get(`transaction/detail?id=${id}`);
/** The payments of the oldest invoice, oldest first. */
async function attemptsOf(customerId: number) {
  const [first] = await invoicesOf(customerId);
  return (await get(`invoice/detail?id=${first.id}`)).payments.toReversed();
}

describe('a renewal', () => {
  test('is charged without the payer, with the default method, on its channel, period 1 to 14', async () => {
    const { clockId, customerId } = await subscriber();
    const methodId = await kept(customerId);
    const id = await subscribe(customerId);
    await advance(clockId, '2028-02-02T00:00:00Z');
    const invoices = await invoicesOf(customerId);
    expect(invoices).toHaveLength(14);
    expect(new Set(invoices.map(({ status }: { status: string }) => status))).toEqual(new Set(['PAID']));
    const payments = await paymentsOf(customerId);
    expect(payments).toHaveLength(14);
    for (const one of payments) {
      expect(await payment(one.id)).toMatchObject({ status: 'SUCCESS', methodId, channelId, initiator: 'MERCHANT' });
    }
    expect((await subscription(id)).state).toBe('ACTIVE');
  });

  test('is charged with the method that the subscription names, also on another channel than its own', async () => {
    const { customerId } = await subscriber();
    await kept(customerId);
    const methodId = await kept(customerId, 'succeed', { channelId: otherChannelId });
    const id = await subscribe(customerId, { methodId, channelId });
    expect(await subscription(id)).toMatchObject({ methodId, channelId });
    const one = await eventually('it is paid', async () => (await paymentsOf(customerId))[0]);
    expect(await payment(one.id)).toMatchObject({ methodId, channelId: otherChannelId });
  });

  test('of a subscription whose own channel has no provider is paid there, whatever methods there are', async () => {
    const { customerId } = await subscriber();
    await kept(customerId);
    const transferId = await makeChannel(florin, as, { type: 'OFFLINE', livemode: false });
    await subscribe(customerId, { channelId: transferId });
    const one = await eventually('it is opened', async () => (await paymentsOf(customerId))[0]);
    expect(await payment(one.id)).toMatchObject({ status: 'PENDING', methodId: null, channelId: transferId });
  });

  test('waits for a method that is being set up, and fails where it cannot be', async () => {
    const { customerId } = await subscriber();
    // The provider's answer is awaited: another node holds the operation.
    const hold = (until: string) =>
      db.query(`update payment_method_operation set due_at = ${until} where finished_at is null`);
    await db.query(`create function hold() returns trigger language plpgsql as
      $$ begin new.due_at := 'infinity'; return new; end $$`);
    await db.query(
      `create trigger hold before insert on payment_method_operation for each row execute function hold()`,
    );
    await post('customer/modify', { id: customerId, defaultChannelId: channelId, paymentMethod: 'sandbox:succeed' });
    const id = await subscribe(customerId);
    await eventually('the attempt waits', async () => {
      const [row] = await db.query<{ waits: boolean }>(
        'select state = $2 and due_at is null as waits from invoice_collection where subscription_id = $1',
        [id, 'DUE'],
      );
      return row?.waits;
    });
    expect(await attemptsOf(customerId)).toEqual([]);
    expect(await subscription(id)).toMatchObject({ state: 'ACTIVE' });
    await hold('now()');
    await eventually('it is paid', async () => (await invoicesOf(customerId))[0].status === 'PAID');
    expect(await attemptsOf(customerId)).toMatchObject([{ state: 'SUCCEEDED' }]);

    const other = await subscriber();
    const token = { defaultChannelId: channelId, paymentMethod: 'sandbox:setup:fail' };
    await post('customer/modify', { id: other.customerId, ...token });
    const failing = await subscribe(other.customerId);
    await db.query('drop trigger hold on payment_method_operation');
    await hold('now()');
    await stateIs(failing, 'PAST_DUE');
    expect(await attemptsOf(other.customerId)).toMatchObject([{ failureCode: 'payment_method_missing' }]);
  });

  test('by a debit is announced a day before it is sent, and once for each invoice', async () => {
    const { clockId, customerId } = await subscriber();
    const consent = { ipAddress: '192.0.2.7', userAgent: 'A browser', acceptedTime: '2027-01-01T00:00:00Z' };
    const methodId = await kept(customerId, 'succeed', { type: 'sepa_debit', consent });
    const id = await subscribe(customerId);
    const nextAttempt = async () => (await invoicesOf(customerId))[0]?.nextPaymentAttempt;
    await eventually('it is announced', async () => (await nextAttempt()) === '2027-01-02T00:00:00.000Z');
    await advance(clockId, '2027-01-01T23:59:59Z');
    expect(await paymentsOf(customerId)).toEqual([]);
    expect(await subscription(id)).toMatchObject({ state: 'ACTIVE', nextPaymentAttempt: null });
    await advance(clockId, '2027-01-02T00:00:00Z');
    const [one] = await paymentsOf(customerId);
    expect(await payment(one.id)).toMatchObject({ status: 'SUCCESS', methodId });
    expect(await invoicesOf(customerId)).toMatchObject([{ status: 'PAID', nextPaymentAttempt: null }]);
    await advance(clockId, '2027-03-02T00:00:00Z');
    expect(await paymentsOf(customerId)).toHaveLength(3);
  });

  test('by a debit waits until its announcement is sent', async () => {
    const { clockId, customerId } = await subscriber();
    const consent = { ipAddress: '192.0.2.7', userAgent: 'A browser', acceptedTime: '2027-01-01T00:00:00Z' };
    await kept(customerId, 'succeed', { type: 'sepa_debit', consent });
    await subscribe(customerId);
    const invoice = await eventually('it is announced', async () => {
      const [found] = await invoicesOf(customerId);
      return found?.nextPaymentAttempt === '2027-01-02T00:00:00.000Z' && found;
    });
    // As for an invoice that is not a test: the mail server is down.
    await db.query(
      `insert into invoice_mail (tenant_id, id, invoice_id, kind, due_at)
       values (0, gen_random_uuid(), $1, 'DEBIT', 'infinity')`,
      [invoice.id],
    );
    await advance(clockId, '2027-01-02T00:30:00Z');
    expect(await paymentsOf(customerId)).toEqual([]);
    await db.query(`update invoice_mail set state = 'SENT', ended_at = now() where invoice_id = $1`, [invoice.id]);
    await advance(clockId, '2027-01-02T01:00:00Z');
    expect(await invoicesOf(customerId)).toMatchObject([{ status: 'PAID' }]);
  });

  test('is skipped without counting while the network of the card allows no further attempt', async () => {
    const { clockId, customerId } = await subscriber();
    const methodId = await kept(customerId, 'decline:insufficient_funds');
    const id = await subscribe(customerId);
    await stateIs(id, 'PAST_DUE');
    await db.query(
      `insert into payment_method_decline (tenant_id, method_id, transaction_id, number, declined_at)
       select tenant_id, id, gen_random_uuid(), 1, '2027-01-01T00:00:00Z'
         from payment_method, generate_series(1, 14)
        where 'mtd_' || replace(id::text, '-', '') = $1`,
      [methodId],
    );
    await advance(clockId, '2027-01-30T00:00:00Z');
    expect(await attemptsOf(customerId)).toHaveLength(1);
    expect(await subscription(id)).toMatchObject({ state: 'PAST_DUE' });
    // The declines are older than 30 days: the schedule goes on where it was.
    await advance(clockId, '2027-03-15T00:00:00Z');
    expect(await attemptsOf(customerId)).toHaveLength(5);
    expect(await subscription(id)).toMatchObject({ state: 'CANCELLED' });
  });

  test('without a method sends nothing: the attempt counts as failed, and a new default is tried at once', async () => {
    const { customerId } = await subscriber();
    const id = await subscribe(customerId, { channelId });
    await stateIs(id, 'PAST_DUE');
    expect(await paymentsOf(customerId)).toEqual([]);
    expect(await attemptsOf(customerId)).toMatchObject([
      { transactionId: null, state: 'FAILED', failureCode: 'payment_method_missing', automatic: true },
    ]);
    const { nextPaymentAttempt } = await subscription(id);
    expect(nextPaymentAttempt).toBe('2027-01-03T00:00:00.000Z');
    await kept(customerId);
    await stateIs(id, 'ACTIVE');
    expect(await attemptsOf(customerId)).toMatchObject([{ state: 'FAILED' }, { state: 'SUCCEEDED' }]);
  });
});

describe('a declined renewal', () => {
  test('that the issuer wants the payer for is not sent again, and the schedule ends as ever', async () => {
    const { clockId, customerId } = await subscriber();
    await kept(customerId, 'offsession:authentication_required');
    const id = await subscribe(customerId);
    await stateIs(id, 'PAST_DUE');
    expect(await attemptsOf(customerId)).toMatchObject([{ failureCode: 'authentication_required', automatic: true }]);
    await advance(clockId, '2027-02-15T00:00:00Z');
    expect(await attemptsOf(customerId)).toHaveLength(1);
    expect((await subscription(id)).state).toBe('CANCELLED');
  });

  test('that wants the payer is paid in person by another payment: ACTIVE again, and the method stays', async () => {
    const { clockId, customerId } = await subscriber();
    const methodId = await kept(customerId, 'offsession:authentication_required');
    const id = await subscribe(customerId);
    await stateIs(id, 'PAST_DUE');
    const [invoice] = await invoicesOf(customerId);
    await post('transaction/create', {
      ...{ amount: 1000, currency: 'USD', channelId, customerId, invoiceId: invoice.id },
      ...{ paymentMethod: 'sandbox:succeed', saveMethod: true },
    });
    await stateIs(id, 'ACTIVE');
    expect(await get(`payment-method/detail?id=${methodId}`)).toMatchObject({ status: 'ACTIVE', isDefault: true });
    await advance(clockId, '2027-01-20T00:00:00Z');
    expect(await attemptsOf(customerId)).toHaveLength(2);
  });

  test('for a reason of the method is not sent again with it; a new default is tried at once', async () => {
    const { clockId, customerId } = await subscriber();
    await kept(customerId, 'decline:lost_or_stolen');
    const id = await subscribe(customerId);
    await stateIs(id, 'PAST_DUE');
    await advance(clockId, '2027-01-09T00:00:00Z');
    expect(await attemptsOf(customerId)).toMatchObject([{ failureCode: 'lost_or_stolen' }]);
    await kept(customerId, 'succeed', { isDefault: true });
    await stateIs(id, 'ACTIVE');
    expect(await attemptsOf(customerId)).toHaveLength(2);
  });

  test('is not sent again by the schedule with a method that a payment by a user has shown to have ended', async () => {
    const { clockId, customerId } = await subscriber();
    const methodId = await kept(customerId, 'decline:insufficient_funds');
    const id = await subscribe(customerId);
    await stateIs(id, 'PAST_DUE');
    const [invoice] = await invoicesOf(customerId);
    await db.query(`update sandbox_operation set behaviour = 'decline:lost_or_stolen' where key = $1`, [
      `${methodId}-1`,
    ]);
    const { transactionId } = await post('invoice/pay', { id: invoice.id });
    await eventually('it has failed', async () => (await payment(transactionId)).status === 'FAILED');
    expect(await payment(transactionId)).toMatchObject({ methodId, failureCode: 'lost_or_stolen' });
    await advance(clockId, '2027-02-15T00:00:00Z');
    expect(await attemptsOf(customerId)).toHaveLength(2);
    expect((await subscription(id)).state).toBe('CANCELLED');
  });

  test('that may succeed later is sent again by the schedule', async () => {
    const { clockId, customerId } = await subscriber();
    await kept(customerId, 'decline:insufficient_funds');
    const id = await subscribe(customerId);
    await stateIs(id, 'PAST_DUE');
    await advance(clockId, '2027-01-09T00:00:00Z');
    expect(await attemptsOf(customerId)).toHaveLength(3);
  });

  test('with a new default that is declined too keeps its schedule: the extra attempt does not count', async () => {
    const { customerId } = await subscriber();
    await kept(customerId, 'decline:insufficient_funds');
    const id = await subscribe(customerId);
    await stateIs(id, 'PAST_DUE');
    const { nextPaymentAttempt } = await subscription(id);
    await kept(customerId, 'decline:card_declined', { isDefault: true });
    await eventually('it is tried once more', async () => {
      const attempts = await attemptsOf(customerId);
      return attempts.length === 2 && attempts[1].state === 'FAILED';
    });
    expect(await subscription(id)).toMatchObject({ state: 'PAST_DUE', nextPaymentAttempt });
  });

  test('is tried at once with a new method of the subscription', async () => {
    const { customerId } = await subscriber();
    await kept(customerId, 'decline:expired_card');
    const id = await subscribe(customerId);
    await stateIs(id, 'PAST_DUE');
    const methodId = await kept(customerId, 'succeed', { isDefault: false });
    await post('subscription/update', { id, methodId });
    await stateIs(id, 'ACTIVE');
    expect((await attemptsOf(customerId)).map(({ state }: { state: string }) => state)).toEqual([
      'FAILED',
      'SUCCEEDED',
    ]);
  });

  test('whose method was used up by its first charge is paid no second time with it', async () => {
    const { clockId, customerId } = await subscriber();
    await kept(customerId, 'method:single-use');
    const id = await subscribe(customerId);
    await advance(clockId, '2027-02-02T00:00:00Z');
    expect((await invoicesOf(customerId)).map(({ status }: { status: string }) => status)).toEqual(['PAID', 'OPEN']);
    expect((await subscription(id)).state).toBe('PAST_DUE');
  });
});

describe('a payment method', () => {
  test('that a living subscription names is not detached, unless another one replaces it', async () => {
    const { customerId } = await subscriber();
    const methodId = await kept(customerId);
    const other = await kept(customerId);
    const id = await subscribe(customerId, { methodId });
    const { status, body } = await florin.post('/api/payment-method/detach', { id: methodId }, as);
    expect([status, body.error.type]).toEqual([409, 'payment_method_in_use']);
    expect((await post('payment-method/detach', { id: methodId, replaceWith: other })).status).toBe('DETACHED');
    expect((await subscription(id)).methodId).toBe(other);
    await post('subscription/cancel', { id });
    expect((await post('payment-method/detach', { id: other })).status).toBe('DETACHED');
  });

  test('of another customer is unknown to a subscription and to an invoice', async () => {
    const [one, other] = [await subscriber(), await subscriber()];
    const methodId = await kept(other.customerId);
    const body = { customerId: one.customerId, planId, channelId, methodId };
    const refused = await florin.post('/api/subscription/create', body, as);
    expect([refused.status, refused.body.error.field]).toEqual([404, 'methodId']);
    const id = await subscribe(one.customerId, { channelId });
    await stateIs(id, 'PAST_DUE');
    const [invoice] = await invoicesOf(one.customerId);
    const pay = await florin.post('/api/invoice/pay', { id: invoice.id, methodId }, as);
    expect([pay.status, pay.body.error.field]).toEqual([404, 'methodId']);
  });

  test('pays an invoice that a user has paid: the named one, the default, or none on another channel', async () => {
    const { customerId } = await subscriber();
    const id = await subscribe(customerId, { channelId });
    await stateIs(id, 'PAST_DUE');
    const [invoice] = await invoicesOf(customerId);
    const methodId = await kept(customerId, 'decline:insufficient_funds', { isDefault: false });
    const pay = async (changes: object) =>
      payment((await post('invoice/pay', { id: invoice.id, amount: 100, ...changes })).transactionId);
    expect(await pay({ methodId })).toMatchObject({ methodId, channelId, initiator: 'MERCHANT' });
    const other = await florin.post('/api/invoice/pay', { id: invoice.id, methodId, channelId: otherChannelId }, as);
    expect([other.status, other.body.error.type]).toEqual([400, 'method_of_other_channel']);
    await post('payment-method/default', { id: methodId });
    await eventually('the new default was tried at once, and has failed', async () => {
      const attempts = await attemptsOf(customerId);
      return attempts.length === 3 && attempts.every(({ state }: { state: string }) => state === 'FAILED');
    });
    expect(await pay({})).toMatchObject({ methodId, channelId, initiator: 'MERCHANT' });
    expect(await pay({ channelId: otherChannelId })).toMatchObject({ methodId: null, channelId: otherChannelId });
  });
});
