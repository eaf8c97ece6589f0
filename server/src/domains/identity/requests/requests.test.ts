import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  channelInput,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makeTenant,
} from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { leastUuidAt } from '../../../core/id.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { deleteExpiredRequests } from './statements.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
/** Of a tenant whose log is empty at first. */
let merchant: { id: number; as: string };
let tenantId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await florin.login('admin', administratorPassword);
  tenantId = await makeTenant(florin, admin);
  merchant = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

let sent = 0;
/** Sends a request with its own request id and returns the id. */
async function send(method: 'GET' | 'POST', path: string, as: string, body?: unknown, headers = {}): Promise<string> {
  const requestId = `test-${++sent}`;
  await florin.call(method, path, { as, body, headers: { 'x-request-id': requestId, ...headers } });
  return requestId;
}

const list = async (query: string, as = merchant.as) => dataOf(await florin.get(`/api/request/list?${query}`, as));

/** Waits for the entry of a request, because its answer may arrive before it is recorded. */
function entryOf(requestId: string, as = merchant.as, fields = '') {
  return eventually('the request is recorded', async () => {
    const [found] = await list(`requestId=${requestId}${fields}`, as);
    return found;
  });
}

test('a request is in the log with what was sent and how it was answered, without body and query', async () => {
  const key = await makeKey(florin, merchant.as, '*');
  const headers = { 'idempotency-key': 'order-7', 'user-agent': 'shop/1.0' };
  const input = channelInput({ apiSecret: 'sk_of_the_provider' });
  const requestId = await send('POST', '/api/channel/modify?', key.as, input, headers);
  const entry = await entryOf(requestId);
  expect(entry).toEqual({
    id: expect.stringMatching(/^req_[\da-f]{32}$/),
    livemode: true,
    createdTime: expect.any(String),
    method: 'POST',
    path: '/api/channel/modify',
    status: 200,
    durationMs: expect.any(Number),
    requestId,
    by: 'key',
    userId: merchant.id,
    keyId: key.id,
    errorType: null,
  });
  const further = { address: '127.0.0.1', userAgent: 'shop/1.0', idempotencyKey: 'order-7', error: null };
  expect(dataOf(await florin.get(`/api/request/detail?id=${entry.id}`, merchant.as))).toEqual({ ...entry, ...further });
  const { idempotencyKey } = await entryOf(requestId, merchant.as, '&fields=idempotencyKey');
  expect(idempotencyKey).toBe('order-7');
  const stored = JSON.stringify(await db.query('select * from api_request'));
  expect(stored).not.toContain('sk_of_the_provider');
});

test('a refused request is in the log with the field and the reason', async () => {
  const body = { amount: 0, currency: 'USD', channelId: 1 };
  const { id, errorType, status } = await entryOf(await send('POST', '/api/transaction/create', merchant.as, body));
  expect([status, errorType]).toEqual([400, 'invalid_request']);
  const { error } = dataOf(await florin.get(`/api/request/detail?id=${id}`, merchant.as));
  expect(error).toEqual({ type: 'invalid_request', field: 'amount', message: expect.stringContaining('amount') });
});

test('the log is filtered by method, path, status, type of refusal, caller, mode and time', async () => {
  const live = await makeKey(florin, merchant.as, 'channel_read');
  const tests = dataOf(await florin.post('/api/developer/mine/generate', { scope: '*', livemode: false }, merchant.as));
  const ids = [
    await send('GET', '/api/channel/list', live.as),
    await send('POST', '/api/channel/modify', live.as, {}),
    await send('GET', '/api/channel/detail?id=999999', `ApiKey ${tests.sk}`),
    await send('GET', '/api/user/info', merchant.as),
  ] as const;
  const [read, forbidden, absent, info] = ids;
  for (const id of ids) await entryOf(id);
  const matching = async (query: string) => {
    const found: string[] = (await list(`pageSize=100&${query}`)).map(({ requestId }: never) => requestId);
    return ids.filter((id) => found.includes(id));
  };
  expect(await matching('method=POST')).toEqual([forbidden]);
  expect(await matching('path=/api/channel/')).toEqual([read, forbidden, absent]);
  expect(await matching('status=4xx')).toEqual([forbidden, absent]);
  expect(await matching('status=404')).toEqual([absent]);
  expect(await matching('status=2xx')).toEqual([read, info]);
  expect(await matching('errorType=scope_missing')).toEqual([forbidden]);
  expect(await matching(`keyId=${live.id}`)).toEqual([read, forbidden]);
  expect(await matching('by=session')).toEqual([info]);
  expect(await matching('livemode=false')).toEqual([absent]);
  expect(await matching(`userId=${merchant.id}&startDate=2020-01-01`)).toEqual([...ids]);
  expect(await matching('endDate=2020-01-01')).toEqual([]);
  expect((await florin.get('/api/request/list?status=9xx', merchant.as)).body.error).toMatchObject({ field: 'status' });
});

