import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makePayment,
  makeTenant,
} from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { secondMs } from '../../../core/clock.ts';
import { fillEntries } from './fill/fill.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;
/** Of the service's clock. */
let clockAheadMs = 0;
const clock = () => Date.now() + clockAheadMs;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, {}, clock);
  admin = await administratorOf(florin);
  channelId = await makeChannel(florin, admin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

interface Result {
  payments?: { id: string; customerName: string | null }[];
  customers?: { id: number; name: string }[];
  invoices?: { id: number; number: string | null }[];
  subscriptions?: { id: number; planName: string }[];
  complete: boolean;
}

async function search(q: string, as = admin, further = ''): Promise<Result> {
  return dataOf(await florin.get(`/api/search?q=${encodeURIComponent(q)}${further}`, as));
}

/** Searches until the worker of the service, which works every two seconds, has reached what is sought. */
const follows = (q: string, has: (result: Result) => boolean, as = admin) =>
  eventually(`${q} finds it`, async () => {
    const result = await search(q, as);
    return has(result) && result;
  });

/** The same, when the work of that worker is done now, and events are two seconds old. */
function found(q: string, has: (result: Result) => boolean, as = admin): Promise<Result> {
  clockAheadMs += 2 * secondMs;
  return eventually(`${q} finds it`, async () => {
    await fillEntries({ database: db.database, clock }, Number.POSITIVE_INFINITY);
    const result = await search(q, as);
    return has(result) && result;
  });
}

const makeCustomer = async (name: string, rest: object = {}, as = admin): Promise<number> =>
  dataOf(await florin.post('/api/customer/modify', { name, ...rest }, as)).id;

test('a payment is found by all that finance knows of it', async () => {
  const customerId = await makeCustomer('Jürgen Müller', { email: 'j.mueller@example.com' });
  const id = await makePayment(florin, admin, channelId, {
    amount: 123_456,
    currency: 'EUR',
    description: 'Order 4711: oak table, delivered',
    metadata: { order: 'A-900-17', place: { city: 'Łódź' } },
    customerId,
  });
  await follows('oak table', ({ payments }) => payments?.some((payment) => payment.id === id) ?? false);
  for (const q of [
    ...['oak', 'AK TAB', '4711', 'a-900-17', 'lodz', 'Müller', 'MULLER oak', 'j.mueller@example.com', 'mu'],
    ...[
      '1,234.56',
      '1.234,56',
      '1234.56 EUR',
      "eur 1'234.56",
      '€1,234.56',
      '1.234,56 €',
      id,
      id.slice(-8),
      id.slice(-4),
      `txn_…${id.slice(-8)}`,
    ],
  ]) {
    expect(
      ((await search(q)).payments ?? []).map((payment) => [payment.id, payment.customerName]),
      q,
    ).toContainEqual([id, 'Jürgen Müller']);
  }
  for (const q of ['beech', '1,234.57', '1234.56 USD', '$1,234.56', 'müller beech', '123456']) {
    expect((await search(q)).payments, q).toEqual([]);
  }
});

test('customers, invoices and subscriptions are found by the name of the customer, in any script', async () => {
  for (const name of ['Иванов Пётр', '日本商事', 'Ægir Øst']) {
    const customerId = await makeCustomer(name);
    const line = { description: 'Chair', quantity: 1, unitAmount: 4_200 };
    const invoice = { customerId, currency: 'USD', lines: [line], channelId };
    const { id: invoiceId } = dataOf(await florin.post('/api/invoice/create', invoice, admin));
    const plan = { name: 'Gold', currency: 'USD', amount: 900, interval: 'month', state: true, trialDays: 5 };
    const { id: planId } = dataOf(await florin.post('/api/plan/modify', { ...plan, channelId }, admin));
    const subscription = { customerId, planId, channelId };
    const { id: subscriptionId } = dataOf(await florin.post('/api/subscription/create', subscription, admin));
    const q = name.slice(0, 2);
    const result = await found(q, ({ subscriptions }) => subscriptions?.[0]?.id === subscriptionId);
    expect(result).toMatchObject({
      customers: [{ id: customerId, name }],
      invoices: [{ id: invoiceId }],
      subscriptions: [{ id: subscriptionId, planName: 'Gold' }],
      complete: true,
    });
    expect((await search(name.split(' ').at(-1)?.toUpperCase() ?? '')).customers).toMatchObject([{ id: customerId }]);
  }
});

test('a payment is found by what was changed of it, and by the new name of its customer', async () => {
  const customerId = await makeCustomer('Harriet Vane');
  const id = await makePayment(florin, admin, channelId, { description: 'Before', customerId });
  await found('Vane', ({ payments }) => payments?.[0]?.id === id);
  dataOf(await florin.post('/api/transaction/update', { id, description: 'Gaudeamus' }, admin));
  await found('gaudeamus', ({ payments }) => payments?.[0]?.id === id);
  dataOf(await florin.post('/api/customer/modify', { id: customerId, name: 'Harriet Wimsey' }, admin));
  await found('wimsey', ({ payments }) => payments?.[0]?.id === id);
  expect((await search('vane')).payments).toEqual([]);
});

test('what was captured and refunded of a found payment is told beside its status', async () => {
  const id = await makePayment(florin, admin, channelId, { amount: 1_000, description: 'Samovar' });
  dataOf(await florin.post('/api/transaction/update', { id, status: 'SUCCESS' }, admin));
  dataOf(await florin.post('/api/refund/create', { transactionId: id, amount: 300 }, admin));
  const { payments } = await found('samovar', (result) => result.payments?.[0]?.id === id);
  expect(payments).toMatchObject([{ status: 'REFUNDED', amountCaptured: 1_000, amountRefunded: 300 }]);
});

test('what was written before there was a search is found too', async () => {
  const id = await makePayment(florin, admin, channelId, { description: 'Antediluvian' });
  await found('antediluvian', ({ payments }) => payments?.[0]?.id === id);
  // As after an upgrade: no entries, and events that were read long ago.
  await db.query('delete from search_entry');
  await db.query(`update search_progress set refill_kind = 'customer', refill_below = null`);
  await found('antediluvian', ({ payments }) => payments?.[0]?.id === id);
  await eventually('the refill ends', async () => {
    await fillEntries({ database: db.database, clock }, Number.POSITIVE_INFINITY);
    const rows = await db.query('select from search_progress where refill_kind is not null');
    return rows.length === 0;
  });
});

test('an event that becomes visible after later ones have been read is not missed', async () => {
  const id = await makePayment(florin, admin, channelId, { description: 'Straggler' });
  await found('straggler', ({ payments }) => payments?.[0]?.id === id);
  await db.query(`delete from search_entry where words like '%straggler%'`);
  // As if it had been committed late: no entry, and events with higher ids were read.
  clockAheadMs += 120 * secondMs;
  await found('straggler', ({ payments }) => payments?.[0]?.id === id);
});

test('nobody finds records of another tenant, of the other mode, or of a kind that they may not read', async () => {
  const [one, other] = [await makeTenant(florin, admin), await makeTenant(florin, admin)];
  const [owner, stranger] = [
    await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: one }),
    await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: other }),
  ];
  const customerId = await makeCustomer('Ottoline Morrell', {}, owner.as);
  await found('ottoline', ({ customers }) => customers?.[0]?.id === customerId, owner.as);
  expect((await search('ottoline', stranger.as)).customers).toEqual([]);
  expect((await search('ottoline', owner.as, '&livemode=false')).customers).toEqual([]);
  expect((await search('ottoline', admin)).customers).toMatchObject([{ id: customerId }]);
  expect((await search('ottoline', admin, `&tenantId=${one}`)).customers).toMatchObject([{ id: customerId }]);
  expect((await search('ottoline', admin, `&tenantId=${other}`)).customers).toEqual([]);
  expect((await florin.get(`/api/search?q=ottoline&tenantId=${one}`, stranger.as)).status).toBe(403);

  const payments = await makeKey(florin, owner.as, 'transaction_read');
  expect(Object.keys(await search('ottoline', payments.as)).sort()).toEqual(['complete', 'customers', 'payments']);
  const none = await makeKey(florin, owner.as, 'user_read');
  expect(await search('ottoline', none.as)).toEqual({ complete: true });
});

test('a text without a word of two characters finds nothing', async () => {
  for (const q of ['x', '%', '_ _', ' a ']) expect((await search(q)).payments, q).toEqual([]);
});

test('a search that takes longer than a second ends, and says so', async () => {
  await db.database.transaction(async (transaction) => {
    await transaction.run({ name: '', text: 'lock table search_entry in access exclusive mode' });
    expect(await search('anything')).toMatchObject({ payments: [], complete: false });
  });
});
