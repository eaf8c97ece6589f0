import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
import { anInteger, aRefusal, aTime } from '../../../../tests/support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let aheadMs = 0;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, {}, () => Date.now() + aheadMs);
  admin = await administratorOf(florin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const generate = (body?: unknown, as = admin) => florin.post('/api/developer/mine/generate', body, as);
/** The time of the last use of a key, when it has been recorded. */
const recordedUseOf = (id: number) =>
  eventually('the use is recorded', async () => {
    const keys = dataOf(await florin.get('/api/developer/mine', admin));
    return keys.find((key: { id: number }) => key.id === id).lastUsedTime ?? undefined;
  });
const aKey = expect.stringMatching(/^sk_live_[A-Za-z0-9]{32}$/);
const freshTimes = {
  createdTime: aTime,
  updatedTime: null,
  expiresTime: null,
  lastUsedTime: null,
  lastUsedAddress: null,
  allowedAddresses: [],
  replacedBy: null,
};

describe('generating a key', () => {
  test('returns the full key with the default scopes, and state 1', async () => {
    for (const body of [undefined, {}]) {
      const { status, body: answer } = await generate(body);
      expect({ status, body: answer }).toEqual({
        status: 200,
        body: {
          code: 200,
          message: expect.any(String),
          data: {
            id: anInteger,
            sk: aKey,
            livemode: true,
            scope: 'transaction_write,transaction_read,user_write,user_read',
            state: 1,
            name: null,
            ...freshTimes,
          },
        },
      });
    }
  });

  test('grants the scopes named, separated by commas', async () => {
    const { scope } = dataOf(await generate({ scope: 'channel_read, transaction_refund,channel_read' }));
    expect(scope).toBe('channel_read,transaction_refund');
  });

  test('takes a name and an expiry time', async () => {
    const expiresTime = new Date(Date.now() + 60_000).toISOString();
    const { sk, ...key } = dataOf(await generate({ name: 'till 4', expiresTime }));
    expect(key).toMatchObject({ name: 'till 4', expiresTime });
    expect((await florin.get('/api/transaction/list', `ApiKey ${sk}`)).status).toBe(200);
    aheadMs += 61_000;
    expect((await florin.get('/api/transaction/list', `ApiKey ${sk}`)).status).toBe(401);
    aheadMs = 0;
  });

  test('refuses an unknown scope, naming it', async () => {
    const { status, body } = await generate({ scope: 'transaction_read,everything' });
    expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request', field: 'scope' }) });
    expect(body.message).toContain('everything');
  });

  test('only administrators may grant the scope *', async () => {
    const tenantId = await makeTenant(florin, admin);
    const merchant = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const user = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId, roles: ['operator'] });
    expect(dataOf(await generate({ scope: '*' })).scope).toBe('*');
    expect(dataOf(await generate({ scope: '*' }, merchant.as)).scope).toBe('*');
    const { status, body } = await generate({ scope: '*' }, user.as);
    expect({ status, body }).toEqual({ status: 403, body: aRefusal(403, { type: 'role_missing', field: 'scope' }) });
  });

  test('callers cannot grant a scope that they do not hold', async () => {
    const tenantId = await makeTenant(florin, admin);
    const viewer = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId, roles: ['viewer'] });
    const { status, body } = await generate({ scope: 'transaction_write' }, viewer.as);
    expect({ status, body }).toEqual({
      status: 403,
      body: aRefusal(403, { type: 'scope_missing', field: 'scope', details: { scope: 'transaction_write' } }),
    });
  });
});

describe('the list of my keys', () => {
  test('shows masked keys, newest first, including revoked ones', async () => {
    const tenantId = await makeTenant(florin, admin);
    const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const first = dataOf(await generate({ scope: 'channel_read' }, as));
    const second = dataOf(await generate(undefined, as));
    await florin.post('/api/developer/mine/revoke', { id: first.id }, as);
    const reply = await florin.get('/api/developer/mine', as);
    const { sk: _secondKey, ...secondShown } = second;
    const { sk: _firstKey, ...firstShown } = first;
    expect(reply.body).toEqual({
      code: 200,
      data: [
        { ...secondShown, skMasked: `sk_l...${second.sk.slice(-4)}` },
        { ...firstShown, skMasked: `sk_l...${first.sk.slice(-4)}`, state: 0, updatedTime: aTime },
      ],
    });
    for (const { sk } of [first, second]) expect(JSON.stringify(reply.body)).not.toContain(sk.slice(8, -4));
  });

  test('shows when a key was last used', async () => {
    const { id, as } = await makeKey(florin, admin, 'transaction_read');
    await florin.get('/api/transaction/list', as);
    expect(await recordedUseOf(id)).toEqual(aTime);
  });
});

