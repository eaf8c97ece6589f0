import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationsRoutes } from '../../../src/app/http/operations.ts';
import { secondMs } from '../../../src/core/clock.ts';
import { addRoute } from '../../../src/platform/http/server/add-route.ts';
import { httpServer } from '../../../src/platform/http/server/server.ts';
import { PrimaryMonitor } from '../../../src/platform/postgres/connection/primary-monitor.ts';
import { type FlorinPostgres, startFlorinPostgres } from '../../../src/platform/postgres/embedded/florin-postgres.ts';
import { administratorOf, makeChannel } from '../../support/factories.ts';
import { freeze, postmasterOf } from '../../support/faults/freeze.ts';
import { administer } from '../../support/postgres/administer.ts';
import { databaseAt, eventually, type TestDatabase } from '../../support/postgres/database.ts';
import { startAsStandby } from '../../support/postgres/standby.ts';
import { florinOn, type Reply, type TestFlorin } from '../../support/service/florin.ts';
import { aRefusal } from '../../support/shapes.ts';

/** A node is ready while its database accepts writes, or has been unavailable for less than 20 s. */
let dataDir: string;
let postgres: FlorinPostgres;
let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;
let aheadMs = 0;

const silent = { info: () => {}, warn: () => {}, error: () => {} };
const clock = () => Date.now() + aheadMs;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'florin-ready-'));
  postgres = await startFlorinPostgres({ dataDir, log: silent });
  db = databaseAt({ ...postgres.connection });
  florin = await florinOn(db, {}, clock);
  admin = await administratorOf(florin);
  channelId = await makeChannel(florin, admin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const ready = () => florin.get('/health/ready');
const pay = () => florin.post('/api/transaction/create', { amount: 1999, currency: 'USD', channelId }, admin);

/** The node's answer to a write while its database accepts none. */
function expectRefused(reply: Reply): void {
  expect(reply).toMatchObject({ status: 503, body: aRefusal(503, { type: 'database_unavailable' }) });
  expect(reply.headers.get('retry-after')).toBe('1');
}

/** The node stays ready for 20 s by its clock; then it is not ready and gives the reason. */
async function expectTolerated(reason: 'away' | 'read_only'): Promise<void> {
  for (const passedMs of [0, 10 * secondMs]) {
    aheadMs += passedMs;
    expect(await ready()).toMatchObject({ status: 200, body: { code: 200, data: { status: 'ready' } } });
  }
  aheadMs += 10 * secondMs;
  const reply = await eventually('it is not ready, and knows why', async () => {
    const one = await ready();
    return one.body.error?.details.reason === reason && one;
  });
  expect(reply.status).toBe(503);
  expect(reply.headers.get('retry-after')).toBe('1');
  expect(reply.body).toEqual(
    aRefusal(503, { type: 'database_unavailable', details: { reason, seconds: expect.any(Number) } }),
  );
  expect(reply.body.error.details.seconds).toBeGreaterThanOrEqual(20);
}

async function expectBack(): Promise<void> {
  await eventually('it is ready again', async () => (await ready()).status === 200);
  expect((await pay()).status).toBe(200);
}

test('a node on a writable primary is ready', async () => {
  expect((await ready()).status).toBe(200);
  expect((await pay()).status).toBe(200);
});

test.skipIf(process.platform !== 'linux')('a silent database', async () => {
  const thaw = freeze(postmasterOf(join(dataDir, 'postgres', 'cluster')) as number);
  try {
    expectRefused(await pay());
    await expectTolerated('away');
    expect((await florin.get('/health/live')).status).toBe(200);
  } finally {
    thaw();
  }
  await expectBack();
});

describe('on a standby', () => {
  let standby: { stop: () => Promise<void> };

  beforeAll(async () => {
    await postgres.stop();
    standby = await startAsStandby(dataDir);
    await eventually('it is served', () => db.query('select').catch(() => undefined));
  });

  afterAll(async () => {
    await standby.stop();
    postgres = await startFlorinPostgres({ dataDir, log: silent });
  });

  test('a node that has never been on a primary is not ready', async () => {
    const primary = new PrimaryMonitor({ connection: db.connection, pools: () => [], clock });
    await primary.start();
    const app = httpServer({ authenticate: () => Promise.reject(), onReply: () => {}, onDefect: () => {} });
    for (const route of operationsRoutes) {
      addRoute(app, route, { primary, clock, isStopping: () => false });
    }
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    const reply = await fetch(`${address}/health/ready`);
    expect(await reply.json()).toEqual(
      aRefusal(503, { type: 'database_unavailable', details: { reason: 'read_only', seconds: expect.any(Number) } }),
    );
    await app.close();
    await primary.stop();
  });

  test('a node refuses writes, stays ready for 20 s, and is ready again once it is promoted', async () => {
    await eventually(
      'the node is on it',
      async () => (await florin.get('/api/transaction/list', admin)).status === 200,
    );
    expectRefused(await pay());
    await expectTolerated('read_only');
    await administer({ ...postgres.superuser }, 'select pg_promote()');
    await expectBack();
  });
});
