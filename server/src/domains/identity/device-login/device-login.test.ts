import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataOf, makeMember, makeTenant } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import {
  administratorPassword,
  florinOn,
  type Reply,
  type TestFlorin,
} from '../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let nowMs = Date.now();

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_RATE_LIMIT_FAILURES_PER_ADDRESS: '40' }, () => nowMs);
  admin = await florin.login('admin', administratorPassword);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const begin = async (input: object = {}) =>
  dataOf(await florin.post('/api/device/code', { client: 'florin on laptop', ...input }));
const claim = (deviceCode: string) => florin.post('/api/device/token', { deviceCode });
const decide = (userCode: string, approve = true, rest: object = {}, as = admin) =>
  florin.post('/api/device/decide', { userCode, approve, ...rest }, as);
const refusalOf = ({ status, body }: Reply) => [status, body.error?.type];

test('a program whose login is approved gets a key of the user once, with the granted scopes', async () => {
  const { deviceCode, userCode, verificationUriComplete, expiresIn, interval } = await begin();
  expect(userCode).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
  expect(verificationUriComplete).toContain(`/device?code=${userCode}`);
  expect([expiresIn, interval]).toEqual([600, 5]);
  expect(refusalOf(await claim(deviceCode))).toEqual([400, 'authorization_pending']);

  const shown = dataOf(
    await florin.get(`/api/device/request?userCode=${userCode.toLowerCase().replace('-', '')}`, admin),
  );
  expect(shown).toMatchObject({ client: 'florin on laptop', address: '127.0.0.1', isSameAddress: true, scope: null });
  expect((await decide(userCode, true, { scope: 'transaction_read' })).body.data.approved).toBe(true);
  const key = dataOf(await claim(deviceCode));
  expect(key).toMatchObject({
    scope: 'transaction_read',
    livemode: false,
    name: 'florin on laptop',
    userName: 'admin',
  });
  expect((await florin.get('/api/transaction/list', `ApiKey ${key.sk}`)).status).toBe(200);
  expect((await florin.get('/api/channel/list', `ApiKey ${key.sk}`)).status).toBe(403);
  expect(refusalOf(await claim(deviceCode))).toEqual([400, 'expired_token']);

  const stored = JSON.stringify(await db.query('select * from device_login'));
  for (const secret of [deviceCode, userCode, userCode.replace('-', '')]) expect(stored).not.toContain(secret);
  const { body } = await florin.get('/api/audit/list?pageSize=2', admin);
  expect(body.data).toMatchObject([
    { action: 'key.create', by: 'device_code', recordId: String(key.id) },
    { action: 'device.approve', by: 'session', details: { client: 'florin on laptop', scope: 'transaction_read' } },
  ]);
});

test('a program has a name that shows', async () => {
  for (const client of [' ', '\u3164', '\u115f', 'a\u034fb', '\ufe0f', '\u2800', 'laptop\u202e', '\u{e0041}']) {
    const reply = await florin.post('/api/device/code', { client });
    expect([refusalOf(reply), reply.body.error?.field], JSON.stringify(client)).toEqual([
      [400, 'invalid_request'],
      'client',
    ]);
  }
  for (const client of ['Zoë’s laptop', '東京の端末', 'لابتوب']) await begin({ client });
});

test('by default the key has the requested scopes and mode, or else all scopes of the user', async () => {
  const asked = await begin({ scope: 'channel_read', livemode: true });
  await decide(asked.userCode);
  expect(dataOf(await claim(asked.deviceCode))).toMatchObject({ scope: 'channel_read', livemode: true });
  const open = await begin();
  await decide(open.userCode);
  expect(dataOf(await claim(open.deviceCode))).toMatchObject({ scope: '*', livemode: false });
  const tenantId = await makeTenant(florin, admin);
  const clerk = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId, roles: ['viewer'] });
  const limited = await begin({ scope: '*' });
  expect(refusalOf(await decide(limited.userCode, true, {}, clerk.as))).toEqual([403, 'role_missing']);
  expect(refusalOf(await decide(limited.userCode, true, { scope: 'user_write' }, clerk.as))).toEqual([
    403,
    'scope_missing',
  ]);
  const own = await begin();
  await decide(own.userCode, true, {}, clerk.as);
  expect(dataOf(await claim(own.deviceCode)).scope).not.toMatch(/write|\*/);
});

test('a login that is denied, decided twice, or of a user who was disabled meanwhile gives no key', async () => {
  const denied = await begin();
  await decide(denied.userCode, false);
  expect(refusalOf(await claim(denied.deviceCode))).toEqual([400, 'access_denied']);
  expect(refusalOf(await decide(denied.userCode))).toEqual([404, 'record_not_found']);

  const tenantId = await makeTenant(florin, admin);
  const member = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const approved = await begin();
  await decide(approved.userCode, true, {}, member.as);
  dataOf(await florin.post('/api/user/modify', { id: member.id, state: false }, admin));
  expect(refusalOf(await claim(approved.deviceCode))).toEqual([400, 'access_denied']);
});

