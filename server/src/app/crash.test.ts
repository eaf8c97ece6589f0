import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshKeyring } from '../platform/crypto/keyring.ts';
import {
  administratorOf,
  channelInput,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makeTenant,
  memberPassword,
} from '../testing/cast.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../testing/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../testing/florin.ts';
import { type Receiver, startReceiver } from '../testing/receiver.ts';
import { type ReadyService, startService } from '../testing/service-process.ts';

/** Real processes, killed in the middle of their work: what was acknowledged is there, once, and is told. */
describe('one node with its embedded database', () => {
  let dataDir: string;
  let receiver: Receiver;
  let service: ReadyService;
  let as: string;
  let channelId: number;
  /** Everything answered 200 over the whole story: the Idempotency-Key, and the payment's id. */
  const acknowledged = new Map<string, string>();

  const start = async () => {
    const environment = {
      PORT: '0',
      APP_DATA_DIR: dataDir,
      APP_ADMIN_PASSWORD: administratorPassword,
      APP_WEBHOOK_RETRY_INTERVALS: '1s,1s,1s',
    };
    service = await startService({ environment });
    as = await service.login('admin', administratorPassword);
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'florin-crash-'));
    receiver = await startReceiver();
    await start();
    channelId = await makeChannel(service, as);
    const hook = { url: receiver.url, events: ['transaction.created'], secret: 'a shared secret' };
    dataOf(await service.post('/api/webhook/register', hook, as));
  });

  afterAll(async () => {
    await service.end('SIGTERM');
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const postmaster = () => {
    const [pid] = readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n');
    return Number(pid);
  };

  test('kill -9 of the service under load loses nothing, and a repeat of what was cut off makes it once', async () => {
    const load = startLoad(service, as, channelId, 'service');
    await load.answered(400);
    const cut = await service.end('SIGKILL');
    expect(cut.signal).toBe('SIGKILL');
    await load.stop();
    await start();
    await expectKept(load);
  });

  test('kill -9 of PostgreSQL under load: the service serves again by itself, and nothing is lost', async () => {
    const load = startLoad(service, as, channelId, 'postgres');
    await load.answered(400);
    const killed = postmaster();
    process.kill(killed, 'SIGKILL');
    await eventually(
      'another PostgreSQL runs',
      () => postmasterOrNone() !== undefined && postmasterOrNone() !== killed,
    );
    const before = load.count;
    await load.answered(before + 400);
    await load.stop();
    // Whoever had to wait too long was told to come back; nobody's connection broke.
    expect(load.cutOff).toEqual([]);
    expect(load.refusals.filter((status) => status !== 503)).toEqual([]);
    await expectKept(load);

    function postmasterOrNone(): number | undefined {
      try {
        return postmaster();
      } catch {
        return undefined;
      }
    }
  });

  test('kill -9 of both under load loses nothing', async () => {
    const load = startLoad(service, as, channelId, 'both');
    await load.answered(400);
    process.kill(postmaster(), 'SIGKILL');
    await service.end('SIGKILL');
    await load.stop();
    await start();
    await expectKept(load);
  });

  test('SIGTERM under load answers every request it took, and ends with 0', async () => {
    const load = startLoad(service, as, channelId, 'term');
    await load.answered(400);
    const { code } = await service.end('SIGTERM');
    await load.stop();
    await start();
    expect(code).toBe(0);
    expect({ cutOff: load.cutOff, refusals: load.refusals }).toEqual({ cutOff: [], refusals: [] });
    await expectKept(load);
  });

  test('the webhook hears of every payment at least once, always under the same id', async () => {
    await hurryLeases(dataDir);
    const told = await eventually(
      'every payment is told',
      () => {
        const deliveries = new Map<string, Set<string>>();
        for (const { headers, body } of receiver.received) {
          const { id } = JSON.parse(body.toString()).data.object;
          deliveries.set(id, (deliveries.get(id) ?? new Set()).add(`${headers['x-service-delivery']} ${body}`));
        }
        return [...acknowledged.values()].every((id) => deliveries.has(id)) && deliveries;
      },
      20_000,
    );
    expect([...told.values()].filter((seen) => seen.size > 1)).toEqual([]);
  });

  /** Every acknowledged payment is there once, the totals are right, and no payment is there that nobody asked for. */
  async function expectKept(load: Load): Promise<void> {
    for (const [key, id] of load.acknowledged) acknowledged.set(key, id);
    // What was cut off has an unknown outcome. Whoever asks again, with the same key, gets one payment.
    for (const key of load.unknown) {
      const reply = await service.call('POST', '/api/transaction/create', {
        as,
        body: paymentOf(channelId, key),
        headers: { 'idempotency-key': key },
      });
      acknowledged.set(key, dataOf(reply).id);
    }
    const { listed, total } = await recount();
    expect(listed.size).toBe(acknowledged.size);
    expect(total).toBe(acknowledged.size);
    expect([...acknowledged].filter(([key, id]) => listed.get(id) !== key)).toEqual([]);
  }

  /** All payments by paging through the list: id and description (which is the key), with the total the list gives. */
  async function recount(): Promise<{ listed: Map<string, string>; total: number }> {
    const listed = new Map<string, string>();
    let rows = 0;
    for (let page = 1; ; page++) {
      const { body } = await service.get(`/api/transaction/list?pageSize=100&page=${page}`, as);
      for (const { id, description } of body.data) listed.set(id, description);
      rows += body.data.length;
      if (page < body.pagination.totalPages) continue;
      expect(listed.size).toBe(rows);
      return { listed, total: body.pagination.total };
    }
  }
});

