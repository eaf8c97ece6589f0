import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSettings } from '../../src/app/config/settings.ts';
import { codeAt, stepAt } from '../../src/domains/identity/second-factor/totp.ts';
import { freshKeyring } from '../../src/platform/crypto/keyring.ts';
import { dataOf, memberPassword } from '../support/factories.ts';
import { keptMails } from '../support/mail/kept-mails.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { Authenticator } from '../support/service/authenticator.ts';
import { florinOn, type Reply, type TestFlorin } from '../support/service/florin.ts';
import { challengeOf, type Enrolled, enrol, finishLogin } from '../support/service/second-factor.ts';

/** Everything that an operator has to give. */
const strict = {
  APP_SECURITY_PROFILE: 'strict',
  APP_ADMIN_ACCOUNT: 'chief',
  APP_PUBLIC_URL: 'https://pay.example.com',
  APP_ADMIN_PASSWORD: '',
};
const publicUrl = strict.APP_PUBLIC_URL;
const chief = { userName: 'chief' };
const refused = ({ status, body }: Reply) => [status, body.error?.type];
const bearerOf = ({ accessToken }: { accessToken: string }) => `Bearer ${accessToken}`;
const minuteMs = 60_000;

/** It advances only when a test says so. It begins with a time step, so that no code changes while it is checked. */
let nowMs = stepAt(Date.now()) * 30_000;

let db: TestDatabase;
let florin: TestFlorin;
let factor: Enrolled;

const environment = { ...strict, APP_ENCRYPTION_KEYS: freshKeyring(), APP_JWT_KEYS: freshKeyring() };

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, environment, () => nowMs);
});
afterAll(async () => {
  await florin.stop();
  await db.drop();
});

/** Each call is a step later, because a code works once. */
function freshCode({ secret }: Pick<Enrolled, 'secret'>): string {
  nowMs += 30_000;
  return codeAt(secret, stepAt(nowMs));
}

async function login(who: { userName: string } = chief, of: Enrolled = factor) {
  return dataOf(await finishLogin(florin, await challengeOf(florin, who), freshCode(of))).token;
}

const info = (token: { accessToken: string }) => florin.get('/api/user/info', bearerOf(token));
const refresh = (refreshToken: string) => florin.post('/api/user/refresh', { refreshToken });

describe('settings', () => {
  const lineOf = (given: Record<string, string>) => {
    try {
      readSettings({ ...strict, ...given }, undefined);
      return 'taken';
    } catch (error) {
      return (error as Error).message;
    }
  };

  test('one setting changes the defaults, and stronger values are accepted', () => {
    expect(readSettings(strict, undefined)).toMatchObject({
      'app.password.min-length': 8,
      'app.jwt.refresh-token-expire': 12 * 60 * minuteMs,
      'app.security.session-idle-timeout': 30 * minuteMs,
      'app.security.platform-second-factor': 'required',
      'app.rate-limit.requests-per-minute': 6000,
    });
    expect(lineOf({ APP_PASSWORD_MIN_LENGTH: '15', APP_SECURITY_SESSION_IDLE_TIMEOUT: '5m' })).toBe('taken');
    expect(lineOf({ DATABASE_URL: 'postgres://db.example/florin?sslmode=verify-full' })).toBe('taken');
    expect(lineOf({ DATABASE_URL: 'postgres://127.0.0.1/florin', APP_MAIL_URL: 'smtp://127.0.0.1:25' })).toBe('taken');
  });

  test.each([
    [{ APP_PASSWORD_MIN_LENGTH: '7' }, 'app.password.min-length of 8'],
    [{ APP_JWT_REFRESH_TOKEN_EXPIRE: '7d' }, 'app.jwt.refresh-token-expire of at most 12h'],
    [{ APP_SECURITY_SESSION_IDLE_TIMEOUT: '1h' }, 'app.security.session-idle-timeout of at most 30m'],
    [{ APP_SECURITY_PLATFORM_SECOND_FACTOR: 'optional' }, 'app.security.platform-second-factor=required'],
    [{ APP_ADMIN_ACCOUNT: 'Admin' }, 'app.admin.account that is none of the usual names'],
    [{ APP_ADMIN_PASSWORD: 'correct horse battery' }, 'no app.admin.password'],
    [{ APP_PUBLIC_URL: 'http://127.0.0.1:8080' }, 'app.public-url that begins with https:'],
    [{ APP_MAIL_URL: 'smtp://mail.example.com' }, 'app.mail.url with TLS'],
    [{ DATABASE_URL: 'postgres://db.example/florin' }, 'sslmode=verify-full in app.database.url'],
    [{ DATABASE_URL: 'postgres://127.0.0.1.evil.example/florin' }, 'sslmode=verify-full in app.database.url'],
    [{ APP_MAIL_URL: 'smtp://127.evil.example' }, 'app.mail.url with TLS'],
    [{ APP_SECURITY_STEP_UP_LIFETIME: '12h' }, 'app.security.step-up-lifetime of at most 10m'],
  ])('%j is refused', (given, line) => {
    expect(lineOf(given as never)).toMatch('app.security.profile=strict needs ');
    expect(lineOf(given as never)).toContain(line);
  });
});

