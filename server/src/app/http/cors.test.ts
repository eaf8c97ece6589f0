import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../tests/support/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../../../tests/support/service/florin.ts';
import { readSettings } from '../config/settings.ts';

let db: TestDatabase;
let florin: TestFlorin;
const own = 'https://shop.example';
const strange = 'https://evil.example';

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, {
    APP_CORS_ORIGINS: `${own}, http://localhost:5173`,
    APP_RATE_LIMIT_ADDRESS_REQUESTS_PER_MINUTE: '8',
  });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const preflight = (origin: string, path = '/api/user/login') =>
  fetch(florin.address + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });
const login = (origin: string, password = administratorPassword) =>
  fetch(`${florin.address}/api/user/login`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ account: 'admin', password }),
  });

test('an application of a named origin may sign in: preflight, answer and refusal allow it', async () => {
  const asked = await preflight(own);
  expect(asked.status).toBe(204);
  expect(Object.fromEntries(asked.headers)).toMatchObject({
    'access-control-allow-origin': own,
    'access-control-allow-methods': 'GET, HEAD, POST',
    'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, X-Request-Id',
    'access-control-max-age': '600',
    vary: 'Origin',
  });
  for (const [password, status] of [
    [administratorPassword, 200],
    ['wrong', 401],
  ] as const) {
    const { headers, status: got } = await login(own, password);
    expect(got).toBe(status);
    expect(headers.get('access-control-allow-origin')).toBe(own);
    for (const name of ['X-Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'Idempotency-Replayed']) {
      expect(headers.get('access-control-expose-headers')).toContain(name);
    }
  }
});

test('any other origin is allowed nothing, and credentials are allowed to none', async () => {
  for (const origin of [strange, 'null', `${own}.evil.example`, 'https://SHOP.example']) {
    const asked = await preflight(origin);
    expect(asked.status).toBe(405);
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    expect(asked.headers.get('vary')).toBe('Origin');
  }
  expect((await login(strange)).headers.get('access-control-allow-origin')).toBeNull();
  for (const { headers } of [await preflight(own), await login(own)]) {
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('access-control-allow-origin')).not.toBe('*');
  }
});

test('an application may read that it was refused for too many requests', async () => {
  let refused = await login(own);
  for (let i = 0; i < 10 && refused.status !== 429; i++) refused = await login(own);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('access-control-allow-origin')).toBe(own);
  expect(refused.headers.get('retry-after')).toBeTruthy();
});

test.each(['*', 'https://shop.example/', 'shop.example', 'https://shop.example/app', 'null', 'ftp://shop.example'])(
  'the setting refuses %j, which is not an origin',
  (value) => {
    const read = () => readSettings({ APP_CORS_ORIGINS: value }, undefined);
    expect(read).toThrow('APP_CORS_ORIGINS must list origins such as https://app.example.com');
  },
);
