import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  administratorOf,
  dataOf,
  type Member,
  makeMember,
  makeTenant,
  memberPassword,
} from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { Authenticator } from '../../../../../tests/support/service/authenticator.ts';
import { florinOn, type Reply, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { challengeOf, enrol, finishLogin } from '../../../../../tests/support/service/second-factor.ts';
import { codeAt, stepAt } from '../totp.ts';
import { relyingPartyOf } from './relying-party.ts';

const origin = 'https://pay.example.com';
const minuteMs = 60_000;

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let tenantId: number;
let aheadMs = 0;

const now = () => Date.now() + aheadMs;
const refused = ({ status, body }: Reply) => [status, body.error?.type];
const wrong = [400, 'passkey_wrong'];
const notLoggedIn = [401, 'login_refused'];

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_PUBLIC_URL: origin, APP_RATE_LIMIT_FAILURES_PER_ADDRESS: '1000' }, now);
  admin = await administratorOf(florin);
  tenantId = await makeTenant(florin, admin);
});

afterAll(async () => {
  await florin?.stop();
  await db?.drop();
});

/** So that the failures of one test do not limit the next. */
beforeEach(() => {
  aheadMs += 16 * minuteMs;
});

const newMember = (tenant = tenantId) => makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: tenant });

const begin = (as: string) => florin.post('/api/user/passkey/begin', { password: memberPassword }, as);

async function register(as: string, device = new Authenticator(origin), name = 'Phone') {
  const { options } = dataOf(await begin(as));
  const credential = device.create(options);
  return { device, ...dataOf(await florin.post('/api/user/passkey/register', { name, credential }, as)) };
}

async function newHolder() {
  const member = await newMember();
  return { member, ...(await register(member.as)) };
}

const optionsOf = async (challenge?: string) =>
  dataOf(await florin.post('/api/user/login/passkey/begin', challenge === undefined ? {} : { challenge })).options;

const finish = (credential: object, challenge?: string) =>
  florin.post('/api/user/login/passkey', { credential, ...(challenge !== undefined && { challenge }) });

const secondFactorOf = async ({ as }: Pick<Member, 'as'>) => dataOf(await florin.get('/api/user/second-factor', as));

