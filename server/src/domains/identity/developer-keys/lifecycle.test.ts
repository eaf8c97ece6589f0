import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminPassword, type Identity, identity } from '../../../../tests/support/identity.ts';
import { dayMs } from '../../../core/clock.ts';
import { addressMatcher } from './allowed-addresses.ts';
import { queueExpiryNotices } from './expiry-notices.ts';

let node: Identity;
let platform: string;
let shop: { id: number };
let owner: { userName: string; userId: number; bearer: string };
let clerk: { userName: string; userId: number; bearer: string };
const password = 'seven green boats';
let users = 0;

beforeAll(async () => {
  node = await identity();
  platform = await node.bearer('admin', adminPassword);
  shop = (await node.post('/api/tenant/modify', { name: 'Shop', state: true }, { bearer: platform })).body.data;
  owner = await makeUser({ userType: 'MERCHANT_ADMIN', tenantId: shop.id });
  clerk = await makeUser({ userType: 'MERCHANT_USER', tenantId: shop.id, roles: ['viewer'] });
});
afterAll(() => node.stop());

async function makeUser(facts: object) {
  const userName = `user${++users}`;
  const user = { userName, email: `${userName}@x.example`, password, state: true, ...facts };
  const { id } = (await node.post('/api/user/modify', user, { bearer: platform })).body.data;
  return { userName, userId: id as number, bearer: await node.bearer(userName, password) };
}
async function makeKey({ bearer }: { bearer: string }, facts: object = {}) {
  const { status, body } = await node.post('/api/developer/mine/generate', facts, { bearer });
  expect(status).toBe(200);
  return body.data;
}
const current = (key: string) => node.get('/api/developer/current', { key });
const rotate = (body: object, { bearer }: { bearer: string } = clerk) =>
  node.post('/api/developer/mine/rotate', body, { bearer });
const actions = async (id: number) =>
  (await node.db.query<{ action: string }>('select action from audit_entry where record_id = $1', [String(id)])).map(
    ({ action }) => action,
  );

test('a key can read itself; a session has no key to read', async () => {
  const key = await makeKey(clerk, { name: 'Till', scope: 'transaction_read' });
  const { status, body } = await current(key.sk);
  expect(status).toBe(200);
  expect(body.data).toMatchObject({
    id: key.id,
    name: 'Till',
    state: 1,
    userId: clerk.userId,
    userName: clerk.userName,
    tenantId: String(shop.id),
    scopes: ['transaction_read'],
  });
  expect(JSON.stringify(body)).not.toContain(key.sk);
  expect((await node.get('/api/developer/current', { bearer: clerk.bearer })).status).toBe(401);
});

test('an administrator lists and revokes the keys of the tenant, and of no other', async () => {
  const key = await makeKey(clerk);
  const foreign = await makeKey({ bearer: platform });
  const { body } = await node.get(`/api/developer/list?userId=${clerk.userId}`, { bearer: owner.bearer });
  expect(body.data[0]).toMatchObject({ id: key.id, userName: clerk.userName, tenantId: String(shop.id), state: 1 });
  expect(body.pagination.total).toBe(body.data.length);
  const all = (await node.get('/api/developer/list?pageSize=100', { bearer: owner.bearer })).body.data;
  expect(all.map(({ id }: { id: number }) => id)).not.toContain(foreign.id);
  expect((await node.post('/api/developer/revoke', { id: foreign.id }, { bearer: owner.bearer })).status).toBe(404);
  const revoked = await node.post('/api/developer/revoke', { id: key.id }, { bearer: owner.bearer });
  expect([revoked.status, revoked.body.data.state]).toEqual([200, 0]);
  expect((await current(key.sk)).status).toBe(401);
  expect((await current(foreign.sk)).status).toBe(200);
  expect(await actions(key.id)).toContain('key.revoke');
  for (const path of ['/api/developer/list']) {
    const refused = await node.get(path, { bearer: clerk.bearer });
    expect([refused.status, refused.body.error.type]).toEqual([403, 'role_missing']);
  }
  const seen = (await node.get('/api/developer/list?pageSize=100', { bearer: platform })).body.data;
  expect(seen.map(({ id }: { id: number }) => id)).toEqual(expect.arrayContaining([key.id, foreign.id]));
});

test('a merchant administrator of the platform’s own tenant reaches no key of a platform administrator', async () => {
  const staff = await makeUser({ userType: 'MERCHANT_ADMIN', tenantId: null });
  const key = await makeKey({ bearer: platform });
  expect((await node.post('/api/developer/revoke', { id: key.id }, { bearer: staff.bearer })).status).toBe(404);
});

