import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokenClaims } from '../support/broken-claims.ts';
import {
  administratorOf,
  channelInput,
  dataOf,
  makeChannel,
  makeKey,
  makePaid,
  makePayment,
} from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type Reply, type TestFlorin } from '../support/service/florin.ts';
import { aRefusal } from '../support/shapes.ts';
import { type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

let db: TestDatabase;
let florin: TestFlorin;
let receiver: Receiver;
let admin: string;
/** The Authorization headers of a live key and a test key, both with every scope. */
const keys: Record<'live' | 'test', string> = { live: '', test: '' };
const channels = { live: 0, test: 0 };
const payments = { live: '', test: '' };
const customers = { live: 0, test: 0 };
const modes = ['live', 'test'] as const;
const otherOf = { live: 'test', test: 'live' } as const;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  receiver = await startReceiver();
  admin = await administratorOf(florin);
  for (const mode of modes) {
    const livemode = mode === 'live';
    keys[mode] = (await makeKey(florin, admin, '*', livemode)).as;
    const hook = { url: `${receiver.url}/${mode}`, events: ['*'], secret: 'our shared secret' };
    expect(dataOf(await florin.post('/api/webhook/register', hook, keys[mode]))).toMatchObject({ livemode });
    channels[mode] = await makeChannel(florin, keys[mode]);
    customers[mode] = dataOf(
      await florin.post('/api/customer/modify', { name: 'Ada', externalId: 'shop-17' }, keys[mode]),
    ).id;
    payments[mode] = await makePaid(florin, keys[mode], channels[mode], { amount: livemode ? 1000 : 77 });
    dataOf(await florin.post('/api/refund/create', { transactionId: payments[mode], amount: 7 }, keys[mode]));
  }
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await receiver.close();
  await db.drop();
});

const modeOf = ({ headers }: Reply) => headers.get('x-florin-mode');
const mismatch = (field: string) => aRefusal(409, { type: 'livemode_mismatch', field });

