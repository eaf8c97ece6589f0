import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeChannel, makePayment } from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { changedPosts, postsOf, type TestNodes, testNodes } from '../../../../tests/support/service/nodes.ts';
import { heldAnswers } from '../../../../tests/support/webhooks/deliveries.ts';
import { secondMs } from '../../../core/clock.ts';

/** Kills senders with SIGKILL; every event must be delivered nevertheless. */
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

/**
 * A killed sender's deliveries are due again when its leases end, 30 s after the claim; twice that for a slow machine.
 */
const takenOverMs = 60 * secondMs;

test('killed after payments are answered and before anything is sent: each is delivered once', async () => {
  const receiver = await nodes.startReceiver();
  // It serves requests and sends nothing: all committed events are still to be delivered.
  const api = await nodes.start({ APP_ROLE: 'api' });
  await nodes.registerEndpoint(api, receiver.url);
  const as = await nodes.administrator(api);
  const channelId = await makeChannel(api, as);
  const payments = await Promise.all(Array.from({ length: 20 }, () => makePayment(api, as, channelId)));
  expect((await api.end('SIGKILL')).signal).toBe('SIGKILL');
  await nodes.start({ APP_ROLE: 'worker' });
  await nodes.allDelivered(20 * secondMs);
  expect(receiver.received.map(({ body }) => JSON.parse(String(body)).data.object.id).toSorted()).toEqual(
    payments.toSorted(),
  );
  expect(await nodes.deliveryCounts()).toEqual([{ state: 'SUCCEEDED', attempts: 1, claims: 1, count: 20 }]);
});

test('killed three times during payments: every committed payment is delivered, no other ever', async () => {
  const receiver = await nodes.startReceiver();
  let channelId = 0;
  const answered: string[] = [];
  for (let kill = 0; kill < 3; kill++) {
    const node = await nodes.start();
    const as = await nodes.administrator(node);
    if (kill === 0) {
      await nodes.registerEndpoint(node, receiver.url);
      channelId = await makeChannel(node, as);
    }
    // Some requests are answered, some are in progress, some will never be answered.
    let count = 0;
    const isAnswered = (id: string) => {
      answered.push(id);
      if (++count === 10) process.kill(node.pid, 'SIGKILL');
    };
    const paying = Array.from({ length: 40 }, () => makePayment(node, as, channelId).then(isAnswered));
    await Promise.allSettled(paying);
    expect((await node.ended).signal).toBe('SIGKILL');
  }
  await nodes.start({ APP_ROLE: 'worker' });
  await nodes.allDelivered(takenOverMs);
  const paid = await db.query<{ id: string }>('select id from transaction');
  const delivered = new Set(
    receiver.received.map(({ body }) => JSON.parse(String(body)).data.object.id.slice('txn_'.length)),
  );
  expect(paid.map(({ id }) => id.replaceAll('-', '')).toSorted()).toEqual([...delivered].toSorted());
  expect(answered.length).toBeGreaterThanOrEqual(30);
  expect(answered.filter((id) => !delivered.has(id.slice('txn_'.length)))).toEqual([]);
  expect(postsOf(receiver.received).size).toBe(paid.length);
  expect(changedPosts(receiver.received)).toEqual([]);
  expect(receiver.received.length).toBeLessThanOrEqual(await nodes.claims());
});

