import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { principalOf } from '../../../../../tests/support/payments/payments.ts';
import { busOn } from '../../../../../tests/support/postgres/bus.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import {
  brokenUrls,
  forbiddenHosts,
  forbiddenNames,
  publicHosts,
  publicNames,
} from '../../../../../tests/support/service/hosts.ts';
import { type Receiver, startReceiver } from '../../../../../tests/support/webhooks/receiver.ts';
import { uuidGenerator } from '../../../../core/id.ts';
import { addRoute } from '../../../../platform/http/server/add-route.ts';
import { httpServer } from '../../../../platform/http/server/server.ts';
import type { Bus } from '../../../../platform/postgres/bus/bus.ts';
import { Caches } from '../../../../platform/postgres/caches.ts';
import type { WebhooksApp } from '../../app.ts';
import { deliveryWorker } from '../../deliveries/worker.ts';
import { appendEvent, eventBody } from '../../events/append-events.cte.ts';
import { AddressGuard } from '../address-guard.ts';
import { EndpointDirectory } from '../directory.ts';
import { endpointRoutes } from '../routes.ts';

const literals = Object.values(forbiddenHosts).flat();
const dns = new Map(Object.entries({ ...forbiddenNames, ...publicNames }));
const resolve: NonNullable<ConstructorParameters<typeof AddressGuard>[0]['resolve']> = (hostname, _options, done) => {
  const found = dns.get(hostname) ?? (/(^|\.)localhost\.?$/.test(hostname) ? ['127.0.0.1'] : undefined);
  if (found === undefined) done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), []);
  else
    done(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
};

const guard = new AddressGuard({ allowsPrivate: false, allowTargets: [], resolve });
const guards = { everyone: guard, administrators: guard };
const principal = principalOf(0, 0, 'PLATFORM_ADMIN');
let db: TestDatabase;
let bus: Bus;
let app: FastifyInstance;
let baseUrl: string;
/** A connection here means that a forbidden address was reached. */
let decoy: Receiver;

beforeAll(async () => {
  db = await databaseFromTemplate();
  const [user] = await db.query<{ id: number }>(
    `insert into app_user (tenant_id, user_name, email, password_hash, user_type)
     values (0, 'ann', 'ann@example.com', '-', 'PLATFORM_ADMIN') returning id`,
  );
  principal.userId = user?.id ?? 0;
  decoy = await startReceiver();
  bus = busOn(db);
  await bus.start();
  const services: Partial<WebhooksApp> = {
    database: db.database,
    guards,
    maxEndpoints: 10_000,
    seal: (plain) => Buffer.from(plain),
    clock: Date.now,
    generateUuid: uuidGenerator(Date.now),
  };
  app = httpServer({ authenticate: async () => principal, onReply: () => {}, onDefect: () => {} });
  for (const route of endpointRoutes) addRoute(app, route, services as WebhooksApp);
  await app.listen({ host: '127.0.0.1', port: 0 });
  baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await app.close();
  await decoy.close();
  await bus.stop();
  await db.drop();
});

const isLost = () => false;
const urlTo = (host: string) => `http://${host}:${new URL(decoy.url).port}/`;

/** `accepted`, or the field and type of the refusal. */
async function verdictOf(url: string): Promise<string> {
  const reply = await fetch(`${baseUrl}/api/webhook/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: ['*'], secret: 'a secret of tests' }),
  });
  const body = (await reply.json()) as { error?: { type: string; field: string } };
  return body.error === undefined ? 'accepted' : `${body.error.field}: ${body.error.type}`;
}

async function verdictsOf(urls: readonly string[]): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all(urls.map(async (url) => [url, await verdictOf(url)] as const)));
}

const all = (urls: readonly string[], verdict: string) => Object.fromEntries(urls.map((url) => [url, verdict]));

describe('at registration', () => {
  test('the corpus has more than 240 different hosts', () => {
    const hosts = [...literals, ...Object.keys(forbiddenNames)];
    expect(new Set(hosts).size).toBe(hosts.length);
    expect(hosts.length).toBeGreaterThan(240);
  });

  test.each(Object.entries(forbiddenHosts))('%s is refused in every spelling', async (_kind, hosts) => {
    const urls = hosts.flatMap((host) => [urlTo(host), `https://${host}/hook?a=b#c`]);
    expect(await verdictsOf(urls)).toEqual(all(urls, 'url: webhook_address_forbidden'));
  });

  test('names with a forbidden address are refused', async () => {
    const urls = Object.keys(forbiddenNames).map(urlTo);
    expect(await verdictsOf(urls)).toEqual(all(urls, 'url: webhook_address_forbidden'));
  });

  test('malformed URLs and URLs with credentials are refused', async () => {
    expect(await verdictsOf(brokenUrls)).toEqual(all(brokenUrls, 'url: invalid_request'));
  });

  test('public addresses and names are accepted', async () => {
    const urls = [...publicHosts, ...Object.keys(publicNames)].map((host) => `https://${host}/hook`);
    expect(await verdictsOf(urls)).toEqual(all(urls, 'accepted'));
    await db.query('delete from webhook_endpoint');
  });
});

