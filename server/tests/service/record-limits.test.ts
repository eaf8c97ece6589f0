import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, channelInput, dataOf, makeMember, makeTenant, memberPassword } from '../support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type Reply, type TestFlorin } from '../support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let limited: TestFlorin;
let admin: string;
/** The session of one user at each node: they have keys of their own for tokens. */
const sessions = new Map<TestFlorin, string>();
let adminOfLimited: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  limited = await florinOn(db, { APP_DEVELOPER_KEY_MAX_PER_USER: '4', APP_CHANNEL_MAX_PER_TENANT: '4' });
  admin = await administratorOf(florin);
  const tenantId = await makeTenant(florin, admin);
  const { as, userName } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  sessions.set(florin, as);
  sessions.set(limited, await limited.login(userName, memberPassword));
  adminOfLimited = await administratorOf(limited);
});

afterAll(async () => {
  await limited.stop();
  await florin.stop();
  await db.drop();
});

const generate = (node: TestFlorin, caller = sessions.get(node)) =>
  node.post('/api/developer/mine/generate', {}, caller);
const addChannel = (node: TestFlorin, caller = sessions.get(node)) =>
  node.post('/api/channel/modify', channelInput(), caller);
const statuses = (replies: Reply[]) => replies.map(({ status }) => status).toSorted();
const many = (request: () => Promise<Reply>) => Promise.all(Array.from({ length: 8 }, request));

test('a user has so many developer keys, revoked ones included, also when they are made in parallel', async () => {
  const { id } = dataOf(await generate(limited));
  await limited.post('/api/developer/mine/revoke', { id }, sessions.get(limited));
  const made = await many(() => generate(limited));
  expect(statuses(made)).toEqual([...Array(3).fill(200), ...Array(5).fill(409)]);
  const key = dataOf(made.find(({ status }) => status === 200) as Reply);
  for (const refused of [
    await generate(limited),
    await limited.post('/api/developer/mine/rotate', { id: key.id }, sessions.get(limited)),
  ]) {
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { type: 'key_limit_reached', details: { limit: 4 } },
    ]);
    expect(refused.body.message).toContain('app.developer-key.max-per-user');
  }
  expect((await generate(limited, adminOfLimited)).status).toBe(200);
});

test('a tenant has so many channels, also when they are added in parallel; those that exist are changed', async () => {
  const made = await many(() => addChannel(limited));
  expect(statuses(made)).toEqual([...Array(4).fill(200), ...Array(4).fill(409)]);
  const refused = await addChannel(limited);
  expect([refused.status, refused.body.error]).toMatchObject([
    409,
    { type: 'channel_limit_reached', details: { limit: 4 } },
  ]);
  expect(refused.body.message).toContain('app.channel.max-per-tenant');
  const { id } = dataOf(made.find(({ status }) => status === 200) as Reply);
  expect(
    (await limited.post('/api/channel/modify', channelInput({ id, name: 'Renamed' }), sessions.get(limited))).status,
  ).toBe(200);
  expect((await addChannel(limited, adminOfLimited)).status).toBe(200);
});

test('what is beyond a limit when it is lowered stays, and is listed whole', async () => {
  for (let i = 0; i < 3; i++) {
    dataOf(await generate(florin));
    dataOf(await addChannel(florin));
  }
  expect(dataOf(await limited.get('/api/developer/mine', sessions.get(limited)))).toHaveLength(7);
  const channels = dataOf(await limited.get('/api/channel/list', sessions.get(limited)));
  expect(channels.length).toBeGreaterThanOrEqual(7);
});

test.each([
  ['/api/tenant/list', 'tenant', () => florin.post('/api/tenant/modify', { name: 'Paged', state: true }, admin)],
  ['/api/session/list', 'session', () => florin.login('admin', 'correct horse battery')],
  ['/api/clock/list', 'clock', () => florin.post('/api/clock/create', { name: 'Paged' }, admin)],
])('%s has pages, and every %s is on one of them', async (path, _what, add) => {
  for (let i = 0; i < 25; i++) await add();
  const first = await florin.get(path, admin);
  const { total } = first.body.pagination;
  expect(total).toBeGreaterThanOrEqual(25);
  expect(first.body.pagination).toEqual({ page: 1, pageSize: 20, total, totalPages: Math.ceil(total / 20) });
  const ids = new Set<unknown>();
  for (let page = 1; page <= Math.ceil(total / 10); page++) {
    const data = dataOf(await florin.get(`${path}?page=${page}&pageSize=10`, admin));
    expect(data.length).toBeLessThanOrEqual(10);
    for (const { id } of data) ids.add(id);
  }
  expect(ids.size).toBe(total);
});
