import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, makeKey, makeMember, makeTenant } from '../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../tests/support/service/florin.ts';
import { aRefusal } from '../../../tests/support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let nowMs = Date.parse('2026-03-31T09:30:00Z');
const path = '/api/channel/list';

beforeAll(async () => {
  db = await databaseFromTemplate();
  const limits = {
    APP_RATE_LIMIT_KEY_REQUESTS_PER_MINUTE: '3',
    APP_RATE_LIMIT_REQUESTS_PER_MINUTE: '5',
    APP_RATE_LIMIT_TENANT_REQUESTS_PER_MINUTE: '7',
    APP_RATE_LIMIT_ADDRESS_REQUESTS_PER_MINUTE: '60',
  };
  florin = await florinOn(db, limits, () => nowMs);
  admin = await administratorOf(florin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const aMinuteLater = () => {
  nowMs += 60_000;
};

/** How many of so many requests are served before the first that is refused, and by which limit. */
async function servedOf(count: number, as: string | undefined): Promise<[number, string | undefined]> {
  for (let served = 0; served < count; served++) {
    const { status, body, headers } = await florin.get(path, as);
    if (status !== 429) continue;
    expect(body).toEqual(aRefusal(429, { type: 'too_many_requests', details: expect.anything() as never }));
    expect(Number(headers.get('retry-after'))).toBe(60);
    return [served, body.error.details.limit];
  }
  return [count, undefined];
}

test('requests are limited by key, user, tenant and address; health checks are not', async () => {
  const tenantId = await makeTenant(florin, admin);
  const one = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const two = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const [first, second] = [await makeKey(florin, one.as, '*'), await makeKey(florin, one.as, '*')];
  aMinuteLater();
  expect(await servedOf(10, first.as)).toEqual([3, 'key']);
  expect(await servedOf(10, second.as)).toEqual([2, 'user']);
  expect(await servedOf(10, two.as)).toEqual([2, 'tenant']);
  expect(await servedOf(3, admin)).toEqual([3, undefined]);
  aMinuteLater();
  expect(await servedOf(1, first.as)).toEqual([1, undefined]);
  expect(await servedOf(100, undefined)).toEqual([59, 'address']);
  expect((await florin.get('/health/live')).status).toBe(200);
});

test('every route but the health checks is limited, also pages, metrics and unknown paths', async () => {
  const open = [
    '/metrics',
    '/docs',
    '/docs/quickstart.md',
    '/openapi.json',
    '/reset-password',
    '/',
    '/nowhere',
    '/health/nowhere',
  ];
  aMinuteLater();
  expect(await servedOf(100, undefined)).toEqual([60, 'address']);
  for (const one of open) expect([one, (await florin.get(one)).status]).toEqual([one, 429]);
  for (const one of ['/health/live', '/health/ready']) expect((await florin.get(one)).status).toBe(200);
});

test('answers say what is left of each limit', async () => {
  aMinuteLater();
  await florin.get(path, admin);
  nowMs += 10_000;
  const { headers } = await florin.get(path, admin);
  expect(headers.get('ratelimit-policy')).toBe('"address";q=60;w=60, "user";q=5;w=60, "tenant";q=7;w=60');
  expect(headers.get('ratelimit')).toBe('"address";r=58;t=50, "user";r=3;t=50, "tenant";r=5;t=50');
});
