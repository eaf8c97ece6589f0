import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { campaign, isCampaign } from '../support/campaign.ts';
import {
  administratorOf,
  channelInput,
  dataOf,
  makeChannel,
  makeKey,
  makePayment,
  unique,
} from '../support/factories.ts';
import { type FieldShape, fewWrongValues, jsonBodies, wrongValues } from '../support/json-bodies.ts';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { aRefusal } from '../support/shapes.ts';

/**
 * Invalid input is refused with the field that is wrong, and nothing makes the service fail. `npm run campaigns` sends
 * every wrong value of every shape.
 */

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;
let transactionId: string;
let webhookId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  channelId = await makeChannel(florin, admin);
  transactionId = await makePayment(florin, admin, channelId);
  const hook = { url: 'http://127.0.0.1:9/', events: ['transaction.refunded'], secret: 'a secret of tests' };
  webhookId = dataOf(await florin.post('/api/webhook/register', hook, admin)).id;
});

const isReady = async () => expect((await florin.get('/health/ready')).status).toBe(200);

afterEach(async ({ task: { tags = [] } }) => {
  // Hundreds of tests are alike.
  if (isCampaign || !tags.includes('campaign')) await isReady();
});

afterAll(async () => {
  await isReady();
  await florin.stop();
  await db.drop();
});

/** Of an endpoint that takes a body. */
interface Write {
  /** A body that would be accepted as far as its shape is concerned. */
  body: () => Record<string, unknown>;
  fields: Record<string, FieldShape>;
  required: readonly string[];
  /** No single field is required, but a body is. */
  needsBody: boolean;
}

/** Where the recorded example does not do: it names a record that is not here, or would be accepted only once. */
const differing: Record<string, () => Record<string, unknown>> = {
  '/api/user/modify': () => {
    const userName = unique('user');
    const account = { userName, email: `${userName}@example.com`, password: 'a long enough one', tenantId: null };
    return { ...account, userType: 'MERCHANT_USER', roles: ['viewer'], state: true };
  },
  '/api/channel/modify': () => ({ ...channelInput(), apiKey: 'a', provider: null, fallbackChannelIds: [] }),
  '/api/transaction/create': () => ({ amount: 5, currency: 'USD', channelId, description: 'x', customerId: 1 }),
  '/api/transaction/update': () => ({ id: transactionId, status: 'FAILED', metadata: {}, failureCode: 'x' }),
  '/api/payment-method/setup': () => ({ customerId: 1, channelId, token: 'x', agreement: 'UNSCHEDULED' }),
  '/api/refund/create': () => ({ transactionId, amount: 1, reason: 'x', metadata: {} }),
  '/api/discrepancy/close': () => ({ id: 'dcp_1', note: 'x', outcome: 'SUCCEEDED', reference: 're_1', withdrawn: 1 }),
  '/api/plan/modify': () => ({ name: 'Gold', currency: 'USD', amount: 100, interval: 'month', channelId, state: true }),
  '/api/checkout/create': () => ({ amount: 5, currency: 'USD', channelIds: [channelId] }),
  '/api/webhook/register': () => ({ url: 'http://127.0.0.1:9/', events: ['transaction.refunded'] }),
  '/api/webhook/modify': () => ({ id: webhookId, url: 'http://127.0.0.1:9/', maxInFlight: 5, ratePerSecond: null }),
  '/api/webhook/rotate': () => ({ id: webhookId, secret: 'the next one of them' }),
  '/api/webhook/test': () => ({ id: webhookId }),
  '/api/webhook/replay': () => ({ endpointId: webhookId, since: '2020-01-01T00:00:00Z', states: ['FAILED'] }),
};

/** What a new record needs: an update of one by its id needs none of them, so the shape requires none. */
const requiredOfNew: Record<string, readonly string[]> = {
  '/api/user/modify': ['userName', 'email', 'userType', 'state'],
  '/api/tenant/modify': ['name', 'state'],
  '/api/channel/modify': ['name', 'code', 'type', 'currency', 'country', 'state'],
  '/api/plan/modify': ['name', 'currency', 'amount', 'interval', 'state'],
  '/api/customer/modify': ['name'],
};

/** Values that the shape of the field permits, and its endpoint refuses. */
const alsoWrong: Record<string, readonly string[]> = { '/api/webhook/rotate promote': ['false'] };

