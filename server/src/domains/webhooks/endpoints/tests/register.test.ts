import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { uuidGenerator } from '../../../../core/id.ts';
import type { Principal } from '../../../../core/principal.ts';
import { scopes } from '../../../../core/scopes.ts';
import { addRoute } from '../../../../platform/http/server/add-route.ts';
import { httpServer } from '../../../../platform/http/server/server.ts';
import type { WebhooksApp } from '../../app.ts';
import { type AddressGuards, addressGuards } from '../address-guard.ts';
import { endpointRoutes } from '../routes.ts';

const nowMs = Date.UTC(2026, 0, 31, 9, 30);
const valid = {
  url: 'https://shop.example.com/hooks?from=florin',
  events: ['transaction.created'],
  secret: 'a secret of tests',
};

let db: TestDatabase;
let app: FastifyInstance;
let baseUrl: string;
let principal: Principal;
const maxEndpoints = 100;
/** Of STANDALONE mode, unless a test sets others. */
let guards: AddressGuards;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await db.query(`insert into tenant (id, name) values (7, 'Shop')`);
  const [user] = await db.query<{ id: number }>(
    `insert into app_user (tenant_id, user_name, email, password_hash, user_type)
     values (7, 'ann', 'ann@example.com', '-', 'MERCHANT_ADMIN') returning id`,
  );
  principal = {
    by: 'session',
    userId: user?.id ?? 0,
    userName: 'ann',
    userType: 'MERCHANT_ADMIN',
    tenantId: 7,
    roles: [],
    scopes: new Set(scopes),
    holdsAll: false,
  };
  const { database } = db;
  const services: Partial<WebhooksApp> = {
    database,
    get guards() {
      return guards;
    },
    maxEndpoints,
    generateUuid: uuidGenerator(() => nowMs),
    seal: (plain, where) => Buffer.from(`sealed:${where}:${[...plain].toReversed().join('')}`),
    clock: () => nowMs,
  };
  app = httpServer({ authenticate: async () => principal, onReply: () => {}, onDefect: () => {} });
  for (const route of endpointRoutes) addRoute(app, route, services as WebhooksApp);
  await app.listen({ host: '127.0.0.1', port: 0 });
  baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  guards = addressGuards(true, []);
  principal = { ...principal, by: 'session', userType: 'MERCHANT_ADMIN', scopes: new Set(scopes) };
});

afterAll(async () => {
  await app.close();
  await db.drop();
});

interface Reply {
  message: string;
  data: { id: number; events: string[]; secret?: string };
  error: { type: string; field?: string; details?: unknown };
}

const register = (body: unknown) => post('register', body);

async function post(verb: string, body: unknown) {
  const reply = await fetch(`${baseUrl}/api/webhook/${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as Reply };
}

test('the answer to a registration does not contain the secret, which is stored sealed', async () => {
  const { status, body } = await register(valid);
  expect(status).toBe(200);
  const { url, events } = valid;
  const { id } = body.data;
  expect(body.data).toEqual({ id, livemode: true, url, events, state: true, createdTime: '2026-01-31T09:30:00.000Z' });
  const [row] = await db.query('select tenant_id, user_id, secret_sealed from webhook_endpoint where id = $1', [id]);
  expect(row).toEqual({
    tenant_id: 7,
    user_id: principal.userId,
    secret_sealed: Buffer.from(`sealed:webhook_endpoint/7/${id}/secret:stset fo terces a`),
  });
});

test('an event type named twice is stored once', async () => {
  const { body } = await register({ ...valid, events: ['*', 'transaction.*', '*'] });
  expect(body.data.events).toEqual(['*', 'transaction.*']);
});

test.each([
  ['url', { url: undefined }],
  ['url', { url: '' }],
  ['url', { url: 7 }],
  ['url', { url: 'shop.example.com/hooks' }],
  ['url', { url: '/hooks' }],
  ['url', { url: 'ftp://shop.example.com' }],
  ['url', { url: 'javascript:alert(1)' }],
  ['url', { url: 'https://ann:pw@shop.example.com' }],
  ['url', { url: 'https://ann@shop.example.com' }],
  ['url', { url: 'https://@shop.example.com' }],
  ['url', { url: 'https:shop.example.com' }],
  ['url', { url: 'https:///shop.example.com' }],
  ['url', { url: 'https:\\\\shop.example.com' }],
  ['url', { url: 'https://shop.example.com\\@other.example.com' }],
  ['url', { url: 'https://shop.example.com:99999' }],
  ['url', { url: `https://shop.example.com/${'a'.repeat(2048)}` }],
  ['events', { events: undefined }],
  ['events', { events: [] }],
  ['events', { events: 'transaction.created' }],
  ['events.1', { events: ['*', 'transaction.exploded'] }],
  ['events.0', { events: ['transaction'] }],
  ['events.0', { events: [1] }],
  ['secret', { secret: '' }],
  ['secret', { secret: 'x'.repeat(15) }],
  ['secret', { secret: 'a secret with an ü' }],
  ['secret', { secret: 'a line\nthat breaks' }],
  ['secret', { secret: 's'.repeat(257) }],
  ['secrets', { secrets: 'x' }],
])('a field %s is refused naming it: %j', async (field, change) => {
  const { status, body } = await register({ ...valid, ...change });
  expect({ status, field: body.error.field, type: body.error.type }).toEqual({
    status: 400,
    field,
    type: 'invalid_request',
  });
});

