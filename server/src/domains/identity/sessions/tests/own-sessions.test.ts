import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminPassword, type Identity, identity } from '../../../../../tests/support/identity.ts';

let node: Identity;
let admin: string;
const password = 'seven green boats';
let users = 0;
const idleMs = 30 * 60_000;

beforeAll(async () => {
  node = await identity({ idleMs });
  admin = await node.bearer('admin', adminPassword);
});
afterAll(() => node.stop());

async function makeUser(): Promise<string> {
  const userName = `user${++users}`;
  const user = { userName, email: `${userName}@x.example`, password, userType: 'MERCHANT_USER', state: true };
  expect((await node.post('/api/user/modify', user, { bearer: admin })).status).toBe(200);
  return userName;
}
async function login(account: string, device: string): Promise<string> {
  const { body } = await node.post('/api/user/login', { account, password }, { headers: { 'user-agent': device } });
  return body.data.token.accessToken;
}
const listed = async (bearer: string) => (await node.get('/api/session/list', { bearer })).body.data;
const statusOf = async (bearer: string) => (await node.get('/api/user/info', { bearer })).status;
const revoke = (body: object, bearer: string) => node.post('/api/session/revoke', body, { bearer });
const change = (oldPassword: string, newPassword: string, bearer: string) =>
  node.post('/api/user/change-password', { oldPassword, newPassword }, { bearer });
async function actionsOf(userName: string): Promise<string[]> {
  const rows = await node.db.query<{ action: string }>(
    `select action from audit_entry where body::json->>'userName' = $1 order by id`,
    [userName],
  );
  return rows.map(({ action }) => action);
}

test('a user sees their own sessions with device, address and last use, newest first', async () => {
  const user = await makeUser();
  const phone = await login(user, 'Phone/1');
  node.advance(1000);
  const laptop = await login(user, 'Laptop/2');
  await listed(phone);
  await node.sessions.settled();
  await listed(laptop);
  await node.sessions.settled();
  const sessions = await listed(laptop);
  expect(sessions).toEqual([
    {
      id: decodeJwt(laptop).sid,
      device: 'Laptop/2',
      address: '127.0.0.1',
      current: true,
      createdTime: expect.any(String),
      lastUsedTime: expect.any(String),
      expiresTime: expect.any(String),
    },
    expect.objectContaining({ device: 'Phone/1', current: false, lastUsedTime: expect.any(String) }),
  ]);
});

test('a user ends one session or all, and no session of another user', async () => {
  const [user, stranger] = [await makeUser(), await makeUser()];
  const [one, two, theirs] = [await login(user, 'a'), await login(user, 'b'), await login(stranger, 'c')];
  expect((await revoke({ id: decodeJwt(theirs).sid }, one)).status).toBe(404);
  expect((await revoke({ id: decodeJwt(two).sid }, one)).status).toBe(200);
  expect((await revoke({ id: decodeJwt(two).sid }, one)).status).toBe(200);
  expect([await statusOf(one), await statusOf(two), await statusOf(theirs)]).toEqual([200, 401, 200]);
  expect((await listed(one)).map(({ id }: { id: string }) => id)).toEqual([decodeJwt(one).sid]);
  const three = await login(user, 'd');
  expect((await revoke({ all: true }, one)).status).toBe(200);
  expect([await statusOf(one), await statusOf(three), await statusOf(theirs)]).toEqual([401, 401, 200]);
  expect(await actionsOf(user)).toContain('session.revoke');
});

test.each([[{}], [{ all: false }], [{ id: '0b6f2c1e-8f6a-4d55-9a43-3f2f9d6c1b7e', all: true }], [{ id: 'x' }]])(
  'ending sessions with %j is refused',
  async (body) => {
    const { status, body: refused } = await revoke(body, admin);
    expect([status, refused.error.field]).toEqual([400, 'id']);
  },
);

test('changing one’s own password needs the present one and ends the other sessions and mailed tokens', async () => {
  const user = await makeUser();
  const [here, elsewhere] = [await login(user, 'a'), await login(user, 'b')];
  await node.post('/api/user/forgot-password', { email: `${user}@x.example` });
  await node.mailed();
  const token = /token=([\w-]+)/.exec(node.mails.at(-1)?.text ?? '')?.[1];
  const wrong = await change('not the present one', 'eight blue boats', here);
  expect([wrong.status, wrong.body.error.type]).toEqual([400, 'old_password_wrong']);
  expect((await change(password, 'qwerty', here)).body.error.type).toBe('password_too_weak');
  expect((await change(password, 'eight blue boats', here)).status).toBe(200);
  expect([await statusOf(here), await statusOf(elsewhere)]).toEqual([200, 401]);
  expect((await node.post('/api/user/login', { account: user, password })).status).toBe(401);
  expect((await node.post('/api/user/reset-password', { token, newPassword: 'nine red boats' })).status).toBe(400);
  expect(await actionsOf(user)).toContain('user.change_password');
});

test('a session cannot be used to guess the password, because wrong ones count as failed logins', async () => {
  const user = await makeUser();
  const bearer = await login(user, 'a');
  for (let i = 0; i < 10; i++) expect((await change(`guess number ${i}`, 'eight blue boats', bearer)).status).toBe(400);
  expect((await change(password, 'eight blue boats', bearer)).status).toBe(429);
});

test('a session that is not used for long ends on every node; use keeps it', async () => {
  const user = await makeUser();
  const { body } = await node.post('/api/user/login', { account: user, password });
  const { accessToken, refreshToken } = body.data.token;
  const other = await node.anotherNode();
  const usedElsewhere = () => other.get('/api/user/info', { bearer: accessToken });
  expect(await statusOf(accessToken)).toBe(200);
  for (let i = 0; i < 3; i++) {
    node.advance(idleMs - 60_000);
    expect((await usedElsewhere()).status).toBe(200);
    await other.sessions.settled();
  }
  // It was last used here more than an hour ago, and since then on another node.
  expect(await statusOf(accessToken)).toBe(200);
  node.advance(idleMs + 2 * 60_000);
  expect(await statusOf(accessToken)).toBe(401);
  expect((await usedElsewhere()).status).toBe(401);
  expect((await node.post('/api/user/refresh', { refreshToken })).status).toBe(401);
});

test('an open stream does not keep a session that is not used', async () => {
  admin = await node.bearer('admin', adminPassword);
  const token = await login(await makeUser(), 'Browser/1');
  node.advance(idleMs - 60_000);
  expect(await node.sessions.authenticate(token, '127.0.0.1', true)).toMatchObject({ by: 'session' });
  node.advance(3 * 60_000);
  expect(await statusOf(token)).toBe(401);
});
