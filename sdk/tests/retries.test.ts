import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as sdk from '../src/index.ts';
import {
  accepted,
  cut,
  cutInBody,
  type Fault,
  type FaultServer,
  page,
  refused,
  startFaultServer,
} from './fault-server.ts';

let server: FaultServer;
let florin: sdk.Florin;
const logged: string[] = [];

beforeAll(async () => {
  // Half of each delay is random; this leaves a hundredth of that half.
  vi.spyOn(Math, 'random').mockReturnValue(-0.98);
  server = await startFaultServer();
  const logger: sdk.Logger = {
    debug: (...line) => logged.push(JSON.stringify(line)),
    warn: (...line) => logged.push(JSON.stringify(line)),
  };
  florin = new sdk.Florin({ apiKey: 'sk_live_secret', baseUrl: `${server.address}/`, logger });
});

afterAll(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

const create = (options?: sdk.WriteOptions) =>
  florin.transactions.create({ amount: 1, currency: 'USD', channelId: 1 }, options);
const keysSent = () => server.requests.map(({ headers }) => headers['idempotency-key']);

test.each([
  ['a closed connection', cut],
  ['a connection that breaks within the answer', cutInBody],
  ['408', refused(408, 'invalid_request')],
  ['429', refused(429, 'too_many_requests')],
  ['500', refused(500, 'internal_error')],
  ['503', refused(503, 'overloaded')],
  ['an answer of a proxy', page],
])('a payment is retried after %s, with the same key in all tries', async (_fault, fault) => {
  server.answer(fault, fault, accepted);
  expect(await create()).toMatchObject({ id: 'txn_1' });
  expect(keysSent()).toHaveLength(3);
  expect(new Set(keysSent()).size).toBe(1);
  expect(keysSent()[0]).toMatch(/^[0-9a-f-]{36}$/);
});

test('a given key is sent unchanged, and every call without one has its own', async () => {
  server.answer(cut, accepted);
  await create({ idempotencyKey: 'order-1' });
  expect(keysSent()).toEqual(['order-1', 'order-1']);
  server.answer();
  await Promise.all([create(), create()]);
  expect(new Set(keysSent()).size).toBe(2);
});

test.each([
  ['a record in another case', { 'Idempotency-Key': 'order-1' }],
  ['a record in lower case', { 'idempotency-key': 'order-1' }],
  [
    'a record that names it twice, of which the later counts',
    { 'Idempotency-Key': 'order-0', 'IDEMPOTENCY-KEY': 'order-1' },
  ],
  ['Headers', new Headers({ 'Idempotency-Key': 'order-1' })],
  ['pairs', [['Idempotency-Key', 'order-1']] as const],
])('a key given as a header, by %s, replaces the generated one', async (_form, headers) => {
  server.answer(cut, accepted);
  await create({ headers });
  expect(keysSent()).toEqual(['order-1', 'order-1']);
});

test('a header of a call replaces that of the client and of the SDK, whatever its case', async () => {
  const client = new sdk.Florin({
    apiKey: 'sk_live_secret',
    baseUrl: server.address,
    headers: { 'X-Shop': 'client', 'Idempotency-Key': 'of-the-client', AUTHORIZATION: 'ApiKey sk_live_other' },
  });
  server.answer();
  const input = { amount: 1, currency: 'USD', channelId: 1 };
  const headers = { 'x-shop': 'call', 'USER-AGENT': 'shop/1', 'idempotency-key': undefined as never };
  await client.transactions.create(input, { idempotencyKey: 'order-2', headers });
  expect(server.requests[0]?.headers).toMatchObject({
    'x-shop': 'call',
    'user-agent': 'shop/1',
    'idempotency-key': 'order-2',
    authorization: 'ApiKey sk_live_other',
  });
});

test('a redirect is refused, and neither the password nor the key of a request reaches where it leads', async () => {
  const elsewhere = await startFaultServer();
  const moved: Fault = (response) => response.writeHead(307, { location: `${elsewhere.address}/login` }).end();
  server.answer(moved, moved);
  const refusal = { name: 'ApiError', type: 'redirected', status: 307, retryable: false };
  await expect(florin.login({ account: 'admin', password: 'secret' })).rejects.toMatchObject({
    ...refusal,
    message: expect.stringContaining(`${elsewhere.address}/login`),
  });
  await expect(create()).rejects.toMatchObject(refusal);
  expect([server.requests.length, elsewhere.requests.length]).toEqual([1 + 1, 0]);
  await elsewhere.stop();
});

test('a retry waits for Retry-After, and the call rejects if that is more than a minute', async () => {
  server.answer(refused(429, 'too_many_requests', { 'retry-after': '1' }), accepted);
  await create();
  const [first, second] = server.requests.map(({ atMs }) => atMs) as [number, number];
  expect(second - first).toBeGreaterThanOrEqual(995);
  server.answer(refused(429, 'too_many_attempts', { 'retry-after': '900' }));
  await expect(create()).rejects.toMatchObject({ name: 'RateLimitError', retryAfterMs: 900_000, retryable: true });
  expect(server.requests).toHaveLength(1);
});

test('after maxRetries the last error is thrown, with its request id', async () => {
  server.answer(cut, cut, refused(503, 'database_unavailable'));
  await expect(create()).rejects.toMatchObject({
    name: 'ApiError',
    type: 'database_unavailable',
    requestId: 'r-1',
    retryable: true,
  });
  server.answer(cut);
  await expect(create({ maxRetries: 0 })).rejects.toMatchObject({ name: 'ConnectionError', retryable: true });
  expect(server.requests).toHaveLength(1);
});

test('a write without a key is retried only when it was refused before it did anything', async () => {
  server.answer(cut, accepted);
  await expect(florin.inboxes.create({ secret: 'a secret of tests' })).rejects.toMatchObject({
    name: 'ConnectionError',
    retryable: false,
  });
  expect(server.requests).toHaveLength(1);
  server.answer(refused(503, 'overloaded'), accepted);
  await florin.inboxes.create({ secret: 'a secret of tests' });
  expect(keysSent()).toEqual([undefined, undefined]);
});

test.each([
  [400, 'ValidationError'],
  [401, 'AuthenticationError'],
  [403, 'PermissionError'],
  [404, 'NotFoundError'],
  [409, 'ConflictError'],
  [413, 'ValidationError'],
  [422, 'IdempotencyError'],
])('%i is a %s and is not retried; an unknown type does no harm', async (status, name) => {
  server.answer(refused(status, 'type_of_a_later_release'));
  await expect(create()).rejects.toMatchObject({ name, status, retryable: false });
  expect(server.requests).toHaveLength(1);
});

/** A client of a service that accepts requests and never answers. */
function unanswered(): { florin: sdk.Florin; requests: RequestInit[] } {
  const requests: RequestInit[] = [];
  const never: typeof fetch = (_url, init = {}) => {
    requests.push(init);
    return new Promise((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  };
  return { florin: new sdk.Florin({ apiKey: 'sk_live_secret', fetch: never }), requests };
}

test('a missing answer is a TimeoutError, after the retries', async () => {
  const { florin, requests } = unanswered();
  const call = florin.transactions.get('txn_1', { timeoutMs: 5, maxRetries: 1 });
  const error = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(sdk.TimeoutError);
  expect(error).toBeInstanceOf(sdk.ConnectionError);
  expect(requests).toHaveLength(2);
});

test('the timeout of a document covers only its beginning; a signal also ends it later', async () => {
  let given: AbortSignal | null | undefined;
  const streaming: typeof fetch = async (_url, init) => {
    given = init?.signal;
    return new Response(new ReadableStream());
  };
  const reader = new AbortController();
  const florin = new sdk.Florin({ apiKey: 'sk_live_secret', fetch: streaming });
  await florin.events.stream({}, { timeoutMs: 5, signal: reader.signal });
  await new Promise((later) => setTimeout(later, 20));
  expect(given?.aborted).toBe(false);
  reader.abort();
  expect(given?.aborted).toBe(true);
});

test('a signal ends the call, during a request and between two', async () => {
  const within = new AbortController();
  const call = unanswered().florin.transactions.get('txn_1', { signal: within.signal });
  within.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  server.answer(refused(503, 'overloaded', { 'retry-after': '30' }));
  const between = new AbortController();
  const waiting = create({ signal: between.signal });
  while (!logged.some((line) => line.includes('"delayMs":30000'))) await new Promise(setImmediate);
  between.abort(new Error('enough too'));
  await expect(waiting).rejects.toThrow('enough too');
});

test('the error of an unreachable service names it', async () => {
  const nowhere = new sdk.Florin({ baseUrl: 'http://127.0.0.1:9', maxRetries: 0 });
  await expect(nowhere.health.live()).rejects.toThrow(/http:\/\/127\.0\.0\.1:9 could not be reached: .+\./);
});

test('an answer that is not of Florin is an error, not undefined data', async () => {
  server.answer((response) => response.end('<h1>Welcome</h1>'));
  await expect(florin.health.live()).rejects.toMatchObject({ type: 'unexpected_answer', status: 200 });
});

test('a header that cannot be sent is a mistake of the caller, not an outage, and is not retried', async () => {
  server.answer(accepted);
  await expect(create({ idempotencyKey: 'order №1' })).rejects.toMatchObject({
    ...{ name: 'ValidationError', type: 'header_invalid', retryable: false },
    message: 'A header or key cannot be sent.',
  });
  expect(server.requests).toHaveLength(0);
});

test('a refresh that breaks off is an outage and does not mean that the session has ended', async () => {
  server.answer(refused(401, 'credentials_invalid'), cut);
  const user = new sdk.Florin({ baseUrl: server.address, accessToken: 'old', refreshToken: 'refresh' });
  await expect(user.users.info()).rejects.toBeInstanceOf(sdk.ConnectionError);
});

test('an access token that stays refused ends the call after one refresh', async () => {
  const token: typeof accepted = (response) => response.end('{"code":200,"data":{"accessToken":"new"}}');
  server.answer(refused(401, 'credentials_invalid'), token, refused(401, 'credentials_invalid'), accepted);
  const user = new sdk.Florin({ baseUrl: server.address, accessToken: 'old', refreshToken: 'refresh' });
  await expect(user.users.info()).rejects.toBeInstanceOf(sdk.AuthenticationError);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', undefined, 'Bearer new']);
});

test('tokens replaced at a refresh, a step-up or an enrolment are stored and used from then on', async () => {
  const answers =
    (data: object): typeof accepted =>
    (response) =>
      response.end(JSON.stringify({ code: 200, data }));
  const kept: sdk.Tokens[] = [];
  const user = new sdk.Florin({
    baseUrl: server.address,
    accessToken: 'a0',
    refreshToken: 'r0',
    onTokens: (given) => kept.push(given),
  });
  const expired = refused(401, 'credentials_invalid');
  server.answer(expired, answers({ accessToken: 'a1', refreshToken: 'r1' }), accepted);
  await user.users.info();
  server.answer(answers({ steppedUpUntil: 'x', token: { accessToken: 'a2', refreshToken: 'r2' } }), accepted);
  await user.users.stepUp({ code: '123456' });
  await user.users.info();
  expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer a2');
  server.answer(answers({ recoveryCodes: [], token: { accessToken: 'a3', refreshToken: 'r3' } }), accepted);
  await user.secondFactor.confirm({ code: '123456' });
  await user.users.info();
  expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer a3');
  expect(kept).toMatchObject([
    { accessToken: 'a1', refreshToken: 'r1' },
    { accessToken: 'a2', refreshToken: 'r2' },
    { accessToken: 'a3', refreshToken: 'r3' },
  ]);
});

test('the log has every request and retry, and no credentials', () => {
  expect(logged.some((line) => line.includes('/api/transaction/create') && line.includes('"status":200'))).toBe(true);
  expect(logged.join('\n')).not.toContain('sk_live_secret');
});