test('a caller cannot register for event types that it may not read', async () => {
  principal.scopes = new Set(['webhook_write', 'transaction_read']);
  const refused = await register({ ...valid, events: ['transaction.created', 'invoice.paid'] });
  expect(refused).toMatchObject({
    status: 403,
    body: { error: { type: 'scope_missing', details: { scope: 'invoice_read' } } },
  });
  expect(refused.body.message).toContain('invoice_read');
  expect(await register({ ...valid, events: ['*'] })).toMatchObject({ status: 403 });
  expect(await register({ ...valid, events: ['transaction.*'] })).toMatchObject({ status: 200 });
});

test.each(['whsec_not_base64_at_all', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw===', 'whsec_url-safe-base64-of-a-key'])(
  'a secret that promises base64 and holds none is refused with the reason: %s',
  async (secret) => {
    const refused = await register({ ...valid, secret });
    expect(refused).toMatchObject({ status: 400, body: { error: { type: 'invalid_request', field: 'secret' } } });
    expect(refused.body.message).toMatch(/whsec_.*base64/);
    const { id } = (await register(valid)).body.data;
    expect(await post('rotate', { id, secret })).toMatchObject({ status: 400, body: { error: { field: 'secret' } } });
  },
);

test('without a secret one is generated, returned once, and stored sealed', async () => {
  const { secret: _, ...withoutSecret } = valid;
  const { status, body } = await register(withoutSecret);
  expect(status).toBe(200);
  const { id, secret } = body.data;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
  const [row] = await db.query<{ sealed: Buffer }>(
    'select secret_sealed as sealed from webhook_endpoint where id = $1',
    [id],
  );
  const backwards = [...(secret as string)].toReversed().join('');
  expect(String(row?.sealed)).toBe(`sealed:webhook_endpoint/7/${id}/secret:${backwards}`);
  expect((await register(withoutSecret)).body.data.secret).not.toBe(secret);
});

describe('a private target', () => {
  const urls = [
    'http://127.0.0.1:9',
    'http://0x7f.1',
    'http://10.0.0.1',
    'http://[::ffff:127.0.0.1]',
    'http://localhost',
  ];
  const verdict = async (url: string) => {
    const { status, body } = await register({ ...valid, url });
    return status === 200 ? 'accepted' : `${status} ${body.error.field} ${body.error.type}`;
  };
  const refused = '400 url webhook_address_forbidden';

  test.each(urls)("%s is accepted from an administrator's session in STANDALONE mode alone", async (url) => {
    expect(await verdict(url)).toBe('accepted');
    guards = addressGuards(false, []);
    expect(await verdict(url)).toBe(refused);
  });

  test.each(urls)('%s is refused to keys and to users with roles in every mode', async (url) => {
    principal = { ...principal, by: 'key' };
    expect(await verdict(url)).toBe(refused);
    principal = { ...principal, by: 'session', userType: 'MERCHANT_USER' };
    expect(await verdict(url)).toBe(refused);
    guards = addressGuards(true, ['127.0.0.0/8', '10.0.0.0/8', '::1/128']);
    expect(await verdict(url)).toBe('accepted');
  });

  test('becomes unreachable when a caller who may not name one changes the URL', async () => {
    const { body } = await register({ ...valid, url: 'http://127.0.0.1:9' });
    const reaches = async () => {
      const [row] = await db.query('select reaches_private from webhook_endpoint where id = $1', [body.data.id]);
      return row?.reaches_private;
    };
    expect(await reaches()).toBe(true);
    principal = { ...principal, by: 'key' };
    expect((await post('modify', { id: body.data.id, events: ['invoice.*'] })).status).toBe(200);
    expect(await reaches()).toBe(true);
    expect((await post('modify', { id: body.data.id, url: valid.url })).status).toBe(200);
    expect(await reaches()).toBe(false);
  });
});

test('a tenant has as many endpoints as the setting allows, also when requests race', async () => {
  await db.query('delete from webhook_endpoint');
  // A full machine has no connection to the database free for some, which then ask again.
  const taken = () =>
    eventually('it is answered', async () => {
      const reply = await register(valid);
      return reply.status !== 503 && reply;
    });
  const replies = await Promise.all(Array.from({ length: maxEndpoints + 20 }, taken));
  const refused = replies.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(20);
  for (const { status, body } of refused) {
    expect({ status, type: body.error.type, details: body.error.details }).toMatchObject({
      status: 409,
      type: 'webhook_limit_reached',
      details: { limit: maxEndpoints },
    });
  }
  const first = replies.find(({ status }) => status === 200);
  expect((await post('remove', { id: first?.body.data.id })).status).toBe(200);
  expect((await register(valid)).status).toBe(200);
  expect((await register(valid)).status).toBe(409);
});
