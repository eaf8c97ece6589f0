import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  administratorOf,
  dataOf,
  makeMember,
  makeTenant,
  memberPassword,
  unique,
} from '../../../../../tests/support/factories.ts';
import { keptMails } from '../../../../../tests/support/mail/kept-mails.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { anInteger, aRefusal, aText, aTime } from '../../../../../tests/support/shapes.ts';
import { scopes } from '../../../../core/scopes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let tenantId: number;
let aheadMs = 0;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_PUBLIC_URL: 'https://pay.example' }, () => Date.now() + aheadMs);
  admin = await administratorOf(florin);
  tenantId = await makeTenant(florin, admin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const login = (account: string, password: string) => florin.post('/api/user/login', { account, password });
const bearer = (token: string) => `Bearer ${token}`;

describe('login', () => {
  test('returns exactly the login result', async () => {
    const { status, body } = await login('admin', administratorPassword);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        code: 200,
        message: 'Login successful',
        data: {
          token: { accessToken: aText, refreshToken: aText, expiresIn: 86_400, tokenType: 'Bearer' },
          userType: 'PLATFORM_ADMIN',
          tenantId: null,
          deploymentMode: 'STANDALONE',
          userName: 'admin',
          userId: anInteger,
        },
      },
    });
  });

  test('names the tenant of a merchant as a string', async () => {
    const { userName, id } = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
    expect(dataOf(await login(userName, memberPassword))).toMatchObject({
      userType: 'MERCHANT_USER',
      tenantId: String(tenantId),
      userName,
      userId: id,
    });
  });

  test('accepts the user name or the e-mail address, in any case', async () => {
    const { userName, id } = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
    for (const account of [`${userName}@EXAMPLE.com`, userName.toUpperCase()]) {
      expect(dataOf(await login(account, memberPassword)).userId).toBe(id);
    }
  });

  test('gives a wrong password, an unknown account and a disabled user the same refusal', async () => {
    const off = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
    const email = `${off.userName}@example.com`;
    const change = { id: off.id, userName: off.userName, email, userType: 'MERCHANT_USER', state: false };
    dataOf(await florin.post('/api/user/modify', change, admin));
    const replies = [
      await login('admin', 'not the password'),
      await login(unique('stranger'), 'not the password'),
      await login(off.userName, memberPassword),
    ];
    for (const { status, body } of replies) {
      expect({ status, body }).toEqual({ status: 401, body: aRefusal(401, { type: 'login_refused' }) });
    }
    expect(new Set(replies.map(({ body }) => body.message)).size).toBe(1);
  });

  test('after ten failures within 15 minutes, refuses the account from that address with Retry-After', async () => {
    const { userName } = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
    for (let i = 0; i < 10; i++) expect((await login(userName, `wrong ${i}`)).status).toBe(401);
    const { status, headers, body } = await login(userName, memberPassword);
    expect({ status, body }).toEqual({ status: 429, body: aRefusal(429, { type: 'too_many_attempts' }) });
    const retryAfter = Number(headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(14 * 60);
    expect(retryAfter).toBeLessThanOrEqual(15 * 60);
    aheadMs += retryAfter * 1000;
    expect((await login(userName, memberPassword)).status).toBe(200);
    aheadMs = 0;
  });
});

