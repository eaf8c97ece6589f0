import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshKeyring } from '../../src/platform/crypto/keyring.ts';
import {
  administratorOf,
  channelInput,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makeTenant,
  memberPassword,
} from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin, untilTaken } from '../support/service/florin.ts';

/** Two nodes on one database: concurrent repeats of a request run once, and changes take effect on both nodes. */
let db: TestDatabase;
let nodes: [TestFlorin, TestFlorin];
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  const keys = { APP_JWT_KEYS: freshKeyring(), APP_ENCRYPTION_KEYS: freshKeyring() };
  nodes = [await florinOn(db, keys), await florinOn(db, keys)];
  admin = await administratorOf(nodes[0]);
});

afterAll(async () => {
  for (const node of nodes) await node.stop();
  await db.drop();
});

const paymentOf = (channelId: number, key: string) => ({ amount: 1999, currency: 'USD', channelId, description: key });

test('100 concurrent creates with one Idempotency-Key on both nodes create one payment', async () => {
  const channelId = await makeChannel(nodes[0], admin);
  for (let round = 0; round < 5; round++) {
    let refused = 0;
    const create = async (i: number) => {
      const reply = await (nodes[i % 2] as TestFlorin).call('POST', '/api/transaction/create', {
        as: admin,
        body: paymentOf(channelId, 'crowd'),
        headers: { 'idempotency-key': `crowd-${round}` },
      });
      if (reply.status === 503) refused++;
      return reply;
    };
    const replies = await Promise.all(Array.from({ length: 100 }, (_, i) => untilTaken(() => create(i))));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
    const firsts = replies.filter(({ headers }) => headers.get('idempotency-replayed') === null);
    // On a full machine the request that creates it may be told 503, and then all the others are replays.
    expect(refused === 0 ? [1] : [0, 1]).toContain(firsts.length);
  }
  const { pagination } = (await untilTaken(() => nodes[1].get('/api/transaction/list', admin))).body;
  expect(pagination.total).toBe(5);
});

test('with different bodies under one key one payment is created, and the others are refused', async () => {
  const channelId = await makeChannel(nodes[0], admin);
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      untilTaken(() =>
        (nodes[i % 2] as TestFlorin).call('POST', '/api/transaction/create', {
          as: admin,
          body: { ...paymentOf(channelId, 'differing'), amount: 1 + (i % 4) },
          headers: { 'idempotency-key': 'differing' },
        }),
      ),
    ),
  );
  const paid = replies.filter(({ status }) => status === 200);
  expect(new Set(paid.map(({ body }) => body.data.id)).size).toBe(1);
  expect(paid).toHaveLength(10);
  expect(replies.filter(({ status }) => status === 422)).toHaveLength(30);
});

const soon = 1_000;

test('a key revoked on one node is refused there at once, and on the other within a second', async () => {
  const key = await makeKey(nodes[0], admin, 'transaction_read');
  const use = (node: TestFlorin) => node.get('/api/transaction/list', key.as);
  expect([(await use(nodes[0])).status, (await use(nodes[1])).status]).toEqual([200, 200]);
  dataOf(await nodes[0].post('/api/developer/mine/revoke', { id: key.id }, admin));
  expect((await use(nodes[0])).status).toBe(401);
  await eventually('the other node refuses it', async () => (await use(nodes[1])).status === 401, soon);
});

test('a logout on one node ends the session on the other within a second', async () => {
  const session = await administratorOf(nodes[0]);
  const use = (node: TestFlorin) => node.get('/api/user/info', session);
  expect([(await use(nodes[0])).status, (await use(nodes[1])).status]).toEqual([200, 200]);
  dataOf(await nodes[0].post('/api/user/logout', undefined, session));
  expect((await use(nodes[0])).status).toBe(401);
  await eventually('the other node refuses it', async () => (await use(nodes[1])).status === 401, soon);
});

test('a user or tenant deactivated on one node is refused on the other within a second', async () => {
  const tenantId = await makeTenant(nodes[0], admin);
  const { id, userName, as } = await makeMember(nodes[0], admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const other = await makeMember(nodes[0], admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const key = await makeKey(nodes[0], as);
  const use = async (who: string) => (await nodes[1].get('/api/transaction/list', who)).status;
  expect([await use(as), await use(key.as), await use(other.as)]).toEqual([200, 200, 200]);
  const off = { id, userName, email: `${userName}@example.com`, userType: 'MERCHANT_ADMIN', state: false };
  dataOf(await nodes[0].post('/api/user/modify', off, admin));
  await eventually('the user is refused', async () => (await use(as)) === 401 && (await use(key.as)) === 401, soon);
  expect(await use(other.as)).toBe(200);
  dataOf(await nodes[0].post('/api/tenant/modify', { id: tenantId, name: 'Off', state: false }, admin));
  await eventually('the tenant is refused', async () => (await use(other.as)) === 401, soon);
  const login = await nodes[1].post('/api/user/login', { account: other.userName, password: memberPassword });
  expect(login.status).toBe(401);
});

test('a channel deactivated on one node accepts no payment on the other within a second', async () => {
  const input = channelInput();
  const channelId = dataOf(await nodes[0].post('/api/channel/modify', input, admin)).id;
  const pay = async () => (await nodes[1].post('/api/transaction/create', paymentOf(channelId, 'pay'), admin)).status;
  expect(await pay()).toBe(200);
  dataOf(await nodes[0].post('/api/channel/modify', { ...input, id: channelId, state: false }, admin));
  await eventually('it is refused', async () => (await pay()) === 409, soon);
});

test('a node that receives no notifications reads everything from the database', async () => {
  const key = await makeKey(nodes[0], admin, 'transaction_read');
  const use = () => nodes[1].get('/api/transaction/list', key.as);
  expect((await use()).status).toBe(200);
  const failures: unknown[] = [];
  const cutting = setInterval(() => {
    cutListeners().catch((error) => failures.push(error));
  }, 20);
  try {
    await cutListeners();
    dataOf(await nodes[0].post('/api/developer/mine/revoke', { id: key.id }, admin));
    await eventually('the other node refuses it', async () => (await use()).status === 401, soon);
  } finally {
    clearInterval(cutting);
  }
  expect(failures).toEqual([]);

  async function cutListeners(): Promise<void> {
    await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'florin listener'`,
    );
  }
});
