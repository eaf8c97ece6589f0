import { hash } from '@node-rs/argon2';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminPassword, type Identity, identity, type Reply } from '../../../../../tests/support/identity.ts';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { passwordCost } from '../../../../../tests/support/service/password-cost.ts';
import { setPassword } from '../../users/statements.ts';
import { findLogin } from '../statements.ts';

let node: Identity;
let admin: string;

beforeAll(async () => {
  node = await identity();
  admin = await node.bearer('admin', adminPassword);
});
afterAll(() => node.stop());

let users = 0;
const password = 'seven green boats';
async function makeUser(fields: Record<string, unknown> = {}) {
  const name = `clerk${++users}`;
  const { status, body } = await node.post(
    '/api/user/modify',
    { userName: name, email: `${name}@shop.example`, password, userType: 'MERCHANT_USER', state: true, ...fields },
    { bearer: admin },
  );
  expect(status).toBe(200);
  return body.data;
}

test('login returns the documented result, field by field', async () => {
  const { status, body } = await node.post('/api/user/login', { account: 'admin', password: adminPassword });
  expect(status).toBe(200);
  expect(body).toEqual({
    code: 200,
    message: expect.any(String),
    data: {
      token: {
        accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        refreshToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        expiresIn: 86400,
        tokenType: 'Bearer',
      },
      userType: 'PLATFORM_ADMIN',
      tenantId: null,
      deploymentMode: 'STANDALONE',
      userName: 'admin',
      userId: expect.any(Number),
    },
  });
});

test('the access token has the documented claims, and the two tokens have different types', async () => {
  const tenant = await node.post('/api/tenant/modify', { name: 'Claims Ltd', state: true }, { bearer: admin });
  const user = await makeUser({ tenantId: String(tenant.body.data.id), roles: ['cashier'] });
  const { body } = await node.post('/api/user/login', { account: user.userName, password });
  const claims = decodeJwt(body.data.token.accessToken);
  expect(claims).toMatchObject({
    sub: String(user.id),
    username: user.userName,
    roles: ['cashier'],
    tenantId: String(tenant.body.data.id),
    userType: 'MERCHANT_USER',
  });
  expect((claims.exp as number) - (claims.iat as number)).toBe(86_400);
  expect(claims).toMatchObject({
    iss: expect.any(String),
    aud: expect.any(String),
    jti: expect.any(String),
    sid: expect.any(String),
  });
  expect(decodeProtectedHeader(body.data.token.accessToken).typ).toBe('at+jwt');
  expect(decodeProtectedHeader(body.data.token.refreshToken).typ).toBe('rt+jwt');
  const refreshClaims = decodeJwt(body.data.token.refreshToken);
  expect((refreshClaims.exp as number) - (refreshClaims.iat as number)).toBe(7 * 86_400);
});

test('a password is the same in either Unicode form, however it was typed or hashed', async () => {
  const [composed, decomposed] = ['sch\u00f6ne gr\u00fcne Boote', 'scho\u0308ne gru\u0308ne Boote'];
  const statusWith = async (account: string, typed: string) =>
    (await node.post('/api/user/login', { account, password: typed })).status;
  const given = await makeUser({ password: decomposed });
  expect([await statusWith(given.userName, composed), await statusWith(given.userName, decomposed)]).toEqual([
    200, 200,
  ]);

  // As hashed before passwords were normalized.
  const former = await makeUser();
  const unnormalized = await hash(decomposed, passwordCost);
  await node.db.database.run(setPassword, [former.id, unnormalized, new Date()]);
  expect(await statusWith(former.userName, composed)).toBe(401);
  const attempts = [1, 2, 3].map(() => statusWith(former.userName, decomposed));
  expect(await Promise.all(attempts)).toEqual([200, 200, 200]);
  const [renewed] = await node.db.database.run(findLogin, [former.userName]);
  expect(renewed?.password_hash).not.toBe(unnormalized);
  expect(await statusWith(former.userName, composed)).toBe(200);
  expect(await statusWith(former.userName, 'schone grune Boote')).toBe(401);
});

test('failures by user name and by e-mail address of one account count together', async () => {
  const user = await makeUser();
  for (const account of [user.userName, user.email]) {
    for (let i = 0; i < 5; i++) {
      expect((await node.post('/api/user/login', { account, password: 'wrong' })).status).toBe(401);
    }
  }
  for (const account of [user.userName, user.email]) {
    expect((await node.post('/api/user/login', { account, password })).status).toBe(429);
  }
});

test('user name and e-mail address both log in, in any case', async () => {
  const user = await makeUser();
  for (const account of [user.userName, user.userName.toUpperCase(), user.email, user.email.toUpperCase()]) {
    expect((await node.post('/api/user/login', { account, password })).status).toBe(200);
  }
});