describe('tokens', () => {
  test('the access token has the documented claims and is valid for 24 hours', async () => {
    const { userName, id } = await makeMember(florin, admin, {
      userType: 'MERCHANT_USER',
      tenantId,
      roles: ['viewer'],
    });
    const { token } = dataOf(await login(userName, memberPassword));
    const claims = decodeJwt(token.accessToken);
    expect(claims).toEqual({
      sub: String(id),
      username: userName,
      roles: ['viewer'],
      tenantId: String(tenantId),
      userType: 'MERCHANT_USER',
      iat: anInteger,
      exp: (claims.iat as number) + 86_400,
      iss: aText,
      aud: aText,
      jti: aText,
      sid: aText,
    });
    expect(Math.abs((claims.iat as number) * 1000 - Date.now())).toBeLessThan(60_000);
    expect(decodeProtectedHeader(token.accessToken)).toEqual({ alg: 'HS256', typ: 'at+jwt', kid: aText });
  });

  test('a platform administrator has no tenant and no roles', async () => {
    const { token } = dataOf(await login('admin', administratorPassword));
    expect(decodeJwt(token.accessToken)).toMatchObject({ tenantId: null, roles: [], userType: 'PLATFORM_ADMIN' });
  });

  test('the refresh token is valid for 7 days and has another type', async () => {
    const { token } = dataOf(await login('admin', administratorPassword));
    const { iat, exp, sid } = decodeJwt(token.refreshToken);
    expect((exp as number) - (iat as number)).toBe(7 * 86_400);
    expect(sid).toBe(decodeJwt(token.accessToken).sid);
    expect(decodeProtectedHeader(token.refreshToken).typ).not.toBe('at+jwt');
  });

  test('an expired access token is refused, and the refresh token gets a new one', async () => {
    const { token } = dataOf(await login('admin', administratorPassword));
    aheadMs += 86_400_000 + 1000;
    expect((await florin.get('/api/user/info', bearer(token.accessToken))).status).toBe(401);
    const fresh = dataOf(await florin.post('/api/user/refresh', { refreshToken: token.refreshToken }));
    expect((await florin.get('/api/user/info', bearer(fresh.accessToken))).status).toBe(200);
    aheadMs = 0;
  });

  test('both lifetimes can be configured', async () => {
    const short = await florinOn(db, {
      APP_JWT_ACCESS_TOKEN_EXPIRE: '90s',
      APP_JWT_REFRESH_TOKEN_EXPIRE: '2h',
    });
    try {
      const { token } = dataOf(
        await short.post('/api/user/login', { account: 'admin', password: administratorPassword }),
      );
      const lifetime = ({ iat, exp }: { iat?: number; exp?: number }) => (exp as number) - (iat as number);
      expect(token.expiresIn).toBe(90);
      expect(lifetime(decodeJwt(token.accessToken))).toBe(90);
      expect(lifetime(decodeJwt(token.refreshToken))).toBe(7200);
    } finally {
      await short.stop();
    }
  });
});

describe('refresh', () => {
  test('returns a new access token and the same refresh token, in data and in data.token', async () => {
    const { token } = dataOf(await login('admin', administratorPassword));
    const { status, body } = await florin.post('/api/user/refresh', { refreshToken: token.refreshToken });
    const { token: nested, ...flat } = body.data;
    expect(nested).toEqual(flat);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        code: 200,
        message: 'Token refreshed',
        data: {
          accessToken: aText,
          refreshToken: token.refreshToken,
          expiresIn: 86_400,
          tokenType: 'Bearer',
          token: expect.any(Object),
        },
      },
    });
    expect(body.data.accessToken).not.toBe(token.accessToken);
    expect((await florin.get('/api/user/info', bearer(body.data.accessToken))).status).toBe(200);
  });

  test('works until the session is 7 days old, and not longer', async () => {
    const { token } = dataOf(await login('admin', administratorPassword));
    aheadMs += 7 * 86_400_000 - 60_000;
    const late = dataOf(await florin.post('/api/user/refresh', { refreshToken: token.refreshToken }));
    expect(late.expiresIn).toBeLessThanOrEqual(60);
    aheadMs += 61_000;
    expect((await florin.post('/api/user/refresh', { refreshToken: token.refreshToken })).status).toBe(401);
    expect((await florin.get('/api/user/info', bearer(late.accessToken))).status).toBe(401);
    aheadMs = 0;
  });

  test('refuses any other token', async () => {
    const { token } = dataOf(await login('admin', administratorPassword));
    for (const refreshToken of [token.accessToken, 'garbage', `${token.refreshToken}x`]) {
      const { status, body } = await florin.post('/api/user/refresh', { refreshToken });
      expect({ status, body }).toEqual({ status: 401, body: aRefusal(401, { type: 'credentials_invalid' }) });
    }
  });
});

describe('logout', () => {
  test('ends the session at once: its tokens are refused, those of another session still work', async () => {
    const { token } = dataOf(await login('admin', administratorPassword));
    const other = dataOf(await login('admin', administratorPassword));
    const { status, body } = await florin.post('/api/user/logout', undefined, bearer(token.accessToken));
    expect({ status, body }).toEqual({ status: 200, body: { code: 200, message: 'Logged out', data: null } });
    expect((await florin.get('/api/user/info', bearer(token.accessToken))).status).toBe(401);
    expect((await florin.post('/api/user/refresh', { refreshToken: token.refreshToken })).status).toBe(401);
    expect((await florin.get('/api/user/info', bearer(other.token.accessToken))).status).toBe(200);
  });

  test('again is not an error', async () => {
    const { token } = dataOf(await login('admin', administratorPassword));
    const logout = () => florin.post('/api/user/logout', undefined, bearer(token.accessToken));
    expect([(await logout()).status, (await logout()).status]).toEqual([200, 200]);
  });

  test('with all, ends every session of the user and no session of another user', async () => {
    const { userName } = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
    const first = dataOf(await login(userName, memberPassword)).token;
    const second = dataOf(await login(userName, memberPassword)).token;
    expect((await florin.post('/api/user/logout', { all: true }, bearer(first.accessToken))).status).toBe(200);
    expect((await florin.get('/api/user/info', bearer(second.accessToken))).status).toBe(401);
    expect((await florin.post('/api/user/refresh', { refreshToken: second.refreshToken })).status).toBe(401);
    expect((await florin.get('/api/user/info', admin)).status).toBe(200);
  });
});

