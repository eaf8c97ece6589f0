import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sdkFiles } from '../../tools/sdk/generate.ts';
import type * as Sdk from '../src/index.ts';
import { type PackedSdk, packedSdk, root } from './packed.ts';

let packed: PackedSdk;
let sdk: typeof Sdk;
let database: TestDatabase;
let florin: TestFlorin;
/** Logged in as the administrator, and with a key for all scopes. */
let admin: Sdk.Florin;
let shop: Sdk.Florin;
let bank: Sdk.Channel;
let sandbox: Sdk.Channel;

beforeAll(async () => {
  [packed, database] = await Promise.all([packedSdk(), databaseFromTemplate()]);
  florin = await florinOn(database);
  sdk = await packed.import<typeof Sdk>();
  admin = new sdk.Florin({ baseUrl: florin.address });
  await admin.login({ account: 'admin', password: administratorPassword });
  const { sk } = await admin.keys.generate({ scope: '*', livemode: false });
  shop = new sdk.Florin({ apiKey: sk, baseUrl: florin.address });
  const channel = { currency: 'USD,EUR', country: 'US', state: true };
  bank = await shop.channels.modify({ name: 'Bank', code: 'bank', type: 'OFFLINE', ...channel });
  sandbox = await shop.channels.modify({
    name: 'Sandbox',
    code: 'sandbox',
    type: 'ONLINE',
    provider: 'sandbox',
    ...channel,
  });
});

afterAll(async () => {
  await florin?.stop();
  await database?.drop();
  await packed?.remove();
});