describe('the first administrator (ASVS 6.3.2, 6.4.1)', () => {
  const invitation = async () => (await readFile(join(florin.dataDir, 'admin-invitation'), 'utf8')).trim();
  const tokenOf = (link: string) => new URL(link).searchParams.get('token');
  const choose = (token: string | null, newPassword: string) =>
    florin.post('/api/user/reset-password', { token, newPassword });

  test('has a link instead of a password, which expires after a day; a later start writes another', async () => {
    const first = await invitation();
    expect(first).toMatch(`${publicUrl}/reset-password?token=`);
    expect((await stat(join(florin.dataDir, 'admin-invitation'))).mode & 0o777).toBe(0o600);
    await expect(stat(join(florin.dataDir, 'admin-password'))).rejects.toThrow('ENOENT');
    nowMs += 24 * 60 * minuteMs;
    expect(refused(await choose(tokenOf(first), memberPassword))).toEqual([400, 'reset_token_invalid']);
    await florin.stop();
    florin = await florinOn(db, environment, () => nowMs);
    expect(await invitation()).not.toBe(first);
  });

  test('chooses a password of 8 characters or more (6.2.1), once', async () => {
    const token = tokenOf(await invitation());
    expect(refused(await choose(token, 'xkcd936'))).toEqual([400, 'password_too_weak']);
    expect((await choose(token, memberPassword)).status).toBe(200);
    expect(refused(await choose(token, 'another set of words'))).toEqual([400, 'reset_token_invalid']);
  });

  test('can do nothing but enrol a second factor first (6.3.3)', async () => {
    const as = await florin.login('chief', memberPassword);
    expect(refused(await florin.get('/api/tenant/list', as))).toEqual([403, 'second_factor_not_enrolled']);
    expect(refused(await florin.post('/api/developer/mine/generate', {}, as))).toEqual([
      403,
      'second_factor_not_enrolled',
    ]);
    factor = await enrol(florin, as, nowMs);
    expect((await florin.get('/api/tenant/list', factor.as)).status).toBe(200);
  });
});

test('the users of every tenant need a second factor, whatever the tenant says (6.3.3), and are invited', async () => {
  const as = bearerOf(await login());
  const tenantId = dataOf(await florin.post('/api/tenant/modify', { name: 'Shop', state: true }, as)).id;
  const user = { userName: 'mia', email: 'mia@shop.example', userType: 'MERCHANT_ADMIN', tenantId, state: true };
  dataOf(await florin.post('/api/user/modify', user, as));
  let token: string | undefined;
  await eventually('the invitation is mailed', async () => {
    const mail = (await keptMails(florin.dataDir)).find((text) => text.includes('mia@shop.example')) ?? '';
    [, token] = /token=(\S+)/.exec(mail) ?? [];
    return token !== undefined;
  });
  expect((await florin.post('/api/user/reset-password', { token, newPassword: memberPassword })).status).toBe(200);
  const mia = await florin.login('mia', memberPassword);
  expect(refused(await florin.get('/api/transaction/list', mia))).toEqual([403, 'second_factor_not_enrolled']);
  const { as: enrolled } = await enrol(florin, mia, nowMs);
  expect((await florin.get('/api/transaction/list', enrolled)).status).toBe(200);
});

