import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderedTypes } from '../domains/billing/invoices/rendering/render.ts';
import { makeProviderChannel } from '../testing/callbacks.ts';
import {
  administratorOf,
  dataOf,
  type Member,
  makeChannel,
  makeKey,
  makeMember,
  makePaid,
  makePayment,
  makeTenant,
} from '../testing/cast.ts';
import { databaseFromTemplate, type TestDatabase } from '../testing/database.ts';
import { florinOn, type TestFlorin } from '../testing/florin.ts';
import { makeCustomer, makeDraft, makeInvoice } from '../testing/invoices.ts';
import { type Finding, verify } from './integrity.ts';

/** Requests generated from the OpenAPI document, some valid, most invalid in one way; the same in every run. */
const seed = 20_260_131;
const rounds = 150;
/** Requests in flight at once. */
const requestsInRound = 25;

let db: TestDatabase;
let florin: TestFlorin;
let operations: Operation[];
/** The Authorization headers that are drawn from, the likeliest more than once. */
let credentials: (string | undefined)[];
/** For logging out: the others must live on. */
let leaving: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  const admin = await administratorOf(florin);
  const tenantId = await makeTenant(florin, admin);
  const merchant = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const member = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
  const viewer = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId, roles: ['viewer'] });
  const channelId = await makeChannel(florin, admin);
  const providedId = await makeProviderChannel(florin, admin);
  const transactionIds = await Promise.all(Array.from({ length: 40 }, () => makePayment(florin, admin, channelId)));
  const paidIds = await Promise.all(Array.from({ length: 20 }, () => makePaid(florin, admin, channelId)));
  const refunds = paidIds.map((paid) => florin.post('/api/refund/create', { transactionId: paid, amount: 1 }, admin));
  const refundIds = (await Promise.all(refunds)).map((reply) => dataOf(reply).id);
  const told = await makeTold(admin);
  const payerId = await makeCustomer(florin, admin, { defaultChannelId: channelId });
  const draftIds = await Promise.all(Array.from({ length: 40 }, () => makeDraft(florin, admin, payerId)));
  const invoiceIds = await Promise.all(Array.from({ length: 20 }, () => makeInvoice(florin, admin, payerId)));
  const clockId = dataOf(await florin.post('/api/clock/create', { name: 'x' }, admin)).id;
  const plan = { name: 'Gold', currency: 'USD', amount: 1999, interval: 'month', state: true };
  const planId = dataOf(await florin.post('/api/plan/modify', plan, admin)).id;
  const subscriptions = Array.from({ length: 30 }, () =>
    florin.post('/api/subscription/create', { customerId: payerId, planId }, admin),
  );
  const subscriptionIds = (await Promise.all(subscriptions)).map((reply) => dataOf(reply).id);
  const key = await makeKey(florin, admin, '*');
  const known = [admin, admin, admin, key.as, key.as, merchant.as, viewer.as];
  credentials = [...known, ...known, undefined, 'Bearer a.b.c', `ApiKey sk_live_${'x'.repeat(32)}`];
  leaving = await administratorOf(florin);
  const { body } = await florin.get('/openapi.json');
  operations = operationsOf(
    body,
    fitting({
      channelId,
      providedId,
      transactionIds,
      paidIds,
      refundIds,
      tenantId,
      member,
      keyId: key.id,
      told,
      draftIds,
      invoiceIds,
      clockId,
      payerId,
      planId,
      subscriptionIds,
    }),
  );
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

async function makeTold(as: string): Promise<Known['told']> {
  const hook = { url: 'http://127.0.0.1:9/', events: ['transaction.refunded'], secret: 'a secret of tests' };
  const { id: webhookId } = dataOf(await florin.post('/api/webhook/register', hook, as));
  const { deliveryId } = dataOf(await florin.post('/api/webhook/test', { id: webhookId }, as));
  const again = { endpointId: webhookId, since: '2020-01-01T00:00:00Z' };
  const { replayId } = dataOf(await florin.post('/api/webhook/replay', again, as));
  const { id: inboxId, token } = dataOf(await florin.post('/api/inbox/create', {}, as));
  return { webhookId, deliveryId, replayId, inboxId, token };
}

test('every request gets a valid answer: never a 5xx, always the envelope', async () => {
  const statuses: Record<string, number[]> = {};
  await fc.assert(
    fc.asyncProperty(fc.array(request(), { minLength: requestsInRound, maxLength: requestsInRound }), async (round) => {
      const faults = await Promise.all(
        round.map(async (sent) => {
          const response = await send(sent);
          const { path, method } = sent.operation;
          const ofOperation = statuses[`${method} ${path}`] ?? [];
          statuses[`${method} ${path}`] = ofOperation;
          ofOperation.push(response.status);
          const fault = faultOf(response, await response.text());
          return fault && `${method} ${path}: ${fault} ${JSON.stringify(sent.pairs)}`;
        }),
      );
      expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    }),
    { seed, numRuns: rounds, endOnFailure: true },
  );
  // It says something only if every operation was reached, and often enough past its first check.
  const all = Object.values(statuses).flat();
  expect(Object.keys(statuses)).toHaveLength(operations.length);
  expect(all.filter((status) => status === 200).length / all.length).toBeGreaterThan(0.15);
  expect([...new Set(all)]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 409, 415]));
  expect((await florin.get('/health/ready')).status).toBe(200);
});

