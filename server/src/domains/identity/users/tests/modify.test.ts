import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminPassword, type Identity, identity } from '../../../../../tests/support/identity.ts';
import { scopes } from '../../../../core/scopes.ts';

let node: Identity;
let platform: string;
let shop: { id: number };
let shopAdmin: string;

const password = 'seven green boats';
let users = 0;
const draft = (fields: Record<string, unknown> = {}) => {
  const name = `user${++users}`;
  return { userName: name, email: `${name}@shop.example`, password, userType: 'MERCHANT_USER', state: true, ...fields };
};
const save = (body: object, bearer = platform) => node.post('/api/user/modify', body, { bearer });
async function make(fields: Record<string, unknown> = {}, bearer = platform) {
  const { status, body } = await save(draft(fields), bearer);
  expect(status).toBe(200);
  return body.data;
}
const change = (
  { id, userName, email, userType, state }: ReturnType<typeof draft> & { id: number },
  fields: object,
) => ({
  id,
  userName,
  email,
  userType,
  state,
  ...fields,
});

beforeAll(async () => {
  node = await identity();
  platform = await node.bearer('admin', adminPassword);
  shop = (await node.post('/api/tenant/modify', { name: 'Shop', state: true }, { bearer: platform })).body.data;
  const owner = await make({ tenantId: String(shop.id), userType: 'MERCHANT_ADMIN' });
  shopAdmin = await node.bearer(owner.userName, password);
});
afterAll(() => node.stop());

test('creating a user returns the saved user without its password', async () => {
  const given = draft({ tenantId: shop.id, roles: ['viewer', 'cashier'] });
  const { status, body } = await save(given);
  expect(status).toBe(200);
  expect(body.message).toEqual(expect.any(String));
  expect(body.data).toEqual({
    id: expect.any(Number),
    userName: given.userName,
    email: given.email,
    userType: 'MERCHANT_USER',
    tenantId: String(shop.id),
    roles: ['viewer', 'cashier'],
    state: true,
    invited: false,
    secondFactor: false,
    createdTime: expect.any(String),
    updatedTime: expect.any(String),
  });
  expect(JSON.stringify(body)).not.toContain('argon2');
});

test('tenantId may be a string, a number, null or left out', async () => {
  expect((await make({ tenantId: String(shop.id) })).tenantId).toBe(String(shop.id));
  expect((await make({ tenantId: shop.id })).tenantId).toBe(String(shop.id));
  expect((await make({ tenantId: null })).tenantId).toBeNull();
  expect((await make()).tenantId).toBeNull();
  expect((await make({}, shopAdmin)).tenantId).toBe(String(shop.id));
});

test('an update without password and roles keeps both, and the sessions', async () => {
  const user = await make({ tenantId: shop.id, roles: ['viewer'] });
  const bearer = await node.bearer(user.userName, password);
  const { status, body } = await save(change(user, { userName: `${user.userName}-renamed` }));
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ id: user.id, roles: ['viewer'], updatedTime: expect.any(String) });
  expect((await node.get('/api/user/info', { bearer })).body.data.userName).toBe(`${user.userName}-renamed`);
  await node.bearer(`${user.userName}-renamed`, password);
  expect((await node.post('/api/user/login', { account: user.userName, password })).status).toBe(401);
});

test('a user name that was changed is free for other users', async () => {
  const user = await make();
  await save(change(user, { userName: `${user.userName}-moved` }));
  expect((await save(draft({ userName: user.userName }))).status).toBe(200);
});

test('a taken user name or e-mail address is refused naming the field, in any case and across the two', async () => {
  const user = await make();
  const mailLike = await make({ userName: 'someone@else.example' });
  for (const [fields, field] of [
    [{ userName: user.userName.toUpperCase() }, 'userName'],
    [{ email: user.email.toUpperCase() }, 'email'],
    [{ userName: user.email }, 'userName'],
    [{ email: mailLike.userName }, 'email'],
  ] as const) {
    const { status, body } = await save(draft(fields));
    expect([status, body.error.type, body.error.field]).toEqual([409, 'account_taken', field]);
  }
  const other = await make();
  expect((await save(change(other, { email: user.email }))).status).toBe(409);
  expect((await save(change(other, { email: other.userName.concat('@new.example') }))).status).toBe(200);
});

test('of 20 concurrent requests for one user name, exactly one succeeds', async () => {
  const drafts = Array.from({ length: 20 }, () => draft({ userName: 'contested' }));
  const statuses = await Promise.all(drafts.map(async (body) => (await save(body)).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 409)).toHaveLength(19);
});