test('a code is valid only in its own 30 seconds (6.5.5)', async () => {
  const challenge = await challengeOf(florin, chief);
  nowMs += 2 * minuteMs;
  for (const step of [stepAt(nowMs) - 1, stepAt(nowMs) + 1]) {
    expect(refused(await finishLogin(florin, challenge, codeAt(factor.secret, step)))).toEqual([400, 'code_wrong']);
  }
  expect((await finishLogin(florin, challenge, codeAt(factor.secret, stepAt(nowMs)))).status).toBe(200);
});

describe('tokens of a session (10.4.5, 7.2.4)', () => {
  test('a refresh replaces both, and a replaced refresh token ends the session', async () => {
    const first = await login();
    const second = dataOf(await refresh(first.refreshToken)).token;
    expect([(await info(first)).status, (await info(second)).status]).toEqual([401, 200]);
    const third = dataOf(await refresh(second.refreshToken)).token;
    expect((await info(third)).status).toBe(200);
    expect(refused(await refresh(first.refreshToken))).toEqual([401, 'credentials_invalid']);
    expect((await info(third)).status).toBe(401);
    expect(refused(await refresh(third.refreshToken))).toEqual([401, 'credentials_invalid']);
    const as = bearerOf(await login());
    const [entry] = dataOf(await florin.get('/api/audit/list?action=session.end_after_reuse', as));
    expect(entry).toMatchObject({ userName: 'chief', recordType: 'session' });
  });

  test('of refreshes at the same time with one token, at most one is answered', async () => {
    const { refreshToken } = await login();
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => refresh(refreshToken)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('on other nodes new tokens work at once, and replaced ones stop working', async () => {
    const other = await florinOn(db, environment, () => nowMs);
    try {
      const first = await login();
      const infoThere = (token: { accessToken: string }) => other.get('/api/user/info', bearerOf(token));
      expect((await infoThere(first)).status).toBe(200);
      const second = dataOf(await refresh(first.refreshToken)).token;
      expect((await infoThere(second)).status).toBe(200);
      expect((await infoThere(first)).status).toBe(401);
    } finally {
      await other.stop();
    }
  });

  test('a step-up replaces them, and the cookie in the console', async () => {
    const first = await login();
    const code = freshCode(factor);
    const { token } = dataOf(await florin.post('/api/user/step-up', { code }, bearerOf(first)));
    expect([(await info(first)).status, (await info(token)).status]).toEqual([401, 200]);
    expect((await refresh(token.refreshToken)).status).toBe(200);

    const own = { origin: publicUrl, 'sec-fetch-site': 'same-origin', 'x-florin-console': '1' };
    const send = (path: string, body: unknown, cookie?: string) =>
      florin.call('POST', path, { body, headers: { ...own, ...(cookie && { cookie }) } });
    const cookieOf = ({ headers }: Reply) => (headers.get('set-cookie') ?? '').split(';')[0] as string;
    const challenge = await challengeOf(florin, chief);
    const signedIn = await send('/api/console/session/second-factor', { challenge, code: freshCode(factor) });
    expect(signedIn.headers.get('set-cookie')).toMatch(/^__Host-florin=\S+; Max-Age=43200; .*Secure$/);
    const steppedUp = await send('/api/user/step-up', { code: freshCode(factor) }, cookieOf(signedIn));
    expect(steppedUp.body.data).toEqual({ steppedUpUntil: expect.any(String) });
    const statusWith = async (cookie: string) =>
      (await florin.call('GET', '/api/console/session', { headers: { ...own, cookie } })).status;
    expect([await statusWith(cookieOf(signedIn)), await statusWith(cookieOf(steppedUp))]).toEqual([401, 200]);
  });
});

test('a replaced token ends no session, neither its own nor others, as a token or as a cookie', async () => {
  const [first, other] = [await login(), await login()];
  const second = dataOf(await refresh(first.refreshToken)).token;
  for (const body of [{ all: true }, undefined]) {
    const reply = await florin.post('/api/user/logout', body, bearerOf(first));
    expect(refused(reply)).toEqual([401, 'credentials_invalid']);
  }
  expect([(await info(second)).status, (await info(other)).status]).toEqual([200, 200]);

  const own = { origin: publicUrl, 'sec-fetch-site': 'same-origin', 'x-florin-console': '1' };
  const send = (path: string, body: unknown, cookie?: string) =>
    florin.call('POST', path, { body, headers: { ...own, ...(cookie && { cookie }) } });
  const cookieOf = ({ headers }: Reply) => (headers.get('set-cookie') ?? '').split(';')[0] as string;
  const challenge = await challengeOf(florin, chief);
  const former = cookieOf(await send('/api/console/session/second-factor', { challenge, code: freshCode(factor) }));
  const present = cookieOf(await send('/api/user/step-up', { code: freshCode(factor) }, former));
  await send('/api/console/session/end', { all: true }, former);
  const statusWith = async (cookie: string) =>
    (await florin.call('GET', '/api/console/session', { headers: { ...own, cookie } })).status;
  expect([(await info(other)).status, await statusWith(present)]).toEqual([200, 200]);
});

test('enrolling replaces the tokens of the session, as every step-up does, by an app and by a passkey', async () => {
  const as = bearerOf(await login());
  const tenantId = dataOf(await florin.post('/api/tenant/modify', { name: 'Quay', state: true }, as)).id;
  for (const method of ['app', 'passkey'] as const) {
    const userName = `${method}-user`;
    const user = { userName, email: `${userName}@quay.example`, userType: 'MERCHANT_ADMIN', tenantId, state: true };
    dataOf(await florin.post('/api/user/modify', { ...user, password: memberPassword }, as));
    const opened = dataOf(await florin.post('/api/user/login', { account: userName, password: memberPassword })).token;
    const { token } = method === 'app' ? await enrolApp(bearerOf(opened)) : await enrolPasskey(bearerOf(opened));
    expect([(await info(opened)).status, (await info(token)).status]).toEqual([401, 200]);
    expect(refused(await refresh(opened.refreshToken))).toEqual([401, 'credentials_invalid']);
  }

  async function enrolApp(bearer: string) {
    const begun = dataOf(await florin.post('/api/user/second-factor/begin', { password: memberPassword }, bearer));
    return dataOf(await florin.post('/api/user/second-factor/confirm', { code: freshCode(begun) }, bearer));
  }

  async function enrolPasskey(bearer: string) {
    const { options } = dataOf(await florin.post('/api/user/passkey/begin', { password: memberPassword }, bearer));
    const credential = new Authenticator(publicUrl).create(options);
    return dataOf(await florin.post('/api/user/passkey/register', { credential }, bearer));
  }
});

test('ending other sessions needs a fresh login or step-up (7.5.2), ending the present one does not', async () => {
  const [stale, other] = [await login(), await login()];
  const sessions = dataOf(await florin.get('/api/session/list', bearerOf(other)));
  const { id } = sessions.find(({ current }: { current: boolean }) => current);
  nowMs += 11 * minuteMs;
  const as = bearerOf(stale);
  expect(refused(await florin.post('/api/session/revoke', { id }, as))).toEqual([403, 'step_up_required']);
  expect(refused(await florin.post('/api/session/revoke', { all: true }, as))).toEqual([403, 'step_up_required']);
  expect(refused(await florin.post('/api/user/logout', { all: true }, as))).toEqual([403, 'step_up_required']);
  const stepped = dataOf(await florin.post('/api/user/step-up', { code: freshCode(factor) }, as)).token;
  expect((await florin.post('/api/session/revoke', { id }, bearerOf(stepped))).status).toBe(200);
  expect((await info(other)).status).toBe(401);
  nowMs += 11 * minuteMs;
  expect((await florin.post('/api/user/logout', undefined, bearerOf(stepped))).status).toBe(200);
});

test('a session ends after 30 minutes without use, and after 12 hours (7.3)', async () => {
  const idle = await login();
  nowMs += 31 * minuteMs;
  expect((await info(idle)).status).toBe(200);
  nowMs += 32 * minuteMs;
  expect((await info(idle)).status).toBe(401);
  // The second one began before the profile was strict.
  for (const longer of ['0 days', '6 days']) {
    const tokens = await login();
    nowMs += 12 * 60 * minuteMs;
    await db.query(
      `update session set last_used_at = to_timestamp(${nowMs / 1000}), expires_at = expires_at + '${longer}'::interval
        where ended_at is null`,
    );
    expect([(await info(tokens)).status, (await refresh(tokens.refreshToken)).status]).toEqual([401, 401]);
  }
});
