import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { uuidSource } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import { scopes } from '../../../core/scopes.ts';
import { addRoute, httpServer } from '../../../platform/http/server.ts';
import { Notifications } from '../../../platform/postgres/notifications.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../testing/database.ts';
import { AddressGuard } from './address-guard.ts';
import { EndpointDirectory } from './directory.ts';
import { endpointRoutes } from './routes.ts';

const nowMs = Date.UTC(2026, 0, 31, 9, 30);
const valid = { url: 'https://shop.example.com/hooks?from=florin', events: ['transaction.created'], secret: 's3cret' };

let db: TestDatabase;
let app: FastifyInstance;
let baseUrl: string;
let principal: Principal;
let standalone: AddressGuard;
let guard: AddressGuard;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await db.query(`insert into tenant (id, name) values (7, 'Shop')`);
  const [user] = await db.query<{ id: number }>(
    `insert into app_user (tenant_id, user_name, email, password_hash, user_type)
     values (7, 'ann', 'ann@example.com', '-', 'MERCHANT_ADMIN') returning id`,
  );
  principal = {
    by: 'key',
    userId: user?.id ?? 0,
    userName: 'ann',
    userType: 'MERCHANT_ADMIN',
    tenantId: 7,
    roles: [],
    scopes: new Set(scopes),
    holdsAll: false,
  };
  standalone = new AddressGuard({ standalone: true, allowTargets: [] });
  guard = standalone;
  const { database } = db;
  const notifications = new Notifications(db.connection, () => {});
  const secrets = { open: () => '', isLost: () => false };
  const routes = endpointRoutes({
    database,
    directory: new EndpointDirectory({ database, notifications, ...secrets, guard }),
    guard: { allowsTarget: (hostname) => guard.allowsTarget(hostname) },
    drawUuid: uuidSource(() => nowMs),
    seal: (plain, where) => Buffer.from(`sealed:${where}:${[...plain].toReversed().join('')}`),
    clock: () => nowMs,
  });
  app = httpServer({ authenticate: async () => principal, onReply: () => {}, onDefect: () => {} });
  for (const route of routes) addRoute(app, route, { authenticate: async () => principal });
  await app.listen({ host: '127.0.0.1', port: 0 });
  baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  guard = standalone;
  principal = { ...principal, scopes: new Set(scopes) };
});

afterAll(async () => {
  await app.close();
  await db.drop();
});

interface Reply {
  message: string;
  data: { id: number; events: string[] };
  error: { type: string; field?: string };
}

async function register(body: unknown) {
  const reply = await fetch(`${baseUrl}/api/webhook/register`, {
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
  expect(body.data).toEqual({ id, url, events, state: true, createdTime: '2026-01-31T09:30:00.000Z' });
  const [row] = await db.query('select tenant_id, user_id, secret_sealed from webhook_endpoint where id = $1', [id]);
  expect(row).toEqual({
    tenant_id: 7,
    user_id: principal.userId,
    secret_sealed: Buffer.from(`sealed:webhook_endpoint/7/${id}/secret:terc3s`),
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
  ['secret', { secret: undefined }],
  ['secret', { secret: '' }],
  ['secret', { secret: 'geheim-ü' }],
  ['secret', { secret: 'line\nbreak' }],
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
  principal.scopes = new Set(['transaction_read']);
  const refused = await register({ ...valid, events: ['transaction.created', 'invoice.paid'] });
  expect(refused).toMatchObject({
    status: 403,
    body: { error: { type: 'scope_missing', details: { scope: 'invoice_read' } } },
  });
  expect(refused.body.message).toContain('invoice_read');
  expect(await register({ ...valid, events: ['*'] })).toMatchObject({ status: 403 });
  expect(await register({ ...valid, events: ['transaction.*'] })).toMatchObject({ status: 200 });
});

test.each(['http://127.0.0.1:9', 'http://0x7f.1', 'http://10.0.0.1', 'http://[::ffff:127.0.0.1]', 'http://localhost'])(
  '%s may be registered in standalone mode only',
  async (url) => {
    expect(await register({ ...valid, url })).toMatchObject({ status: 200 });
    guard = new AddressGuard({ standalone: false, allowTargets: [] });
    const refused = await register({ ...valid, url });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { type: 'webhook_address_forbidden', field: 'url' } },
    });
  },
);
