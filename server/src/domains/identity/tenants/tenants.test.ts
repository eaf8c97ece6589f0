import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminPassword, type Identity, identity } from '../../../../tests/support/identity.ts';
import { eventually } from '../../../../tests/support/postgres/database.ts';

let node: Identity;
let admin: string;

beforeAll(async () => {
  node = await identity();
  admin = await node.bearer('admin', adminPassword);
});
afterAll(() => node.stop());

const save = (body: object, bearer = admin) => node.post('/api/tenant/modify', body, { bearer });

test('a tenant is created, updated and listed', async () => {
  const created = await save({ name: 'Quay Shop', state: true });
  expect(created.status).toBe(200);
  expect(created.body.data).toEqual({
    id: expect.any(Number),
    name: 'Quay Shop',
    state: true,
    secondFactorRequired: false,
    address: null,
    taxId: null,
    customerMails: false,
    mailLanguage: 'en',
    reopenInvoices: 'RETURNED',
    createdTime: expect.any(String),
    updatedTime: expect.any(String),
  });
  const { id } = created.body.data;
  const updated = await save({ id, name: 'Harbour Shop', state: true });
  expect(updated.body.data).toMatchObject({ id, name: 'Harbour Shop', updatedTime: expect.any(String) });
  const listed = await node.get('/api/tenant/list', { bearer: admin });
  expect(listed.body.data).toEqual([updated.body.data]);
  expect(listed.body.message).toBeUndefined();
});

test('disabling a tenant refuses its sessions at once, on other nodes by notification', async () => {
  const other = await node.anotherNode();
  const { id } = (await save({ name: 'Short-lived', state: true })).body.data;
  const fields = {
    userName: 'shopkeeper',
    email: 's@x.example',
    userType: 'MERCHANT_ADMIN',
    state: true,
    tenantId: id,
  };
  await node.post('/api/user/modify', { ...fields, password: 'green boats' }, { bearer: admin });
  const bearer = await node.bearer('shopkeeper', 'green boats');
  expect((await other.get('/api/user/info', { bearer })).status).toBe(200);
  await save({ id, name: 'Short-lived', state: false });
  expect((await node.get('/api/user/info', { bearer })).status).toBe(401);
  await eventually(
    'the other node is notified',
    async () => (await other.get('/api/user/info', { bearer })).status === 401,
  );
});

test('only a platform administrator sees or changes tenants', async () => {
  const { id } = (await save({ name: 'Closed doors', state: true })).body.data;
  const fields = { userName: 'owner', email: 'o@x.example', userType: 'MERCHANT_ADMIN', state: true, tenantId: id };
  await node.post('/api/user/modify', { ...fields, password: 'green boats' }, { bearer: admin });
  const bearer = await node.bearer('owner', 'green boats');
  for (const reply of [
    await node.get('/api/tenant/list', { bearer }),
    await save({ id, name: 'Mine', state: true }, bearer),
  ]) {
    expect([reply.status, reply.body.error.type]).toEqual([403, 'role_missing']);
  }
});

test('an absent tenant is 404', async () => {
  expect((await save({ id: 999_999, name: 'X', state: true })).status).toBe(404);
});

test('the platform’s own tenant is neither disabled nor requires a second factor', async () => {
  for (const [field, change] of Object.entries({ state: false, secondFactorRequired: true })) {
    const { status, body } = await save({ id: 0, name: 'X', state: true, [field]: change });
    expect([status, body.error.field]).toEqual([400, field]);
  }
});

test.each([
  [{ state: true }, 'name'],
  [{ name: '', state: true }, 'name'],
  [{ name: 'X' }, 'state'],
  [{ name: 'X', state: 'true' }, 'state'],
  [{ name: 'X', state: true, plan: 'gold' }, 'plan'],
  [{ name: 'X', state: true, taxId: '' }, 'taxId'],
  [{ name: 'X', state: true, address: { street: 'Quay 1' } }, 'address.street'],
])('saving a tenant as %j is refused naming %s', async (body, field) => {
  const reply = await save(body);
  expect([reply.status, reply.body.error.field]).toEqual([400, field]);
});