const connections = 20;

interface Load {
  /** Answered 200 so far. */
  readonly count: number;
  acknowledged: Map<string, string>;
  /** Keys whose outcome is not known: the connection broke, or the service said it could not. */
  readonly unknown: string[];
  /** Why requests broke that had been sent whole on a connection in use. */
  cutOff: string[];
  /** Statuses other than 200. */
  refusals: number[];
  /** Resolves when so many have been answered 200. */
  answered: (count: number) => Promise<void>;
  stop: () => Promise<void>;
}

const paymentOf = (channelId: number, key: string) => ({ amount: 1999, currency: 'USD', channelId, description: key });

/** Creates payments on 20 connections, one after the other on each, until told to stop. */
function startLoad({ address }: ReadyService, as: string, channelId: number, name: string): Load {
  const pool = new Pool(address, { connections, pipelining: 1 });
  const sent = new Set<string>();
  const load: Load = {
    acknowledged: new Map(),
    cutOff: [],
    refusals: [],
    get count() {
      return load.acknowledged.size;
    },
    get unknown() {
      return [...sent].filter((key) => !load.acknowledged.has(key));
    },
    answered: async (count) => {
      await eventually(`${count} creates are answered`, () => load.acknowledged.size >= count, 20_000);
    },
    stop: async () => {
      stopped = true;
      await Promise.all(payers);
      await pool.destroy();
    },
  };
  let stopped = false;
  const payers = Array.from({ length: connections }, (_, payer) => pay(payer));
  return load;

  async function pay(payer: number): Promise<void> {
    for (let i = 0; !stopped; i++) {
      const key = `${name}-${payer}-${i}`;
      sent.add(key);
      try {
        const { statusCode, body } = await pool.request({
          method: 'POST',
          path: '/api/transaction/create',
          headers: { authorization: as, 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify(paymentOf(channelId, key)),
        });
        const answer = (await body.json()) as { data: { id: string } };
        if (statusCode === 200) load.acknowledged.set(key, answer.data.id);
        else load.refusals.push(statusCode);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        // No connection could be made: the service is gone, and took nothing.
        if (code === 'ECONNREFUSED') return;
        load.cutOff.push(`${code}: ${message}`);
      }
    }
  }
}

/** What a killed process had claimed is due again when its lease of 30 s ends: moves that end to now. */
async function hurryLeases(dataDir: string): Promise<void> {
  const client = new pg.Client({ host: join(dataDir, 'postgres', 'socket'), user: 'florin', database: 'florin' });
  await client.connect();
  await client.query('update delivery set leased_until = now() where leased_until > now() and lease is not null');
  await client.end();
}

describe('two nodes on one database', () => {
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

  test('100 creates at once with one Idempotency-Key over both make one payment', async () => {
    const channelId = await makeChannel(nodes[0], admin);
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          (nodes[i % 2] as TestFlorin).call('POST', '/api/transaction/create', {
            as: admin,
            body: paymentOf(channelId, 'crowd'),
            headers: { 'idempotency-key': `crowd-${round}` },
          }),
        ),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(replies.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
      expect(replies.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    }
    const { pagination } = (await nodes[1].get('/api/transaction/list', admin)).body;
    expect(pagination.total).toBe(5);
  });

  test('with differing bodies under one key, one is paid, and the others are told so', async () => {
    const channelId = await makeChannel(nodes[0], admin);
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        (nodes[i % 2] as TestFlorin).call('POST', '/api/transaction/create', {
          as: admin,
          body: { ...paymentOf(channelId, 'differing'), amount: 1 + (i % 4) },
          headers: { 'idempotency-key': 'differing' },
        }),
      ),
    );
    const paid = replies.filter(({ status }) => status === 200);
    expect(new Set(paid.map(({ body }) => body.data.id)).size).toBe(1);
    expect(paid).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 422)).toHaveLength(30);
  });

  const soon = 1_000;

  test('a key revoked on one is refused at once there, and within a second on the other', async () => {
    const key = await makeKey(nodes[0], admin, 'transaction_read');
    const use = (node: TestFlorin) => node.get('/api/transaction/list', key.as);
    expect([(await use(nodes[0])).status, (await use(nodes[1])).status]).toEqual([200, 200]);
    dataOf(await nodes[0].post('/api/developer/mine/revoke', { id: key.id }, admin));
    expect((await use(nodes[0])).status).toBe(401);
    await eventually('the other node refuses it', async () => (await use(nodes[1])).status === 401, soon);
  });

  test('a logout on one ends the session on the other within a second', async () => {
    const session = await administratorOf(nodes[0]);
    const use = (node: TestFlorin) => node.get('/api/user/info', session);
    expect([(await use(nodes[0])).status, (await use(nodes[1])).status]).toEqual([200, 200]);
    dataOf(await nodes[0].post('/api/user/logout', undefined, session));
    expect((await use(nodes[0])).status).toBe(401);
    await eventually('the other node refuses it', async () => (await use(nodes[1])).status === 401, soon);
  });

  test('a user or a tenant switched off on one is refused on the other within a second', async () => {
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

  test('a channel switched off on one takes no payment on the other within a second', async () => {
    const input = channelInput();
    const channelId = dataOf(await nodes[0].post('/api/channel/modify', input, admin)).id;
    const pay = async () => (await nodes[1].post('/api/transaction/create', paymentOf(channelId, 'pay'), admin)).status;
    expect(await pay()).toBe(200);
    dataOf(await nodes[0].post('/api/channel/modify', { ...input, id: channelId, state: false }, admin));
    await eventually('it is refused', async () => (await pay()) === 409, soon);
  });

  test('a node that cannot hear the other looks everything up', async () => {
    const key = await makeKey(nodes[0], admin, 'transaction_read');
    const use = () => nodes[1].get('/api/transaction/list', key.as);
    expect((await use()).status).toBe(200);
    const cutting = setInterval(() => void cutListeners(), 20);
    try {
      await cutListeners();
      dataOf(await nodes[0].post('/api/developer/mine/revoke', { id: key.id }, admin));
      await eventually('the other node refuses it', async () => (await use()).status === 401, soon);
    } finally {
      clearInterval(cutting);
    }

    async function cutListeners(): Promise<void> {
      await db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'florin listener'`,
      );
    }
  });
});