test('afterwards every integrity claim holds, and the totals equal a recount', async () => {
  const broken: Finding[] = [];
  await verify(db.database, (finding) => {
    if (finding.offenders.length > 0) broken.push(finding);
  });
  expect(broken).toEqual([]);
  const { pagination } = (await florin.get('/api/transaction/list', credentials[0])).body;
  const [row] = await db.query<{ count: number }>('select count(*) as count from transaction');
  expect(pagination.total).toBe(row?.count);
});

interface Operation {
  method: 'GET' | 'POST';
  /** As declared. */
  path: string;
  /** As it is called. */
  address: string;
  fields: Field[];
}

interface Field {
  name: string;
  /** JSON texts that fit. */
  fits: string[];
  required: boolean;
}

interface Sent {
  operation: Operation;
  as: number;
  pairs: (readonly [string, string])[];
  contentType: string;
  idempotencyKey: string | undefined;
  /** Where the body is cut or bent, if at all. */
  bend: { at: number; insert: string } | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document as it comes
function operationsOf(document: any, fits: (path: string, name: string) => unknown[]): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, { requestBody?: never; parameters?: never }>).map(([method, operation]) => {
      // biome-ignore lint/suspicious/noExplicitAny: see above
      const { requestBody, parameters = [] } = operation as any;
      const schema = requestBody?.content['application/json']?.schema;
      const { properties = {}, required = [] } = schema?.anyOf?.[0] ?? schema ?? {};
      const inQuery = parameters.filter((one: { in: string }) => one.in === 'query').map(({ name }: never) => name);
      const names: string[] = [...Object.keys(properties), ...inQuery];
      return {
        method: method.toUpperCase() as 'GET' | 'POST',
        path,
        address: path.replaceAll(/\{(\w+)\}/g, (_all, name) => String(fits(path, name)[0])),
        fields: names.map((name) => ({
          name,
          fits: fits(path, name).map((value) => JSON.stringify(value)),
          required: required.includes(name),
        })),
      };
    }),
  );
}

interface Known {
  channelId: number;
  providedId: number;
  transactionIds: string[];
  paidIds: string[];
  refundIds: string[];
  tenantId: number;
  member: Member;
  keyId: number;
  told: { webhookId: number; deliveryId: string; replayId: string; inboxId: number; token: string };
  draftIds: number[];
  invoiceIds: number[];
  clockId: number;
  payerId: number;
  planId: number;
  subscriptionIds: number[];
}