test('a new password or disabling the user ends the user’s sessions immediately', async () => {
  const user = await make();
  const first = await node.bearer(user.userName, password);
  await save(change(user, { password: 'another harbour' }));
  expect((await node.get('/api/user/info', { bearer: first })).status).toBe(401);

  const second = await node.bearer(user.userName, 'another harbour');
  await save(change(user, { state: false }));
  expect((await node.get('/api/user/info', { bearer: second })).status).toBe(401);
  await save(change(user, { state: true }));
  expect((await node.get('/api/user/info', { bearer: second })).status).toBe(401);
});

test('a changed role takes effect on the next request', async () => {
  const user = await make({ tenantId: shop.id });
  const bearer = await node.bearer(user.userName, password);
  expect((await node.get('/api/user/list', { bearer })).status).toBe(403);
  await save(change(user, { roles: ['viewer'] }));
  expect((await node.get('/api/user/list', { bearer })).status).toBe(200);
  await save(change(user, { roles: [] }));
  const { status, body } = await node.get('/api/user/list', { bearer });
  expect(status).toBe(403);
  expect(body.message).toContain('user_read');
});

test('a merchant administrator can administer only its own tenant', async () => {
  const own = await make({}, shopAdmin);
  expect((await save(change(own, { roles: ['operator'] }), shopAdmin)).status).toBe(200);
  expect((await save(draft({ userType: 'MERCHANT_ADMIN' }), shopAdmin)).status).toBe(200);

  const elsewhere = await make({ tenantId: null });
  const foreign = await save(change(elsewhere, {}), shopAdmin);
  const absent = await save(change({ ...elsewhere, id: 999_999 }, {}), shopAdmin);
  expect([foreign.status, absent.status]).toEqual([404, 404]);
  expect(foreign.body.message.replace(/\d+/, '')).toBe(absent.body.message.replace(/\d+/, ''));

  for (const tenantId of [0, '999999']) {
    const { status, body } = await save(draft({ tenantId }), shopAdmin);
    expect([status, body.error.type, body.error.field]).toEqual([404, 'record_not_found', 'tenantId']);
  }
  expect((await save(draft({ userType: 'PLATFORM_ADMIN' }), shopAdmin)).status).toBe(403);
  expect((await save(change(own, { userType: 'PLATFORM_ADMIN' }), shopAdmin)).status).toBe(403);
});

test('a merchant administrator of the platform’s own tenant cannot change a platform administrator', async () => {
  const staff = await make({ userType: 'MERCHANT_ADMIN' });
  const bearer = await node.bearer(staff.userName, password);
  const victim = await make({ userType: 'PLATFORM_ADMIN' });
  const { status, body } = await save(change(victim, { password: 'mine from now on' }), bearer);
  expect([status, body.error.type]).toEqual([403, 'role_missing']);
  expect((await save(change(victim, { userType: 'MERCHANT_USER' }), bearer)).status).toBe(403);
  await node.bearer(victim.userName, password);
});

test('merchant administrators and users cannot raise their own privileges', async () => {
  const owner = await make({ userType: 'MERCHANT_ADMIN', tenantId: shop.id });
  const bearer = await node.bearer(owner.userName, password);
  expect((await save(change(owner, { userType: 'PLATFORM_ADMIN' }), bearer)).status).toBe(403);

  const user = await make({ tenantId: shop.id, roles: ['operator'] });
  const userBearer = await node.bearer(user.userName, password);
  const { status, body } = await save(change(user, { userType: 'MERCHANT_ADMIN' }), userBearer);
  expect(status).toBe(403);
  expect(body.message).toContain('user_write');
});

async function keyOfShop(scope?: string): Promise<string> {
  const { body } = await node.post('/api/developer/mine/generate', { scope }, { bearer: shopAdmin });
  return body.data.sk;
}
const invited = (fields: Record<string, unknown> = {}) => draft({ password: undefined, ...fields });

test('a key with user_write cannot grant or change a permission that it lacks, not even to read', async () => {
  const reads = 'transaction_read,user_read,channel_read,invoice_read,subscription_read,webhook_read';
  const key = await keyOfShop(`user_write,transaction_write,${reads}`);
  const saveByKey = (body: object) => node.post('/api/user/modify', body, { key });

  expect((await saveByKey(invited())).status).toBe(200);
  expect((await saveByKey(invited({ roles: ['cashier'] }))).status).toBe(200);
  const operator = await saveByKey(invited({ roles: ['operator'] }));
  expect([operator.status, operator.body.error.type]).toEqual([403, 'scope_missing']);
  expect(operator.body.message).toContain('transaction_refund');
  expect((await saveByKey(invited({ userType: 'MERCHANT_ADMIN' }))).status).toBe(403);
  const byDefaultKey = await node.post('/api/user/modify', invited({ roles: ['viewer'] }), { key: await keyOfShop() });
  expect([byDefaultKey.status, byDefaultKey.body.error.details]).toMatchObject([403, { scope: 'channel_read' }]);

  // Nor can it change a user with more permissions.
  const mighty = await make({ tenantId: shop.id, roles: ['operator'] });
  expect((await saveByKey(change(mighty, { roles: [] }))).status).toBe(403);
  const administrator = invited({ userType: 'MERCHANT_ADMIN' });
  const byEvery = await node.post('/api/user/modify', administrator, { key: await keyOfShop(scopes.join(',')) });
  expect([byEvery.status, byEvery.body.error.details]).toMatchObject([403, { scope: '*' }]);
  expect((await node.post('/api/user/modify', administrator, { key: await keyOfShop('*') })).status).toBe(200);
});

