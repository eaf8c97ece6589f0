import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn } from '../../../../tests/support/service/florin.ts';
import { type TestNodes, testNodes } from '../../../../tests/support/service/nodes.ts';
import type { ReadyService } from '../../../../tests/support/service/service-process.ts';
import { aRefusal } from '../../../../tests/support/shapes.ts';
import { freshKeyring } from '../../../platform/crypto/keyring.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let db: TestDatabase;
let nodes: TestNodes;
let balancer: Awaited<ReturnType<typeof startBalancer>>;

beforeAll(async () => {
  db = await databaseFromTemplate();
  nodes = await testNodes(db);
  balancer = await startBalancer();
});

afterAll(async () => {
  await nodes.close();
  await balancer.close();
  await db.drop();
});

/** A round-robin TCP load balancer in front of several nodes. */
async function startBalancer() {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const { hostname, port } = new URL(targets[connections++ % targets.length] as string);
    const onward = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    get connections() {
      return connections;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}

test('an inbox with a private address is registered only if app.webhook.allow-targets has its network', async () => {
  const keys = { APP_JWT_KEYS: freshKeyring(), APP_ENCRYPTION_KEYS: freshKeyring() };
  const cluster = { ...keys, APP_DEPLOYMENT_MODE: 'CLUSTER', APP_PUBLIC_URL: balancer.url };
  for (const [allowed, status] of [
    ['', 400],
    ['10.0.0.0/8', 400],
    ['10.0.0.0/8,127.0.0.1/32', 200],
  ] as const) {
    const florin = await florinOn(db, { ...cluster, APP_ROLE: 'api', APP_WEBHOOK_ALLOW_TARGETS: allowed });
    try {
      const as = await administratorOf(florin);
      const { url } = dataOf(await florin.post('/api/inbox/create', {}, as));
      expect(url.startsWith(`${balancer.url}/inbox/`)).toBe(true);
      const reply = await florin.post('/api/webhook/register', { url, events: ['*'], secret }, as);
      expect({ allowed, status: reply.status }).toEqual({ allowed, status });
      if (status === 400) {
        expect(reply.body).toEqual(aRefusal(400, { type: 'webhook_address_forbidden', field: 'url' }));
      }
    } finally {
      await florin.stop();
    }
  }
  await db.query('delete from webhook_endpoint');
});

test('with two nodes behind a load balancer, an inbox gets the deliveries of both and shows them on both', async () => {
  const start = () => nodes.start({ APP_PUBLIC_URL: balancer.url });
  const [one, other] = await Promise.all([start(), start()]);
  balancer.targets.push(one.address, other.address);
  const as = await nodes.administrator(one);
  const inbox = dataOf(await one.post('/api/inbox/create', { secret }, as));
  const hook = { url: inbox.url, events: ['*'], secret };
  const { id } = dataOf(await other.post('/api/webhook/register', hook, as));
  const count = 6;
  for (let i = 0; i < count; i++) dataOf(await (i % 2 ? one : other).post('/api/webhook/test', { id }, as));
  const messagesAt = async (node: ReadyService) => dataOf(await node.get(`/api/inbox/messages?id=${inbox.id}`, as));
  const messages = await eventually('all arrive', async () => {
    const all = await messagesAt(one);
    return all.length === count && all;
  });
  expect(await messagesAt(other)).toEqual(messages);
  for (const message of messages) {
    expect(message).toMatchObject({ serviceSignature: 'VERIFIED', standardSignature: 'VERIFIED' });
  }
  const delivered = async () =>
    dataOf(await other.get(`/api/webhook/delivery/list?endpointId=${id}&state=SUCCEEDED`, as));
  await eventually('all are recorded', async () => (await delivered()).length === count);
  expect(balancer.connections).toBeGreaterThan(1);
});