/** Every endpoint that takes a body, with every field of it, from the OpenAPI document and its examples. */
const writes: Record<string, Write> = Object.fromEntries(
  jsonBodies().map(({ path, fields, required, needsBody, example }) => [
    path,
    { body: differing[path] ?? (() => example), fields, needsBody, required: requiredOfNew[path] ?? required },
  ]),
);

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  florin.call('POST', path, { as: admin, body, headers });

/** The body with one field written as this JSON text. */
function withField(body: Record<string, unknown>, field: string, json: string): string {
  const { [field]: _replaced, ...others } = body;
  return `{${JSON.stringify(field)}:${json},${JSON.stringify(others).slice(1)}`.replace(/,}$/, '}');
}

/** All of a list in a campaign, otherwise the first few, which stand for the others. */
const some = <One>(all: readonly One[], count: number) => (isCampaign ? all : all.slice(0, count));

describe('every field of every body', campaign, () => {
  const fields = Object.entries(writes).flatMap(([path, { fields: shapes }]) =>
    Object.entries(shapes).map(([field, shape]) => [path, field, shape] as const),
  );
  /**
   * Fields of the same shape are validated by the same code: all wrong values are sent to the first of them; outside a
   * campaign to the first of each kind.
   */
  const sentAll = new Set(
    [...Map.groupBy(fields, ([, , { text, kind }]) => (isCampaign ? text : kind)).values()].map(([first]) =>
      first?.slice(0, 2).join(' '),
    ),
  );

  test.each(fields)('%s refuses a wrong %s, and names it', async (path, field, shape) => {
    const { body, required } = writes[path] as Write;
    const name = `${path} ${field}`;
    const values = sentAll.has(name) ? wrongValues(shape) : fewWrongValues(shape);
    for (const json of [...values, ...(alsoWrong[name] ?? [])]) {
      if (json === 'null' && !required.includes(field)) continue; // Not given: see below.
      const { status, body: answer } = await post(path, withField(body(), field, json));
      expect({ json, status, body: answer }).toEqual({
        json,
        status: 400,
        body: aRefusal(400, { type: 'invalid_request', field: expect.stringMatching(`^${field}($|[.])`) as never }),
      });
    }
  });

  test.each(Object.entries(writes))(
    '%s names what is missing and what nobody knows',
    async (path, { body, required }) => {
      for (const field of required) {
        const { [field]: _missing, ...others } = body();
        const { status, body: answer } = await post(path, JSON.stringify(others));
        expect({ status, body: answer }).toEqual({
          status: 400,
          body: aRefusal(400, { type: 'invalid_request', field }),
        });
      }
      for (const field of some(['ammount', '__proto__', 'constructor', 'prototype', 'toString', ''], 2)) {
        const { status, body: answer } = await post(path, withField(body(), field, '{"polluted":true}'));
        expect({ field, status, body: answer }).toEqual({
          field,
          status: 400,
          body: aRefusal(400, { type: 'invalid_request', field }),
        });
      }
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    },
  );

  test.each(Object.entries(writes))('%s takes null for an optional field as not given', async (path, write) => {
    const isUpdate = 'id' in write.body();
    const nulls = Object.entries(write.fields)
      .filter(([field, { isNullable }]) => !write.required.includes(field) && !(isUpdate && isNullable))
      .map(([field]) => field);
    const given = (value: null | undefined) =>
      post(path, JSON.stringify({ ...write.body(), ...Object.fromEntries(nulls.map((field) => [field, value])) }));
    const [absent, asNull] = [await given(undefined), await given(null)];
    if (path.endsWith('logout')) admin = await administratorOf(florin);
    const { message, error = {} } = asNull.body;
    expect({ status: asNull.status, message, type: error.type, field: error.field }).toEqual({
      status: absent.status,
      message: absent.body.message,
      type: absent.body.error?.type,
      field: absent.body.error?.field,
    });
  });

  test.each(Object.keys(writes))('%s takes nothing but an object', async (path) => {
    for (const json of some(['[]', '"text"', '[{}]', '5', 'true'], 2)) {
      const { status, body } = await post(path, json);
      expect({ json, status, body }).toEqual({ json, status: 400, body: aRefusal(400, { type: 'invalid_request' }) });
    }
  });
});

