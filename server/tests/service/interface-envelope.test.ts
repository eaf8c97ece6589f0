import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { administratorOf, makeChannel } from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { aRefusal, aRequestId } from '../support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

describe('the envelope', () => {
  test('of a read: code and data, nothing else', async () => {
    const { status, headers, body } = await florin.get('/api/channel/list', admin);
    expect({ status, body }).toEqual({ status: 200, body: { code: 200, data: [] } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('of a write: also a message', async () => {
    const { status, body } = await florin.post('/api/tenant/modify', { name: 'One', state: true }, admin);
    expect({ status, body }).toEqual({
      status: 200,
      body: { code: 200, message: 'Tenant created', data: expect.any(Object) },
    });
  });

  test('of the transaction list: also pagination', async () => {
    const { body } = await florin.get('/api/transaction/list', admin);
    expect(body).toEqual({
      code: 200,
      data: [],
      pagination: { page: 1, pageSize: 20, total: 0, totalPages: 0, nextCursor: null },
    });
  });

  test('of a refusal: the status as code, a message, no data, and the error for programs', async () => {
    const { status, headers, body } = await florin.post('/api/tenant/modify', { name: 5, state: true }, admin);
    expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request', field: 'name' }) });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body.error.requestId).toBe(headers.get('x-request-id'));
  });

  test('is never stored by a cache', async () => {
    expect((await florin.get('/api/channel/list', admin)).headers.get('cache-control')).toBe('no-store');
    expect((await florin.get('/api/channel/list')).headers.get('cache-control')).toBe('no-store');
  });
});

describe('X-Request-Id', () => {
  const everyKind = [
    ['a success', '/health/live', 200],
    ['a refusal', '/api/channel/list', 401],
    ['an unknown path', '/nowhere', 404],
    ['the metrics', '/metrics', 200],
    ['the reference', '/openapi.json', 200],
  ] as const;

  test.each(everyKind)('is on the reply: %s', async (_kind, path, status) => {
    const reply = await florin.get(path);
    expect(reply.status).toBe(status);
    expect(reply.headers.get('x-request-id')).toEqual(aRequestId);
  });

  test('differs from request to request, and does not count them', async () => {
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => (await florin.get('/health/live')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(50);
    // The ids have no common beginning, which a count would follow.
    expect(new Set(ids.map((id) => id?.slice(0, 8))).size).toBe(50);
  });

  test('is the one that the caller sends, if it is short and has only plain characters', async () => {
    const sent = async (id: string) =>
      (await florin.call('GET', '/nowhere', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await sent('order-17.retry_2')).toBe('order-17.retry_2');
    expect(await sent('x'.repeat(65))).not.toContain('xx');
    expect(await sent('a b')).not.toBe('a b');
    expect(await sent('"><script>')).not.toContain('script');
  });
});

describe('unknown paths and methods', () => {
  test.each([
    ['GET', '/nothing'],
    ['GET', '/api'],
    ['GET', '/api/refund/remove'],
    ['GET', '/API/channel/list'],
    ['GET', '/api//channel/list'],
    ['GET', '/api/channel/list/..%2fmodify'],
  ] as const)('%s %s is a clear 404, with or without credentials', async (method, path) => {
    for (const as of [undefined, admin]) {
      const { status, body } = await florin.call(method, path, { as });
      expect({ status, body }).toEqual({ status: 404, body: aRefusal(404, { type: 'path_unknown' }) });
      expect(body.message).toContain(`${method} ${path}`);
    }
  });

  test.each([
    ['POST', '/api/transaction/list', 'GET, HEAD'],
    ['GET', '/api/transaction/create', 'POST'],
    ['POST', '/api/user/info', 'GET, HEAD'],
    ['GET', '/api/user/login', 'POST'],
    ['GET', '/api/user/login/', 'POST'],
    ['GET', '/api/user/login?x=1', 'POST'],
    ['GET', '/api/callback/17', 'POST'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
    ['POST', '/health/live', 'GET, HEAD'],
  ] as const)('%s %s is a clear 405 that says which methods there are', async (method, path, allow) => {
    for (const as of [undefined, admin]) {
      const { status, headers, body } = await florin.call(method, path, { as });
      const error = { type: 'method_not_allowed', details: { allowed: allow.split(', ') } };
      expect({ status, body }).toEqual({ status: 405, body: aRefusal(405, error) });
      expect(headers.get('allow')).toBe(allow);
    }
  });

  test.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY'])(
    'no path of the interface takes %s',
    async (method) => {
      for (const [path, allow] of [
        ['/api/channel/modify', 'POST'],
        ['/api/channel/list', 'GET, HEAD'],
        ['/nowhere', null],
      ] as const) {
        const response = await fetch(florin.address + path, { method, headers: { authorization: admin } });
        expect(response.status).toBe(allow === null ? 404 : 405);
        expect(response.headers.get('allow')).toBe(allow);
        expect(response.headers.get('x-request-id')).toEqual(aRequestId);
      }
    },
  );

  test('HEAD is answered like GET, without the body', async () => {
    const paths = ['/health/live', '/health/ready', '/metrics', '/openapi.json', '/docs/', '/docs/errors'];
    for (const path of [...paths, '/sandbox', '/password-reset', '/api/channel/list', '/nowhere']) {
      const [got, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => fetch(florin.address + path, { method, headers: { authorization: admin } })),
      );
      expect([path, head?.status, await head?.text()]).toEqual([path, got?.status, '']);
      expect([path, head?.headers.get('content-type')]).toEqual([path, got?.headers.get('content-type')]);
    }
    const refused = await fetch(`${florin.address}/api/channel/list`, { method: 'HEAD' });
    expect({ status: refused.status, body: await refused.text() }).toEqual({ status: 401, body: '' });
  });

  test('a trailing slash makes no difference', async () => {
    expect((await florin.get('/api/channel/list/', admin)).status).toBe(200);
  });
});

describe('operations routes', () => {
  test('live and ready answer while the service runs', async () => {
    expect((await florin.get('/health/live')).body).toEqual({ code: 200, data: { status: 'live' } });
    expect((await florin.get('/health/ready')).body).toEqual({ code: 200, data: { status: 'ready' } });
  });

  test('the metrics count requests by declared path, batches and queues, and name no caller', async () => {
    const channelId = await makeChannel(florin, admin);
    await florin.post('/api/transaction/create', { amount: 5, currency: 'USD', channelId }, admin);
    await florin.get('/api/transaction/detail?id=txn_somebody', admin);
    // The text is made at most once a second.
    const { headers, body } = await eventually('the metrics count the create', async () => {
      const reply = await florin.get('/metrics');
      return reply.body.includes('path="/api/transaction/create"') && reply;
    });
    expect(headers.get('content-type')).toContain('text/plain');
    for (const line of [
      'florin_http_request_seconds_count{method="POST",path="/api/transaction/create",status="200"} 1',
      'florin_http_request_seconds_count{method="GET",path="/api/transaction/detail",status="404"} 1',
      'florin_create_batch_size_count 1',
      'florin_create_queue 0',
      'florin_delivery_in_flight 0',
      'florin_delivery_open 0',
      'florin_database_connections{pool="main",state="waiting"} 0',
    ]) {
      expect(body).toContain(`\n${line}\n`);
    }
    expect(body).toContain('nodejs_eventloop_lag_seconds');
    expect(body).not.toContain('txn_somebody');
  });
});