test('an approval ends with the session of the user who approved', async () => {
  const tenantId = await makeTenant(florin, admin);
  const member = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const approved = await begin();
  await decide(approved.userCode, true, {}, member.as);
  for (const state of [false, true]) {
    dataOf(await florin.post('/api/user/modify', { id: member.id, state }, admin));
  }
  expect(refusalOf(await claim(approved.deviceCode))).toEqual([400, 'access_denied']);
});

test('a program cannot hide its name', async () => {
  for (const client of ['florin\u202Enirolf', 'florin\u200B', 'florin\n\nApproved']) {
    const reply = await florin.post('/api/device/code', { client });
    expect([...refusalOf(reply), reply.body.error?.field]).toEqual([400, 'invalid_request', 'client']);
  }
});

test('two requests for one approved key get one key', async () => {
  const { deviceCode, userCode } = await begin();
  await decide(userCode);
  const statuses = (await Promise.all([claim(deviceCode), claim(deviceCode), claim(deviceCode)])).map((r) => r.status);
  expect(statuses.toSorted()).toEqual([200, 400, 400]);
});

test('polling too often is refused with slow_down, and a code is valid for ten minutes', async () => {
  const { deviceCode, userCode } = await begin();
  expect(refusalOf(await claim(deviceCode))).toEqual([400, 'authorization_pending']);
  expect(refusalOf(await claim(deviceCode))).toEqual([400, 'slow_down']);
  nowMs += 5_000;
  expect(refusalOf(await claim(deviceCode))).toEqual([400, 'authorization_pending']);
  nowMs += 600_000;
  expect(refusalOf(await claim(deviceCode))).toEqual([400, 'expired_token']);
  expect(refusalOf(await decide(userCode))).toEqual([404, 'record_not_found']);
});

test('a key cannot approve a login, and a session with a second factor needs a fresh code', async () => {
  const { sk } = dataOf(await florin.post('/api/developer/mine/generate', { scope: '*' }, admin));
  const { userCode } = await begin();
  expect(refusalOf(await decide(userCode, true, {}, `ApiKey ${sk}`))).toEqual([401, 'credentials_invalid']);
  const tenantId = await makeTenant(florin, admin);
  const member = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  // As after enrolling one, some time ago; nothing of the session is in memory yet.
  await db.query('update app_user set has_second_factor = true where id = $1', [member.id]);
  expect(refusalOf(await decide(userCode, true, {}, member.as))).toEqual([403, 'step_up_required']);
  expect((await decide(userCode, false, {}, member.as)).status).toBe(200);
});

test('after ten wrong codes in 15 minutes a right code is refused too', async () => {
  const tenantId = await makeTenant(florin, admin);
  const guesser = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  for (let i = 0; i < 10; i++) {
    const reply = await florin.get(`/api/device/request?userCode=BBBB-BBB${'BCDFGHJKLM'[i]}`, guesser.as);
    expect(refusalOf(reply)).toEqual([404, 'record_not_found']);
  }
  const { userCode } = await begin();
  const reply = await florin.get(`/api/device/request?userCode=${userCode}`, guesser.as);
  expect(refusalOf(reply)).toEqual([429, 'too_many_attempts']);
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refusalOf(await decide(userCode, true, {}, guesser.as))).toEqual([429, 'too_many_attempts']);
  expect((await decide(userCode)).status).toBe(200);
});

test('parallel guesses get no more than ten answers', async () => {
  const tenantId = await makeTenant(florin, admin);
  const guesser = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const codes = Array.from({ length: 30 }, (_, i) => `BBBBBB${'BCDFG'[i % 5]}${'HJKLMN'[i % 6]}`);
  const replies = await Promise.all(
    codes.map((code) => florin.get(`/api/device/request?userCode=${code}`, guesser.as)),
  );
  const statuses = replies.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([...Array(10).fill(404), ...Array(20).fill(429)]);
});

test('an address can guess only a limited number of device codes, and begin a limited number of logins', async () => {
  nowMs += 900_000;
  const guesses = [];
  for (let i = 0; i < 42; i++) guesses.push((await claim(`guess${i}`)).status);
  expect(guesses).toEqual([...Array(40).fill(400), 429, 429]);
  const begun = [];
  for (let i = 0; i < 42; i++) begun.push((await florin.post('/api/device/code', { client: 'flood' })).status);
  expect(begun.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2);
});

test('the page cannot be framed, and runs only its own script', async () => {
  for (const path of ['/device', '/device.js', '/device.css']) {
    const { status, headers } = await florin.get(path);
    expect([status, headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("script-src 'self'"),
    ]);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  }
});
