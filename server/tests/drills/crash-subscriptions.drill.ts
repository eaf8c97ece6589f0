import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePayingCustomer } from '../support/billing/invoices.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { dataOf, makeChannel } from '../support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { administratorPassword, urlOf } from '../support/service/florin.ts';
import { type ReadyService, startService } from '../support/service/service-process.ts';

/**
 * Kills the service at every step of a renewal while a test clock advances by a year: the clock continues where it was,
 * each period is invoiced once, and each invoice is paid once.
 */
let db: TestDatabase;
let dataDir: string;
let service: ReadyService;
let as: string;

const start = async (drill?: string) => {
  const environment = {
    PORT: '0',
    APP_DATA_DIR: dataDir,
    APP_DATABASE_URL: urlOf(db.connection),
    APP_DEPLOYMENT_MODE: 'STANDALONE',
    APP_ADMIN_PASSWORD: administratorPassword,
    // A charge that was being made when its service was killed is looked up when its lease ends: 12 s instead of 50.
    APP_PROVIDER_TIMEOUT: '1s',
    ...(drill !== undefined && { APP_DRILL_FAIL_POINT: drill }),
  };
  service = await startService({ environment });
};

beforeAll(async () => {
  db = await databaseFromTemplate();
  dataDir = await mkdtemp(join(tmpdir(), 'florin-crash-'));
  await start();
  as = await service.login('admin', administratorPassword);
});

afterAll(async () => {
  await service.end('SIGTERM');
  await db.drop();
  await rm(dataDir, { recursive: true, force: true });
});

test('killed at each step of a renewal, a year has thirteen invoices, each paid once', async () => {
  const post = async (path: string, body: unknown) => dataOf(await service.post(`/api/${path}`, body, as));
  const channelId = await makeChannel(service, as, { provider: 'sandbox' });
  const { id: clockId } = await post('clock/create', { name: 'A year', nowTime: '2027-01-31T09:30:00Z' });
  const customerId = await makePayingCustomer(service, as, { clockId, defaultChannelId: channelId });
  const plan = { name: 'Gold', currency: 'USD', amount: 3100, interval: 'month', livemode: false, state: true };
  const { id: planId } = await post('plan/modify', plan);
  await post('subscription/create', { customerId, planId });
  await service.end('SIGTERM');
  let isSent = false;
  for (const drill of ['renewing:2', 'renewed:2', 'collecting:2', 'collected:2']) {
    await start(drill);
    if (!isSent) {
      // The service is killed before it answers, but the clock advances nevertheless.
      service.post('/api/clock/advance', { id: clockId, toTime: '2028-01-31T09:30:00Z' }, as).catch(() => null);
      isSent = true;
    }
    expect(await service.ended).toEqual({ code: null, signal: 'SIGKILL' });
  }
  await start();
  await eventually(
    'the clock has arrived',
    async () => dataOf(await service.get(`/api/clock/detail?id=${clockId}`, as)).state === 'READY',
    50_000,
  );
  const invoices = dataOf(
    await service.get(`/api/invoice/list?customerId=${customerId}&pageSize=100`, as),
  ).toReversed();
  expect(invoices.map(({ number, status }: { number: string; status: string }) => [number, status])).toEqual(
    Array.from({ length: 13 }, (_, i) => [`TEST-${String(i + 1).padStart(6, '0')}`, 'PAID']),
  );
  const payments = dataOf(await service.get('/api/transaction/list?pageSize=100&livemode=false', as));
  expect(payments.map(({ status }: { status: string }) => status)).toEqual(Array(13).fill('SUCCESS'));
  expect(await brokenClaims(db.database)).toEqual([]);
});