/** What fits a field, by its name: without it a fuzz never gets past the first look. */
function fitting({
  channelId,
  providedId,
  transactionIds,
  paidIds,
  refundIds,
  tenantId,
  member,
  keyId,
  told,
  draftIds,
  invoiceIds,
  clockId,
  payerId,
  planId,
  subscriptionIds,
}: Known) {
  const ids: Record<string, (number | string)[]> = {
    '/api/user/modify': [member.id],
    '/api/tenant/modify': [tenantId],
    '/api/developer/mine/revoke': [987_654, keyId + 1],
    '/api/channel/modify': [channelId],
    '/api/transaction/update': transactionIds,
    '/api/transaction/detail': transactionIds,
    '/api/transaction/timeline': transactionIds,
    '/api/refund/detail': refundIds,
    '/api/webhook/modify': [told.webhookId],
    '/api/webhook/remove': [987_654],
    '/api/webhook/rotate': [told.webhookId],
    '/api/webhook/test': [told.webhookId],
    '/api/webhook/delivery/detail': [told.deliveryId],
    '/api/webhook/replay/detail': [told.replayId],
    '/api/event/detail': transactionIds.map((id) => id.replace('txn_', 'evt_')),
    '/api/inbox/messages': [told.inboxId],
    '/api/customer/modify': [payerId],
    '/api/customer/detail': [payerId],
    '/api/invoice/detail': [...draftIds, ...invoiceIds],
    '/api/invoice/print': [...draftIds.slice(0, 2), ...invoiceIds.slice(0, 2)],
    '/api/invoice/finalize': draftIds,
    '/api/invoice/pay': invoiceIds,
    '/api/invoice/void': [...draftIds, ...invoiceIds],
    '/api/clock/advance': [clockId],
    '/api/clock/detail': [clockId],
    '/api/plan/modify': [planId],
    ...Object.fromEntries(
      ['detail', 'update', 'pause', 'resume', 'cancel', 'preview'].map((verb) => [
        `/api/subscription/${verb}`,
        subscriptionIds,
      ]),
    ),
  };
  const byName: Record<string, unknown[]> = {
    password: ['a long enough one'],
    newPassword: ['a long enough one'],
    email: ['somebody@example.com', 'else@example.com'],
    userName: [member.userName, 'somebody', 'Zoë'],
    userType: ['MERCHANT_USER', 'MERCHANT_ADMIN'],
    roles: [[], ['viewer'], ['cashier', 'operator']],
    tenantId: [tenantId, String(tenantId), null],
    state: [true],
    all: [false],
    scope: ['transaction_read', 'channel_read,channel_write'],
    expiresTime: ['2999-01-01T00:00:00Z', '2999-01-01T00:00:00.123456+05:30'],
    channel: [providedId],
    code: ['cards', 'wire', 'A.b_c-9'],
    type: ['ONLINE', 'OFFLINE'],
    currency: ['USD', 'EUR', 'USD,EUR'],
    country: ['US', 'DEU'],
    amount: [1, 1999, Number.MAX_SAFE_INTEGER],
    channelId: [channelId],
    customerId: [payerId, payerId, 1, Number.MAX_SAFE_INTEGER],
    planId: [planId],
    quantity: [1, 3, 1_000_000],
    interval: ['day', 'month', 'year'],
    intervalCount: [1, 10],
    trialDays: [0, 14],
    trialEnd: ['2999-01-01T00:00:00Z'],
    endTime: ['2030-01-01T00:00:00Z', null],
    timeZone: ['UTC', 'Europe/Zurich'],
    atPeriodEnd: [true, false],
    prorate: [true, false],
    invoiceNow: [true],
    cancelAtPeriodEnd: [true, false],
    invoiceId: [...invoiceIds.slice(0, 5), 987_654_321],
    lines: [
      [{ description: 'x', quantity: 3, unitAmount: 333, taxRate: 1900 }],
      [
        { description: 'x', quantity: 1, unitAmount: 5 },
        { description: 'y', quantity: 1, unitAmount: -5, taxAmount: 0 },
      ],
    ],
    dueDate: ['2026-12-31'],
    uncollectible: [true, false],
    format: ['html', 'html', 'html', 'pdf'],
    address: [{ city: 'Köln', country: 'DE' }],
    phone: ['+1 2', null],
    externalId: ['a', 'b', null],
    defaultChannelId: [channelId, null],
    clockId: [clockId, null],
    nowTime: ['2027-01-31T00:00:00Z'],
    toTime: ['2027-03-01T00:00:00Z', '2028-02-29T12:00:00Z'],
    userId: [member.id],
    transactionId: [...paidIds, ...transactionIds.slice(0, 5)],
    account: ['admin', member.userName, 'nobody', 'PROVIDER_RECEIVABLE', 'REFUNDS'],
    date: ['2026-01-01', '9999-12-31'],
    metadata: [{}, { a: [1, { b: null }] }, { ['__proto__']: 1, constructor: { prototype: 'x' } }],
    status: ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED'],
    url: ['http://127.0.0.1:9/hook'],
    events: [['invoice.paid'], ['invoice.paid', 'subscription.*']],
    groupBy: ['channel', 'status', 'currency'],
    secret: ['our shared secret'],
    maxInFlight: [1, null],
    ratePerSecond: [1000, null],
    promote: [true],
    promoteAt: [new Date(Date.now() + 86_400_000).toISOString()],
    endpointId: [told.webhookId],
    deliveryId: [told.deliveryId],
    since: ['2020-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '2026-01-01T00:00:00.123456+05:30'],
    until: ['2020-01-02T00:00:00Z'],
    states: [['FAILED'], ['MISSING', 'CANCELLED']],
    eventType: ['transaction.created', 'webhook.ping'],
    eventId: transactionIds.slice(0, 5).map((id) => id.replace('txn_', 'evt_')),
    objectId: transactionIds.slice(0, 5),
    token: [told.token],
    page: [1, 2, 2_147_483_647],
    pageSize: [1, 100],
    startDate: ['2026-01-01', '0001-01-01', '1582-10-10'],
    endDate: ['2999-12-31', '9999-12-31'],
  };
  return (path: string, name: string): unknown[] =>
    (name === 'id' ? ids[path] : byName[name]) ?? ['some text', 'ein Text mit ☕ und 😀'];
}

/** JSON texts, and what only looks like them. */
const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      '""',
      '"\\u0000"',
      '"\\ud800"',
      '"\\udfff\\ud800"',
      '" "',
      '"\\u202e"',
      '"__proto__"',
      '"0"',
      '"null"',
      '"%00"',
    ],
    ...['null', 'true', '[]', '{}', '[[]]', '-1', '0', '-0', '1.5', '1e400', '-1e400', '1e-400', '9007199254740992'],
    ...['9007199254740991.4', '9223372036854775807', '1e15', '[1e400]', '{"__proto__":{"a":1}}', '{"constructor":1}'],
    ...['"2026-02-30"', '"0000-00-00"', '"9999-12-31T23:59:60Z"', '"+275760-09-13T00:00:00.001Z"', '"http://["', '"*"'],
    ...['"txn_00000000000000000000000000000000"', '"{a,b}"', '"\\\\x00"', '"\'; drop table channel; --"', 'NaN', '{'],
    `"${'x'.repeat(5000)}"`,
    `"${'x'.repeat(70_000)}"`,
    '['.repeat(2000) + ']'.repeat(2000),
  ),
  fc.json({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => JSON.stringify(text)),
  fc.maxSafeInteger().map(String),
  fc.double().map((value) => JSON.stringify(value)),
);

