import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freeze, postmasterOf } from '../../../../tests/support/faults/freeze.ts';
import { databaseAt, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { changedPosts, postsOf, type TestNodes, testNodes } from '../../../../tests/support/service/nodes.ts';
import type { ReadyService } from '../../../../tests/support/service/service-process.ts';
import { heldAnswers } from '../../../../tests/support/webhooks/deliveries.ts';
import { minuteMs, secondMs } from '../../../core/clock.ts';
import { type FlorinPostgres, startFlorinPostgres } from '../../../platform/postgres/embedded/florin-postgres.ts';

/** The database of a node fails while deliveries are in flight, and comes back. */
let dataDir: string;
let postgres: FlorinPostgres;
let db: TestDatabase;
let nodes: TestNodes;

const log = { info: () => {}, warn: () => {}, error: () => {} };

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'florin-away-'));
  postgres = await startFlorinPostgres({ dataDir, log });
  db = databaseAt({ ...postgres.connection });
  nodes = await testNodes(db);
});

afterEach(async () => {
  await nodes.close();
  await db.drop();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const total = 1_000;
/** Deliveries in flight to an endpoint that has not answered yet. */
const inFlight = 8;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The database fails with deliveries in flight and as many waiting; then all requests in flight are answered. */
async function failFor(ms: number, fail: () => Promise<() => Promise<unknown>>) {
  const held = heldAnswers();
  const receiver = await nodes.startReceiver(held.answering);
  const node = await nodes.start();
  await nodes.registerEndpoint(node, receiver.url);
  await nodes.recordEvents(total);
  await eventually('they are in flight', () => held.waiting === inFlight);
  const recover = await fail();
  const failureOver = sleep(ms);
  held.answerAll(200);
  await reportsUnavailable(node, ms);
  await failureOver;
  await recover();
  await nodes.allDelivered(2 * minuteMs);
  expect((await node.get('/health/ready')).status).toBe(200);
  expect(postsOf(receiver.received).size).toBe(total);
  expect(changedPosts(receiver.received)).toEqual([]);
  const counts = await nodes.deliveryCounts();
  expect(counts.filter(({ state, attempts }) => state !== 'SUCCEEDED' || attempts !== 1)).toEqual([]);
  return receiver;
}

/** Requests are refused at once; the readiness check fails after 20 s. */
async function reportsUnavailable(node: ReadyService, failureMs: number): Promise<void> {
  const as = await nodes.administrator(node);
  const isRefused = async () => (await node.get('/api/transaction/list', as)).status === 503;
  await eventually('requests are refused', isRefused, 20 * secondMs);
  if (failureMs > 20 * secondMs) {
    await eventually('it is not ready', async () => (await node.get('/health/ready')).status === 503, 40 * secondMs);
  } else expect((await node.get('/health/ready')).status).toBe(200);
  expect((await node.get('/health/live')).status).toBe(200);
}

async function stopPostgres(): Promise<() => Promise<unknown>> {
  await postgres.stop();
  return async () => {
    postgres = await startFlorinPostgres({ dataDir, log });
  };
}

/** No connection breaks and no statement fails: PostgreSQL is frozen and answers nothing. */
async function freezePostgres(): Promise<() => Promise<unknown>> {
  const thaw = freeze(postmasterOf(join(dataDir, 'postgres', 'cluster')) as number);
  return async () => thaw();
}

test('a database failure of 10 s, shorter than a lease: all is recorded, and nothing is sent twice', async () => {
  const receiver = await failFor(10 * secondMs, stopPostgres);
  expect(receiver.received).toHaveLength(total);
  expect(await nodes.deliveryCounts()).toEqual([{ state: 'SUCCEEDED', attempts: 1, claims: 1, count: total }]);
});

test('a database failure of 60 s: only deliveries in flight are sent twice, and all arrive', async () => {
  const receiver = await failFor(minuteMs, stopPostgres);
  expect(receiver.received).toHaveLength(total + inFlight);
});

test.skipIf(process.platform !== 'linux')(
  'a database frozen for 60 s: all deliveries arrive, and at most those in flight are sent twice',
  async () => {
    const receiver = await failFor(minuteMs, freezePostgres);
    expect(receiver.received.length).toBeLessThanOrEqual(total + inFlight);
    expect(receiver.received.length).toBeLessThanOrEqual(await nodes.claims());
  },
);
