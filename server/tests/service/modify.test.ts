import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  administratorOf,
  channelInput,
  dataOf,
  makeChannel,
  makeMember,
  makeTenant,
  memberPassword,
  unique,
} from '../support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { aRefusal } from '../support/shapes.ts';

/** What holds for the modify and create of every kind of record. */

let db: TestDatabase;
let florin: TestFlorin;
let platform: string;
let shop: { tenantId: number; as: string };
let other: { tenantId: number; as: string };

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  platform = await administratorOf(florin);
  [shop, other] = [await merchant(), await merchant()];
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

async function merchant() {
  const tenantId = await makeTenant(florin, platform);
  return { tenantId, as: (await makeMember(florin, platform, { userType: 'MERCHANT_ADMIN', tenantId })).as };
}

const make = async (path: string, body: object) => dataOf(await florin.post(path, body, platform));
const idsOf = async (path: string, as: string) =>
  dataOf(await florin.get(path, as)).map(({ id }: { id: number | string }) => id);
const plan = () => ({ name: unique('Plan'), currency: 'USD', amount: 100, interval: 'month', state: true });
const hook = { url: 'http://127.0.0.1:9/', events: ['transaction.created'] };

describe('an update names only what changes', () => {
  const userName = unique('user');
  const user = {
    userName,
    email: `${userName}@example.com`,
    userType: 'MERCHANT_USER',
    roles: ['viewer'],
    state: true,
  };
  test.each<[string, () => object, object]>([
    ['channel', channelInput, { name: 'Other', currency: 'EUR', country: 'CH', state: false }],
    ['customer', () => ({ name: 'Ada', email: 'ada@example.com' }), { name: 'Eve', email: 'eve@example.com' }],
    ['plan', plan, { name: 'Other', amount: 7, interval: 'year', currency: 'EUR', state: false }],
    ['user', () => user, { userType: 'MERCHANT_ADMIN', email: 'x@example.com', roles: ['operator'], state: false }],
    ['tenant', () => ({ name: 'Shop', state: true }), { name: 'Other', secondFactorRequired: true, state: false }],
  ])('of a %s, and keeps the rest', async (noun, input, changes) => {
    const path = `/api/${noun}/modify`;
    const made = await make(path, input());
    const detail = async () => (await florin.get(`/api/${noun}/detail?id=${made.id}`, platform)).body.data;
    let expected = await detail();
    for (const [field, value] of Object.entries(changes)) {
      await make(path, { id: made.id, [field]: value });
      expected = { ...expected, [field]: value, updatedTime: expect.any(String) };
      expect(await detail()).toEqual(expected);
    }
    expect(await make(path, { id: made.id })).toMatchObject({ id: made.id, ...changes });
  });

  test('but a create without a field is refused by its name', async () => {
    const { code: _, ...channel } = channelInput() as { code: string };
    const { status, body } = await florin.post('/api/channel/modify', channel, platform);
    expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request', field: 'code' }) });
    const misspelt = await florin.post('/api/customer/modify', { nmae: 'Ada' }, platform);
    expect(misspelt.body.message).toBe('nmae is not a field of this request. Did you mean name?');
  });
});