const names = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', '', 'id', '0'), fc.string());

function request(): fc.Arbitrary<Sent> {
  return fc.nat().chain((drawn) => {
    const operation = operations[drawn % operations.length] as Operation;
    const given = operation.fields.map(({ name, fits, required }) =>
      fc.oneof(
        { weight: 40, arbitrary: fc.constantFrom(...fits).map((json) => [[name, json] as const]) },
        { weight: 2, arbitrary: hostile.map((json) => [[name, json] as const]) },
        { weight: required ? 1 : 40, arbitrary: fc.constant([]) },
      ),
    );
    const stray = fc.oneof(
      { weight: 9, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.tuple(names, hostile), { maxLength: 3 }) },
    );
    return fc.record({
      operation: fc.constant(operation),
      as: fc.nat({ max: credentials.length - 1 }),
      pairs: fc.tuple(...given, stray).map((parts) => parts.flat()),
      contentType: fc.oneof(
        { weight: 19, arbitrary: fc.constant('application/json') },
        { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'x/y', '') },
      ),
      idempotencyKey: seldom(fc.constantFrom('one', 'two', 'é', 'k'.repeat(256)), 4),
      bend: seldom(
        fc.record({ at: fc.nat({ max: 200 }), insert: fc.constantFrom('', '"', '{', '\0', ',', '\ufeff') }),
        8,
      ),
    });
  });
}

/** A value once in `times`, else undefined. */
function seldom<Value>(arbitrary: fc.Arbitrary<Value>, once: number): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: once - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

function send({
  operation: { method, path, address },
  as,
  pairs,
  contentType,
  idempotencyKey,
  bend,
}: Sent): Promise<Response> {
  const authorization = path.endsWith('/logout') ? leaving : credentials[as];
  const headers = {
    ...(authorization !== undefined && { authorization }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  };
  if (method === 'GET') return fetch(`${florin.address}${address}?${queryOf(pairs, bend)}`, { headers });
  const json = `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  const body = bend === undefined ? json : json.slice(0, bend.at) + bend.insert + json.slice(bend.at + 1);
  return fetch(florin.address + address, { method, body, headers: { ...headers, 'content-type': contentType } });
}

function queryOf(pairs: Sent['pairs'], bend: Sent['bend']): string {
  const query = pairs
    .map(([name, json]) => `${escaped(name)}=${escaped(json.replace(/^"|"$/g, '').slice(0, 4000))}`)
    .join('&');
  return bend === undefined ? query : `${query.slice(0, bend.at)}%${query.slice(bend.at + 1)}`;
}

const escaped = (text: string) => encodeURIComponent(text.toWellFormed());

/** The faults of a reply, independent of the request. */
function faultOf({ status, headers }: Response, text: string): string | undefined {
  const fault = (what: string) => `${what}: ${status} ${text.slice(0, 500)}`;
  if (status >= 500) return fault('a 5xx');
  const type = headers.get('content-type') ?? '';
  if (status === 200 && renderedTypes.some((printed) => type.startsWith(printed))) return undefined;
  if (type !== 'application/json; charset=utf-8') return fault('not JSON by its type');
  const requestId = headers.get('x-request-id');
  if (requestId === null) return fault('no request id');
  const { code, data, message, error } = JSON.parse(text);
  if (code !== status) return fault('code is not the status');
  if (status === 200) return data === undefined || error !== undefined ? fault('no data') : undefined;
  const refused = data === null && typeof message === 'string' && typeof error?.type === 'string';
  if (!refused || error.requestId !== requestId) return fault('not the shape of a refusal');
  return status === 429 && headers.get('retry-after') === null ? fault('no Retry-After') : undefined;
}
