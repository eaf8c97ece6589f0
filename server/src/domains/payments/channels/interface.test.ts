import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  administratorOf,
  channelInput,
  dataOf,
  makeChannel,
  makeMember,
  makeTenant,
  unique,
} from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { anInteger, aRefusal, aTime } from '../../../../tests/support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const modify = (body: unknown, as = admin) => florin.post('/api/channel/modify', body, as);
const secrets = { apiKey: 'pk-canary-1', apiSecret: 'ps-canary-2', webhookSecret: 'ws-canary-3' };

test('creating, updating and listing return exactly the fields of a channel', async () => {
  const code = unique('cards');
  const input = { name: 'Cards', code, type: 'ONLINE', currency: 'USD,EUR', country: 'US', state: true };
  const own = {
    tenantId: null,
    provider: null,
    livemode: true,
    fallbackChannelIds: [],
    statementDescriptor: null,
    capture: 'NONE',
    callbackUrl: null,
  };
  const record = { id: anInteger, ...input, ...own, createdTime: aTime };

  const created = await modify({ ...input, ...secrets });
  expect(created.body).toEqual({
    code: 200,
    message: 'Channel created',
    data: { ...record, updatedTime: record.createdTime },
  });

  const { id } = created.body.data;
  const changed = { ...input, name: 'All cards', type: 'OFFLINE', currency: 'JPY', country: 'JP', state: false };
  const updated = await modify({ id, ...changed });
  expect(updated.body).toEqual({
    code: 200,
    message: 'Channel updated',
    data: { ...record, ...changed, id, updatedTime: aTime },
  });

  const { body } = await florin.get('/api/channel/list', admin);
  expect(body.data).toContainEqual({ ...record, ...changed, id });
});

test('secrets are in no reply and only encrypted in the database', async () => {
  const created = await modify(channelInput(secrets));
  const updated = await modify(channelInput({ id: created.body.data.id, apiKey: 'pk-canary-4' }));
  const listed = await florin.get('/api/channel/list', admin);
  const refused = await modify(channelInput({ ...secrets, type: 'BOTH' }));
  const rows = await db.query(`select row_to_json(channel)::text as row, api_key_sealed from channel where id = $1`, [
    created.body.data.id,
  ]);
  for (const seen of [created.body, updated.body, listed.body, refused.body, rows]) {
    expect(JSON.stringify(seen)).not.toContain('canary');
    expect(JSON.stringify(seen)).not.toContain('apiKey');
  }
  const hex = Buffer.from('canary').toString('hex');
  expect(JSON.stringify(rows)).not.toContain(hex);
});

test('an update without a secret keeps it, and an empty secret clears it', async () => {
  const id = await makeChannel(florin, admin, secrets);
  const sealed = async () =>
    (
      await db.query<Record<string, Buffer | null>>(
        'select api_key_sealed, api_secret_sealed, webhook_secret_sealed from channel where id = $1',
        [id],
      )
    )[0];
  const before = await sealed();
  await modify(channelInput({ id, apiSecret: '', webhookSecret: 'another' }));
  const after = await sealed();
  expect(after?.api_key_sealed).toEqual(before?.api_key_sealed);
  expect(after?.api_secret_sealed).toBeNull();
  expect(after?.webhook_secret_sealed).not.toEqual(before?.webhook_secret_sealed);
});

describe('the code', () => {
  test('is unique within its tenant', async () => {
    const code = unique('code');
    const first = await makeChannel(florin, admin, { code });
    const taken = aRefusal(409, { type: 'channel_code_taken', field: 'code' });
    expect((await modify(channelInput({ code }))).body).toEqual(taken);
    const second = await makeChannel(florin, admin);
    expect((await modify(channelInput({ id: second, code }))).body).toEqual(taken);
    expect((await modify(channelInput({ id: first, code }))).status).toBe(200);
  });

  test('can be used again in another tenant', async () => {
    const code = unique('code');
    for (let i = 0; i < 2; i++) {
      const tenantId = await makeTenant(florin, admin);
      const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
      expect(dataOf(await modify(channelInput({ code }), as)).tenantId).toBe(String(tenantId));
    }
  });

  test('is given to one of twenty concurrent requests', async () => {
    const code = unique('code');
    const replies = await Promise.all(Array.from({ length: 20 }, () => modify(channelInput({ code }))));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)]);
  });
});

test('currencies are ISO 4217 codes; spaces and repeats are removed', async () => {
  expect(dataOf(await modify(channelInput({ currency: 'USD, EUR,USD' }))).currency).toBe('USD,EUR');
  for (const currency of ['usd', 'USD;EUR', 'USD,', 'XXX', 'US Dollar']) {
    const { status, body } = await modify(channelInput({ currency }));
    expect({ currency, status, body }).toEqual({
      currency,
      status: 400,
      body: aRefusal(400, { type: 'invalid_request', field: 'currency' }),
    });
  }
});

test('a code of a fund, which ISO 4217 has, is refused', async () => {
  for (const code of ['CLF', 'UYW', 'CHE', 'XDR']) {
    const { body } = await modify(channelInput({ currency: code }));
    expect(body.message).toContain(`"${code}", which is not an upper-case ISO 4217 currency code`);
    const payment = await florin.post('/api/transaction/create', { amount: 100, currency: code, channelId: 1 }, admin);
    expect(payment.body.message).toContain('an upper-case ISO 4217 currency code');
  }
});

test('an unknown id is refused and creates nothing', async () => {
  const before = dataOf(await florin.get('/api/channel/list', admin)).length;
  const { status, body } = await modify(channelInput({ id: 987_654 }));
  expect({ status, body }).toEqual({ status: 404, body: aRefusal(404, { type: 'record_not_found', field: 'id' }) });
  expect(dataOf(await florin.get('/api/channel/list', admin))).toHaveLength(before);
});

test('a channel that is switched off refuses payments at once, and accepts them again when switched on', async () => {
  const code = unique('cards');
  const id = await makeChannel(florin, admin, { code });
  const pay = () => florin.post('/api/transaction/create', { amount: 5, currency: 'USD', channelId: id }, admin);
  expect((await pay()).status).toBe(200);
  await modify(channelInput({ id, code, state: false }));
  expect((await pay()).body).toEqual(aRefusal(409, { type: 'channel_inactive', field: 'channelId' }));
  await modify(channelInput({ id, code, state: true }));
  expect((await pay()).status).toBe(200);
});

test('an event says that a channel was switched off, and none that another field changed', async () => {
  const id = await makeChannel(florin, admin);
  const disabled = async () => {
    const events = dataOf(await florin.get('/api/event/list?type=channel.disabled', admin));
    return events.filter(({ objectId }: { objectId: string }) => objectId === `chn_${id}`).length;
  };
  expect(dataOf(await modify({ id, name: 'Cards at the desk' })).state).toBe(true);
  expect(await disabled()).toBe(0);
  await modify({ id, state: false });
  await modify({ id, name: 'Cards in the shop' });
  expect(await disabled()).toBe(1);
});