describe('an Idempotency-Key', () => {
  const newUser = () => {
    const userName = unique('user');
    const email = `${userName}@example.com`;
    return { userName, email, password: memberPassword, userType: 'MERCHANT_USER', state: true };
  };
  const send = (path: string, body: object, key: string) =>
    florin.call('POST', path, { as: platform, body, headers: { 'idempotency-key': key } });

  test.each<[string, () => object, object]>([
    ['/api/channel/modify', () => channelInput({ apiKey: 'key of a provider' }), { name: 'Other' }],
    ['/api/customer/modify', () => ({ name: 'Ada', email: 'ada@example.com' }), { name: 'Eve' }],
    ['/api/plan/modify', plan, { amount: 7 }],
    ['/api/user/modify', newUser, { state: false }],
    ['/api/tenant/modify', () => ({ name: 'Shop', state: true }), { name: 'Other' }],
    ['/api/webhook/register', () => ({ ...hook, secret: 'a secret of tests' }), { url: 'http://127.0.0.1:9/other' }],
    ['/api/clock/create', () => ({ name: 'A year', nowTime: '2027-01-31T10:00:00Z' }), { name: 'Other' }],
  ])('makes %s create once', async (path, input, changes) => {
    const body = input();
    const key = unique('once');
    const [first, again] = await Promise.all([send(path, body, key), send(path, body, key)]);
    expect(dataOf(again)).toEqual(dataOf(first));
    const replayed = [first, again].map(({ headers }) => headers.get('idempotency-replayed'));
    expect(replayed.toSorted()).toEqual(['true', null].toSorted());
    const other = await send(path, { ...body, ...changes }, key);
    expect({ status: other.status, body: other.body }).toEqual({
      status: 422,
      body: aRefusal(422, { type: 'idempotency_mismatch', field: 'Idempotency-Key' }),
    });
    const own = await send(path, path.includes('register') || path.includes('clock') ? body : input(), unique('once'));
    expect(dataOf(own).id).not.toBe(dataOf(first).id);
  });

  test('keeps no secret of a request or an answer', async () => {
    const [userKey, hookKey] = [unique('once'), unique('once')];
    dataOf(await send('/api/user/modify', newUser(), userKey));
    const first = dataOf(await send('/api/webhook/register', hook, hookKey));
    const again = dataOf(await send('/api/webhook/register', hook, hookKey));
    expect(first.secret).toMatch(/^whsec_/);
    expect(again).toEqual({ ...first, secret: undefined });
    const rows = await db.query<{ answer: object }>('select answer from idempotency_record where key = any ($1)', [
      [userKey, hookKey],
    ]);
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain(first.secret);
  });

  test('is not compared by the password, which could be guessed from a stored hash', async () => {
    const user = newUser();
    const key = unique('once');
    const first = dataOf(await send('/api/user/modify', user, key));
    const again = await send('/api/user/modify', { ...user, password: 'other quiet rivers' }, key);
    expect(dataOf(again)).toEqual(first);
    expect((await florin.post('/api/user/login', { account: user.userName, password: memberPassword })).status).toBe(
      200,
    );
  });
});

test('what is created with the tenantId of a tenant belongs to it', async () => {
  const forShop = { tenantId: String(shop.tenantId) };
  const own = await makeChannel(florin, platform);
  const made = {
    '/api/channel/list': await make('/api/channel/modify', { ...channelInput(), ...forShop }),
    '/api/customer/list': await make('/api/customer/modify', { name: 'Ada', ...forShop }),
    '/api/plan/list': await make('/api/plan/modify', { ...plan(), ...forShop }),
    '/api/webhook/list': await make('/api/webhook/register', { ...hook, ...forShop }),
    '/api/transaction/list': await make('/api/transaction/create', {
      ...{ amount: 5, currency: 'USD', channelId: own },
      ...forShop,
    }),
  };
  for (const [list, { id }] of Object.entries(made)) {
    expect(await idsOf(list, shop.as)).toContain(id);
    expect(await idsOf(list, other.as)).not.toContain(id);
  }
});