describe('a key', () => {
  test('has its mode in its prefix, and keeps it when it is rotated', async () => {
    for (const [livemode, prefix] of [
      [true, 'sk_live_'],
      [false, 'sk_test_'],
    ] as const) {
      const { id, sk } = await makeKey(florin, admin, 'transaction_read', livemode);
      expect(sk).toMatch(new RegExp(`^${prefix}[A-Za-z0-9]{32}$`));
      const rotated = dataOf(await florin.post('/api/developer/mine/rotate', { id }, admin));
      expect(rotated).toMatchObject({ livemode, sk: expect.stringMatching(`^${prefix}`) });
    }
    const { sk } = dataOf(await florin.post('/api/developer/mine/generate', undefined, admin));
    expect(sk).toMatch(/^sk_live_/);
  });

  test('for tests cannot change users and tenants, because they give access to live records', async () => {
    const eve = { userName: 'eve', email: 'eve@evil.example', userType: 'PLATFORM_ADMIN', state: true };
    const refusal = aRefusal(409, { type: 'livemode_mismatch' });
    expect((await florin.post('/api/user/modify', eve, keys.test)).body).toEqual(refusal);
    expect((await florin.post('/api/tenant/modify', { name: 'Mine', state: true }, keys.test)).body).toEqual(refusal);
    expect((await florin.get('/api/user/list', keys.test)).status).toBe(200);
    expect((await florin.post('/api/tenant/modify', { name: 'Mine', state: true }, keys.live)).status).toBe(200);
  });

  test('for tests cannot change the seller or read the audit log, which are live', async () => {
    const refusal = aRefusal(409, { type: 'livemode_mismatch' });
    expect((await florin.post('/api/seller/modify', { id: 0, name: 'Not we' }, keys.test)).body).toEqual(refusal);
    expect((await florin.get('/api/audit/list', keys.test)).body).toEqual(refusal);
    expect((await florin.get('/api/audit/export', keys.test)).body).toEqual(refusal);
    expect((await florin.get('/api/seller/detail?id=0', keys.test)).status).toBe(200);
    expect((await florin.get('/api/audit/list', keys.live)).status).toBe(200);
  });

  test('gets its mode in every answer, including refusals', async () => {
    for (const mode of modes) {
      for (const path of ['/api/transaction/list', '/api/developer/mine', '/api/transaction/detail?id=txn_none']) {
        expect(modeOf(await florin.get(path, keys[mode]))).toBe(mode);
      }
    }
    expect(modeOf(await florin.get('/api/user/info', admin))).toBeNull();
  });

  test('pays on channels of its mode, and a refusal says which key another channel needs', async () => {
    for (const mode of modes) {
      const other = otherOf[mode];
      const input = { amount: 5, currency: 'USD', channelId: channels[other] };
      const refused = await florin.post('/api/transaction/create', input, keys[mode]);
      expect({ status: refused.status, body: refused.body }).toEqual({ status: 409, body: mismatch('channelId') });
      expect(refused.body.message).toContain(`sk_${other}_`);
      expect((await florin.post('/api/transaction/create', input, keys[other])).body.data).toMatchObject({
        livemode: other === 'live',
      });
    }
  });

  test('creates channels of its mode', async () => {
    const made = async (as: string, changes = {}) => florin.post('/api/channel/modify', channelInput(changes), as);
    expect(dataOf(await made(keys.test))).toMatchObject({ livemode: false });
    expect(dataOf(await made(keys.test, { provider: 'sandbox' }))).toMatchObject({ livemode: false });
    expect(dataOf(await made(keys.live))).toMatchObject({ livemode: true });
    expect((await made(keys.live, { provider: 'sandbox' })).body).toEqual(mismatch('provider'));
    expect((await made(keys.live, { livemode: false })).body).toEqual(mismatch('livemode'));
    expect((await made(keys.test, { id: channels.live })).status).toBe(404);
  });

  test('finds no record of the other mode, like one that does not exist', async () => {
    const id = (path: string, data: { id: unknown }) => `${path}?id=${data.id}`;
    for (const mode of modes) {
      const own = async (path: string) => (await florin.get(path, keys[mode])).status;
      const [refund] = dataOf(await florin.get(`/api/refund/list?transactionId=${payments[mode]}`, keys[mode]));
      const [event] = dataOf(await florin.get(`/api/event/list?objectId=${payments[mode]}`, keys[mode]));
      for (const path of [
        id('/api/transaction/detail', { id: payments[mode] }),
        id('/api/transaction/timeline', { id: payments[mode] }),
        id('/api/refund/detail', refund),
        id('/api/event/detail', event),
        id('/api/customer/detail', { id: customers[mode] }),
      ]) {
        expect({ path, status: await own(path) }).toEqual({ path, status: 200 });
        const foreign = await florin.get(path, keys[otherOf[mode]]);
        expect({ path, status: foreign.status, body: foreign.body }).toEqual({
          path,
          status: 404,
          body: aRefusal(404, { type: 'record_not_found', field: 'id' }),
        });
        expect((await florin.get(path, admin)).status).toBe(200);
      }
      const refundOther = { transactionId: payments[otherOf[mode]] };
      expect((await florin.post('/api/refund/create', refundOther, keys[mode])).status).toBe(404);
    }
  });

  test('may not request the other mode', async () => {
    for (const path of ['/api/transaction/list', '/api/statistics/summary', '/api/ledger/balance', '/api/event/list']) {
      expect((await florin.get(`${path}?livemode=false`, keys.live)).body).toEqual(mismatch('livemode'));
      expect((await florin.get(`${path}?livemode=false`, keys.test)).status).toBe(200);
    }
  });
});