describe('at the connection', () => {
  test('stored endpoints with a forbidden address are not connected to', async () => {
    const hosts = [...literals, ...Object.keys(forbiddenNames)];
    await insertEndpoints(hosts.map(urlTo));
    expect(await outcomesOfOneEvent(hosts.length)).toEqual([{ outcome: 'forbidden_address', count: hosts.length }]);
    expect(decoy.connections).toBe(0);
  });

  test('a name that was public at registration and is private at the connection is not connected to', async () => {
    dns.set('rebinding.example', ['93.184.215.14']);
    expect(await verdictOf(urlTo('rebinding.example'))).toBe('accepted');
    dns.set('rebinding.example', ['127.0.0.1']);
    expect(await outcomesOfOneEvent(1)).toEqual([{ outcome: 'forbidden_address', count: 1 }]);
    expect(decoy.connections).toBe(0);
  });

  test('a redirect to a forbidden address is a failure and is not followed', async () => {
    const hops = [decoy.url, 'http://169.254.169.254/latest/meta-data/', 'http://localhost/', 'file:///etc/passwd'];
    const redirecting = await startReceiver(({ path }, _request, response) => {
      response.writeHead(302, { location: hops[Number(path.slice(1))] }).end();
    });
    // Allows the address of the redirecting server; the targets of its redirects are never checked.
    const allowing = new AddressGuard({ allowsPrivate: false, allowTargets: ['127.0.0.1/32'], resolve });
    try {
      await insertEndpoints(hops.map((_hop, i) => `${redirecting.url}/${i}`));
      const outcomes = await outcomesOfOneEvent(hops.length, allowing);
      expect(outcomes).toEqual([{ outcome: 'http_status', count: hops.length }]);
      expect(redirecting.received).toHaveLength(hops.length);
      expect(decoy.connections).toBe(0);
    } finally {
      await redirecting.close();
    }
  });
});

async function insertEndpoints(urls: string[]): Promise<void> {
  await db.query(
    `insert into webhook_endpoint (tenant_id, user_id, url, events, secret_sealed) select 0, $1, url, $3, $4
         from unnest($2::text[]) as url`,
    [principal.userId, urls, ['*'], Buffer.from('s')],
  );
}

/** Delivers one event to every endpoint, deletes the endpoints, and returns the outcomes of the attempts. */
async function outcomesOfOneEvent(
  deliveries: number,
  usedGuard = guard,
): Promise<{ outcome: string; count: number }[]> {
  const id = uuidGenerator(Date.now)();
  const about = { id, type: 'transaction.created', createdMs: Date.now(), livemode: true } as const;
  const event = { ...about, tenantId: 0, objectId: 'txn_1' };
  const body = eventBody(about, {});
  expect(await appendEvent(db.database, { ...event, body })).toBe(deliveries);
  const options = {
    open: (sealed: Buffer) => String(sealed),
    isLost,
    guards: { everyone: usedGuard, administrators: usedGuard },
  };
  const worker = deliveryWorker({
    database: db.database,
    transactions: db.database,
    generateUuid: uuidGenerator(Date.now),
    directory: new EndpointDirectory({ database: db.database, caches: new Caches(bus), ...options }),
    clock: Date.now,
    timeoutMs: 5_000,
    retryIntervalsMs: [],
  });
  worker.start();
  try {
    await eventually('every delivery has been tried', async () => {
      const [open] = await db.query<{ count: number }>(`select count(*) as count from delivery where state = 'OPEN'`);
      return open?.count === 0;
    });
    return await db.query(
      `select outcome, count(*) as count from delivery_attempt
        where delivery_id in (select id from delivery where event_id = $1) group by 1 order by 1`,
      [id],
    );
  } finally {
    await worker.stop();
    await db.query('delete from webhook_endpoint');
  }
}