test('a wrong password, an unknown account, a disabled user and a disabled tenant get the same refusal', async () => {
  const disabled = await makeUser({ state: false });
  const tenant = await node.post('/api/tenant/modify', { name: 'Closed Ltd', state: true }, { bearer: admin });
  const orphan = await makeUser({ tenantId: tenant.body.data.id });
  await node.post('/api/tenant/modify', { ...pick(tenant.body.data), state: false }, { bearer: admin });

  const replies = [];
  for (const [account, given] of [
    ['admin', 'wrong password'],
    ['nobody at all', password],
    [disabled.userName, password],
    [orphan.userName, password],
  ]) {
    const { status, body } = await node.post('/api/user/login', { account, password: given });
    replies.push({ status, message: body.message, error: { ...body.error, requestId: undefined } });
  }
  expect(replies[0]).toMatchObject({ status: 401, error: { type: 'login_refused' } });
  for (const reply of replies) expect(reply).toEqual(replies[0]);
});

test('a login to an unknown account computes a hash, as for a known account', async () => {
  const before = node.passwords.computed;
  await node.post('/api/user/login', { account: 'no such account', password: 'x' });
  expect(node.passwords.computed).toBe(before + 1);
});

test('200 parallel wrong passwords compute ten hashes; the others get 429 with Retry-After', async () => {
  const user = await makeUser();
  const before = node.passwords.computed;
  const replies = await Promise.all(
    Array.from({ length: 200 }, () => node.post('/api/user/login', { account: user.userName, password: 'wrong!' })),
  );
  expect(node.passwords.computed - before).toBe(10);
  expect(replies.filter((reply) => reply.status === 401)).toHaveLength(10);
  const limited = replies.filter((reply) => reply.status === 429);
  expect(limited).toHaveLength(190);
  expect(limited[0]?.body.error.type).toBe('too_many_attempts');
  const retryAfter = Number(limited[0]?.headers.get('retry-after'));
  expect(retryAfter).toBeGreaterThan(800);
  expect(retryAfter).toBeLessThanOrEqual(900);

  // The right password is refused too, or guessing could continue; other accounts from this address are not affected.
  expect((await node.post('/api/user/login', { account: user.userName, password })).status).toBe(429);
  expect((await node.post('/api/user/login', { account: 'admin', password: adminPassword })).status).toBe(200);

  node.advance(15 * 60_000);
  expect((await node.post('/api/user/login', { account: user.userName, password })).status).toBe(200);
});

test('successful logins are never limited: 40 parallel logins succeed and do not count as failures', async () => {
  const user = await makeUser();
  const logins = Array.from({ length: 40 }, () => node.post('/api/user/login', { account: user.userName, password }));
  for (const { status } of await Promise.all(logins)) expect(status).toBe(200);
  expect((await node.post('/api/user/login', { account: user.userName, password: 'wrong!' })).status).toBe(401);
});

test('a login with a password that a concurrent transaction changes starts no session', async () => {
  const user = await makeUser();
  const blocked =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into session%'";
  let login: Promise<Reply> | undefined;
  await node.db.database.transaction(async (transaction) => {
    await transaction.run(setPassword, [user.id, await node.passwords.hash('another harbour'), new Date(node.now())]);
    login = node.post('/api/user/login', { account: user.userName, password });
    // The login still sees the old password, so it must wait for the transaction to commit.
    await eventually('the login waits', async () => (await node.db.query(blocked)).length > 0);
  });
  expect((await login)?.status).toBe(401);
  expect(await node.db.query('select 1 from session where user_id = $1', [user.id])).toHaveLength(0);
});

test('logins concurrent with a change of password leave no live session', async () => {
  const user = await makeUser();
  const change = { ...pick(user), userName: user.userName, email: user.email, userType: 'MERCHANT_USER', state: true };
  const logins = Array.from({ length: 8 }, () => node.post('/api/user/login', { account: user.userName, password }));
  const changed = node.post('/api/user/modify', { ...change, password: 'another harbour' }, { bearer: admin });
  const replies = await Promise.all(logins);
  expect((await changed).status).toBe(200);
  for (const { status, body } of replies) {
    if (status === 200) {
      expect((await node.get('/api/user/info', { bearer: body.data.token.accessToken })).status).toBe(401);
    } else expect(status).toBe(401);
  }
});

test.each([
  [{ account: 'admin' }, 'password'],
  [{ password: 'x' }, 'account'],
  [{ account: 7, password: 'x' }, 'account'],
  [{ account: 'admin', password: 'x', remember: true }, 'remember'],
])('login with %j is refused naming %s', async (body, field) => {
  const reply = await node.post('/api/user/login', body);
  expect(reply.status).toBe(400);
  expect(reply.body.error).toMatchObject({ type: 'invalid_request', field });
});

function pick({ id, name }: { id: number; name?: string }) {
  return name === undefined ? { id } : { id, name };
}
