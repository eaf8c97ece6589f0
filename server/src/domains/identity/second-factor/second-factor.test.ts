import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  administratorOf,
  channelInput,
  dataOf,
  type Member,
  makeChannel,
  makeKey,
  makeMember,
  makePaid,
  makeTenant,
  memberPassword,
  unique,
} from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type Reply, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { challengeOf, type Enrolled, enrol, finishLogin } from '../../../../tests/support/service/second-factor.ts';
import { findLogin, startSession } from '../sessions/statements.ts';
import { hashOfPasswordToken } from '../users/password-tokens.ts';
import { codeAt, stepAt } from './totp.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let tenantId: number;
let aheadMs = 0;

const now = () => Date.now() + aheadMs;
const minuteMs = 60_000;
const refused = ({ status, body }: Reply) => [status, body.error?.type];
const bearerOf = (reply: Reply) => `Bearer ${dataOf(reply).token.accessToken}`;

/** A code that was not used before: each call is a step later. */
function freshCode({ secret }: Pick<Enrolled, 'secret'>): string {
  aheadMs += 30_000;
  return codeAt(secret, stepAt(now()));
}

function wrongCode({ secret }: Enrolled): string {
  const near = [-2, -1, 0, 1, 2].map((offset) => codeAt(secret, stepAt(now()) + offset));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) as string;
}

const newMember = (userType: 'MERCHANT_ADMIN' | 'MERCHANT_USER' = 'MERCHANT_ADMIN', tenant = tenantId) =>
  makeMember(florin, admin, { userType, tenantId: tenant, roles: ['operator'] });

async function newEnrolled(): Promise<{ member: Member; factor: Enrolled }> {
  const member = await newMember();
  return { member, factor: await enrol(florin, member.as, now()) };
}

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(
    db,
    { APP_SECURITY_STEP_UP_REFUND_AMOUNT: '5000', APP_SERVER_TRUST_PROXY: '127.0.0.0/8' },
    now,
  );
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