describe('a password reset', () => {
  const forgot = (email: string) => florin.post('/api/user/forgot-password', { email });
  const reset = (token: string, newPassword: string) => florin.post('/api/user/reset-password', { token, newPassword });

  async function mailedTo(userName: string): Promise<string> {
    return eventually(`a mail to ${userName}`, async () =>
      (await keptMails(florin.dataDir)).find((text) => text.includes(`To: ${userName}@example.com`)),
    );
  }

  test('works once with the mailed token and ends every session', async () => {
    const { userName, as } = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
    const { status, body } = await forgot(`${userName}@example.com`);
    expect({ status, body }).toEqual({ status: 200, body: { code: 200, message: aText, data: null } });
    const mail = await mailedTo(userName);
    const [, token = ''] = /https:\/\/pay\.example\/reset-password\?token=([\w-]+)/.exec(mail) ?? [];
    expect(token.length).toBeGreaterThanOrEqual(43); // 256 bits.
    const done = await reset(token, 'another quiet river');
    expect(done.body).toEqual({ code: 200, message: 'Password reset', data: null });
    expect((await florin.get('/api/user/info', as)).status).toBe(401);
    expect((await login(userName, memberPassword)).status).toBe(401);
    expect((await login(userName, 'another quiet river')).status).toBe(200);
    const again = await reset(token, 'yet another river');
    expect(again.body).toEqual(aRefusal(400, { type: 'reset_token_invalid', field: 'token' }));
  });

  test('is answered the same for an unknown address', async () => {
    const { userName } = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
    const known = await forgot(`${userName}@example.com`);
    const unknown = await forgot('stranger@example.com');
    expect({ status: unknown.status, body: unknown.body }).toEqual({ status: known.status, body: known.body });
  });

  test('works within 30 minutes', async () => {
    const { userName } = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
    await forgot(`${userName}@example.com`);
    const [, token = ''] = /token=([\w-]+)/.exec(await mailedTo(userName)) ?? [];
    aheadMs += 30 * 60_000 + 1000;
    expect((await reset(token, 'another quiet river')).body.error.type).toBe('reset_token_invalid');
    aheadMs = 0;
  });

  test('refuses a password of fewer than 6 characters', async () => {
    const { status, body } = await reset('whatever', '12345');
    expect({ status, body }).toEqual({
      status: 400,
      body: aRefusal(400, { type: 'password_too_weak', field: 'newPassword' }),
    });
  });
});

describe('the current user', () => {
  test('is returned with their roles and scopes', async () => {
    const roles = ['cashier'];
    const { id, userName, as } = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId, roles });
    expect((await florin.get('/api/user/info', as)).body).toEqual({
      code: 200,
      data: {
        userId: id,
        userName,
        email: `${userName}@example.com`,
        userType: 'MERCHANT_USER',
        tenantId: String(tenantId),
        roles,
        secondFactor: false,
        scopes: expect.arrayContaining([
          'transaction_write',
          'transaction_read',
          'user_read',
          'channel_read',
          'invoice_read',
          'subscription_read',
        ]),
        createdTime: aTime,
      },
    });
  });

  test('an administrator holds every scope', async () => {
    const { tenantId: tenant, scopes: held } = dataOf(await florin.get('/api/user/info', admin));
    expect(tenant).toBeNull();
    expect(held.toSorted()).toEqual(scopes.toSorted());
  });
});

