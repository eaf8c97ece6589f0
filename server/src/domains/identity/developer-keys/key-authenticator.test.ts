import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminPassword, type Identity, type IdentityNode, identity } from '../../../../tests/support/identity.ts';
import { eventually } from '../../../../tests/support/postgres/database.ts';

let node: Identity;
let other: IdentityNode;
let admin: string;
let shop: { id: number; name: string };

beforeAll(async () => {
  node = await identity();
  other = await node.anotherNode();
  admin = await node.bearer('admin', adminPassword);
  shop = (await node.post('/api/tenant/modify', { name: 'Shop', state: true }, { bearer: admin })).body.data;
});
afterAll(() => node.stop());

const password = 'seven green boats';
let users = 0;
async function makeUser(fields: Record<string, unknown> = {}) {
  const name = `owner${++users}`;
  const draft = {
    userName: name,
    email: `${name}@x.example`,
    userType: 'MERCHANT_ADMIN',
    state: true,
    tenantId: shop.id,
  };
  const { status } = await node.post('/api/user/modify', { ...draft, ...fields, password }, { bearer: admin });
  expect(status).toBe(200);
  const bearer = await node.bearer(name, password);
  const id = (await node.get('/api/user/info', { bearer })).body.data.userId as number;
  return { bearer, change: { id, ...draft, ...fields } };
}
const generate = (bearer: string, body?: object) => node.post('/api/developer/mine/generate', body, { bearer });
const keyOf = async (bearer: string, body?: object) =>
  (await generate(bearer, body)).body.data as { id: number; sk: string };
const list = async (bearer: string) => (await node.get('/api/developer/mine', { bearer })).body.data;
const revoke = (bearer: string, id: unknown) => node.post('/api/developer/mine/revoke', { id }, { bearer });
/** Whether a key is accepted: reading users needs user_read, which is a default scope. */
const knock = async (key: string, at: IdentityNode = node) => (await at.get('/api/user/list', { key })).status;

test('generate returns the full key once; the list shows it masked', async () => {
  const { bearer } = await makeUser();
  const { status, body } = await generate(bearer);
  expect(status).toBe(200);
  expect(body).toEqual({
    code: 200,
    message: expect.any(String),
    data: {
      id: expect.any(Number),
      sk: expect.stringMatching(/^sk_live_[A-Za-z0-9]{32}$/),
      livemode: true,
      scope: 'transaction_write,transaction_read,user_write,user_read',
      state: 1,
      name: null,
      createdTime: expect.stringMatching(/Z$/),
      updatedTime: null,
      expiresTime: null,
      lastUsedTime: null,
      lastUsedAddress: null,
      allowedAddresses: [],
      replacedBy: null,
    },
  });
  const { sk, ...shown } = body.data;
  expect(await list(bearer)).toEqual([{ ...shown, skMasked: `sk_l...${sk.slice(-4)}` }]);
});

test('the key itself is not stored in the database', async () => {
  const { bearer } = await makeUser();
  const { sk, id } = await keyOf(bearer);
  const [row] = await node.db.query('select k::text as text from developer_key k where id = $1', [id]);
  expect(row?.text).not.toContain(sk.slice(8));
  expect(row?.text).not.toContain(Buffer.from(sk).toString('hex'));
});

test('a key acts as its owner, with the scheme ApiKey in any case', async () => {
  const { bearer } = await makeUser();
  const { sk } = await keyOf(bearer);
  expect(await knock(sk)).toBe(200);
  for (const scheme of ['apikey', 'APIKEY', 'ApiKey']) {
    expect((await node.get('/api/user/list', { headers: { authorization: `${scheme} ${sk}` } })).status).toBe(200);
  }
  const { body } = await node.get('/api/user/list?pageSize=100', { key: sk });
  for (const user of body.data) expect(user.tenantId).toBe(String(shop.id));
});

test('a revoked key is refused on its next request, on another node with its notification', async () => {
  const { bearer } = await makeUser();
  const { sk, id } = await keyOf(bearer);
  expect([await knock(sk), await knock(sk, other)]).toEqual([200, 200]);
  const { status, body } = await revoke(bearer, id);
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ id, state: 0, updatedTime: expect.any(String), skMasked: expect.any(String) });
  expect(body.data.sk).toBeUndefined();
  expect(await knock(sk)).toBe(401);
  await eventually('the other node is notified', async () => (await knock(sk, other)) === 401);

  node.advance(5_000);
  const again = await revoke(bearer, id);
  expect(again.status).toBe(200);
  expect(again.body.data.updatedTime).toBe(body.data.updatedTime);
});