test('a key sets neither a password nor the address that receives the mail to set one', async () => {
  const user = await make({ tenantId: shop.id });
  const key = await keyOfShop('*');
  for (const [body, field] of [
    [draft(), 'password'],
    [change(user, { password: 'mine from now on' }), 'password'],
    [change(user, { email: 'mine@thief.example' }), 'email'],
  ] as const) {
    const { status, body: refused } = await node.post('/api/user/modify', body, { key });
    expect([status, refused.error.type, refused.error.field]).toEqual([403, 'session_required', field]);
  }
  expect((await node.post('/api/user/modify', change(user, { roles: ['viewer'] }), { key })).status).toBe(200);
  await node.bearer(user.userName, password);
});

test('a user disabled and enabled again finds the keys revoked', async () => {
  const user = await make({ tenantId: shop.id, roles: ['viewer'] });
  const bearer = await node.bearer(user.userName, password);
  const { sk } = (await node.post('/api/developer/mine/generate', {}, { bearer })).body.data;
  expect((await node.get('/api/user/list', { key: sk })).status).toBe(200);
  await save(change(user, { state: false }));
  await save(change(user, { state: true }));
  expect((await node.get('/api/user/list', { key: sk })).status).toBe(401);
  const again = await node.bearer(user.userName, password);
  expect((await node.get('/api/developer/mine', { bearer: again })).body.data).toMatchObject([{ state: 0 }]);
});

test('another e-mail address ends the sessions', async () => {
  const user = await make({ tenantId: shop.id });
  const bearer = await node.bearer(user.userName, password);
  await save(change(user, { email: `other-${user.email}` }), shopAdmin);
  expect((await node.get('/api/user/info', { bearer })).status).toBe(401);
});

test('a merchant is not told which names the users of other tenants have', async () => {
  const { id: quayId } = (await node.post('/api/tenant/modify', { name: 'Quay', state: true }, { bearer: platform }))
    .body.data;
  const theirs = await make({ tenantId: quayId });
  const another = await make({ tenantId: quayId });
  const probes = [
    draft(),
    draft({ userName: theirs.userName }),
    draft({ email: theirs.email }),
    draft({ userName: another.email }),
  ];
  for (const probe of probes) {
    const { status, body } = await save(probe, shopAdmin);
    expect([status, body.message]).toEqual([200, 'User created']);
    expect(body.data).toMatchObject({ userName: probe.userName, email: probe.email, state: true });
  }
  // They still log in the other users, and are taken within the tenant.
  const { userId } = (await node.post('/api/user/login', { account: theirs.email, password })).body.data;
  expect(userId).toBe(theirs.id);
  const twin = await save(draft({ userName: theirs.userName }), shopAdmin);
  expect([twin.status, twin.body.error.field]).toEqual([409, 'userName']);
  // Callers who see the users of every tenant are refused.
  expect((await save(draft({ userName: theirs.userName, tenantId: null }))).status).toBe(409);
});

test('a platform administrator belongs to no merchant, and no user can move to another tenant', async () => {
  const misplaced = await save(draft({ userType: 'PLATFORM_ADMIN', tenantId: shop.id }));
  expect([misplaced.status, misplaced.body.error.field]).toEqual([400, 'tenantId']);
  const user = await make({ tenantId: shop.id });
  expect((await save(change(user, { tenantId: String(shop.id) }))).status).toBe(200);
  const moved = await save(change(user, { tenantId: 0 }));
  expect([moved.status, moved.body.error.field]).toEqual([400, 'tenantId']);
  const nowhere = await save(draft({ tenantId: 999_999 }));
  expect([nowhere.status, nowhere.body.error.field]).toEqual([404, 'tenantId']);
});