describe('users', () => {
  test('are created and updated by modify, and shown without any password', async () => {
    const userName = unique('user');
    const input = { userName, email: `${userName}@example.com`, userType: 'MERCHANT_USER', tenantId, state: true };
    const created = await florin.post('/api/user/modify', { ...input, password: memberPassword }, admin);
    const record = {
      id: anInteger,
      userName,
      email: `${userName}@example.com`,
      userType: 'MERCHANT_USER',
      tenantId: String(tenantId),
      roles: [],
      state: true,
      invited: false,
      secondFactor: false,
      createdTime: aTime,
      updatedTime: aTime,
    };
    expect(created.body).toEqual({ code: 200, message: 'User created', data: record });
    const change = { ...input, id: created.body.data.id, roles: ['operator'] };
    const updated = await florin.post('/api/user/modify', change, admin);
    expect(updated.body).toEqual({
      code: 200,
      message: 'User updated',
      data: { ...record, roles: ['operator'], updatedTime: aTime },
    });
    expect(dataOf(await florin.get('/api/user/list', admin))[0]).toEqual(updated.body.data);
  });

  test('are listed in pages', async () => {
    for (let i = 0; i < 3; i++) await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
    const { body } = await florin.get('/api/user/list?page=2&pageSize=2', admin);
    expect(body.data).toHaveLength(2);
    expect(body.pagination).toMatchObject({ page: 2, pageSize: 2, totalPages: Math.ceil(body.pagination.total / 2) });
    expect((await florin.get('/api/user/list', admin)).body.pagination).toMatchObject({ page: 1, pageSize: 20 });
    expect((await florin.get('/api/user/list?pageSize=101', admin)).body.error.field).toBe('pageSize');
  });

  test('user names and e-mail addresses are unique, ignoring case', async () => {
    const { userName } = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
    const input = { password: memberPassword, userType: 'MERCHANT_USER', state: true };
    const twin = { ...input, userName: userName.toUpperCase(), email: 'twin@example.com' };
    expect((await florin.post('/api/user/modify', twin, admin)).body).toEqual(
      aRefusal(409, { type: 'account_taken', field: 'userName' }),
    );
    const namesake = { ...input, userName: unique('user'), email: `${userName.toUpperCase()}@Example.com` };
    expect((await florin.post('/api/user/modify', namesake, admin)).body).toEqual(
      aRefusal(409, { type: 'account_taken', field: 'email' }),
    );
  });

  test('the last platform administrator cannot be disabled', async () => {
    const { userId, userName, email } = dataOf(await florin.get('/api/user/info', admin));
    const off = { id: userId, userName, email, userType: 'PLATFORM_ADMIN', state: false };
    const { status, body } = await florin.post('/api/user/modify', off, admin);
    expect({ status, body }).toEqual({ status: 409, body: aRefusal(409, { type: 'last_administrator' }) });
  });

  test('a merchant administrator creates users of its own tenant, and no platform administrator', async () => {
    const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const input = () => {
      const userName = unique('user');
      return { userName, email: `${userName}@example.com`, password: memberPassword, state: true };
    };
    const make = (facts: object) => florin.post('/api/user/modify', { ...input(), ...facts }, as);
    expect((await make({ userType: 'MERCHANT_USER' })).body.data.tenantId).toBe(String(tenantId));
    expect((await make({ userType: 'PLATFORM_ADMIN' })).status).toBe(403);
    const elsewhere = await makeTenant(florin, admin);
    expect((await make({ userType: 'MERCHANT_USER', tenantId: elsewhere })).status).toBe(404);
    expect((await make({ userType: 'MERCHANT_USER', tenantId: 0 })).status).toBe(404);
  });
});

describe('tenants', () => {
  test('are created, updated and listed', async () => {
    const name = unique('Tenant');
    const created = await florin.post('/api/tenant/modify', { name, state: true }, admin);
    const record = {
      id: anInteger,
      name,
      state: true,
      secondFactorRequired: false,
      address: null,
      taxId: null,
      customerMails: false,
      mailLanguage: 'en',
      reopenInvoices: 'RETURNED',
      createdTime: aTime,
      updatedTime: aTime,
    };
    expect(created.body).toEqual({ code: 200, message: 'Tenant created', data: record });
    const { id } = created.body.data;
    const updated = await florin.post('/api/tenant/modify', { id, name: `${name} Ltd`, state: true }, admin);
    expect(updated.body).toEqual({
      code: 200,
      message: 'Tenant updated',
      data: { ...record, name: `${name} Ltd`, updatedTime: aTime },
    });
    expect(dataOf(await florin.get('/api/tenant/list', admin))).toContainEqual(updated.body.data);
  });

  test('when disabled, refuse their logins, sessions and keys', async () => {
    const id = await makeTenant(florin, admin);
    const { userName, as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: id });
    const { sk } = dataOf(await florin.post('/api/developer/mine/generate', {}, as));
    dataOf(await florin.post('/api/tenant/modify', { id, name: 'Off', state: false }, admin));
    expect((await login(userName, memberPassword)).status).toBe(401);
    expect((await florin.get('/api/user/info', as)).status).toBe(401);
    expect((await florin.get('/api/transaction/list', `ApiKey ${sk}`)).status).toBe(401);
  });
});