test('a connection on which a key was accepted refuses it once it is revoked, and tells keys apart', async () => {
  const { bearer } = await makeUser();
  const [first, second] = [await keyOf(bearer), await keyOf(bearer, { scope: 'transaction_read' })];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const connections = new Set<unknown>();
  const statusOn = async (key: string) => {
    const sent = request(`${node.address}/api/user/list`, { agent, headers: { authorization: `ApiKey ${key}` } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    connections.add(response.socket);
    await once(response.resume(), 'end');
    return response.statusCode;
  };
  expect([await statusOn(first.sk), await statusOn(first.sk)]).toEqual([200, 200]);
  expect([await statusOn(second.sk), await statusOn(first.sk)]).toEqual([403, 200]);
  await revoke(bearer, first.id);
  expect([await statusOn(first.sk), await statusOn(second.sk)]).toEqual([401, 403]);
  expect(connections.size).toBe(1);
  agent.destroy();
});

test('revoking a key of another user and an absent key get the same 404', async () => {
  const [owner, stranger] = [await makeUser(), await makeUser()];
  const { sk, id } = await keyOf(owner.bearer);
  const replies = [await revoke(stranger.bearer, id), await revoke(admin, id), await revoke(stranger.bearer, 999_999)];
  for (const { status, body } of replies) {
    expect([status, body.error.type]).toEqual([404, 'record_not_found']);
    expect(body.message.replace(/\d+/, '')).toBe(replies[0]?.body.message.replace(/\d+/, ''));
  }
  expect(await knock(sk)).toBe(200);
});

test.each([
  [{}, 'id'],
  [{ id: '7' }, 'id'],
  [{ id: 1.5 }, 'id'],
  [{ id: 7, now: true }, 'now'],
])('revoking with %j is refused naming %s', async (body, field) => {
  const reply = await node.post('/api/developer/mine/revoke', body, { bearer: admin });
  expect([reply.status, reply.body.error.field]).toEqual([400, field]);
});

test('a key can neither generate, list nor revoke keys', async () => {
  const { sk, id } = await keyOf(admin, { scope: '*' });
  const statuses = [
    (await node.post('/api/developer/mine/generate', {}, { key: sk })).status,
    (await node.get('/api/developer/mine', { key: sk })).status,
    (await node.post('/api/developer/mine/revoke', { id }, { key: sk })).status,
    (await node.get('/api/user/info', { key: sk })).status,
  ];
  expect(statuses).toEqual([401, 401, 401, 401]);
});

test('a key can do only what its scope allows', async () => {
  const { bearer } = await makeUser();
  const { sk } = await keyOf(bearer, { scope: ' transaction_read , transaction_read,channel_read' });
  expect((await list(bearer))[0].scope).toBe('transaction_read,channel_read');
  const { status, body } = await node.get('/api/user/list', { key: sk });
  expect([status, body.error.type]).toEqual([403, 'scope_missing']);
  expect(body.message).toContain('user_read');
  expect(await knock((await keyOf(bearer, { scope: 'user_read' })).sk)).toBe(200);
});

test.each([['king'], ['transaction_read,,user_read'], ['transaction_read;user_read'], ['']])(
  'the scope %j is refused naming the field',
  async (scope) => {
    const { status, body } = await generate(admin, { scope });
    expect([status, body.error.type, body.error.field]).toEqual([400, 'invalid_request', 'scope']);
  },
);

test('only administrators may grant the scope *', async () => {
  const owner = await makeUser();
  expect((await generate(owner.bearer, { scope: '*' })).body.data.scope).toBe('*');
  expect(await knock((await keyOf(admin, { scope: '*' })).sk)).toBe(200);
  const clerk = await makeUser({ userType: 'MERCHANT_USER', roles: ['operator'] });
  const { status, body } = await generate(clerk.bearer, { scope: '*' });
  expect([status, body.error.type]).toEqual([403, 'role_missing']);
});

test('a user’s key cannot be granted what the user does not hold', async () => {
  const clerk = await makeUser({ userType: 'MERCHANT_USER', roles: ['cashier'] });
  const { status, body } = await generate(clerk.bearer, { scope: 'transaction_write,transaction_refund' });
  expect([status, body.error.type, body.error.details.scope]).toEqual([403, 'scope_missing', 'transaction_refund']);
  expect((await generate(clerk.bearer, { scope: 'transaction_write,user_read' })).status).toBe(200);

  // The default scope is granted to everyone, but the key cannot do more than its owner.
  const { sk } = await keyOf(clerk.bearer);
  expect(await knock(sk)).toBe(200);
  expect((await node.post('/api/user/modify', {}, { key: sk })).status).toBe(403);
});

test('a key loses a permission as soon as its owner does', async () => {
  const clerk = await makeUser({ userType: 'MERCHANT_USER', roles: ['viewer'] });
  const { sk } = await keyOf(clerk.bearer, { scope: 'user_read' });
  expect([await knock(sk), await knock(sk, other)]).toEqual([200, 200]);
  await node.post('/api/user/modify', { ...clerk.change, roles: [] }, { bearer: admin });
  expect(await knock(sk)).toBe(403);
  await eventually('the other node is notified', async () => (await knock(sk, other)) === 403);
});

test('a key is refused while its owner or its tenant is disabled', async () => {
  const owner = await makeUser();
  const { sk } = await keyOf(owner.bearer);
  expect(await knock(sk)).toBe(200);
  await node.post('/api/tenant/modify', { id: shop.id, name: 'Shop', state: false }, { bearer: admin });
  expect(await knock(sk)).toBe(401);
  expect((await node.get('/api/user/info', { bearer: owner.bearer })).status).toBe(401);
  await node.post('/api/tenant/modify', { id: shop.id, name: 'Shop', state: true }, { bearer: admin });
  expect(await knock(sk)).toBe(200);
  await node.post('/api/user/modify', { ...owner.change, state: false }, { bearer: admin });
  expect(await knock(sk)).toBe(401);
});

test('a key is refused after its expiry, cached or not', async () => {
  const { bearer } = await makeUser();
  const expiresTime = new Date(node.now() + 60_000).toISOString();
  const { body } = await generate(bearer, { name: 'till 4', expiresTime });
  expect(body.data).toMatchObject({ name: 'till 4', expiresTime });
  expect(await knock(body.data.sk)).toBe(200);
  node.advance(60_000);
  expect([await knock(body.data.sk), await knock(body.data.sk, other)]).toEqual([401, 401]);
});

test.each([['yesterday'], ['2020-01-01T00:00:00Z'], ['2030-02-31'], [1_900_000_000]])(
  'the expiry %j is refused naming the field',
  async (expiresTime) => {
    const { status, body } = await generate(admin, { expiresTime });
    expect([status, body.error.field]).toEqual([400, 'expiresTime']);
  },
);

test('the list shows the caller’s own keys, newest first, including revoked ones', async () => {
  const { bearer } = await makeUser();
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push((await keyOf(bearer)).id);
  await revoke(bearer, ids[1]);
  const keys = await list(bearer);
  expect(keys.map((key: { id: number }) => key.id)).toEqual(ids.toReversed());
  expect(keys.map((key: { state: number }) => key.state)).toEqual([1, 0, 1]);
});

test('the last use is recorded after the request, at most once a minute', async () => {
  const { bearer } = await makeUser();
  const { sk } = await keyOf(bearer);
  const lastUsed = async () => {
    await node.keys.settled();
    return (await list(bearer))[0].lastUsedTime as string | null;
  };
  expect(await lastUsed()).toBeNull();
  await knock(sk);
  const first = await lastUsed();
  expect(first).toEqual(expect.any(String));
  node.advance(30_000);
  await knock(sk);
  expect(await lastUsed()).toBe(first);
  node.advance(31_000);
  await knock(sk);
  expect(Date.parse((await lastUsed()) as string) - Date.parse(first as string)).toBeGreaterThanOrEqual(60_000);
});

test('a cached key is authenticated from the cache, and unknown keys are refused', async () => {
  const { bearer } = await makeUser();
  const { sk } = await keyOf(bearer);
  const first = await node.keys.authenticate(sk, '127.0.0.1');
  expect(await node.keys.authenticate(sk, '127.0.0.1')).toBe(first);
  expect(first.tenantId).toBe(shop.id);
  expect(await knock(`sk_live_${'x'.repeat(32)}`)).toBe(401);
});

test('a cached session is authenticated from the cache', async () => {
  const { bearer } = await makeUser();
  const principal = await node.sessions.authenticate(bearer, '127.0.0.1');
  expect(await node.sessions.authenticate(bearer, '127.0.0.1')).toBe(principal);
  expect(principal).toMatchObject({ by: 'session', tenantId: shop.id });
});

test.each([
  [undefined, 'credentials_missing'],
  ['', 'credentials_missing'],
  ['Bearer', 'credentials_invalid'],
  ['Basic YWRtaW46YWRtaW4=', 'credentials_invalid'],
  ['ApiKey ', 'credentials_invalid'],
  ['ApiKey sk_live_short', 'credentials_invalid'],
  [`ApiKey sk_test_${'a'.repeat(32)}`, 'credentials_invalid'],
  [`Bearer sk_live_${'a'.repeat(32)}`, 'credentials_invalid'],
  [`Bearer ${'a'.repeat(10_000)}`, 'credentials_invalid'],
])('the Authorization header %j is refused with 401', async (authorization, type) => {
  const headers = authorization === undefined ? {} : { authorization };
  const { status, body, headers: replied } = await node.get('/api/user/list', { headers });
  expect([status, body.error.type]).toEqual([401, type]);
  expect(replied.get('www-authenticate')).toEqual(expect.any(String));
});
