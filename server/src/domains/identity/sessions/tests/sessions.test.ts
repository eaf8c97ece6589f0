import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminPassword, type Identity, type IdentityNode, identity } from '../../../../../tests/support/identity.ts';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { deleteInBatches } from '../../../../platform/postgres/delete-in-batches.ts';
import { deleteExpiredSessions } from '../statements.ts';

let node: Identity;
let other: IdentityNode;

beforeAll(async () => {
  node = await identity();
  other = await node.anotherNode();
});
afterAll(() => node.stop());

async function login() {
  const { body } = await node.post('/api/user/login', { account: 'admin', password: adminPassword });
  return body.data.token as { accessToken: string; refreshToken: string };
}
const infoStatus = async (bearer: string, at: IdentityNode = node) =>
  (await at.get('/api/user/info', { bearer })).status;

test('info returns the current user with their scopes', async () => {
  const { accessToken } = await login();
  const { status, body } = await node.get('/api/user/info', { bearer: accessToken });
  expect(status).toBe(200);
  expect(body.data).toEqual({
    userId: expect.any(Number),
    userName: 'admin',
    email: 'admin@localhost',
    userType: 'PLATFORM_ADMIN',
    tenantId: null,
    roles: [],
    scopes: expect.arrayContaining(['transaction_refund', 'channel_write', 'user_read']),
    secondFactor: false,
    createdTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
});

test('refresh returns a new access token and the same refresh token; the earlier one stays valid', async () => {
  const first = await login();
  node.advance(1_000);
  const { status, body } = await node.post('/api/user/refresh', { refreshToken: first.refreshToken });
  expect(status).toBe(200);
  const { token, ...pair } = body.data;
  expect(pair).toEqual({
    accessToken: expect.any(String),
    refreshToken: first.refreshToken,
    expiresIn: 86_400,
    tokenType: 'Bearer',
  });
  expect(token).toEqual(pair);
  expect(body.data.accessToken).not.toBe(first.accessToken);
  expect(await infoStatus(body.data.accessToken)).toBe(200);
  expect(await infoStatus(first.accessToken)).toBe(200);
  expect((await node.post('/api/user/refresh', { refreshToken: first.refreshToken })).status).toBe(200);
});

test('an access token is refused as a refresh token, and a refresh token as an access token', async () => {
  const { accessToken, refreshToken } = await login();
  expect((await node.post('/api/user/refresh', { refreshToken: accessToken })).status).toBe(401);
  expect(await infoStatus(refreshToken)).toBe(401);
  expect((await node.post('/api/user/logout', undefined, { bearer: refreshToken })).status).toBe(401);
});

test('an access token expires after a day, cached or not; the session ends after seven days', async () => {
  const { accessToken, refreshToken } = await login();
  expect(await infoStatus(accessToken)).toBe(200);
  node.advance(86_400_000);
  expect(await infoStatus(accessToken)).toBe(401);
  expect((await node.post('/api/user/logout', undefined, { bearer: accessToken })).status).toBe(401);

  node.advance(5.5 * 86_400_000);
  const { body } = await node.post('/api/user/refresh', { refreshToken });
  // Half a day is left of the session, and an access token never outlives it.
  expect(body.data.expiresIn).toBeLessThanOrEqual(43_200);
  expect(body.data.expiresIn).toBeGreaterThan(43_000);
  expect(await infoStatus(body.data.accessToken)).toBe(200);

  node.advance(0.5 * 86_400_000);
  expect(await infoStatus(body.data.accessToken)).toBe(401);
  expect((await node.post('/api/user/refresh', { refreshToken })).status).toBe(401);
});

test('logout revokes both tokens at once, on other nodes by notification, and may be repeated', async () => {
  const { accessToken, refreshToken } = await login();
  const { accessToken: refreshed } = (await node.post('/api/user/refresh', { refreshToken })).body.data;
  expect(await infoStatus(accessToken, other)).toBe(200);

  const { status, body } = await node.post('/api/user/logout', undefined, { bearer: accessToken });
  expect([status, body.code, body.data]).toEqual([200, 200, null]);
  expect(await infoStatus(accessToken)).toBe(401);
  expect(await infoStatus(refreshed)).toBe(401);
  expect((await node.post('/api/user/refresh', { refreshToken })).status).toBe(401);
  expect((await node.post('/api/user/logout', undefined, { bearer: accessToken })).status).toBe(200);
  await eventually('the other node is notified', async () => (await infoStatus(accessToken, other)) === 401);
});

test('logout with all ends every session of the user, and no session of another user', async () => {
  const [one, two] = [await login(), await login()];
  const name = `bystander${Date.now()}`;
  const { accessToken: admin } = await login();
  await node.post(
    '/api/user/modify',
    { userName: name, email: `${name}@x.example`, password: 'green boats', userType: 'MERCHANT_USER', state: true },
    { bearer: admin },
  );
  const bystander = await node.bearer(name, 'green boats');

  expect((await node.post('/api/user/logout', { all: true }, { bearer: one.accessToken })).status).toBe(200);
  for (const token of [one.accessToken, two.accessToken, admin]) expect(await infoStatus(token)).toBe(401);
  expect((await node.post('/api/user/refresh', { refreshToken: two.refreshToken })).status).toBe(401);
  expect(await infoStatus(bystander)).toBe(200);

  // The token of an ended session can be logged out again, but ends no session that began since.
  const fresh = await login();
  expect((await node.post('/api/user/logout', { all: true }, { bearer: one.accessToken })).status).toBe(200);
  expect(await infoStatus(fresh.accessToken)).toBe(200);
});

test.each([
  ['no header', {}, 'credentials_missing'],
  ['a broken token', { bearer: 'abc.def.ghi' }, 'credentials_invalid'],
  ['a key', { key: `sk_live_${'a'.repeat(32)}` }, 'credentials_invalid'],
])('logout with %s is refused', async (_what, options, type) => {
  const { status, body } = await node.post('/api/user/logout', undefined, options);
  expect(status).toBe(401);
  expect(body.error.type).toBe(type);
});

test.each([
  [{ all: 'yes' }, 'all'],
  [{ everything: true }, 'everything'],
])('logout with %j is refused naming %s', async (body, field) => {
  const reply = await node.post('/api/user/logout', body, { bearer: (await login()).accessToken });
  expect(reply.status).toBe(400);
  expect(reply.body.error.field).toBe(field);
});

test('refreshes concurrent with a logout leave no live token', async () => {
  const { accessToken, refreshToken } = await login();
  const refreshes = Array.from({ length: 20 }, () => node.post('/api/user/refresh', { refreshToken }));
  const loggedOut = node.post('/api/user/logout', undefined, { bearer: accessToken });
  const replies = await Promise.all(refreshes);
  expect((await loggedOut).status).toBe(200);
  for (const { status, body } of replies) {
    if (status === 200) expect(await infoStatus(body.data.accessToken)).toBe(401);
    else expect(status).toBe(401);
  }
});

test('a node without notifications looks up every session in the database', async () => {
  const { accessToken } = await login();
  expect(await infoStatus(accessToken, other)).toBe(200);
  await node.db.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'florin listener' and datname = current_database()`);
  await node.post('/api/user/logout', undefined, { bearer: accessToken });
  await eventually(
    'the disconnected node reads the database',
    async () => (await infoStatus(accessToken, other)) === 401,
  );
});

test('the sweep deletes expired sessions and keeps live ones', async () => {
  const { refreshToken } = await login();
  const sid = decodeJwt(refreshToken).sid as string;
  await deleteInBatches(node.db.database, deleteExpiredSessions, [new Date(node.now())]);
  expect(await node.db.query('select id from session where id = $1', [sid])).toHaveLength(1);
  expect(await node.db.query('select id from session where expires_at < $1', [new Date(node.now())])).toHaveLength(0);
  const later = await deleteInBatches(node.db.database, deleteExpiredSessions, [new Date(node.now() + 8 * 86_400_000)]);
  expect(later).toBeGreaterThan(0);
  expect(await node.db.query('select id from session')).toHaveLength(0);
});