describe('a passkey as second factor', () => {
  test('the first one creates recovery codes, ends the other sessions and steps up this one', async () => {
    const member = await newMember();
    const other = await florin.login(member.userName, memberPassword);
    const { recoveryCodes, passkey } = await register(member.as);
    expect(recoveryCodes).toHaveLength(10);
    expect(passkey).toMatchObject({ name: 'Phone', backedUp: false, lastUsedTime: null });
    expect((await florin.get('/api/user/info', other)).status).toBe(401);
    expect(dataOf(await florin.get('/api/user/info', member.as)).secondFactor).toBe(true);
    expect(await secondFactorOf(member)).toMatchObject({ active: false, passkeys: 1, recoveryCodesLeft: 10 });
    // Keys need a session that is stepped up.
    dataOf(await florin.post('/api/developer/mine/generate', {}, member.as));
    expect((await register(member.as, undefined, 'Laptop')).recoveryCodes).toBeNull();
  });

  test('finishes a login after the password; the password alone does not', async () => {
    const { member, device } = await newHolder();
    const login = await florin.post('/api/user/login', { account: member.userName, password: memberPassword });
    expect(refused(login)).toEqual([401, 'second_factor_challenge']);
    expect(login.body.error.details.methods).toEqual(['passkey', 'recovery_code']);
    const { challenge } = login.body.error.details;
    const options = await optionsOf(challenge);
    expect(options.allowCredentials).toMatchObject([{ id: device.id.toString('base64url') }]);
    const result = dataOf(await finish(device.get(options, { userVerified: false }), challenge));
    expect(result).toMatchObject({ userName: member.userName });
    const entries = dataOf(await florin.get('/api/audit/list?action=session.login&pageSize=1', admin));
    expect(entries[0]).toMatchObject({ by: 'passkey', details: { secondFactor: 'passkey' } });
  });

  test('a recovery code finishes the login of a user who has lost the device', async () => {
    const { member, recoveryCodes } = await newHolder();
    const reply = await finishLogin(florin, await challengeOf(florin, member), recoveryCodes[0]);
    const as = `Bearer ${dataOf(reply).token.accessToken}`;
    const [{ id }] = dataOf(await florin.get('/api/user/passkey/list', as));
    dataOf(await florin.post('/api/user/passkey/remove', { id }, as));
    await florin.login(member.userName, memberPassword);
  });

  test('counts where a tenant enforces a second factor', async () => {
    const strict = await makeTenant(florin, admin);
    const member = await newMember(strict);
    const tenant = { id: strict, name: `Strict ${strict}`, state: true, secondFactorRequired: true };
    dataOf(await florin.post('/api/tenant/modify', tenant, admin));
    expect(refused(await florin.get('/api/channel/list', member.as))).toEqual([403, 'second_factor_not_enrolled']);
    await register(member.as);
    expect((await florin.get('/api/channel/list', member.as)).status).toBe(200);
  });

  test('with an authenticator app as well, either finishes a login and either can be removed', async () => {
    const member = await newMember();
    const { secret } = await enrol(florin, member.as, now());
    const { device } = await register(member.as);
    const { passkeys, active } = await secondFactorOf(member);
    expect([passkeys, active]).toEqual([1, true]);
    aheadMs += 60_000;
    const challenge = await challengeOf(florin, member);
    dataOf(await finishLogin(florin, challenge, codeAt(secret, stepAt(now()))));
    aheadMs += 60_000;
    dataOf(await florin.post('/api/user/second-factor/remove', { code: codeAt(secret, stepAt(now())) }, member.as));
    expect(await secondFactorOf(member)).toMatchObject({ active: false, passkeys: 1, recoveryCodesLeft: 10 });
    const next = await challengeOf(florin, member);
    dataOf(await finish(device.get(await optionsOf(next)), next));
  });

  test('of another user does not finish the login', async () => {
    const [one, two] = [await newHolder(), await newHolder()];
    const challenge = await challengeOf(florin, one.member);
    expect(refused(await finish(two.device.get(await optionsOf(challenge)), challenge))).toEqual(notLoggedIn);
  });
});

describe('a passkey as the only step', () => {
  test('logs in without a name and a password, and the session is stepped up', async () => {
    const { member, device } = await newHolder();
    const options = await optionsOf();
    expect(options).toMatchObject({ rpId: 'pay.example.com', userVerification: 'required', allowCredentials: [] });
    const { token, userName } = dataOf(await finish(device.get(options)));
    expect(userName).toBe(member.userName);
    dataOf(await florin.post('/api/developer/mine/generate', {}, `Bearer ${token.accessToken}`));
  });

  test('signs in to the console', async () => {
    const { device } = await newHolder();
    const headers = { origin: florin.address, 'x-florin-console': '1' };
    const body = { credential: device.get(await optionsOf()) };
    const reply = await florin.call('POST', '/api/console/session/passkey', { body, headers });
    expect(reply).toMatchObject({ status: 200, body: { data: null } });
    expect(reply.headers.get('set-cookie')).toContain('HttpOnly');
    expect(refused(await florin.post('/api/console/session/passkey', body))).toEqual([403, 'origin_not_allowed']);
  });

  test('needs a PIN, a finger or a face', async () => {
    const { device } = await newHolder();
    expect(refused(await finish(device.get(await optionsOf(), { userVerified: false })))).toEqual(notLoggedIn);
  });

  test('is refused for a user who was disabled', async () => {
    const { member, device } = await newHolder();
    const { id, userName } = member;
    const email = `${userName}@example.com`;
    const change = { id, userName, email, userType: 'MERCHANT_ADMIN', state: false };
    dataOf(await florin.post('/api/user/modify', change, admin));
    expect(refused(await finish(device.get(await optionsOf())))).toEqual(notLoggedIn);
  });
});

