import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtFolder } from '../../src/app/http/built-files.ts';
import { hashOfPasswordToken } from '../../src/domains/identity/users/password-tokens.ts';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../support/service/florin.ts';
import { aRefusal } from '../support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, {
    APP_SERVER_TRUST_PROXY: '127.0.0.9',
    APP_PUBLIC_URL: 'https://pay.example',
    APP_SECURITY_CONTACT: 'security@pay.example',
  });
  admin = await florin.login('admin', administratorPassword);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

/** A client at another address of the loopback interface. */
function clientAt(address: string, headers: Record<string, string> = {}) {
  const agent = new Agent({ localAddress: address, connections: 200 });
  const post = async (path: string, body: object) => {
    const given = { 'content-type': 'application/json', ...headers };
    const options = { method: 'POST', headers: given, body: JSON.stringify(body), dispatcher: agent } as const;
    const reply = await request(florin.address + path, options);
    // biome-ignore lint/suspicious/noExplicitAny: a test says by its expectations what the body holds
    return { status: reply.statusCode, headers: reply.headers, body: (await reply.body.json()) as any };
  };
  return {
    post,
    login: (account: string, password: string) => post('/api/user/login', { account, password }),
    close: () => agent.close(),
  };
}

test('beside 130 connections that guess, other addresses, familiar logins and tokens are served', async () => {
  const hostile = clientAt('127.0.0.2');
  const familiar = clientAt('127.0.0.2');
  const elsewhere = clientAt('127.0.0.3');
  expect((await familiar.login('admin', administratorPassword)).status).toBe(200);
  const statuses = new Set<number>();
  let isOver = false;
  let guesses = 0;
  const guess = async () => {
    while (!isOver) statuses.add((await hostile.login(`nobody${guesses++}`, 'a wrong password')).status);
  };
  const guessing = Array.from({ length: 130 }, guess);
  for (let i = 0; i < 5; i++) {
    expect((await elsewhere.login('admin', administratorPassword)).status).toBe(200);
    expect((await familiar.login('admin', administratorPassword)).status).toBe(200);
    expect((await florin.get('/api/channel/list', admin)).status).toBe(200);
  }
  isOver = true;
  await Promise.all(guessing);
  expect([...statuses].sort()).toEqual([401, 429]);
  const refused = await hostile.login('another one', 'x');
  expect(refused).toMatchObject({ status: 429, body: aRefusal(429, { type: 'too_many_attempts' }) });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(800);
  await Promise.all([hostile, familiar, elsewhere].map((client) => client.close()));
});

test.each([
  ['refresh', { refreshToken: 'made up' }, 401],
  ['reset-password', { token: 'made up', newPassword: 'seven green boats' }, 400],
  ['forgot-password', { email: 'nobody@example.com' }, 200],
])('the 101st failure of %s from one address is refused; other addresses are not', async (verb, body, status) => {
  const client = clientAt('127.0.0.4');
  const other = clientAt('127.0.0.5');
  for (let i = 0; i < 100; i++) expect((await client.post(`/api/user/${verb}`, body)).status).toBe(status);
  const refused = await client.post(`/api/user/${verb}`, body);
  expect(refused).toMatchObject({ status: 429, body: aRefusal(429, { type: 'too_many_attempts' }) });
  expect(refused.headers['retry-after']).toBeDefined();
  expect((await other.post(`/api/user/${verb}`, body)).status).toBe(status);
  await Promise.all([client.close(), other.close()]);
});

test('genuine tokens succeed however many refreshes and resets from their address have failed', async () => {
  const client = clientAt('127.0.0.7');
  const login = await client.login('admin', administratorPassword);
  const { refreshToken } = login.body.data.token;
  const userId = login.body.data.userId;
  const token = 'R'.repeat(43);
  const open = [hashOfPasswordToken(token), userId, new Date(Date.now() + 600_000)];
  await db.query('insert into password_reset (token_hash, user_id, expires_at) values ($1, $2, $3)', open);
  const refresh = (given: string) => client.post('/api/user/refresh', { refreshToken: given });
  const reset = (given: string) =>
    client.post('/api/user/reset-password', { token: given, newPassword: administratorPassword });
  for (let i = 0; i < 101; i++) {
    await refresh('made up');
    await reset('made up');
  }
  expect([(await refresh('made up')).status, (await reset('made up')).status]).toEqual([429, 429]);
  expect([(await refresh(refreshToken)).status, (await reset(token)).status]).toEqual([200, 200]);
  await client.close();
  admin = await florin.login('admin', administratorPassword);
});