test('a caller without * sees only its own requests, and no tenant sees those of another', async () => {
  const other = await makeMember(florin, admin, {
    userType: 'MERCHANT_ADMIN',
    tenantId: await makeTenant(florin, admin),
  });
  const clerk = await makeMember(florin, merchant.as, { userType: 'MERCHANT_USER', roles: ['viewer'] });
  const key = await makeKey(florin, merchant.as, 'channel_read');
  const entries = {
    clerk: await entryOf(await send('GET', '/api/channel/list', clerk.as)),
    key: await entryOf(await send('GET', '/api/channel/list', key.as)),
    merchant: await entryOf(await send('GET', '/api/channel/list', merchant.as)),
  };
  const seenBy = async (as: string) => {
    const seen = [];
    for (const [name, { id, requestId }] of Object.entries(entries)) {
      const [listed] = await list(`requestId=${requestId}`, as);
      const { status } = await florin.get(`/api/request/detail?id=${id}`, as);
      expect(status, name).toBe(listed === undefined ? 404 : 200);
      if (listed !== undefined) seen.push(name);
    }
    return seen;
  };
  expect(await seenBy(clerk.as)).toEqual(['clerk']);
  expect(await seenBy(key.as)).toEqual(['key']);
  expect(await seenBy(other.as)).toEqual([]);
  expect(await seenBy(merchant.as)).toEqual(['clerk', 'key', 'merchant']);
  expect(await seenBy(admin)).toEqual(['clerk', 'key', 'merchant']);
});

test('a test key does not see requests about live records', async () => {
  const { sk } = dataOf(
    await florin.post('/api/developer/mine/generate', { scope: '*', livemode: false }, merchant.as),
  );
  const live = await makeKey(florin, merchant.as, '*');
  const { id, requestId } = await entryOf(await send('GET', '/api/channel/list', live.as));
  expect(await list(`requestId=${requestId}`, `ApiKey ${sk}`)).toEqual([]);
  expect((await florin.get(`/api/request/detail?id=${id}`, `ApiKey ${sk}`)).status).toBe(404);
});

test('paging by cursor shows every request once, and requests to the log are not in it', async () => {
  const channelId = await makeChannel(florin, merchant.as);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push(await send('GET', `/api/channel/detail?id=${channelId}`, merchant.as));
  await entryOf(ids.at(-1) as string);
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await florin.get(`/api/request/list?pageSize=2&path=/api/${cursor}`, merchant.as);
    seen.push(...body.data.map(({ requestId }: never) => requestId));
    if (body.pagination.nextCursor === null) break;
    cursor = `&cursor=${body.pagination.nextCursor}`;
  }
  expect(seen.filter((id) => ids.includes(id))).toEqual(ids.toReversed());
  expect(new Set(seen).size).toBe(seen.length);
  expect(await list('path=/api/request/')).toEqual([]);
});

test('requests are removed when they expire', async () => {
  const { createdTime, requestId } = await entryOf(await send('GET', '/api/user/info', merchant.as));
  await deleteInBatches(db.database, deleteExpiredRequests, [leastUuidAt(Date.parse(createdTime))], 2);
  expect(await list(`requestId=${requestId}`)).toHaveLength(1);
  await deleteInBatches(db.database, deleteExpiredRequests, [leastUuidAt(Date.now() + 60_000)], 2);
  expect(await db.query('select from api_request')).toEqual([]);
});

test('refused sign-ins of a key are in the log of the tenant whose key it was, ten a minute at most', async () => {
  const revoked = await makeKey(florin, merchant.as, '*', false);
  const limited = dataOf(
    await florin.post('/api/developer/mine/generate', { scope: '*', allowedAddresses: ['192.0.2.1'] }, merchant.as),
  );
  // It is known to this node as a key that works.
  await florin.get('/api/channel/list', revoked.as);
  dataOf(await florin.post('/api/developer/mine/revoke', { id: revoked.id }, merchant.as));
  await eventually('it is revoked', async () => (await florin.get('/api/channel/list', revoked.as)).status === 401);
  const refused = await send('POST', '/api/transaction/create', revoked.as, { amount: 1 });
  expect(await entryOf(refused)).toMatchObject({
    ...{ status: 401, path: '/api/transaction/create', errorType: 'credentials_invalid' },
    ...{ by: 'key', keyId: revoked.id, userId: merchant.id, livemode: false },
  });
  const elsewhere = await send('GET', '/api/channel/list', `ApiKey ${limited.sk}`);
  expect(await entryOf(elsewhere)).toMatchObject({ status: 403, errorType: 'address_not_allowed', keyId: limited.id });

  for (let i = 0; i < 20; i++) await send('GET', '/api/channel/list', revoked.as);
  const last = await send('GET', '/api/channel/list', merchant.as);
  await entryOf(last);
  const ofKey = (await list('pageSize=100')).filter(
    ({ keyId, status }: Record<string, unknown>) => keyId === revoked.id && status === 401,
  );
  expect(ofKey).toHaveLength(10);
});

test('a refused sign-in of a key that has expired is in the log of its tenant', async () => {
  const expired = await makeKey(florin, merchant.as, '*');
  await db.query(`update developer_key set expires_at = now() - interval '1 minute' where id = $1`, [expired.id]);
  const requestId = await send('GET', '/api/channel/list', expired.as);
  expect(await entryOf(requestId)).toMatchObject({
    ...{ status: 401, path: '/api/channel/list', errorType: 'credentials_invalid' },
    ...{ by: 'key', keyId: expired.id, userId: merchant.id },
  });
});

test('a key that nobody has is only counted', async () => {
  const countOf = async () => {
    const text = await (await fetch(`${florin.address}/metrics`)).text();
    return Number(/^florin_unknown_keys_total (\d+)$/m.exec(text)?.[1]);
  };
  const before = await countOf();
  const requestId = await send('GET', '/api/channel/list', `ApiKey sk_live_${'x'.repeat(32)}`);
  await eventually('it is counted', async () => (await countOf()) === before + 1);
  const last = await send('GET', '/api/channel/list', admin);
  await entryOf(last, admin);
  expect(await list(`requestId=${requestId}`, admin)).toEqual([]);

  const shownTo = async (as: string) => dataOf(await florin.get('/api/console/session', as)).unknownKeyRequests;
  expect([await shownTo(admin), await shownTo(merchant.as)]).toEqual([before + 1, null]);
});