test('killed after a 200 and before its record: the same bytes are sent once more within 30 s', async () => {
  const held = heldAnswers();
  const receiver = await nodes.startReceiver(held.answering);
  const killed = await nodes.start();
  await nodes.registerEndpoint(killed, receiver.url);
  await nodes.recordEvents(1);
  await eventually('the request', () => held.waiting === 1);
  // The row is locked: the sender has its answer and cannot record it.
  await db.database.transaction(async (transaction) => {
    await transaction.run({ name: '', text: 'select from delivery for update' });
    held.answer(200);
    const recording = await eventually('the record waits', () => backendsWaiting());
    await killed.end('SIGKILL');
    // PostgreSQL, which has not noticed the end of its client, would still execute the statement.
    await db.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [recording]);
    await eventually('no session writes it any more', async () => (await backendsWaiting()) === undefined);
  });
  const killedAtMs = Date.now();
  expect(await nodes.deliveryCounts()).toEqual([{ state: 'OPEN', attempts: 0, claims: 1, count: 1 }]);
  const [lease] = await db.query<{ leased_until: string }>('select leased_until from delivery');
  expect(Date.parse(lease?.leased_until ?? '')).toBeLessThanOrEqual(killedAtMs + 30 * secondMs);
  held.answerAll(200);
  await nodes.start({ APP_ROLE: 'worker' });
  await nodes.allDelivered(takenOverMs);
  expect(receiver.received).toHaveLength(2);
  expect(changedPosts(receiver.received)).toEqual([]);
  expect(await nodes.deliveryCounts()).toEqual([{ state: 'SUCCEEDED', attempts: 1, claims: 2, count: 1 }]);

  async function backendsWaiting(): Promise<number[] | undefined> {
    const rows = await db.query<{ pid: number }>(
      `select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%result as (%'`,
    );
    return rows.length > 0 ? rows.map(({ pid }) => pid) : undefined;
  }
});

test('killed with 200 deliveries in flight: all arrive, and none loses an attempt', async () => {
  const held = heldAnswers();
  const receiver = await nodes.startReceiver(held.answering);
  const killed = await nodes.start();
  // By default an endpoint gets 128 at most, and only a prompt one gets many at a time.
  await nodes.registerEndpoint(killed, receiver.url, { maxInFlight: 1_000 });
  held.answerAll(200);
  await nodes.recordEvents(3_000);
  await eventually('it answers promptly', () => receiver.received.length >= 1_000, takenOverMs);
  held.hold();
  await eventually('200 are in flight', () => held.waiting >= 200, takenOverMs);
  await killed.end('SIGKILL');
  held.answerAll(200);
  await nodes.start({ APP_ROLE: 'worker' });
  await nodes.allDelivered(takenOverMs);
  expect(postsOf(receiver.received).size).toBe(3_000);
  expect(changedPosts(receiver.received)).toEqual([]);
  expect(receiver.received.length).toBeGreaterThanOrEqual(3_000 + 200);
  expect(receiver.received.length).toBeLessThanOrEqual(await nodes.claims());
  expect(await nodes.deliveryCounts()).toEqual([
    { state: 'SUCCEEDED', attempts: 1, claims: 1, count: expect.any(Number) },
    { state: 'SUCCEEDED', attempts: 1, claims: 2, count: expect.any(Number) },
  ]);
});

test('three senders, killed and restarted in turn: all arrive, and none is sent without a claim', async () => {
  const receiver = await nodes.startReceiver((_received, _request, response) => {
    setTimeout(() => response.writeHead(200).end(), 20);
  });
  const api = await nodes.start({ APP_ROLE: 'api' });
  await nodes.registerEndpoint(api, receiver.url);
  const worker = () => nodes.start({ APP_ROLE: 'worker' });
  const workers = [await worker(), await worker(), await worker()];
  const total = 6_000;
  const appending = (async () => {
    for (let i = 0; i < total / 500; i++) await nodes.recordEvents(500);
  })();
  for (let kill = 1; kill <= 5; kill++) {
    await eventually(`${kill * 800} posts`, () => receiver.received.length >= kill * 800, takenOverMs);
    await workers.shift()?.end('SIGKILL');
    workers.push(await worker());
  }
  await appending;
  await nodes.allDelivered(2 * takenOverMs);
  expect(postsOf(receiver.received).size).toBe(total);
  expect(changedPosts(receiver.received)).toEqual([]);
  expect(receiver.received.length).toBeLessThanOrEqual(await nodes.claims());
  const counts = await nodes.deliveryCounts();
  expect(counts.every(({ state, attempts }) => state === 'SUCCEEDED' && attempts === 1)).toBe(true);
});