test('a payment on the channel of a tenant belongs to that tenant, and so do records created for it', async () => {
  const channelId = await makeChannel(florin, shop.as);
  const order = { amount: 5, currency: 'USD', channelId };
  const headers = { 'idempotency-key': unique('for') };
  const payments = [
    await florin.call('POST', '/api/transaction/create', { as: platform, body: order, headers }),
    await florin.call('POST', '/api/transaction/create', { as: platform, body: order, headers }),
  ].map(dataOf);
  expect(payments[1].id).toBe(payments[0].id);
  const { id } = payments[0];
  await make('/api/transaction/update', { id, status: 'SUCCESS' });
  const refund = await make('/api/refund/create', { transactionId: id });
  const customer = await make('/api/customer/modify', { name: 'Ada', defaultChannelId: channelId });
  const { id: planId } = await make('/api/plan/modify', { ...plan(), channelId });
  const customerId = customer.id;
  const lines = [{ description: 'x', quantity: 1, unitAmount: 5 }];
  const invoice = await make('/api/invoice/create', { customerId, currency: 'USD', lines });
  const subscription = await make('/api/subscription/create', { customerId, planId });
  for (const [list, one] of [
    ['/api/transaction/list', id],
    ['/api/refund/list', refund.id],
    ['/api/customer/list', customerId],
    ['/api/plan/list', planId],
    ['/api/invoice/list', invoice.id],
    ['/api/subscription/list', subscription.id],
  ]) {
    expect(await idsOf(list, shop.as)).toContain(one);
    expect(await idsOf(list, other.as)).not.toContain(one);
  }
});

test('a request for one tenant finds no record of another', async () => {
  const foreign = await makeChannel(florin, other.as);
  const customer = dataOf(await florin.post('/api/customer/modify', { name: 'Ada' }, other.as));
  const order = { amount: 5, currency: 'USD', channelId: foreign };
  const { tenantId } = shop;
  for (const [path, body, field] of [
    ['/api/transaction/create', order, 'channelId'],
    ['/api/customer/modify', { id: customer.id, name: 'Bob' }, 'id'],
    ['/api/customer/modify', { name: 'Ada', defaultChannelId: foreign }, 'defaultChannelId'],
    ['/api/plan/modify', { ...plan(), channelId: foreign }, 'channelId'],
    ['/api/channel/modify', { ...channelInput(), id: foreign }, 'id'],
  ] as const) {
    const { status, body: answer } = await florin.post(path, { ...body, tenantId }, platform);
    expect({ path, status, answer }).toEqual({
      ...{ path, status: 404 },
      answer: aRefusal(404, { type: 'record_not_found', field }),
    });
  }
});

test('other callers cannot tell a foreign tenant from one that does not exist, and may name their own', async () => {
  const bodies: [string, object][] = [
    ['/api/channel/modify', channelInput()],
    ['/api/customer/modify', { name: 'Ada' }],
    ['/api/plan/modify', plan()],
    ['/api/webhook/register', hook],
    [
      '/api/invoice/create',
      { customerId: 1, currency: 'USD', lines: [{ description: 'x', quantity: 1, unitAmount: 5 }] },
    ],
    ['/api/subscription/create', { customerId: 1, planId: 1 }],
    ['/api/transaction/create', { amount: 5, currency: 'USD', channelId: 1 }],
    ['/api/refund/create', { transactionId: 'txn_0198a5b87c1f7000800000000000dead' }],
  ];
  for (const [path, body] of bodies) {
    for (const tenantId of [other.tenantId, 0, 987_654]) {
      const { status, body: answer } = await florin.post(path, { ...body, tenantId }, shop.as);
      expect({ path, status, answer }).toEqual({
        ...{ path, status: 404 },
        answer: aRefusal(404, { type: 'record_not_found', field: 'tenantId' }),
      });
      expect(answer.message).toBe(`There is no tenant ${tenantId}.`);
    }
  }
  for (const [path, body] of bodies.slice(0, 4)) {
    expect((await florin.post(path, { ...body, tenantId: shop.tenantId }, shop.as)).status).toBe(200);
  }
  const { status } = await florin.post('/api/customer/modify', { name: 'Ada', tenantId: 987_654 }, platform);
  expect(status).toBe(404);
});

test.each(['XX', 'UK', 'USA', 'us', ''])('%j is no country of a channel or an address', async (country) => {
  const channel = await florin.post('/api/channel/modify', { ...channelInput(), country }, shop.as);
  expect(channel.body).toEqual(aRefusal(400, { type: 'invalid_request', field: 'country' }));
  const customer = await florin.post('/api/customer/modify', { name: 'Ada', address: { country } }, shop.as);
  expect(customer.body).toEqual(aRefusal(400, { type: 'invalid_request', field: 'address.country' }));
});