test('X-Forwarded-For counts only from a trusted proxy', async () => {
  const guess = async (from: string, forwarded: string) => {
    const client = clientAt(from, { 'x-forwarded-for': forwarded });
    const { status } = await client.post('/api/user/login', { account: 'proxied', password: 'wrong!' });
    await client.close();
    return status;
  };
  for (let i = 0; i < 10; i++) {
    expect(await guess('127.0.0.9', '203.0.113.1')).toBe(401);
    // Not a proxy: the address that it names changes nothing.
    expect(await guess('127.0.0.6', `203.0.113.${10 + i}`)).toBe(401);
  }
  expect(await guess('127.0.0.9', '203.0.113.1')).toBe(429);
  expect(await guess('127.0.0.9', '203.0.113.2')).toBe(401);
  expect(await guess('127.0.0.6', '203.0.113.99')).toBe(429);
});

test('ports and notations of an address change no limit, and a malformed entry is the proxy itself', async () => {
  const guess = async (forwarded: string) => {
    const client = clientAt('127.0.0.9', { 'x-forwarded-for': forwarded });
    const { status } = await client.post('/api/user/login', { account: 'notation', password: 'wrong!' });
    await client.close();
    return status;
  };
  for (let i = 0; i < 5; i++) {
    expect(await guess(`203.0.113.7:${50_000 + i}`)).toBe(401);
    expect(await guess('::ffff:203.0.113.7')).toBe(401);
    expect(await guess(`203.0.113.${100 + i}, unknown`)).toBe(401);
    expect(await guess(`203.0.113.${100 + i}, 0313.0.0.${i}`)).toBe(401);
  }
  expect(await guess('203.0.113.7')).toBe(429);
  expect(await guess('203.0.113.200, unknown')).toBe(429);
  expect(await guess('203.0.113.8')).toBe(401);
});

test.each([
  ['/api/transaction/create', 'Idempotency-Key'],
  ['/api/refund/create', 'Idempotency-Key'],
  ['/api/transaction/create', 'Authorization'],
])('%s refuses a second %s and writes nothing', async (path, name) => {
  const wire = { name: 'Wire', code: randomUUID(), type: 'OFFLINE', currency: 'USD', country: 'US', state: true };
  const channelId = (await florin.post('/api/channel/modify', wire, admin)).body.data.id;
  const payment = { amount: 1999, currency: 'USD', channelId };
  const { id } = (await florin.post('/api/transaction/create', payment, admin)).body.data;
  await florin.post('/api/transaction/update', { id, status: 'SUCCESS' }, admin);
  const countEvents = () => db.query('select count(*)::int as count from event');
  const before = await countEvents();
  const key = ['idempotency-key', 'order-1'];
  const twice = name === 'Authorization' ? ['authorization', admin] : key;
  const reply = await request(florin.address + path, {
    method: 'POST',
    headers: ['content-type', 'application/json', 'authorization', admin, ...key, ...twice],
    body: JSON.stringify(path === '/api/refund/create' ? { transactionId: id } : payment),
  });
  expect([reply.statusCode, await reply.body.json()]).toMatchObject([
    400,
    { message: `Only one ${name} header may be sent.`, error: { type: 'invalid_request', field: name } },
  ]);
  expect(await countEvents()).toEqual(before);
});

test.each([
  '/docs',
  '/docs/errors',
  '/docs/nothing',
  '/openapi.json',
  '/metrics',
  '/health/ready',
  '/reset-password',
  '/reset-password.js',
  '/sandbox/pay/unknown',
  '/.well-known/security.txt',
  '/nowhere',
])('%s has the headers that protect browsers', async (path) => {
  const { headers } = await florin.get(path);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
  expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
  // What stands in for the documentation until it is built is replaced soon.
  const isBuilt = existsSync(join(builtFolder('docs'), '.built-from'));
  const isSameForAll = path === '/openapi.json' || (path === '/docs' && isBuilt);
  expect(headers.get('cache-control')).toBe(isSameForAll ? 'public, no-cache' : 'no-store');
});

test('the icon that browsers ask for on their own is an image', async () => {
  const { status, headers, body } = await florin.get('/favicon.ico');
  expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  expect(headers.get('cache-control')).toBe('public, max-age=86400');
  expect(body).toMatch(/^<svg /);
});

test('security.txt names the contact, and expires in the future', async () => {
  const { status, headers, body } = await florin.get('/.well-known/security.txt');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const [contact, expires, canonical] = body.trim().split('\n');
  expect(contact).toBe('Contact: mailto:security@pay.example');
  expect(Date.parse(expires.replace('Expires: ', ''))).toBeGreaterThan(Date.now());
  expect(canonical).toBe('Canonical: https://pay.example/.well-known/security.txt');
});