test('every operation of the service has a method, and every method an operation', async () => {
  const { paths } = (await (await fetch(`${florin.address}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const offered = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const methods = Object.entries(sdk.operations);
  expect(methods.map(([, [method, path]]) => `${method} ${path}`).toSorted()).toEqual(offered.toSorted());
  for (const [name] of methods) {
    const method = name
      .split('.')
      .reduce((object, part) => (object as Record<string, unknown>)?.[part], shop as unknown);
    expect(method, name).toBeTypeOf('function');
  }
});

test('the generated files are current: run npm run docs', () => {
  for (const [file, text] of Object.entries(sdkFiles())) {
    expect(readFileSync(join(root, file), 'utf8') === text, file).toBe(true);
  }
});

test('the package has no dependencies, and the version of the service', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'sdk/package.json'), 'utf8'));
  expect(manifest.dependencies).toBeUndefined();
  expect(manifest.version).toBe(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
  expect(sdk.version).toBe(manifest.version);
});

test('data is unwrapped, and the whole answer with its request id is available', async () => {
  const call = shop.transactions.create({ amount: 1099, currency: 'USD', channelId: bank.id });
  const payment = await call;
  const reply = await call.withResponse();
  expect(payment).toMatchObject({ amount: 1099, status: 'PENDING' });
  expect(reply).toMatchObject({ data: payment, status: 200, replayed: false, message: expect.any(String) });
  expect(reply.headers.get('x-request-id')).toBe(reply.requestId);
});

test('the same idempotency key gives the same payment; without one each call is a payment', async () => {
  const input = { amount: 5, currency: 'EUR', channelId: bank.id };
  const first = await shop.transactions.create(input, { idempotencyKey: 'order-5' });
  const again = await shop.transactions.create(input, { idempotencyKey: 'order-5' }).withResponse();
  expect(again.data.id).toBe(first.id);
  expect(again.replayed).toBe(true);
  expect((await shop.transactions.create(input)).id).not.toBe(first.id);
});

test('a key given as a header makes one payment of two calls', async () => {
  const input = { amount: 6, currency: 'EUR', channelId: bank.id };
  const create = () => shop.transactions.create(input, { headers: { 'Idempotency-Key': 'order-6' } }).withResponse();
  const [first, again] = [await create(), await create()];
  expect(again).toMatchObject({ replayed: true, data: { id: first.data.id } });
});

test('a record is read by its id alone', async () => {
  const { id } = await shop.transactions.create({ amount: 7, currency: 'USD', channelId: bank.id });
  expect((await shop.transactions.get(id)).channelName).toBe('Bank');
  expect((await shop.transactions.get({ id })).id).toBe(id);
});

test('a list returns its first page when awaited and every row once when iterated, while rows arrive', async () => {
  const { id: channelId } = await shop.channels.modify({
    name: 'List',
    code: 'list',
    type: 'OFFLINE',
    currency: 'USD',
    country: 'US',
    state: true,
  });
  const created: string[] = [];
  const create = async () =>
    created.push((await shop.transactions.create({ amount: 1, currency: 'USD', channelId })).id);
  for (let i = 0; i < 7; i++) await create();
  const expected = [...created];
  const page = await shop.transactions.list({ channelId, pageSize: 3 });
  expect(page.data.map(({ id }) => id)).toEqual(created.slice(-3).toReversed());
  expect(page.hasNext).toBe(true);
  expect((await page.next())?.data).toHaveLength(3);
  const seen: string[] = [];
  for await (const { id } of shop.transactions.list({ channelId, pageSize: 2 })) {
    seen.push(id);
    if (seen.length < 5) await create();
  }
  expect(seen.filter((id) => expected.includes(id)).toSorted()).toEqual(expected.toSorted());
  expect(new Set(seen).size).toBe(seen.length);
  expect(await shop.transactions.list({ channelId }).toArray({ limit: 4 })).toHaveLength(4);
  const input = { amount: 1, currency: 'USD', channelId, metadata: { order: '77' } };
  const { id } = await shop.transactions.create(input);
  const found = await shop.transactions.list({ metadata: { order: '77' } }).toArray();
  expect(found.map((row) => row.id)).toEqual([id]);
});

test('lists with a cursor and lists without pages are iterated in the same way', async () => {
  const events: string[] = [];
  for await (const { id } of shop.events.list({ type: 'transaction.created', pageSize: 2 })) events.push(id);
  expect(events.length).toBeGreaterThan(5);
  expect(new Set(events).size).toBe(events.length);
  const codes = await shop.channels.list().toArray();
  expect(codes.map(({ code }) => code)).toContain('sandbox');
});

test('waitFor returns the payment once it is decided', async () => {
  const { id } = await shop.transactions.create({ amount: 1099, currency: 'USD', channelId: sandbox.id });
  expect(await shop.transactions.waitFor(id)).toMatchObject({ id, status: 'SUCCESS' });
  await expect(shop.transactions.waitFor(id, { until: 'FAILED' })).rejects.toThrow(/will not become FAILED/);
  const pending = await shop.transactions.create({ amount: 1, currency: 'USD', channelId: bank.id });
  const late = shop.transactions.waitFor(pending.id, { waitMs: 1 });
  await expect(late).rejects.toMatchObject({ name: 'TimeoutError', details: { status: 'PENDING' } });
});

test('refusals are errors by class, with type, field, scope, request id and doc', async () => {
  const refusalOf = (call: PromiseLike<unknown>) =>
    Promise.resolve(call).catch((error: unknown) => error as Sdk.FlorinError);
  const invalid = await refusalOf(shop.transactions.create({ amount: 0, currency: 'USD', channelId: bank.id }));
  expect(invalid).toBeInstanceOf(sdk.ValidationError);
  expect(invalid).toMatchObject({ type: 'invalid_request', status: 400, field: 'amount', retryable: false });
  expect((invalid as Sdk.ValidationError).fields).toEqual({ amount: (invalid as Error).message });
  expect(invalid).toMatchObject({
    requestId: expect.any(String),
    doc: `${florin.address}/docs/errors#invalid_request`,
  });

  const { sk } = await admin.keys.generate({ scope: 'transaction_read', livemode: false });
  const reader = new sdk.Florin({ apiKey: sk, baseUrl: florin.address });
  const forbidden = await refusalOf(reader.transactions.create({ amount: 1, currency: 'USD', channelId: bank.id }));
  expect(forbidden).toBeInstanceOf(sdk.PermissionError);
  expect((forbidden as Sdk.PermissionError).scope).toBe('transaction_write');

  expect(await refusalOf(shop.transactions.get('txn_0'))).toBeInstanceOf(sdk.NotFoundError);
  const stranger = new sdk.Florin({ apiKey: 'sk_live_no', baseUrl: florin.address });
  expect(await refusalOf(stranger.channels.list())).toBeInstanceOf(sdk.AuthenticationError);
  const pending = await shop.transactions.create({ amount: 1, currency: 'USD', channelId: bank.id });
  expect(await refusalOf(shop.refunds.create({ transactionId: pending.id }))).toBeInstanceOf(sdk.ConflictError);
  const options = { idempotencyKey: 'one' };
  await shop.transactions.create({ amount: 1, currency: 'USD', channelId: bank.id }, options);
  const other = shop.transactions.create({ amount: 2, currency: 'USD', channelId: bank.id }, options);
  expect(await refusalOf(other)).toBeInstanceOf(sdk.IdempotencyError);
});

test('a login is refreshed when its access token is refused, once for all requests, and ends with logout', async () => {
  const tokens: Sdk.Tokens[] = [];
  const user = new sdk.Florin({ baseUrl: florin.address, onTokens: (given) => tokens.push(given) });
  await user.login({ account: 'admin', password: administratorPassword });
  const { refreshToken } = tokens[0] as Sdk.Tokens;
  const stale = new sdk.Florin({
    baseUrl: florin.address,
    accessToken: 'expired',
    refreshToken,
    onTokens: (given) => tokens.push(given),
  });
  const [one, other] = await Promise.all([stale.users.info(), stale.users.info()]);
  expect(one).toEqual(other);
  expect(tokens).toHaveLength(2);
  expect(tokens[1]).toMatchObject({ accessToken: expect.stringMatching(/\./), refreshToken });
  await user.logout();
  await expect(stale.users.info()).rejects.toBeInstanceOf(sdk.AuthenticationError);
});

test('documents are returned unchanged', async () => {
  const customer = await shop.customers.modify({ name: 'Ada', email: 'ada@example.com' });
  const lines = [{ description: 'Work', quantity: 1, unitAmount: 500 }];
  const draft = await shop.invoices.create({ customerId: customer.id, currency: 'USD', lines });
  const invoice = await shop.invoices.finalize(draft.id);
  const page = await shop.invoices.print({ id: invoice.id, format: 'html' });
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(await page.text()).toContain('Ada');
});

test('bodies of any type are sent unchanged', async () => {
  const inbox = await shop.inboxes.create();
  await shop.inboxes.post({ token: inbox.token, body: 'hello' });
  expect((await shop.inboxes.messages({ id: inbox.id })).data.map(({ body }) => body)).toEqual(['hello']);
});