describe('login', () => {
  test('a password alone gets no session once a factor is confirmed, and a code finishes the login', async () => {
    const { member, factor } = await newEnrolled();
    const first = await florin.post('/api/user/login', { account: member.userName, password: memberPassword });
    expect(refused(first)).toEqual([401, 'second_factor_challenge']);
    expect(first.body.data).toBeNull();
    const { challenge } = first.body.error.details;
    const result = dataOf(await finishLogin(florin, challenge, freshCode(factor)));
    expect(Object.keys(result).toSorted()).toEqual(
      ['deploymentMode', 'tenantId', 'token', 'userId', 'userName', 'userType'].toSorted(),
    );
    const info = dataOf(await florin.get('/api/user/info', `Bearer ${result.token.accessToken}`));
    expect(info).toMatchObject({ userName: member.userName, secondFactor: true });
  });

  test('a factor that was begun and not confirmed changes nothing', async () => {
    const member = await newMember();
    dataOf(await florin.post('/api/user/second-factor/begin', { password: memberPassword }, member.as));
    await florin.login(member.userName, memberPassword);
  });

  test('a wrong password does not reveal the factor', async () => {
    const { member } = await newEnrolled();
    const reply = await florin.post('/api/user/login', { account: member.userName, password: 'wrong' });
    expect(refused(reply)).toEqual([401, 'login_refused']);
  });

  test('a code works once, also when two logins send it at the same time', async () => {
    const { member, factor } = await newEnrolled();
    const challenges = [await challengeOf(florin, member), await challengeOf(florin, member)];
    const code = freshCode(factor);
    const replies = await Promise.all(challenges.map((challenge) => finishLogin(florin, challenge, code)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const later = await finishLogin(florin, await challengeOf(florin, member), code);
    expect(refused(later)).toEqual([400, 'code_wrong']);
  });

  test('a challenge works once, for five tries and five minutes, and not after the password has changed', async () => {
    const { member, factor } = await newEnrolled();
    const used = await challengeOf(florin, member);
    dataOf(await finishLogin(florin, used, freshCode(factor)));
    expect(refused(await finishLogin(florin, used, freshCode(factor)))).toEqual([400, 'challenge_invalid']);

    const tried = await challengeOf(florin, member);
    for (let i = 0; i < 5; i++) {
      expect(refused(await finishLogin(florin, tried, wrongCode(factor)))).toEqual([400, 'code_wrong']);
    }
    expect(refused(await finishLogin(florin, tried, freshCode(factor)))).toEqual([400, 'challenge_invalid']);

    const late = await challengeOf(florin, member);
    aheadMs += 5 * minuteMs;
    expect(refused(await finishLogin(florin, late, freshCode(factor)))).toEqual([400, 'challenge_invalid']);

    const outdated = await challengeOf(florin, member);
    const changed = { id: member.id, userName: member.userName, email: `${member.userName}@example.com` };
    const password = 'another plenty of rivers';
    dataOf(
      await florin.post('/api/user/modify', { ...changed, userType: 'MERCHANT_ADMIN', state: true, password }, admin),
    );
    expect(refused(await finishLogin(florin, outdated, freshCode(factor)))).toEqual([400, 'challenge_invalid']);
    // A password that an administrator sets does not bypass the factor either.
    await challengeOf(florin, member, password);
  });

  test('a password reset by mail does not bypass the factor', async () => {
    const { member } = await newEnrolled();
    const [token, newPassword] = ['a token of a mail', 'yet another plenty of rivers'];
    const text = 'insert into password_reset (token_hash, user_id, expires_at) values ($1, $2, $3)';
    const values = [hashOfPasswordToken(token), member.id, new Date(now() + minuteMs)];
    await db.database.run({ name: '', text }, values);
    const open = await challengeOf(florin, member);
    dataOf(await florin.post('/api/user/reset-password', { token, newPassword }));
    await challengeOf(florin, member, newPassword);
    expect(refused(await finishLogin(florin, open, '123456'))).toEqual([400, 'challenge_invalid']);
  });

  test('a login that began before the factor was confirmed starts no session after it', async () => {
    const member = await newMember();
    const [user] = await db.database.run(findLogin, [member.userName]);
    await enrol(florin, member.as, now());
    const times = [new Date(now()), new Date(now() + minuteMs)];
    const values = [randomUUID(), member.id, user?.password_hash, ...times, null, null, null];
    expect(await db.database.run(startSession, values)).toEqual([]);
  });

  test('after ten wrong codes from any addresses no code is accepted for 15 minutes', async () => {
    const { member, factor } = await newEnrolled();
    let address = 0;
    const tryCode = async (challenge: string, code: string) => {
      const headers = { 'x-forwarded-for': `192.0.2.${++address}` };
      const body = { challenge, code };
      return refused(await florin.call('POST', '/api/user/login/second-factor', { body, headers }));
    };
    for (const challenge of [await challengeOf(florin, member), await challengeOf(florin, member)]) {
      for (let i = 0; i < 5; i++) expect(await tryCode(challenge, wrongCode(factor))).toEqual([400, 'code_wrong']);
    }
    const challenge = await challengeOf(florin, member);
    expect(await tryCode(challenge, freshCode(factor))).toEqual([429, 'too_many_attempts']);
    expect(await tryCode(challenge, factor.recoveryCodes[0] as string)).toEqual([429, 'too_many_attempts']);
    aheadMs += 15 * minuteMs;
    dataOf(await finishLogin(florin, await challengeOf(florin, member), freshCode(factor)));
  });

  test('a wrong code counts as a failed login', async () => {
    const { member, factor } = await newEnrolled();
    const challenge = await challengeOf(florin, member);
    for (let i = 0; i < 5; i++) await finishLogin(florin, challenge, wrongCode(factor));
    for (let i = 0; i < 5; i++) {
      await florin.post('/api/user/login', { account: member.userName, password: 'wrong' });
    }
    const reply = await florin.post('/api/user/login', { account: member.userName, password: memberPassword });
    expect(refused(reply)).toEqual([429, 'too_many_attempts']);
  });

  test('a code may be typed in two groups, as apps show it', async () => {
    const { member, factor } = await newEnrolled();
    for (const between of [' ', '-', '\u00a0']) {
      const typed = freshCode(factor).replace(/^(...)(...)$/, `$1${between}$2`);
      dataOf(await finishLogin(florin, await challengeOf(florin, member), typed));
    }
  });

  test('a recovery code works once, in any spelling, and new ones replace the old', async () => {
    const { member, factor } = await newEnrolled();
    const [first = '', second = ''] = factor.recoveryCodes;
    expect(factor.recoveryCodes).toHaveLength(10);
    const spelled = first.replaceAll('-', ' ').toLowerCase();
    const as = bearerOf(await finishLogin(florin, await challengeOf(florin, member), spelled));
    expect(refused(await finishLogin(florin, await challengeOf(florin, member), first))).toEqual([400, 'code_wrong']);
    expect(dataOf(await florin.get('/api/user/second-factor', as))).toMatchObject({
      active: true,
      recoveryCodesLeft: 9,
    });

    const code = freshCode(factor);
    const { recoveryCodes } = dataOf(await florin.post('/api/user/second-factor/recovery-codes', { code }, as));
    expect(refused(await finishLogin(florin, await challengeOf(florin, member), second))).toEqual([400, 'code_wrong']);
    dataOf(await finishLogin(florin, await challengeOf(florin, member), recoveryCodes[0]));
  });

  test('secrets and codes are not in the database in plain text', async () => {
    const { factor } = await newEnrolled();
    const secrets = await db.query('select secret_sealed from second_factor');
    expect(secrets.some(({ secret_sealed: sealed }) => (sealed as Buffer).includes(factor.secret))).toBe(false);
    const codes = await db.query('select code_hash from recovery_code');
    expect(new Set(codes.map(({ code_hash: hash }) => (hash as Buffer).length))).toEqual(new Set([32]));
  });
});

describe('enrolment', () => {
  test('it needs the password, and ends the other sessions', async () => {
    const member = await newMember();
    const other = await florin.login(member.userName, memberPassword);
    const reply = await florin.post('/api/user/second-factor/begin', { password: 'wrong' }, member.as);
    expect(refused(reply)).toEqual([400, 'old_password_wrong']);
    await enrol(florin, member.as, now());
    expect((await florin.get('/api/user/info', other)).status).toBe(401);
    expect((await florin.get('/api/user/info', member.as)).status).toBe(200);
    const again = await florin.post('/api/user/second-factor/begin', { password: memberPassword }, member.as);
    expect(refused(again)).toEqual([409, 'second_factor_active']);
  });

  test('a session that has ended meanwhile confirms nothing', async () => {
    const member = await newMember();
    const { secret } = dataOf(
      await florin.post('/api/user/second-factor/begin', { password: memberPassword }, member.as),
    );
    // Without a notification, as if the session ended after the request was authenticated.
    await db.query(`update session set ended_at = now() where user_id = ${member.id}`);
    const reply = await florin.post('/api/user/second-factor/confirm', { code: freshCode({ secret }) }, member.as);
    expect(refused(reply)).toEqual([401, 'credentials_invalid']);
    await florin.login(member.userName, memberPassword);
  });

  test('without a factor there is nothing to confirm, remove or step up with', async () => {
    const { as } = await newMember();
    for (const path of ['second-factor/confirm', 'second-factor/remove', 'second-factor/recovery-codes', 'step-up']) {
      const reply = await florin.post(`/api/user/${path}`, { code: '123456' }, as);
      expect(refused(reply)).toEqual([409, 'second_factor_absent']);
    }
  });

  test('its owner removes it with a code, never without', async () => {
    const { member, factor } = await newEnrolled();
    const remove = (code: string) => florin.post('/api/user/second-factor/remove', { code }, member.as);
    expect(refused(await remove(wrongCode(factor)))).toEqual([400, 'code_wrong']);
    dataOf(await remove(factor.recoveryCodes[0] as string));
    await florin.login(member.userName, memberPassword);
  });

  test("an administrator removes a user's factor and ends the sessions; other tenants see nothing", async () => {
    const { member } = await newEnrolled();
    const stranger = await newMember('MERCHANT_ADMIN', await makeTenant(florin, admin));
    const colleague = await newMember();
    const clerk = await newMember('MERCHANT_USER');
    const revoke = (as: string) => florin.post('/api/user/second-factor/revoke', { id: member.id }, as);
    expect(refused(await revoke(stranger.as))).toEqual([404, 'record_not_found']);
    expect(refused(await revoke(clerk.as))).toEqual([403, 'role_missing']);
    expect(refused(await revoke(member.as))).toEqual([403, 'role_missing']);
    dataOf(await revoke(colleague.as));
    expect((await florin.get('/api/user/info', member.as)).status).toBe(401);
    await florin.login(member.userName, memberPassword);
    expect(refused(await revoke(colleague.as))).toEqual([409, 'second_factor_absent']);
  });

  test('the audit log has the method of every change and login', async () => {
    const { member, factor } = await newEnrolled();
    dataOf(await florin.post('/api/user/step-up', { code: freshCode(factor) }, member.as));
    dataOf(await finishLogin(florin, await challengeOf(florin, member), factor.recoveryCodes[0] as string));
    dataOf(await florin.post('/api/user/second-factor/remove', { code: freshCode(factor) }, member.as));
    const entries = dataOf(await florin.get(`/api/audit/list?userId=${member.id}&pageSize=5`, admin));
    const seen = entries.map(({ action, details }: { action: string; details: { secondFactor?: string } }) => [
      action,
      details.secondFactor,
    ]);
    expect(seen.slice(0, 4)).toEqual([
      ['user.remove_second_factor', 'totp'],
      ['session.login', 'recovery_code'],
      ['session.step_up', 'totp'],
      ['user.add_second_factor', undefined],
    ]);
    expect(JSON.stringify(entries)).not.toContain(factor.secret);
  });
});

describe('a tenant that requires a second factor', () => {
  test('limits sessions of users without one to enrolling, until they have enrolled', async () => {
    const tenant = await makeTenant(florin, admin);
    const member = await newMember('MERCHANT_ADMIN', tenant);
    const key = await makeKey(florin, member.as, 'user_read');
    dataOf(await florin.get('/api/user/list', member.as));
    const changed = { id: tenant, name: unique('Tenant'), state: true, secondFactorRequired: true };
    expect(dataOf(await florin.post('/api/tenant/modify', changed, admin)).secondFactorRequired).toBe(true);

    expect(refused(await florin.get('/api/user/list', member.as))).toEqual([403, 'second_factor_not_enrolled']);
    const fresh = await florin.login(member.userName, memberPassword);
    for (const path of ['/api/user/list', '/api/developer/mine', '/api/session/list', '/api/transaction/list']) {
      expect(refused(await florin.get(path, fresh))).toEqual([403, 'second_factor_not_enrolled']);
    }
    dataOf(await florin.get('/api/user/info', fresh));
    dataOf(await florin.get('/api/user/list', key.as));

    const factor = await enrol(florin, fresh, now());
    dataOf(await florin.get('/api/user/list', fresh));
    dataOf(await florin.post('/api/user/second-factor/remove', { code: freshCode(factor) }, fresh));
    expect(refused(await florin.get('/api/user/list', fresh))).toEqual([403, 'second_factor_not_enrolled']);
    // An update that does not name it keeps it.
    const renamed = await florin.post('/api/tenant/modify', { id: tenant, name: unique('Tenant'), state: true }, admin);
    expect(dataOf(renamed).secondFactorRequired).toBe(true);
  });

  test('the platform requires one by a setting', async () => {
    const strict = await florinOn(db, { APP_SECURITY_PLATFORM_SECOND_FACTOR: 'required' }, now);
    try {
      const as = await administratorOf(strict);
      expect(refused(await strict.get('/api/tenant/list', as))).toEqual([403, 'second_factor_not_enrolled']);
    } finally {
      await strict.stop();
    }
  });
});

describe('step-up', () => {
  const secrets = () => channelInput({ apiKey: 'pk_1' });

  test('an old session of a user with a factor needs a fresh code for keys, users and secrets', async () => {
    const { member, factor } = await newEnrolled();
    const { as } = member;
    const user = () => {
      const userName = unique('user');
      return { userName, email: `${userName}@example.com`, userType: 'MERCHANT_USER', state: true };
    };
    const attempts = {
      '/api/developer/mine/generate': () => ({ scope: 'user_read' }),
      '/api/channel/modify': secrets,
      '/api/user/modify': user,
    };
    const { id } = await makeKey(florin, as); // Enrolling has proven the factor just now.
    aheadMs += 10 * minuteMs;
    for (const [path, body] of Object.entries(attempts)) {
      expect(refused(await florin.post(path, body(), as))).toEqual([403, 'step_up_required']);
    }
    expect(refused(await florin.post('/api/developer/mine/rotate', { id }, as))).toEqual([403, 'step_up_required']);
    dataOf(await florin.post('/api/channel/modify', channelInput(), as));

    expect(refused(await florin.post('/api/user/step-up', { code: wrongCode(factor) }, as))).toEqual([
      400,
      'code_wrong',
    ]);
    dataOf(await florin.post('/api/user/step-up', { code: freshCode(factor) }, as));
    for (const [path, body] of Object.entries(attempts)) dataOf(await florin.post(path, body(), as));

    aheadMs += 10 * minuteMs;
    expect(refused(await florin.post('/api/channel/modify', secrets(), as))).toEqual([403, 'step_up_required']);
  });

  test('it applies to one session only, and a login with a code counts', async () => {
    const { member, factor } = await newEnrolled();
    aheadMs += 10 * minuteMs;
    const fresh = bearerOf(await finishLogin(florin, await challengeOf(florin, member), freshCode(factor)));
    await makeKey(florin, fresh);
    const reply = await florin.post('/api/developer/mine/generate', {}, member.as);
    expect(refused(reply)).toEqual([403, 'step_up_required']);
  });

  test('refunds need it from the configured amount on; keys, and users without a factor, do not', async () => {
    const { member, factor } = await newEnrolled();
    const { as } = member;
    const key = await makeKey(florin, as, 'transaction_refund,transaction_read');
    const channel = await makeChannel(florin, as);
    const [first, second, third] = [
      await makePaid(florin, as, channel, { amount: 5000 }),
      await makePaid(florin, as, channel, { amount: 5000 }),
      await makePaid(florin, as, channel, { amount: 5000 }),
    ];
    const refund = (transactionId: string | undefined, by: string, amount?: number) =>
      florin.post('/api/refund/create', { transactionId, amount }, by);
    aheadMs += 10 * minuteMs;
    expect(refused(await refund(first, as))).toEqual([403, 'step_up_required']);
    expect(refused(await refund(first, as, 5000))).toEqual([403, 'step_up_required']);
    dataOf(await refund(first, as, 4999));
    dataOf(await refund(second, key.as));
    dataOf(await florin.post('/api/user/step-up', { code: freshCode(factor) }, as));
    dataOf(await refund(third, as));
    const without = await newMember();
    dataOf(await refund(await makePaid(florin, without.as, channel, { amount: 5000 }), without.as));
  });

  test('an old session gives no user permissions, neither by a type, nor by a role, nor by enabling', async () => {
    const { member, factor } = await newEnrolled();
    const { as } = member;
    const clerk = await newMember('MERCHANT_USER');
    const former = await newMember();
    const modify = (change: object) => florin.post('/api/user/modify', change, as);
    dataOf(await modify({ id: former.id, state: false }));
    const gains = [
      { id: clerk.id, userType: 'MERCHANT_ADMIN' },
      { id: clerk.id, roles: ['operator', 'cashier'] },
      { id: former.id, state: true },
    ];
    dataOf(await modify({ id: clerk.id, roles: ['viewer'] }));
    aheadMs += 10 * minuteMs;
    for (const gain of gains) expect(refused(await modify(gain))).toEqual([403, 'step_up_required']);
    // What takes permissions away, or changes none, is not delayed.
    dataOf(await modify({ id: clerk.id, roles: [] }));
    dataOf(await modify({ id: clerk.id, state: false }));
    dataOf(await modify({ id: former.id, userName: unique('former') }));
    expect(refused(await modify({ id: clerk.id, state: true }))).toEqual([403, 'step_up_required']);
    dataOf(await florin.post('/api/user/step-up', { code: freshCode(factor) }, as));
    for (const gain of gains) dataOf(await modify(gain));
  });

  test('an old session redirects no money: no fallback channels, no name, address or texts of the seller', async () => {
    const { member, factor } = await newEnrolled();
    const { as } = member;
    const [first, second] = [await makeChannel(florin, as), await makeChannel(florin, as)];
    aheadMs += 10 * minuteMs;
    const attempts: [string, object][] = [
      ['/api/channel/modify', { id: first, fallbackChannelIds: [second] }],
      ['/api/channel/modify', channelInput({ fallbackChannelIds: [second] })],
      ['/api/seller/modify', { id: tenantId, name: unique('Seller') }],
      ['/api/seller/modify', { id: tenantId, taxId: unique('tax') }],
      ['/api/seller/modify', { id: tenantId, address: { line1: unique('Quay'), city: 'Bremen', country: 'DE' } }],
      [
        '/api/seller/modify',
        { id: tenantId, mailTexts: { en: { invoice: { subject: 'Pay', body: `To DE02 ${unique('bank')}` } } } },
      ],
    ];
    for (const [path, body] of attempts) {
      expect(refused(await florin.post(path, body, as))).toEqual([403, 'step_up_required']);
    }
    dataOf(await florin.post('/api/channel/modify', { id: first, fallbackChannelIds: [] }, as));
    dataOf(await florin.post('/api/seller/modify', { id: tenantId, brandColor: '#1d4ed8' }, as));
    dataOf(await florin.post('/api/user/step-up', { code: freshCode(factor) }, as));
    for (const [path, body] of attempts) dataOf(await florin.post(path, body, as));
  });

  test('an old session of the platform enables no tenant, and does not change its seller', async () => {
    const chief = await makeMember(florin, admin, { userType: 'PLATFORM_ADMIN', tenantId: null });
    const factor = await enrol(florin, chief.as, now());
    const tenant = await makeTenant(florin, admin);
    const modify = (change: object) => florin.post('/api/tenant/modify', { id: tenant, ...change }, chief.as);
    dataOf(await modify({ state: false }));
    aheadMs += 10 * minuteMs;
    const changes = [{ state: true }, { name: unique('Tenant') }, { taxId: unique('tax') }];
    for (const change of changes) expect(refused(await modify(change))).toEqual([403, 'step_up_required']);
    dataOf(await modify({ customerMails: true }));
    dataOf(await florin.post('/api/user/step-up', { code: freshCode(factor) }, chief.as));
    for (const change of changes) dataOf(await modify(change));
  });

  test('a key cannot step up', async () => {
    const { member } = await newEnrolled();
    const key = await makeKey(florin, member.as, '*');
    const reply = await florin.post('/api/user/step-up', { code: '123456' }, key.as);
    expect(refused(reply)).toEqual([401, 'credentials_invalid']);
  });
});