describe('an answer of an authenticator', () => {
  test('works once, also when it is sent twice at the same time', async () => {
    const { device } = await newHolder();
    const credential = device.get(await optionsOf());
    const replies = await Promise.all([finish(credential), finish(credential), finish(credential)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    expect(refused(await finish(credential))).toEqual([400, 'challenge_invalid']);
  });

  test('is refused after five minutes, for another site, for another purpose and for a foreign challenge', async () => {
    const { member, device } = await newHolder();
    const old = device.get(await optionsOf());
    aheadMs += 5 * minuteMs;
    expect(refused(await finish(old))).toEqual(notLoggedIn);
    const options = await optionsOf();
    expect(refused(await finish(device.get(options, { origin: 'https://evil.example' })))).toEqual(notLoggedIn);
    expect(refused(await finish(device.get(options, { rpId: 'evil.example' })))).toEqual(notLoggedIn);
    const challenge = Buffer.from('a.b.c.d').toString('base64url');
    expect(refused(await finish(device.get(options, { challenge })))).toEqual(notLoggedIn);
    const stepUp = dataOf(await florin.post('/api/user/step-up/passkey/begin', undefined, member.as)).options;
    expect(refused(await finish(device.get(stepUp)))).toEqual(notLoggedIn);
    const forged = new Authenticator(origin);
    const credential = { ...forged.get(options), id: device.get(options).id, rawId: device.get(options).id };
    expect(refused(await finish(credential))).toEqual(notLoggedIn);
    expect(refused(await finish(forged.get(options)))).toEqual(notLoggedIn);
  });

  test('is refused when its counter has not increased, because the key pair was copied', async () => {
    const { device } = await newHolder();
    dataOf(await finish(device.get(await optionsOf(), { counter: 7 })));
    expect(refused(await finish(device.get(await optionsOf(), { counter: 7 })))).toEqual(notLoggedIn);
    dataOf(await finish(device.get(await optionsOf(), { counter: 8 })));
  });

  test('that is refused counts as a failed login', async () => {
    const member = await newMember();
    await register(member.as);
    const forged = new Authenticator(origin);
    const attempt = async () => {
      const options = await optionsOf();
      return refused(await finish(forged.get(options)))[0];
    };
    const statuses = [];
    for (let i = 0; i < 11; i++) statuses.push(await attempt());
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    const { device } = await newHolder();
    dataOf(await finish(device.get(await optionsOf())));
  });

  test('logs in however many logins have failed: alone, and after a password', async () => {
    const strict = await florinOn(db, { APP_PUBLIC_URL: origin, APP_RATE_LIMIT_FAILURES_PER_ADDRESS: '10' }, now);
    const { member, device } = await newHolder();
    const challenge = await challengeOf(strict, member);
    const attempt = () => strict.post('/api/user/login', { account: member.userName, password: 'wrong' });
    for (let i = 0; i < 10; i++) expect((await attempt()).status).toBe(401);
    expect((await attempt()).status).toBe(429);
    const begun = (body: object) => strict.post('/api/user/login/passkey/begin', body);
    for (const body of [{}, { challenge }]) {
      const { options } = dataOf(await begun(body));
      dataOf(await strict.post('/api/user/login/passkey', { ...body, credential: device.get(options) }));
    }
    await strict.stop();
  });
});

describe('managing passkeys', () => {
  test('a session is stepped up only with a passkey of its user', async () => {
    const [one, two] = [await newHolder(), await newHolder()];
    aheadMs += 11 * minuteMs;
    const key = () => florin.post('/api/developer/mine/generate', {}, one.member.as);
    expect(refused(await key())).toEqual([403, 'step_up_required']);
    const options = async (as: string) =>
      dataOf(await florin.post('/api/user/step-up/passkey/begin', undefined, as)).options;
    const send = (credential: object) => florin.post('/api/user/step-up/passkey', { credential }, one.member.as);
    expect(refused(await send(two.device.get(await options(one.member.as))))).toEqual(wrong);
    expect(refused(await send(one.device.get(await options(two.member.as))))).toEqual(wrong);
    expect(dataOf(await send(one.device.get(await options(one.member.as))))).toHaveProperty('steppedUpUntil');
    expect((await key()).status).toBe(200);
  });

  test('another one is added, and one is removed, only in a session that is stepped up', async () => {
    const { member, device, passkey } = await newHolder();
    aheadMs += 11 * minuteMs;
    expect(refused(await begin(member.as))).toEqual([403, 'step_up_required']);
    const app = await florin.post('/api/user/second-factor/begin', { password: memberPassword }, member.as);
    expect(refused(app)).toEqual([403, 'step_up_required']);
    const remove = () => florin.post('/api/user/passkey/remove', { id: passkey.id }, member.as);
    expect(refused(await remove())).toEqual([403, 'step_up_required']);
    const { options } = dataOf(await florin.post('/api/user/step-up/passkey/begin', undefined, member.as));
    dataOf(await florin.post('/api/user/step-up/passkey', { credential: device.get(options) }, member.as));
    dataOf(await remove());
    expect(await secondFactorOf(member)).toMatchObject({ active: false, passkeys: 0, recoveryCodesLeft: 0 });
    await florin.login(member.userName, memberPassword);
    expect(refused(await finish(device.get(await optionsOf())))).toEqual(notLoggedIn);
  });

  test('needs the right password to begin, and a credential made for this session', async () => {
    const [one, two] = [await newMember(), await newMember()];
    const wrongPassword = await florin.post('/api/user/passkey/begin', { password: 'wrong' }, one.as);
    expect(refused(wrongPassword)).toEqual([400, 'old_password_wrong']);
    const { options } = dataOf(await begin(one.as));
    const credential = new Authenticator(origin).create(options);
    expect(refused(await florin.post('/api/user/passkey/register', { credential }, two.as))).toEqual(wrong);
    dataOf(await florin.post('/api/user/passkey/register', { credential }, one.as));
    const again = await florin.post('/api/user/passkey/register', { credential }, one.as);
    expect(refused(again)).toEqual([400, 'challenge_invalid']);
  });

  test('a passkey of another user is neither shown, renamed nor removed', async () => {
    const [one, two] = [await newHolder(), await newHolder()];
    const { id } = one.passkey;
    expect(dataOf(await florin.get('/api/user/passkey/list', two.member.as))).toEqual([two.passkey]);
    const rename = (as: string) => florin.post('/api/user/passkey/modify', { id, name: 'Tablet' }, as);
    expect((await rename(two.member.as)).status).toBe(404);
    expect((await florin.post('/api/user/passkey/remove', { id }, two.member.as)).status).toBe(404);
    expect(dataOf(await rename(one.member.as))).toEqual({ ...one.passkey, name: 'Tablet' });
    const [entry] = dataOf(await florin.get('/api/audit/list?action=user.update_passkey&pageSize=1', admin));
    expect(entry.changes).toEqual({ name: { before: 'Phone', after: 'Tablet' } });
  });

  test('an administrator who removes the second factor of a user removes the passkeys', async () => {
    const { member, device } = await newHolder();
    dataOf(await florin.post('/api/user/second-factor/revoke', { id: member.id }, admin));
    expect(refused(await finish(device.get(await optionsOf())))).toEqual(notLoggedIn);
    await florin.login(member.userName, memberPassword);
  });

  test('a user has at most 20', async () => {
    const { member } = await newHolder();
    await db.query(
      `insert into passkey (id, user_id, credential_id, public_key, counter, transports, name, backed_up, created_at)
       select gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), '', 0, '{}', 'x', false, now()
           from generate_series(1, 19) i`,
      [member.id],
    );
    expect(refused(await begin(member.as))).toEqual([409, 'passkey_limit_reached']);
  });
});

test('passkeys belong to the host of the public address, and need a name', () => {
  expect(relyingPartyOf('https://pay.example.com:8443')).toEqual({
    id: 'pay.example.com',
    origin: 'https://pay.example.com:8443',
  });
  expect(relyingPartyOf('http://127.0.0.1:8080')).toEqual({ id: 'localhost', origin: 'http://localhost:8080' });
  expect(() => relyingPartyOf('http://192.168.0.7:8080')).toThrow('host name');
  expect(() => relyingPartyOf('http://[2001:db8::1]')).toThrow('host name');
});