describe('lists and sums', () => {
  const lists = ['transaction', 'refund', 'event', 'customer', 'webhook', 'webhook/delivery', 'channel'] as const;
  const read = async (path: string, as: string) => dataOf(await florin.get(path, as));

  test('for a key show its mode only', async () => {
    for (const mode of modes) {
      for (const list of lists) {
        const rows: { livemode: boolean }[] = await read(
          `/api/${list}/list?pageSize=100`.replace('channel/list?pageSize=100', 'channel/list'),
          keys[mode],
        );
        expect(rows.length, list).toBeGreaterThan(0);
        expect(
          rows.every(({ livemode }) => livemode === (mode === 'live')),
          list,
        ).toBe(true);
      }
      const { pagination, data } = (await florin.get('/api/transaction/list?pageSize=1', keys[mode])).body;
      expect(data).toHaveLength(1);
      expect(pagination.total).toBe((await read('/api/transaction/list?pageSize=100', keys[mode])).length);
    }
  });

  test('for a session are live, unless it requests test or names a record', async () => {
    for (const list of lists.filter((one) => one !== 'channel' && one !== 'webhook')) {
      const path = `/api/${list}/list`;
      expect(await read(path, admin), list).toEqual(await read(path, keys.live));
      expect(await read(`${path}?livemode=false`, admin), list).toEqual(await read(path, keys.test));
    }
    const ofChannel = `/api/transaction/list?channelId=${channels.test}`;
    expect(await read(ofChannel, admin)).toEqual(await read(ofChannel, keys.test));
    expect(await read(ofChannel, keys.live)).toEqual([]);
    expect(modeOf(await florin.get(ofChannel, admin))).toBe('test');
    expect(modeOf(await florin.get(`/api/transaction/detail?id=${payments.test}`, admin))).toBe('test');
    expect(modeOf(await florin.get('/api/channel/list', admin))).toBeNull();
  });

  test('of the ledger and of statistics count each mode separately', async () => {
    const balance = async (as: string, query = '') =>
      (await read(`/api/ledger/balance${query}`, as)).find(
        ({ account }: { account: string }) => account === 'MERCHANT_PAYABLE',
      );
    expect(await balance(keys.live)).toMatchObject({ livemode: true, credit: '1000' });
    expect(await balance(keys.test)).toMatchObject({ livemode: false, credit: '77' });
    expect(await balance(admin)).toEqual(await balance(keys.live));
    expect(await balance(admin, '?livemode=false')).toEqual(await balance(keys.test));
    const entries = async (as: string) => (await florin.get('/api/ledger/entries', as)).body.pagination.total;
    expect([await entries(keys.live), await entries(keys.test), await entries(admin)]).toEqual([4, 4, 4]);
    const refunded = async (as: string) =>
      (await read('/api/statistics/summary?status=REFUNDED', as)).amounts[0].amount;
    expect([await refunded(keys.live), await refunded(keys.test), await refunded(admin)]).toEqual([
      '1000',
      '77',
      '1000',
    ]);
  });
});

test('webhooks carry the mode, and each endpoint receives only its own', async () => {
  const paid = (path: string) =>
    receiver.received.filter((one) => one.path === path && String(one.body).includes('transaction.succeeded'));
  await eventually('both endpoints receive theirs', () => modes.every((mode) => paid(`/${mode}`).length > 0));
  for (const { path, body } of receiver.received) {
    const { livemode, data } = JSON.parse(String(body));
    expect({ livemode, of: data.object.livemode }).toEqual({ livemode: path === '/live', of: path === '/live' });
  }
});

test('invoices are paid in their own mode alone, and each mode has numbers without gaps', async () => {
  const post = (path: string, body: object, as = admin) => florin.post(`/api/${path}`, body, as);
  const lines = [{ description: 'Bread', quantity: 1, unitAmount: 500 }];
  const numbers: string[] = [];
  for (const mode of modes) {
    const other = otherOf[mode];
    const livemode = mode === 'live';
    const draft = dataOf(await post('invoice/create', { customerId: customers[mode], currency: 'USD', lines }));
    expect(draft).toMatchObject({ livemode });
    expect(
      (await post('invoice/create', { customerId: customers[mode], currency: 'USD', lines }, keys[other])).status,
    ).toBe(404);
    const { id, number } = dataOf(await post('invoice/finalize', { id: draft.id }));
    numbers.push(number);
    expect((await post('invoice/pay', { id, channelId: channels[other] })).body).toEqual(mismatch('channelId'));
    const payment = { amount: 500, currency: 'USD', channelId: channels[other], invoiceId: id };
    expect((await post('transaction/create', payment)).body).toEqual(mismatch('invoiceId'));
    const { transactionId } = dataOf(await post('invoice/pay', { id, channelId: channels[mode] }, keys[mode]));
    expect(dataOf(await florin.get(`/api/transaction/detail?id=${transactionId}`, admin))).toMatchObject({ livemode });
  }
  expect(numbers).toEqual(['INV-000001', 'TEST-000001']);
});

