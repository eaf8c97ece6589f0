import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminPassword, type Identity, identity } from '../../../../../tests/support/identity.ts';
import { hourMs } from '../../../../core/clock.ts';

let node: Identity;
let platform: string;
let shopAdmin: string;
const password = 'seven green boats';

beforeAll(async () => {
  node = await identity();
  platform = await node.bearer('admin', adminPassword);
  shopAdmin = await administratorOfNewTenant('shop');
});
afterAll(() => node.stop());

async function administratorOfNewTenant(name: string): Promise<string> {
  const tenant = (await node.post('/api/tenant/modify', { name, state: true }, { bearer: platform })).body.data;
  const owner = { userName: `${name}-owner`, email: `owner@${name}.example`, userType: 'MERCHANT_ADMIN', state: true };
  await save({ ...owner, tenantId: tenant.id, password }, platform);
  return node.bearer(owner.userName, password);
}

let users = 0;
const draft = (fields: Record<string, unknown> = {}) => {
  const name = `guest${++users}`;
  return { userName: name, email: `${name}@shop.example`, userType: 'MERCHANT_USER', state: true, ...fields };
};
async function save(body: object, bearer = shopAdmin) {
  const reply = await node.post('/api/user/modify', body, { bearer });
  await node.mailed();
  return reply;
}
async function invite(fields: Record<string, unknown> = {}, bearer = shopAdmin) {
  const { status, body } = await save(draft(fields), bearer);
  expect(status).toBe(200);
  return body.data;
}
const changed = ({ id, userName, email, userType, state }: Record<string, unknown>, fields: object) => ({
  ...{ id, userName, email, userType, state },
  ...fields,
});
const tokensTo = (email: string) =>
  node.mails.filter(({ to }) => to === email).map(({ text }) => /token=([\w-]+)/.exec(text)?.[1] as string);
const choose = (token: string | undefined, newPassword = password) =>
  node.post('/api/user/reset-password', { token, newPassword });
const login = async (account: string, word = password) =>
  (await node.post('/api/user/login', { account, password: word })).status;

test('a user without a password is invited by mail and chooses one, once', async () => {
  const user = await invite();
  expect(user.invited).toBe(true);
  expect(await login(user.userName)).toBe(401);
  const [token, ...others] = tokensTo(user.email);
  expect(others).toEqual([]);
  expect((await choose(token)).status).toBe(200);
  expect((await choose(token)).status).toBe(400);
  expect([await login(user.userName), await login(user.email)]).toEqual([200, 200]);
  const { body } = await node.get('/api/user/list', { bearer: shopAdmin });
  expect(body.data.find(({ id }: { id: number }) => id === user.id).invited).toBe(false);
});

test('a disabled user is invited when enabled, and no user with a password is', async () => {
  const user = await invite({ state: false });
  expect(tokensTo(user.email)).toEqual([]);
  await save(changed(user, { state: true }));
  expect(tokensTo(user.email)).toHaveLength(1);
  await save(changed(user, { state: true, roles: ['viewer'] }));
  expect(tokensTo(user.email)).toHaveLength(1);
  const member = await invite({ password });
  expect(tokensTo(member.email)).toEqual([]);
});

test.each([
  ['another address', { email: 'moved@shop.example' }],
  ['a password from an administrator', { password: 'eight blue boats' }],
  ['disabling', { state: false }],
])('%s ends an invitation', async (_what, fields) => {
  const user = await invite();
  const [token] = tokensTo(user.email);
  await save(changed(user, fields));
  await save(changed(user, { ...fields, password: undefined, state: true }));
  const { status, body } = await choose(token);
  expect([status, body.error.type]).toEqual([400, 'reset_token_invalid']);
});

test.each([
  ['another address', { email: 'gone@shop.example' }],
  ['a password from an administrator', { password: 'eight blue boats' }],
  ['disabling and enabling', { state: false }],
])('%s ends a reset token', async (_what, fields) => {
  const user = await invite({ password });
  await node.post('/api/user/forgot-password', { email: user.email });
  await node.mailed();
  const [token] = tokensTo(user.email);
  await save(changed(user, fields));
  await save(changed(user, { ...fields, password: undefined, state: true }));
  expect((await choose(token, 'nine red boats')).status).toBe(400);
  expect(await login(user.userName, 'nine red boats')).toBe(401);
});

test('an invitation is valid for 7 days', async () => {
  const [early, late] = [await invite(), await invite()];
  node.advance(7 * 24 * hourMs - 1000);
  expect((await choose(tokensTo(early.email)[0])).status).toBe(200);
  node.advance(2000);
  expect((await choose(tokensTo(late.email)[0])).status).toBe(400);
  platform = await node.bearer('admin', adminPassword);
  shopAdmin = await node.bearer('shop-owner', password);
});

test('an address logs in the user who has proven to receive its mail, not the first user it was given to', async () => {
  const squatterAdmin = await administratorOfNewTenant('squatter');
  const squatter = await invite({ email: 'anna@mail.example', password: 'eight blue boats' }, squatterAdmin);
  const named = await invite({ userName: 'ben@mail.example', password: 'eight blue boats' }, squatterAdmin);
  expect(await login(squatter.email, 'eight blue boats')).toBe(200);
  const anna = await invite({ email: 'anna@mail.example' });
  const ben = await invite({ email: 'ben@mail.example' });
  for (const { email } of [anna, ben]) expect((await choose(tokensTo(email).at(-1))).status).toBe(200);
  expect([await login(anna.email), await login(ben.email)]).toEqual([200, 200]);
  expect(await login(squatter.email, 'eight blue boats')).toBe(401);
  expect(await login(squatter.userName, 'eight blue boats')).toBe(200);
  expect(await login(named.email, 'eight blue boats')).toBe(200);

  // Once proven, this does not change: another tenant can invite the same person, who then logs in there by user name.
  const other = await invite({ email: 'anna@mail.example' }, await administratorOfNewTenant('later'));
  expect((await choose(tokensTo(other.email).at(-1), 'nine red boats')).status).toBe(200);
  expect([await login(anna.email), await login(other.userName, 'nine red boats')]).toEqual([200, 200]);
});

test('a request for a reset mails every user with the address, each by name', async () => {
  const email = 'both@mail.example';
  const [one, two] = [await invite({ email, password }), await invite({ email, password }, platform).catch(() => null)];
  expect(two).toBeNull();
  const twin = await invite({ email, password }, await administratorOfNewTenant('twin'));
  await node.post('/api/user/forgot-password', { email });
  await node.mailed();
  const texts = node.mails.filter(({ to }) => to === email).map(({ text }) => text);
  expect(texts.some((text) => text.includes(one.userName))).toBe(true);
  expect(texts.some((text) => text.includes(twin.userName))).toBe(true);
});