test('a rotated key and its successor both work until the overlap is over', async () => {
  const former = await makeKey(clerk, { name: 'Till', scope: 'transaction_read', allowedAddresses: ['127.0.0.0/8'] });
  expect((await current(former.sk)).status).toBe(200);
  const { status, body } = await rotate({ id: former.id, overlapSeconds: 60 });
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ name: 'Till', scope: 'transaction_read', allowedAddresses: ['127.0.0.0/8'] });
  expect((await current(former.sk)).body.data.replacedBy).toBe(body.data.id);
  expect((await current(body.data.sk)).status).toBe(200);
  node.advance(61_000);
  expect([(await current(former.sk)).status, (await current(body.data.sk)).status]).toEqual([401, 200]);
  const again = await rotate({ id: former.id });
  expect([again.status, again.body.error.type]).toEqual([409, 'key_inactive']);
  expect(await actions(former.id)).toContain('key.rotate');
});

test('without overlap the old key stops at once; revoked and foreign keys cannot be rotated', async () => {
  const [key, other] = [await makeKey(clerk), await makeKey(owner)];
  expect((await current(key.sk)).status).toBe(200);
  expect((await rotate({ id: key.id, overlapSeconds: 0 })).status).toBe(200);
  expect((await current(key.sk)).status).toBe(401);
  expect((await rotate({ id: other.id })).status).toBe(404);
  await node.post('/api/developer/mine/revoke', { id: other.id }, { bearer: owner.bearer });
  expect((await rotate({ id: other.id }, owner)).status).toBe(409);
});

test('of concurrent rotations of one key, exactly one succeeds', async () => {
  const key = await makeKey(clerk);
  const replies = await Promise.all(Array.from({ length: 5 }, () => rotate({ id: key.id })));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
});

test('a key limited to addresses is refused from any other, and shows the address of its last use', async () => {
  const here = await makeKey(clerk, { allowedAddresses: ['::1', '127.0.0.1'] });
  const elsewhere = await makeKey(clerk, { allowedAddresses: ['203.0.113.0/24'] });
  expect((await current(here.sk)).status).toBe(200);
  const { status, body } = await current(elsewhere.sk);
  expect([status, body.error.type]).toEqual([403, 'address_not_allowed']);
  await node.keys.settled();
  expect((await current(here.sk)).body.data).toMatchObject({ lastUsedAddress: '127.0.0.1' });
});

test.each([
  ['10.0.0.0/8', '10.1.2.3', '11.0.0.1'],
  ['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.8'],
  ['2001:db8::/32', '2001:db8:1::9', '2001:db9::1'],
  ['::1', '::1', '127.0.0.1'],
])('%s allows %s and not %s', (entry, inside, outside) => {
  const isAllowed = addressMatcher([entry]);
  expect([isAllowed(inside), isAllowed(outside), isAllowed('no address')]).toEqual([true, false, false]);
});

test.each(['10.1', '10.0.0.0/33', 'example.com', '1.2.3.4/', '0x7f.1/8'])('%s is no allowed address', async (entry) => {
  const { status, body } = await node.post(
    '/api/developer/mine/generate',
    { allowedAddresses: ['10.0.0.1', entry] },
    { bearer: clerk.bearer },
  );
  expect([status, body.error.field]).toEqual([400, 'allowedAddresses.1']);
});

test('the owner gets one mail, seven days before a key expires', async () => {
  const expiresTime = new Date(node.now() + 30 * dayMs).toISOString();
  const key = await makeKey(clerk, { name: 'Ends soon', expiresTime });
  await makeKey(clerk, { name: 'Made for a day', expiresTime: new Date(node.now() + dayMs).toISOString() });
  const sweepAfter = async (days: number) => {
    node.advance(days * dayMs);
    await queueExpiryNotices(node.db.database, node.now());
    await node.mailed();
  };
  const notices = () => node.mails.filter(({ subject }) => subject === 'A developer key is about to expire');
  await sweepAfter(22);
  expect(notices()).toEqual([]);
  await sweepAfter(2);
  await sweepAfter(1);
  expect(notices()).toHaveLength(1);
  expect(notices()[0]).toMatchObject({ to: `${clerk.userName}@x.example` });
  expect(notices()[0]?.text).toContain('Ends soon');
  expect(notices()[0]?.text).not.toContain(key.sk);
});
