import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { changedPosts, postsOf, type TestNodes, testNodes } from '../../../../tests/support/service/nodes.ts';
import { heldAnswers } from '../../../../tests/support/webhooks/deliveries.ts';
import { secondMs } from '../../../core/clock.ts';

/** Senders that freeze, like a paused virtual machine, and continue after others have taken over their deliveries. */
let db: TestDatabase;
let nodes: TestNodes;

beforeEach(async () => {
  db = await databaseFromTemplate();
  nodes = await testNodes(db);
});

afterEach(async () => {
  await nodes.close();
  await db.drop();
});

const frozenForMs = 40 * secondMs;
const untilThaw = () => new Promise((resolve) => setTimeout(resolve, frozenForMs));

test("a sender that was frozen for 40 s cannot overwrite its successor's result, and continues to send", async () => {
  const held = heldAnswers();
  const receiver = await nodes.startReceiver(held.answering);
  const frozen = await nodes.start();
  const endpointId = await nodes.registerEndpoint(frozen, receiver.url);
  await nodes.recordEvents(1);
  await eventually('the request', () => held.waiting === 1);
  process.kill(frozen.pid, 'SIGSTOP');
  const thawing = untilThaw();
  const successor = await nodes.start();
  receiver.answering = 200;
  await nodes.allDelivered(2 * frozenForMs);
  await thawing;
  // The frozen sender has yet to read the first answer; if it were recorded, the delivery would be open again.
  held.answer(500);
  await successor.end('SIGTERM');
  process.kill(frozen.pid, 'SIGCONT');
  await nodes.recordEvents(1);
  await nodes.allDelivered(30 * secondMs);
  // It records all its results before it ends.
  expect((await frozen.end('SIGTERM')).code).toBe(0);
  expect(await nodes.deliveryCounts()).toEqual([
    { state: 'SUCCEEDED', attempts: 1, claims: 1, count: 1 },
    { state: 'SUCCEEDED', attempts: 1, claims: 2, count: 1 },
  ]);
  expect(await db.query('select number, status, outcome from delivery_attempt')).toEqual(
    Array(2).fill({ number: 1, status: 200, outcome: 'ok' }),
  );
  expect(receiver.received).toHaveLength(3);
  expect(changedPosts(receiver.received)).toEqual([]);
  expect(await db.query('select state from webhook_endpoint where id = $1', [endpointId])).toEqual([{ state: true }]);
});

test('one of three senders freezes: those in flight are sent twice, and each is recorded once', async () => {
  const receiver = await nodes.startReceiver((_received, _request, response) => {
    setTimeout(() => response.writeHead(200).end(), 20);
  });
  const api = await nodes.start({ APP_ROLE: 'api' });
  await nodes.registerEndpoint(api, receiver.url);
  const worker = () => nodes.start({ APP_ROLE: 'worker' });
  const [frozen] = await Promise.all([worker(), worker(), worker()]);
  await nodes.recordEvents(5_000);
  await eventually('deliveries are in progress', () => receiver.received.length >= 1_500, frozenForMs);
  process.kill(frozen.pid, 'SIGSTOP');
  await untilThaw();
  process.kill(frozen.pid, 'SIGCONT');
  await nodes.allDelivered(frozenForMs);
  // Late results are recorded or discarded before it ends.
  expect((await frozen.end('SIGTERM')).code).toBe(0);
  expect(postsOf(receiver.received).size).toBe(5_000);
  expect(changedPosts(receiver.received)).toEqual([]);
  expect(receiver.received.length).toBeLessThanOrEqual(await nodes.claims());
  const counts = await nodes.deliveryCounts();
  expect(counts.every(({ state, attempts }) => state === 'SUCCEEDED' && attempts === 1)).toBe(true);
  const attempts = await db.query<{ count: number }>('select count(*)::int as count from delivery_attempt');
  expect(attempts).toEqual([{ count: 5_000 }]);
});