test.each([
  [{ password: '12345' }, 'password', 'password_too_weak'],
  [{ password: 'qwerty123' }, 'password', 'password_too_weak'],
  [{ password: 'Florin2026' }, 'password', 'password_too_weak'],
  [{ userName: 'rosalind', password: 'rosalind1958' }, 'password', 'password_too_weak'],
  [{ email: 'rosalind@lab.example', password: '#Rosalind#' }, 'password', 'password_too_weak'],
  [{ email: 'no address' }, 'email', 'invalid_request'],
  [{ email: 'a@b.example,c@d.example' }, 'email', 'invalid_request'],
  [{ userName: '' }, 'userName', 'invalid_request'],
  [{ userName: 'two\nlines' }, 'userName', 'invalid_request'],
  [{ userType: 'ROOT' }, 'userType', 'invalid_request'],
  [{ roles: ['king'] }, 'roles.0', 'invalid_request'],
  [{ state: 1 }, 'state', 'invalid_request'],
  [{ tenantId: 'x' }, 'tenantId', 'invalid_request'],
  [{ tenantId: true }, 'tenantId', 'invalid_request'],
  [{ isAdmin: true }, 'isAdmin', 'invalid_request'],
])('creating a user with %j is refused naming %s', async (fields, field, type) => {
  const { status, body } = await save(draft(fields));
  expect([status, body.error.field, body.error.type]).toEqual([400, field, type]);
});

test('an update that names only the password compares it with the saved name and address', async () => {
  const user = await make({ userName: 'josephine', email: 'curie@lab.example' });
  for (const weak of ['josephine1958', '#Curie#']) {
    const { status, body } = await save({ id: user.id, password: weak });
    expect([status, body.error?.field, body.error?.type]).toEqual([400, 'password', 'password_too_weak']);
  }
  const foreign = await save({ id: user.id, password: 'josephine1958' }, shopAdmin);
  expect([foreign.status, foreign.body.error.type]).toEqual([404, 'record_not_found']);
});

test('the list pages like the transaction list, newest first, without passwords', async () => {
  const { body: first } = await node.get('/api/user/list?pageSize=2', { bearer: platform });
  const { body: second } = await node.get('/api/user/list?page=2&pageSize=2', { bearer: platform });
  const ids = [...first.data, ...second.data].map((user: { id: number }) => user.id);
  const times = [...first.data, ...second.data].map((user: { createdTime: string }) => user.createdTime);
  expect(times).toEqual(times.toSorted().toReversed());
  expect(new Set(ids).size).toBe(4);
  const [{ count }] = (await node.db.query('select count(*)::int as count from app_user')) as [{ count: number }];
  expect(first.pagination).toEqual({ page: 1, pageSize: 2, total: count, totalPages: Math.ceil(count / 2) });
  expect(JSON.stringify(first)).not.toMatch(/password|argon2/);
  const { body: plain } = await node.get('/api/user/list', { bearer: platform });
  expect(plain.pagination).toMatchObject({ page: 1, pageSize: 20 });
  expect((await node.get('/api/user/list?pageSize=101', { bearer: platform })).status).toBe(400);
  expect((await node.get('/api/user/list?page=0', { bearer: platform })).status).toBe(400);
});

test('a merchant sees only the users of its own tenant', async () => {
  await make({ tenantId: null });
  const { body } = await node.get('/api/user/list?pageSize=100', { bearer: shopAdmin });
  expect(body.data.length).toBeGreaterThan(0);
  for (const user of body.data) expect(user.tenantId).toBe(String(shop.id));
  expect(body.pagination.total).toBe(body.data.length);
});

test('a session alone changes neither the user’s password nor their e-mail address', async () => {
  const user = await make({ userType: 'MERCHANT_ADMIN', tenantId: shop.id });
  const { body } = await node.post('/api/user/login', { account: user.userName, password });
  const bearer = body.data.token.accessToken;
  const modifyOwn = (fields: object) => node.post('/api/user/modify', { id: user.id, ...fields }, { bearer });
  const refused = async (fields: object) => {
    const { status, body } = await modifyOwn(fields);
    return [status, body.error?.type, body.error?.field];
  };
  const email = `new-${user.email}`;
  expect(await refused({ password: 'another fine one' })).toEqual([400, 'old_password_wrong', 'password']);
  expect(await refused({ email })).toEqual([400, 'old_password_wrong', 'oldPassword']);
  expect(await refused({ email, oldPassword: 'not the one' })).toEqual([400, 'old_password_wrong', 'oldPassword']);
  expect((await modifyOwn({ email: user.email })).status).toBe(200);
  expect((await modifyOwn({ email, oldPassword: password })).body.data).toMatchObject({ email });
  const [entry] = await node.db.query<{ body: string }>(
    `select body from audit_entry where record_id = $1 and action = 'user.update' order by id desc limit 1`,
    [String(user.id)],
  );
  expect(Object.keys(JSON.parse(String(entry?.body)).changes)).toEqual(['email']);
});
