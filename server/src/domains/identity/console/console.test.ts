import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataOf, makeMember, makeTenant, memberPassword } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import {
  administratorPassword,
  florinOn,
  type Reply,
  type TestFlorin,
} from '../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let own: Record<string, string>;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  own = { origin: florin.address, 'x-florin-console': '1' };
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const admin = { account: 'admin', password: administratorPassword };

const signIn = (body: object = admin, headers = own) => florin.call('POST', '/api/console/session', { body, headers });

/** The cookie as a browser sends it back. */
const cookieOf = ({ headers }: Reply) => (headers.get('set-cookie') ?? '').split(';')[0] as string;

test('signing in returns no token, and sets a cookie that scripts and other sites cannot use', async () => {
  const reply = await signIn();
  expect(reply).toMatchObject({ status: 200, body: { data: null } });
  expect(reply.headers.get('set-cookie')).toMatch(
    /^florin-0=[\w.-]+; Max-Age=60\d{4}; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const profile = await florin.call('GET', '/api/console/session', { headers: { ...own, cookie: cookieOf(reply) } });
  expect(profile.body.data).toMatchObject({ userName: 'admin', holdsAll: true, tenantName: null, mustEnrol: false });
  expect(JSON.stringify(profile.body)).not.toContain('eyJ');
});

test('the profile says whether there is a channel for live payments, and what live use still lacks', async () => {
  const as = await florin.login('admin', administratorPassword);
  const tenantId = await makeTenant(florin, as);
  const viewer = await makeMember(florin, as, { userType: 'MERCHANT_USER', roles: ['viewer'], tenantId });
  const owner = await makeMember(florin, as, { userType: 'MERCHANT_ADMIN', tenantId });
  const profileOf = async (account: string, password: string) => {
    const cookie = cookieOf(await signIn({ account, password }));
    return dataOf(await florin.call('GET', '/api/console/session', { headers: { ...own, cookie } }));
  };
  const profiles = () =>
    Promise.all([profileOf('admin', administratorPassword), profileOf(viewer.userName, memberPassword)]);
  const make = (channel: object) =>
    florin.post(
      '/api/channel/modify',
      { type: 'ONLINE', currency: 'USD', country: 'US', state: true, tenantId, ...channel },
      as,
    );

  dataOf(await make({ name: 'Sandbox', code: 'sandbox', provider: 'sandbox' }));
  const before = { hasLiveChannel: false, hasLiveKey: false, channelsWithoutCallback: [], sendsMail: false };
  expect(await profiles()).toMatchObject([before, before]);

  const stripe = { apiKey: 'sk_live_1', webhookSecret: 'whsec_1' };
  const { id } = dataOf(await make({ name: 'Cards', code: 'cards', provider: 'stripe', ...stripe }));
  dataOf(await florin.post('/api/developer/mine/generate', { livemode: true }, owner.as));
  const after = { hasLiveChannel: true, hasLiveKey: true, channelsWithoutCallback: ['Cards'] };
  expect(await profiles()).toMatchObject([after, after]);

  await db.query(
    `insert into provider_callback (channel_id, event_id, id, received_at, state, due_at, settled_at)
     values ($1, 'evt_1', gen_random_uuid(), now(), 'IGNORED', now(), now())`,
    [id],
  );
  const complete = { hasLiveChannel: true, channelsWithoutCallback: [] };
  expect(await profiles()).toMatchObject([complete, complete]);
});

test('platform administrators alone learn when a backup is due', async () => {
  const tenantId = await makeTenant(florin, await florin.login('admin', administratorPassword));
  const owner = await makeMember(florin, await florin.login('admin', administratorPassword), {
    tenantId,
    userType: 'MERCHANT_ADMIN',
  });
  const profileOf = async (body: object) => {
    const cookie = cookieOf(await signIn(body));
    return (await florin.call('GET', '/api/console/session', { headers: { ...own, cookie } })).body.data;
  };
  // The database of the tests is one of its own.
  expect(await profileOf(admin)).toMatchObject({ certificateEndTime: null, backupExpectedSeconds: null });
  expect(await profileOf({ account: owner.userName, password: memberPassword })).toMatchObject({
    backupExpectedSeconds: null,
  });
});

test('the cookie is no access token, and an access token is no cookie', async () => {
  const [, cookie = ''] = cookieOf(await signIn()).split('=');
  expect((await florin.get('/api/user/info', `Bearer ${cookie}`)).status).toBe(401);
  const bearer = await florin.login('admin', administratorPassword);
  const headers = { cookie: `florin-0=${bearer.replace('Bearer ', '')}` };
  expect((await florin.call('GET', '/api/user/info', { headers })).status).toBe(401);
});

test('a page of another origin can use the cookie neither for reads nor for changes', async () => {
  const cookie = cookieOf(await signIn());
  const customer = { name: 'Ada' };
  const create = (headers: Record<string, string>) =>
    florin.call('POST', '/api/customer/modify', { body: customer, headers: { cookie, ...headers } });
  const read = (headers: Record<string, string>) =>
    florin.call('GET', '/api/user/info', { headers: { cookie, 'x-florin-console': '1', ...headers } });
  const refused = { status: 403, body: { error: { type: 'origin_not_allowed' } } };

  expect(await create(own)).toMatchObject({ status: 200 });
  expect(await create({ 'x-florin-console': '1' })).toMatchObject(refused);
  expect(await create({ origin: florin.address })).toMatchObject(refused);
  expect(await create({ ...own, origin: 'null' })).toMatchObject(refused);
  expect(await create({ ...own, origin: 'http://127.0.0.1:1' })).toMatchObject(refused);
  expect(await create({ ...own, 'sec-fetch-site': 'same-site' })).toMatchObject(refused);
  expect(await read({})).toMatchObject({ status: 200 });
  expect(await read({ 'sec-fetch-site': 'cross-site' })).toMatchObject(refused);
  expect(await read({ origin: 'https://evil.example' })).toMatchObject(refused);
  expect(await signIn(admin, {})).toMatchObject(refused);
});

test("the cookie does not count for a script that is not the console's", async () => {
  const cookie = cookieOf(await signIn());
  const read = (path: string, headers: Record<string, string> = {}) =>
    florin.call('GET', path, { headers: { cookie, ...headers } });
  const nobody = { status: 401, body: { error: { type: 'credentials_missing' } } };
  for (const path of ['/api/user/info', '/api/transaction/list']) {
    expect(await read(path), path).toMatchObject(nobody);
    expect(await read(path, own), path).toMatchObject({ status: 200 });
  }
  expect(await read('/api/console/session')).toMatchObject({ status: 200, body: { data: null } });
});

test('an Authorization header takes precedence over the cookie', async () => {
  const headers = { cookie: cookieOf(await signIn()) };
  const as = 'Bearer garbage';
  expect((await florin.call('GET', '/api/user/info', { headers, as })).status).toBe(401);
});

test('signing out ends the session and removes the cookie; doing it twice is no error', async () => {
  const cookie = cookieOf(await signIn());
  const end = () => florin.call('POST', '/api/console/session/end', { headers: { ...own, cookie } });
  const ended = await end();
  expect(ended.headers.get('set-cookie')).toMatch(/^florin-0=; Max-Age=0; /);
  expect((await florin.call('GET', '/api/user/info', { headers: { ...own, cookie } })).status).toBe(401);
  expect((await end()).status).toBe(200);
  const found = await db.query(`select from audit_entry where body::json->>'action' = 'session.logout'`);
  expect(found.length).toBe(1);
});

test('signing out everywhere ends every session of the user, and no session of another user', async () => {
  const as = await florin.login('admin', administratorPassword);
  const tenantId = await makeTenant(florin, as);
  const member = await makeMember(florin, as, { userType: 'MERCHANT_ADMIN', tenantId });
  const cookies = [];
  for (const _ of [1, 2]) cookies.push(cookieOf(await signIn({ account: member.userName, password: memberPassword })));
  const headers = { ...own, cookie: cookies[0] as string };
  dataOf(await florin.call('POST', '/api/console/session/end', { headers, body: { all: true } }));
  expect(
    (await florin.call('GET', '/api/user/info', { headers: { ...own, cookie: cookies[1] as string } })).status,
  ).toBe(401);
  expect((await florin.get('/api/user/info', as)).status).toBe(200);
});

test('a wrong password is refused as at login, and sets no cookie', async () => {
  const refused = await signIn({ ...admin, password: 'not the password' });
  expect(refused).toMatchObject({ status: 401, body: { error: { type: 'login_refused' } } });
  expect(refused.headers.get('set-cookie')).toBeNull();
});

test('signing in again ends the session of the previous cookie, and a refused sign-in does not', async () => {
  const former = cookieOf(await signIn());
  const again = (body: object = admin) => signIn(body, { ...own, cookie: former });
  const statusWith = async (cookie: string) =>
    (await florin.call('GET', '/api/user/info', { headers: { ...own, cookie } })).status;
  expect((await again({ ...admin, password: 'not the password' })).status).toBe(401);
  expect(await statusWith(former)).toBe(200);
  const present = cookieOf(await again());
  expect([await statusWith(former), await statusWith(present)]).toEqual([401, 200]);
  // The cookie of an ended session does no harm.
  expect((await again()).status).toBe(200);
});

test('asking who is signed in is no error for a visitor; the cookie of an ended session is refused', async () => {
  const ask = (headers: Record<string, string>) => florin.call('GET', '/api/console/session', { headers });
  expect(await ask(own)).toMatchObject({ status: 200, body: { data: null } });
  const cookie = cookieOf(await signIn());
  expect(await ask({ ...own, cookie })).toMatchObject({ status: 200, body: { data: { userName: 'admin' } } });
  await florin.call('POST', '/api/console/session/end', { headers: { ...own, cookie } });
  const ended = { status: 401, body: { error: { type: 'credentials_invalid' } } };
  expect(await ask({ ...own, cookie })).toMatchObject(ended);
  expect(await florin.get('/api/console/session', 'Bearer garbage')).toMatchObject(ended);
});
