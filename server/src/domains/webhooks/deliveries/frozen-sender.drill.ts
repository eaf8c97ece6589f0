import { afterEach, beforeEach, expect, test } from 'vitest';
import { secondMs } from '../../../core/clock.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../testing/database.ts';
import { holdingAnswers } from '../../../testing/deliveries.ts';
import { changedPosts, postsOf, type TestNodes, testNodes } from '../../../testing/nodes.ts';

/** Senders that stand still, as a paused virtual machine does, and go on when others have taken over what they held. */
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
const standStill = () => new Promise((resolve) => setTimeout(resolve, frozenForMs));

test('a sender that stood still for 40 s cannot overwrite what its successor recorded, and goes on sending', async () => {
  const held = holdingAnswers();
  const receiver = await nodes.receiving(held.answering);
  const frozen = await nodes.start();
  const endpointId = await nodes.registered(frozen, receiver.url);
  await nodes.happened(1);
  await eventually('the post', () => held.waiting === 1);
  process.kill(frozen.pid, 'SIGSTOP');
  const thawing = standStill();
  const successor = await nodes.start();
  receiver.answering = 200;
  await nodes.done(2 * frozenForMs);
  await thawing;
  // The first post's answer, which the frozen one is yet to read: were it recorded, the delivery would be open again.
  held.answer(500);
  await successor.end('SIGTERM');
  process.kill(frozen.pid, 'SIGCONT');
  await nodes.happened(1);
  await nodes.done(30 * secondMs);
  // It writes down all it has before it ends.
  expect((await frozen.end('SIGTERM')).code).toBe(0);
  expect(await nodes.standings()).toEqual([
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

test('one of three stands still in the middle of 5,000: what it held is sent once more, and each is recorded once', async () => {
  const receiver = await nodes.receiving((_received, _request, response) => {
    setTimeout(() => response.writeHead(200).end(), 20);
  });
  const api = await nodes.start({ APP_ROLE: 'api' });
  await nodes.registered(api, receiver.url);
  const worker = () => nodes.start({ APP_ROLE: 'worker' });
  const [frozen] = await Promise.all([worker(), worker(), worker()]);
  await nodes.happened(5_000);
  await eventually('they are in the middle', () => receiver.received.length >= 1_500, frozenForMs);
  process.kill(frozen.pid, 'SIGSTOP');
  await standStill();
  process.kill(frozen.pid, 'SIGCONT');
  await nodes.done(frozenForMs);
  // What has been posted late is written down, or refused, before it ends.
  expect((await frozen.end('SIGTERM')).code).toBe(0);
  expect(postsOf(receiver.received).size).toBe(5_000);
  expect(changedPosts(receiver.received)).toEqual([]);
  expect(receiver.received.length).toBeLessThanOrEqual(await nodes.claims());
  const standings = await nodes.standings();
  expect(standings.every(({ state, attempts }) => state === 'SUCCEEDED' && attempts === 1)).toBe(true);
  const attempts = await db.query<{ count: number }>('select count(*)::int as count from delivery_attempt');
  expect(attempts).toEqual([{ count: 5_000 }]);
});