describe('formats and limits', () => {
  test.each([
    ['/api/channel/modify', 'type', '"online"'],
    ['/api/channel/modify', 'type', '"BOTH"'],
    ['/api/channel/modify', 'code', '"with space"'],
    ['/api/channel/modify', 'code', `"${'c'.repeat(65)}"`],
    ['/api/channel/modify', 'name', '""'],
    ['/api/channel/modify', 'name', `"${'n'.repeat(201)}"`],
    ['/api/channel/modify', 'country', '"us"'],
    ['/api/channel/modify', 'currency', '"EURO"'],
    ['/api/channel/modify', 'apiKey', `"${'k'.repeat(4097)}"`],
    ['/api/transaction/create', 'currency', '"usd"'],
    ['/api/transaction/create', 'currency', '"XXX"'],
    ['/api/transaction/create', 'currency', '""'],
    ['/api/transaction/create', 'currency', '"toString"'],
    ['/api/transaction/create', 'description', `"${'d'.repeat(2001)}"`],
    ['/api/transaction/update', 'status', '"success"'],
    ['/api/transaction/update', 'status', '"__proto__"'],
    ['/api/user/modify', 'userType', '"ADMIN"'],
    ['/api/user/modify', 'roles', '["viewer","viewer"]'],
    ['/api/user/modify', 'roles', '["admin"]'],
    ['/api/user/modify', 'email', '"no address"'],
    ['/api/user/modify', 'email', '"a@b\\r\\nBcc: c@d"'],
    ['/api/user/modify', 'userName', '"\\u202egnp.exe"'],
    ['/api/user/modify', 'password', '"12345"'],
    ['/api/user/modify', 'password', `"${'p'.repeat(1025)}"`],
    ['/api/developer/mine/generate', 'expiresTime', '"2020-01-01T00:00:00Z"'],
    ['/api/developer/mine/generate', 'expiresTime', '"tomorrow"'],
    ['/api/developer/mine/generate', 'scope', '"transaction_read,,"'],
  ])('%s refuses %s %s', async (path, field, json) => {
    const { status, body } = await post(path, withField((writes[path] as Write).body(), field, json));
    expect(status).toBe(400);
    expect(body.error.field).toMatch(new RegExp(`^${field}($|[.])`));
  });

  test('a field that is given twice is refused by name', async () => {
    const twice = `{"amount":7,"amount":7,"currency":"USD","channelId":${channelId}}`;
    const { status, body } = await post('/api/transaction/create', twice);
    expect({ status, body }).toEqual({
      status: 400,
      body: aRefusal(400, { type: 'invalid_request', field: 'amount' }),
    });
  });

  test('metadata may use names that are special in JavaScript, and they are returned', async () => {
    const metadata = '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toJSON":"x","hasOwnProperty":null}';
    const body = withField((writes['/api/transaction/create'] as Write).body(), 'metadata', metadata);
    const { id } = dataOf(await post('/api/transaction/create', body));
    const response = await fetch(`${florin.address}/api/transaction/detail?id=${id}`, {
      headers: { authorization: admin },
    });
    expect(await response.text()).toContain(`"metadata":${metadata}`);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('a body may be written with spaces, escapes and exponents', async () => {
    const body =
      ` {"amount" : 1.999e3 ,\n"currency":"\\u0055SD", "channelId":${channelId}.0, ` +
      '"description":"\\ud83d\\ude00"}\n';
    expect(dataOf(await post('/api/transaction/create', body))).toMatchObject({ amount: 1999, description: '😀' });
  });
});

describe('bodies that are not JSON', () => {
  const create = '/api/transaction/create';
  const valid = () => JSON.stringify({ amount: 5, currency: 'USD', channelId });

  test.each([
    '{',
    '}',
    '{"amount":}',
    '{"amount":5,}',
    "{'amount':5}",
    '{amount:5}',
    '{"amount":05}',
    '{"amount":+5}',
    '{"amount":.5}',
    '{"amount":0x10}',
    '{"amount":NaN}',
    '{"amount":Infinity}',
    '{"amount":5}{"amount":5}',
    '{"amount":5} // five',
    '\ufeff{"amount":5}',
    'amount=5',
    '<amount>5</amount>',
    '"\u0000"',
    '{"a":"\n"}',
    '{"a":"\\x41"}',
    '[[[[',
    'undefined',
  ])('%j is malformed', async (body) => {
    const { status, body: answer } = await post(create, body);
    expect({ status, body: answer }).toEqual({ status: 400, body: aRefusal(400, { type: 'malformed_json' }) });
  });

  test.each([
    ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['an overlong NUL', Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ['UTF-16', Buffer.from('\ufeff{"amount":5}', 'utf16le')],
  ])('%s is malformed', async (_what, bytes) => {
    const response = await fetch(florin.address + create, {
      method: 'POST',
      headers: { authorization: admin, 'content-type': 'application/json' },
      body: bytes,
    });
    expect(await response.json()).toEqual(aRefusal(400, { type: 'malformed_json' }));
  });

  test('nesting beyond 20 levels is refused, however deep', async () => {
    const nested = (levels: number) => `{"metadata":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect((await post(create, nested(20))).body.error).toMatchObject({ type: 'invalid_request' });
    for (const levels of [21, 1000, 30_000]) {
      expect((await post(create, nested(levels))).body).toEqual(aRefusal(400, { type: 'malformed_json' }));
    }
    const numbered = `{"metadata":${'{"a":'.repeat(9000)}123456789012345678901${'}'.repeat(9000)}}`;
    expect((await post(create, numbered)).status).toBe(400);
  });

  test('64 KiB are accepted, one byte more is refused, with a Content-Length or chunked', async () => {
    const padded = (bytes: number) => valid() + ' '.repeat(bytes - valid().length);
    expect((await post(create, padded(65_536))).status).toBe(200);
    const tooLarge = await post(create, padded(65_537));
    expect({ status: tooLarge.status, body: tooLarge.body }).toEqual({
      status: 413,
      body: aRefusal(413, { type: 'body_too_large' }),
    });
    const pieces =
      `${post1(create)}Transfer-Encoding: ` + `chunked\r\n\r\n${`1000\r\n${' '.repeat(4096)}\r\n`.repeat(17)}0\r\n\r\n`;
    expect((await raw(pieces)).status).toBe(413);
    expect((await raw(`${post1(create)}Content-Length: 1000000000\r\n\r\n{`)).status).toBe(413);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonx',
    'application/vnd.api+json',
    'json',
    '*/*',
    '',
  ])('a body of type %j is refused', async (type) => {
    const { status, body } = await post(create, valid(), { 'content-type': type });
    expect({ status, body }).toEqual({ status: 415, body: aRefusal(415, { type: 'not_json' }) });
  });

  test('a body without a Content-Type is refused', async () => {
    const body = valid();
    const reply = await raw(`${post1(create, '')}Content-Length: ${body.length}\r\n\r\n${body}`);
    expect(reply).toEqual({ status: 415, body: aRefusal(415, { type: 'not_json' }) });
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset="UTF-8"',
  ])('a body of type %j is taken', async (type) => {
    expect((await post(create, valid(), { 'content-type': type })).status).toBe(200);
  });

  test.each(Object.entries(writes))('%s without a body', async (path, { required, needsBody }) => {
    const ofConsole = path.startsWith('/api/console/') ? { 'x-florin-console': '1', origin: florin.address } : {};
    for (const headers of [ofConsole, { ...ofConsole, 'content-type': 'application/json' }]) {
      const { status, body } = await florin.call('POST', path, { as: admin, headers });
      if (needsBody || required.length > 0) {
        expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request' }) });
        // 409: the caller has no passkey to step up with.
      } else expect(status).toBe(path === '/api/user/step-up/passkey/begin' ? 409 : 200);
      if (path.endsWith('logout')) admin = await administratorOf(florin);
    }
  });
});

describe('path and query', () => {
  /** Called by programs that add parameters of their own: probes, providers, senders of webhooks. */
  const takesAnyQuery = ['/health/live', '/health/ready', '/api/callback/{channel}/{token}', '/api/callback/{channel}'];

  test('every endpoint refuses a query parameter that it does not know, by GET, HEAD and POST alike', async () => {
    const { paths } = (await florin.get('/openapi.json')).body as { paths: Record<string, object> };
    const strict = Object.entries(paths).filter(([path]) => ![...takesAnyQuery, '/inbox/{token}'].includes(path));
    const key = await makeKey(florin, admin, '*');
    const kept: string[] = [];
    for (const [path, operations] of strict) {
      for (const method of Object.keys(operations).flatMap((one) => (one === 'get' ? ['GET', 'HEAD'] : ['POST']))) {
        const { status, body } = await florin.call(method as 'GET', `${path}?nosuchname=1`, {
          as: path === '/api/developer/current' ? key.as : admin,
          ...(method === 'POST' && { body: writes[path]?.body() }),
        });
        const named = method === 'HEAD' || body.error?.field === 'nosuchname';
        if (status !== 400 || !named) kept.push(`${method} ${path}: ${status}`);
      }
    }
    expect(kept).toEqual([]);
    expect((await florin.get('/health/ready?t=1')).status).toBe(200);
  });

  test.each([
    ['/api/transaction/list?page_size=5', 'page_size', 'Did you mean pageSize?'],
    ['/api/transaction/list?channel=5', 'channel', 'Did you mean channelId?'],
    ['/api/transaction/list?colour=red', 'colour', 'Its query parameters: page, pageSize, '],
    ['/api/transaction/detail?ID=txn_1', 'ID', 'Did you mean id?'],
    ['/api/tenant/list?status=on', 'status', 'Its query parameters: page, pageSize.'],
  ])('%s gets a hint of what is known', async (path, field, hint) => {
    const { status, body } = await florin.get(path, admin);
    expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request', field }) });
    expect(body.message).toContain(hint);
  });

  test('a misspelt field is named instead of the one that it leaves missing', async () => {
    const { body } = await florin.post('/api/transaction/create', { amout: 5, currency: 'USD', channelId }, admin);
    expect(body).toMatchObject({
      message: 'amout is not a field of this request. Did you mean amount?',
      error: { field: 'amout' },
    });
  });

  test.each([
    '/api/transaction/detail?id=%00',
    '/api/transaction/detail?id=txn_%00',
    '/api/transaction/list?unknown=%00',
  ])('%s holds a NUL', async (path) => {
    expect((await florin.get(path, admin)).status).toBe(400);
  });

  test.each([
    '/api/transaction/detail?id=%',
    '/api/transaction/detail?id=%zz',
    '/api/transaction/detail?id=%E0%A4%A',
    '/api/transaction/detail?id=%ED%A0%80',
    '/api/transaction/detail?id=%C0%80',
    '/api/transaction/detail?id[]=x',
    '/api/transaction/detail?id=a&id=b',
    '/api/transaction/detail?__proto__=x',
    '/api/transaction/detail?id=x&__proto__[a]=b&constructor=c',
    `/api/transaction/detail?id=${'x'.repeat(8000)}`,
    '/api/transaction/detail?&&&=&=',
    '/api/%zz',
    '/%',
    '/%00',
    '/api/channel/list%00',
    '/%ED%A0%80',
    '/..%2f..%2fetc%2fpasswd',
    '/docs/static/..%2f..%2f..%2fpackage.json',
    '/docs/static/%2e%2e/%2e%2e/package.json',
    `/${'x'.repeat(8000)}`,
    '/api/transaction/list?startDate=9999-99-99',
    '/api/transaction/list?startDate=0000-01-01',
    '/api/transaction/timeline',
    '/api/transaction/timeline?id=%',
    '/api/statistics/summary?endDate=0000-12-31',
    '/api/statistics/summary?startDate=2026-02-30',
    '/api/statistics/summary?startDate=2026-02-02&endDate=2026-02-01',
    '/api/statistics/summary?status=DONE',
    '/api/statistics/summary?channelId=0',
    '/api/statistics/summary?currency=usd',
    '/api/statistics/series?groupBy=user',
    '/api/statistics/series?startDate=2020-01-01&endDate=2026-01-01',
    '/api/transaction/list?page=99999999999999999999',
    '/api/refund/detail',
    '/api/refund/detail?id=ref_%00',
    '/api/refund/list?status=REFUNDED',
    '/api/refund/list?transactionId=ref_0198a5b87c1f7000800000000000dead',
    '/api/refund/list?startDate=0000-01-01',
    '/api/ledger/balance?date=0000-01-01',
    '/api/ledger/balance?currency=usd',
    '/api/ledger/entries?account=provider_fees',
    '/api/subscription/detail',
    '/api/subscription/detail?id=0',
    '/api/subscription/detail?id=sub_1',
    '/api/subscription/list?state=DONE',
    '/api/subscription/preview?id=1.5',
    '/api/subscription/preview?id=987654&quantity=0',
    '/api/plan/list?page=0',
    '/api/plan/list?state=maybe',
    '/api/customer/detail',
    '/api/customer/detail?id=0',
    '/api/customer/list?page=0',
    '/api/invoice/detail?id=inv_1',
    '/api/invoice/list?status=DONE',
    '/api/invoice/list?customerId=1.5',
    '/api/invoice/print?id=1&format=doc',
    '/api/clock/detail?id=0',
    '/api/ledger/entries?page=0',
    '/api/event/list?after=evt_%00',
    '/api/event/list?startDate=0000-01-01',
    '/api/event/detail?id=evt_',
    '/api/webhook/list?page=0',
    '/api/webhook/delivery/list?after=1',
    '/api/webhook/delivery/list?eventId=evt_ffffffffffffffffffffffffffffffff&endpointId=0',
    '/api/webhook/delivery/detail?id=dlv_%00',
    '/api/webhook/replay/detail?id=rpl_x',
    '/api/inbox/messages?id=1.5',
    '/api/ledger/entries?endDate=2026-02-30',
  ])('%s is refused', async (path) => {
    const { status, headers, body } = await florin.get(path, admin);
    expect([400, 404]).toContain(status);
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(body).toEqual(aRefusal(status, { type: expect.any(String) as never, field: body.error.field }));
  });

  test('the last representable days are accepted', async () => {
    for (const path of [
      '/api/transaction/list',
      '/api/refund/list',
      '/api/ledger/entries',
      '/api/statistics/summary',
      '/api/event/list',
      '/api/webhook/delivery/list',
    ]) {
      expect((await florin.get(`${path}?startDate=0001-01-01&endDate=9999-12-31`, admin)).status).toBe(200);
    }
  });

  test('the last possible page is accepted', async () => {
    for (const path of [
      '/api/transaction/list',
      '/api/refund/list',
      '/api/ledger/entries',
      '/api/plan/list',
      '/api/subscription/list',
      '/api/customer/list',
      '/api/invoice/list',
    ]) {
      const { status, body } = await florin.get(`${path}?page=2147483647&pageSize=100`, admin);
      expect(status).toBe(200);
      expect(body.data).toEqual([]);
    }
  });
});

describe('headers', () => {
  test.each([
    ['authorization', 'Bearer \u00e9\u00ff'],
    ['authorization', `Bearer ${'x'.repeat(8000)}`],
    ['authorization', 'Bearer a.b.c'],
    ['authorization', 'ApiKey'],
    ['authorization', `ApiKey sk_live_${'x'.repeat(4000)}`],
    ['authorization', 'Bearer x, Bearer y'],
  ])('%s: %j is refused', async (name, value) => {
    const { status, body } = await florin.call('GET', '/api/channel/list', { headers: { [name]: value } });
    expect({ status, body }).toEqual({ status: 401, body: aRefusal(401, { type: 'credentials_invalid' }) });
  });

  test('an Idempotency-Key may have letters beyond ASCII', async () => {
    const body = JSON.stringify({ amount: 5, currency: 'USD', channelId });
    const [first, again] = [
      await post('/api/transaction/create', body, { 'idempotency-key': 'cl\u00e9 \u00ff' }),
      await post('/api/transaction/create', body, { 'idempotency-key': 'cl\u00e9 \u00ff' }),
    ];
    expect(dataOf(again).id).toBe(dataOf(first).id);
  });

  test('a repeat with null where the first request left a field out is the same request', async () => {
    const order = { amount: 5, currency: 'USD', channelId };
    const again = { ...order, description: null, metadata: null, customerId: null, paymentMethod: null };
    const headers = { 'idempotency-key': unique('null') };
    const first = await post('/api/transaction/create', JSON.stringify(order), headers);
    const repeat = await post('/api/transaction/create', JSON.stringify(again), headers);
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(dataOf(repeat).id).toBe(dataOf(first).id);
  });

  test('X-Forwarded-For of an unknown proxy is ignored', async () => {
    for (let i = 0; i < 10; i++) await forwarded(i);
    expect((await forwarded(11)).status).toBe(429);

    function forwarded(i: number) {
      const headers = { 'x-forwarded-for': `10.0.0.${i}`, 'x-real-ip': `10.0.0.${i}`, forwarded: `for=10.0.0.${i}` };
      const body = { account: 'forwarded', password: 'not the password' };
      return florin.call('POST', '/api/user/login', { body, headers });
    }
  });
});

describe('invalid HTTP', () => {
  const broken: [string, string | Buffer, number][] = [
    ['garbage', 'garbage\r\n\r\n', 400],
    ['random bytes', Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 167 + 13) % 256)), 400],
    ['a TLS greeting', Buffer.from('16030100f8010000f40303', 'hex'), 400],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['an unknown method', 'BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['a NUL in a header', 'GET /health/live HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n', 400],
    ['a bare line feed in a header', 'GET /health/live HTTP/1.1\r\nHost: x\r\nX: a\nb c\r\n\r\n', 400],
    ['a negative length', 'POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    ['two lengths', 'POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    [
      'a length and pieces',
      'POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'a piece of no size',
      'POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: ' +
        'chunked\r\n\r\nzz\r\n',
      400,
    ],
    ['headers beyond 16 KiB', `GET /health/live HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['ten thousand headers', `GET /health/live HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(10_000)}\r\n`, 431],
  ];

  test.each(broken)('%s gets a clear answer', async (_what, bytes, status) => {
    expect(await raw(bytes)).toEqual({ status, body: aRefusal(status, { type: 'invalid_request' }) });
  });

  test('a request without a host gets a clear answer', async () => {
    const reply = await raw('GET /health/live HTTP/1.1\r\n\r\n');
    expect(reply).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request', field: 'Host' }) });
    expect((await raw('GET /health/live HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  test('an unknown expectation is refused; those of HTTP/1.0 are ignored', async () => {
    const asked = (expectation: string, version = '1.1') =>
      raw(`GET /health/live HTTP/${version}\r\nHost: x\r\nExpect: ${expectation}\r\n\r\n`);
    for (const expectation of ['200-ok', 'x']) {
      const refusal = aRefusal(417, { type: 'expectation_not_supported' });
      expect(await asked(expectation)).toEqual({ status: 417, body: refusal });
    }
    expect((await asked('200-ok', '1.0')).status).toBe(200);
  });

  test('a request with Expect: 100-continue gets 100, and then its answer', async () => {
    const body = '{"account":"nobody","password":"wrong"}';
    const reply = await raw(
      `POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
      'HTTP/1.1 100 Continue\r\n\r\n',
    );
    expect(reply.status).toBe(401);
  });

  test('a body with a Content-Encoding is refused, unless that is identity', async () => {
    const login = (encoding: string) =>
      florin.call('POST', '/api/user/login', {
        body: { account: 'nobody', password: 'wrong' },
        headers: { 'content-encoding': encoding },
      });
    for (const encoding of ['gzip', 'br', 'zstd', 'x-unknown', 'identity, gzip', 'gzip, identity']) {
      const { status, headers, body } = await login(encoding);
      expect({ status, body }).toEqual({ status: 415, body: aRefusal(415, { type: 'encoding_not_supported' }) });
      expect(headers.get('accept-encoding')).toBe('identity');
    }
    for (const encoding of ['identity', 'Identity']) expect((await login(encoding)).status).toBe(401);
  });

  test('a request that ends early, at any byte, has no effect', async () => {
    const body = JSON.stringify({ amount: 4_242_424, currency: 'USD', channelId });
    const whole = `${post1('/api/transaction/create')}Content-Length: ${body.length}\r\n\r\n${body}`;
    for (let at = 1; at < whole.length; at += 7) {
      const socket = connect(Number(new URL(florin.address).port), '127.0.0.1');
      await once(socket, 'connect');
      await new Promise((sent) => socket.write(whole.slice(0, at), sent));
      if (at % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
    const [row] = await db.query<{ count: number }>('select count(*) as count from transaction where amount = 4242424');
    expect(row?.count).toBe(0);
  });
});

/** The head of a POST as far as its length. */
function post1(path: string, type = 'Content-Type: application/json\r\n'): string {
  return `POST ${path} HTTP/1.1\r\nHost: florin\r\nAuthorization: ${admin}\r\n${type}`;
}

/** Sends bytes as they are, and reads one reply. */
async function raw(bytes: string | Buffer, before = ''): Promise<{ status: number; body: unknown }> {
  const socket = connect(Number(new URL(florin.address).port), '127.0.0.1');
  socket.on('error', () => {});
  try {
    socket.write(bytes);
    let text = '';
    for await (const chunk of socket) {
      text += chunk;
      if (before !== '' && text.startsWith(before)) text = text.slice(before.length);
      const [, head = '', rest = ''] = /^([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(text) ?? [];
      const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
      if (length === undefined || Buffer.byteLength(rest) < Number(length)) continue;
      return { status: Number(head.slice(9, 12)), body: JSON.parse(rest) };
    }
    throw new Error(`No reply, only: ${text}`);
  } finally {
    socket.destroy();
  }
}