describe('revoking a key', () => {
  test('returns the key with state 0 and its time; the key is refused on its next request', async () => {
    const { id, sk, as } = await makeKey(florin, admin, 'transaction_read');
    expect((await florin.get('/api/transaction/list', as)).status).toBe(200);
    // Uses are recorded after the answer.
    const lastUsedTime = await recordedUseOf(id);
    const { status, body } = await florin.post('/api/developer/mine/revoke', { id }, admin);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        code: 200,
        message: 'Key revoked',
        data: {
          id,
          skMasked: `sk_l...${sk.slice(-4)}`,
          livemode: true,
          scope: 'transaction_read',
          state: 0,
          name: null,
          createdTime: aTime,
          updatedTime: aTime,
          expiresTime: null,
          lastUsedTime,
          lastUsedAddress: expect.any(String),
          allowedAddresses: [],
          replacedBy: null,
        },
      },
    });
    const refused = await florin.get('/api/transaction/list', as);
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 401,
      body: aRefusal(401, { type: 'credentials_invalid' }),
    });
  });

  test('again is not an error and changes nothing', async () => {
    const { id } = await makeKey(florin, admin);
    const first = await florin.post('/api/developer/mine/revoke', { id }, admin);
    const second = await florin.post('/api/developer/mine/revoke', { id }, admin);
    expect(second.body).toEqual(first.body);
  });
});

describe('a key', () => {
  test('acts as its owner, in the tenant of its owner', async () => {
    const tenantId = await makeTenant(florin, admin);
    const { id: userId, as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const key = await makeKey(florin, as);
    const payment = await makePayment(florin, key.as, await makeChannel(florin, as));
    expect(dataOf(await florin.get(`/api/transaction/detail?id=${payment}`, as)).userId).toBe(userId);
  });

  test('loses the permissions that its owner loses, and is refused when its owner is disabled', async () => {
    const tenantId = await makeTenant(florin, admin);
    const { id, userName, as } = await makeMember(florin, admin, {
      userType: 'MERCHANT_USER',
      tenantId,
      roles: ['cashier'],
    });
    const key = await makeKey(florin, as, 'transaction_read,transaction_write');
    const channelId = await makeChannel(florin, admin);
    const owner = { id, userName, email: `${userName}@example.com`, userType: 'MERCHANT_USER', state: true };
    const create = () => florin.post('/api/transaction/create', { amount: 5, currency: 'USD', channelId }, key.as);
    expect((await create()).status).toBe(200);
    dataOf(await florin.post('/api/user/modify', { ...owner, roles: ['viewer'] }, admin));
    expect((await create()).status).toBe(403);
    expect((await florin.get('/api/transaction/list', key.as)).status).toBe(200);
    dataOf(await florin.post('/api/user/modify', { ...owner, state: false }, admin));
    expect((await florin.get('/api/transaction/list', key.as)).status).toBe(401);
  });

  test('is accepted with the scheme in any case, as in HTTP', async () => {
    const { sk } = await makeKey(florin, admin);
    expect((await florin.get('/api/transaction/list', `apikey ${sk}`)).status).toBe(200);
    expect((await florin.get('/api/transaction/list', sk)).status).toBe(401);
  });
});

test('credentials under the scheme of the other kind are refused with the right one', async () => {
  const { as, sk } = await makeKey(florin, admin);
  expect(as).toBe(`ApiKey ${sk}`);
  const token = admin.replace('Bearer ', '');
  for (const [wrong, right] of [
    [`Bearer ${sk}`, 'ApiKey sk_…'],
    [`ApiKey ${token}`, 'Bearer eyJ…'],
  ] as const) {
    const { status, body } = await florin.get('/api/channel/list', wrong);
    expect({ status, body }).toEqual({ status: 401, body: aRefusal(401, { type: 'credentials_invalid' }) });
    expect(body.message).toContain(`use "Authorization: ${right}"`);
  }
});