test('a plan and a customer are subscribed within one mode; modes never change', async () => {
  const plan = { name: 'Gold', currency: 'USD', amount: 100, interval: 'month', state: true };
  const { id: planId, livemode } = dataOf(
    await florin.post('/api/plan/modify', { ...plan, channelId: channels.test }, admin),
  );
  expect(livemode).toBe(false);
  const subscribe = (customerId: number, as = admin) =>
    florin.post('/api/subscription/create', { customerId, planId, trialDays: 3 }, as);
  expect((await subscribe(customers.live)).body).toEqual(mismatch('planId'));
  expect((await subscribe(customers.test, keys.live)).status).toBe(404);
  const { id } = dataOf(await subscribe(customers.test, keys.test));
  expect((await florin.get(`/api/subscription/detail?id=${id}`, keys.live)).status).toBe(404);
  expect(dataOf(await florin.get('/api/subscription/list', admin))).toEqual([]);
  const onLive = { id, channelId: channels.live };
  expect((await florin.post('/api/subscription/update', onLive, admin)).body).toEqual(mismatch('channelId'));
  const changed = { ...plan, id: planId, livemode: true };
  expect((await florin.post('/api/plan/modify', changed, admin)).body).toEqual(mismatch('livemode'));
  const moved = { id: customers.test, name: 'Ada', defaultChannelId: channels.live };
  expect((await florin.post('/api/customer/modify', moved, admin)).body).toEqual(mismatch('defaultChannelId'));
});

test('a key never gets a stored answer of the other mode, whatever Idempotency-Key it sends', async () => {
  const call = (path: string, body: object, as: string) =>
    florin.call('POST', `/api/${path}`, { as, body, headers: { 'idempotency-key': 'shared' } });
  const payment = { amount: 5, currency: 'USD', channelId: channels.live };
  expect((await call('transaction/create', payment, keys.live)).status).toBe(200);
  expect((await call('transaction/create', payment, keys.live)).status).toBe(200);
  expect((await call('transaction/create', payment, keys.test)).body).toEqual(mismatch('channelId'));
  const plan = {
    name: 'Silver',
    currency: 'USD',
    amount: 100,
    interval: 'month',
    channelId: channels.live,
    state: true,
  };
  const { id: planId } = dataOf(await florin.post('/api/plan/modify', plan, keys.live));
  const subscribed = { customerId: customers.live, planId, trialDays: 3 };
  const { id } = dataOf(await call('subscription/create', subscribed, keys.live));
  expect((await call('subscription/create', subscribed, keys.test)).status).toBe(404);
  const doubled = { id, quantity: 2 };
  expect((await call('subscription/update', doubled, keys.live)).status).toBe(200);
  expect((await call('subscription/update', doubled, keys.live)).status).toBe(200);
  expect((await call('subscription/update', doubled, keys.test)).status).toBe(404);
});

test('a replay sends an endpoint only events of its mode', async () => {
  await makePayment(florin, keys.test, channels.test);
  const [endpoint] = dataOf(await florin.get('/api/webhook/list', keys.test));
  const since = new Date(Date.now() - 60_000).toISOString();
  const replay = { endpointId: endpoint.id, since, states: ['MISSING', 'SUCCEEDED'] };
  const { replayId } = dataOf(await florin.post('/api/webhook/replay', replay, keys.test));
  await eventually('it has enqueued', async () => {
    const { deliveryCount } = dataOf(await florin.get(`/api/webhook/replay/detail?id=${replayId}`, keys.test));
    return deliveryCount > 0;
  });
  const wrong = await db.query(
    `select from delivery d join event e on e.tenant_id = d.tenant_id and e.id = d.event_id
      where d.endpoint_id = $1 and e.livemode`,
    [endpoint.id],
  );
  expect(wrong).toEqual([]);
});
