import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { dayMs, minuteMs, secondMs } from '../../../../core/clock.ts';
import { Database, type Queryable } from '../../../../platform/postgres/database.ts';
import { eventually, type TestDatabase } from '../../../../testing/database.ts';
import { holdingAnswers, movableClock, type TestDeliveries, testDeliveries } from '../../../../testing/deliveries.ts';
import type { Answering } from '../../../../testing/receiver.ts';

let deliveries: TestDeliveries;
let db: TestDatabase;

beforeAll(async () => {
  deliveries = await testDeliveries();
  db = deliveries.db;
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

/** Long enough that what hangs goes on hanging to the end of its test, and that no lease runs out by a leap of 31 s. */
const timeoutMs = minuteMs;

test('one that hangs has eight in flight and 3,000 behind them, and twenty others get all of theirs meanwhile', async () => {
  const held = holdingAnswers();
  const { endpointId } = await deliveries.subscribed(held.answering);
  await deliveries.backlog(endpointId, 3_000);
  deliveries.working({ maxInFlight: 32, timeoutMs });
  await eventually('it hangs', () => held.waiting === 8);
  const healthy = await deliveries.receiving(200);
  for (let i = 0; i < 20; i++) await deliveries.backlog(await deliveries.registered(healthy.url), 10);
  await eventually('all of the others', () => healthy.received.length === 200);
  expect(held.waiting).toBe(8);
  expect(await claimsOf(endpointId)).toBe(8);
  await eventually('what waits is out of the way', async () => (await asideOf(endpointId)) > 2_500);
  held.answerAll(200);
});

test('what was set aside while its endpoint hung is sent when it answers again', async () => {
  const held = holdingAnswers();
  const { endpointId } = await deliveries.subscribed(held.answering);
  await deliveries.backlog(endpointId, 600);
  deliveries.working({ maxInFlight: 64, timeoutMs });
  await eventually('it hangs', () => held.waiting === 8);
  await eventually('some are set aside', async () => (await asideOf(endpointId)) > 0);
  held.answerAll(200);
  const done = await deliveries.finished(600);
  expect(done.every(({ state, attempts, claims }) => state === 'SUCCEEDED' && attempts === 1 && claims === 1)).toBe(
    true,
  );
});

test('300 endpoints that hang with a backlog each do not hide one that is well', async () => {
  const held = holdingAnswers();
  const { endpointIds } = await deliveries.subscribed(held.answering, { endpoints: 300 });
  await deliveries.backlog(endpointIds, 10, Date.now() - minuteMs);
  deliveries.working({ timeoutMs });
  await eventually('they hang', () => held.waiting > 0);
  const { endpointId, receiver } = await well();
  for (let i = 1; i <= 5; i++) {
    await deliveries.backlog(endpointId, 1);
    await eventually('the fresh one', () => receiver.received.length === i);
  }
  expect(held.waiting).toBeLessThanOrEqual(32);
  held.answerAll(200);
});

test('endpoints of one origin that hangs have 32 in flight together, and those of another origin are served', async () => {
  const held = holdingAnswers();
  const { endpointIds } = await deliveries.subscribed(held.answering, { endpoints: 20 });
  await deliveries.backlog(endpointIds, 20, Date.now() - minuteMs);
  const worker = deliveries.working({ timeoutMs });
  await eventually('the origin has its share', () => held.waiting === 32);
  const { endpointId, receiver } = await well();
  await deliveries.backlog(endpointId, 50);
  await eventually('the other origin', () => receiver.received.length === 50);
  await eventually('nothing else is in flight', () => worker.inFlight === 32);
  expect(held.waiting).toBe(32);
  held.answerAll(200);
});

test('an endpoint new to a node full of others that hang gets its first fresh delivery at once', async () => {
  const held = holdingAnswers();
  // Each on an origin of its own, with 16 slots for all that are not known to answer.
  for (let i = 0; i < 20; i++) {
    const receiver = await deliveries.receiving(held.answering);
    await deliveries.backlog(await deliveries.registered(receiver.url), 20, Date.now() - minuteMs);
  }
  deliveries.working({ maxInFlight: 64, timeoutMs });
  await eventually('their share is full', () => held.waiting === 16);
  const { endpointId, receiver } = await well();
  await deliveries.backlog(endpointId, 30);
  await eventually('the fresh ones', () => receiver.received.length === 30);
  expect(held.waiting).toBe(16);
});

test('a slow endpoint does not hold up another one on its origin', async () => {
  const held = holdingAnswers();
  const slow = { path: '' };
  let answered = 0;
  const answering: Answering = (received, request, response) => {
    if (received.path === slow.path) return held.answering(received, request, response);
    answered++;
    response.writeHead(200).end();
  };
  const { endpointIds } = await deliveries.subscribed(answering, { endpoints: 2 });
  const [slowId = 0, promptId = 0] = endpointIds;
  slow.path = `/${slowId}`;
  await deliveries.backlog(slowId, 100);
  await deliveries.backlog(promptId, 300);
  deliveries.working({ timeoutMs });
  await eventually('all of the prompt one', () => answered === 300);
  expect(held.waiting).toBe(8);
  held.answerAll(200);
  await deliveries.finished(400);
});

test('one that answers promptly may use four fifths of the slots, and leaves the rest for others when it hangs', async () => {
  const time = movableClock();
  const held = holdingAnswers();
  const { endpointId } = await deliveries.subscribed(held.answering);
  await deliveries.backlog(endpointId, 1_000);
  held.answerAll(200);
  deliveries.working({ maxInFlight: 100, timeoutMs, clock: time.clock });
  await deliveries.finished(300);
  held.hold();
  await eventually('four fifths', () => held.waiting === 80);
  const { endpointId: otherId, receiver } = await well();
  await deliveries.backlog(otherId, 100, time.clock());
  await eventually('the others are served', () => receiver.received.length === 100);
  expect(held.waiting).toBe(80);
  // Silent for more than a second: it is one of the doubtful now, and gets no more while it holds more than they may.
  time.moveBy(2 * secondMs);
  await deliveries.backlog(otherId, 100, time.clock());
  await eventually('the others are served', () => receiver.received.length === 200);
  expect(held.waiting).toBe(80);
  held.answerAll(200);
  await deliveries.finished(1_200);
});

test('a cap of its own holds however promptly an endpoint answers', async () => {
  let current = 0;
  let most = 0;
  const { endpointId } = await deliveries.subscribed(
    (_received, _request, response) => {
      most = Math.max(most, ++current);
      setImmediate(() => {
        current--;
        response.writeHead(200).end();
      });
    },
    { maxInFlight: 3 },
  );
  await deliveries.backlog(endpointId, 100);
  deliveries.working();
  await deliveries.finished(100);
  expect(most).toBe(3);
});

test('five failures in a row pause an endpoint; then one delivery tries, and only a success lets the rest go', async () => {
  const time = movableClock();
  const { receiver, endpointId } = await deliveries.subscribed(503, { maxInFlight: 1 });
  await deliveries.backlog(endpointId, 20);
  let paused = 0;
  deliveries.working({ timeoutMs, clock: time.clock, observer: { onPaused: () => paused++ } });
  const other = await well();
  /** Another endpoint's delivery has been through: whatever could be sent has been looked at. */
  const looked = async () => {
    const before = other.receiver.received.length;
    await deliveries.backlog(other.endpointId, 1, time.clock());
    await eventually('the other one', () => other.receiver.received.length === before + 1);
  };

  await eventually('the pause', () => paused === 1);
  await looked();
  expect(receiver.received).toHaveLength(5);
  expect(await attempts(endpointId)).toEqual([...Array(15).fill(0), ...Array(5).fill(1)]);

  time.moveBy(31 * secondMs);
  await eventually('the trial fails', () => paused === 2);
  await looked();
  expect(receiver.received).toHaveLength(6);
  expect(await attempts(endpointId)).toEqual([...Array(14).fill(0), ...Array(6).fill(1)]);

  receiver.answering = 200;
  await looked();
  expect(receiver.received).toHaveLength(6);
  time.moveBy(2 * minuteMs);
  await deliveries.finished(22);
  expect(paused).toBe(2);
  expect(await endpoint(endpointId)).toMatchObject({ state: true, open_until: null, first_failure_at: null });
});

test('a pause holds on every node, and only one of them tries', async () => {
  const time = movableClock();
  const held = holdingAnswers();
  const { endpointId, receiver } = await deliveries.subscribed(503, { maxInFlight: 1 });
  await deliveries.backlog(endpointId, 20);
  let paused = 0;
  deliveries.working({ timeoutMs, clock: time.clock, observer: { onPaused: () => paused++ } });
  await eventually('the pause', () => paused === 1);
  const second = new Database({ connection: db.connection, connections: 3, name: 'second', plans: 'indexed' });
  deliveries.onClean(() => second.close());
  deliveries.working({ timeoutMs, clock: time.clock, database: second });
  receiver.answering = held.answering;
  const other = await well();
  await deliveries.backlog(other.endpointId, 50, time.clock());
  await eventually('both have looked', () => other.receiver.received.length === 50);
  expect(receiver.received).toHaveLength(5);
  time.moveBy(31 * secondMs);
  await eventually('the trial', () => held.waiting === 1);
  await deliveries.backlog(other.endpointId, 50, time.clock());
  await eventually('both have looked', () => other.receiver.received.length === 100);
  expect(held.waiting).toBe(1);
  held.answerAll(200);
  time.moveBy(2 * minuteMs);
  await deliveries.finished(120);
});

test('a trial whose delivery another node is just changing is not lost: the endpoint is tried at once all the same', async () => {
  const time = movableClock();
  const { endpointId, receiver } = await deliveries.subscribed(200);
  await db.query('update webhook_endpoint set open_until = to_timestamp($2::float8 / 1000) where id = $1', [
    endpointId,
    time.clock() - secondMs,
  ]);
  await deliveries.backlog(endpointId, 1);
  let returned = 0;
  const watched: Queryable = {
    run: async (statement, values) => {
      if (statement.name === 'webhooks.return_trials') returned++;
      return db.database.run(statement, values);
    },
  };
  await db.database.transaction(async (transaction) => {
    const lock = { name: '', text: 'select from delivery where endpoint_id = $1 for update' };
    await transaction.run(lock, [endpointId]);
    deliveries.working({ database: watched, clock: time.clock });
    await eventually('the right to try is given back', () => returned > 0);
  });
  await deliveries.finished(1);
  expect(receiver.received).toHaveLength(1);
  expect(await endpoint(endpointId)).toMatchObject({ open_until: null });
});

test('whoever answers is there: an endpoint that refuses what it is sent is not paused', async () => {
  const { receiver, endpointId } = await deliveries.subscribed(404);
  await deliveries.backlog(endpointId, 20);
  deliveries.working();
  await eventually('all were sent', () => receiver.received.length === 20);
  expect(await endpoint(endpointId)).toMatchObject({ open_until: null });
});

test('an endpoint with a rate gets no more than that in a second, from all nodes together, and burns no attempt', async () => {
  const time = movableClock();
  const { receiver, endpointId } = await deliveries.subscribed(200, { ratePerS: 20 });
  await deliveries.backlog(endpointId, 12);
  const second = new Database({ connection: db.connection, connections: 3, name: 'second', plans: 'indexed' });
  deliveries.onClean(() => second.close());
  deliveries.working({ clock: time.clock });
  deliveries.working({ clock: time.clock, database: second });
  const other = await well();
  for (const expected of [5, 10, 12]) {
    await eventually(`${expected} posts`, () => receiver.received.length >= expected);
    const before = other.receiver.received.length;
    await deliveries.backlog(other.endpointId, 20, time.clock());
    await eventually('both have looked', () => other.receiver.received.length === before + 20);
    expect(receiver.received).toHaveLength(expected);
    time.moveBy(secondMs / 4);
  }
  expect((await deliveries.finished(72)).every((delivery) => delivery.attempts === 1 && delivery.claims === 1)).toBe(
    true,
  );
});

test('an endpoint from which nothing but failures came for five days is switched off, and its owner is told once', async () => {
  const time = movableClock();
  const { endpointId } = await deliveries.subscribed(500);
  const told: unknown[] = [];
  deliveries.working({
    clock: time.clock,
    retryIntervalsMs: [],
    onDisabled: (disabled, reason) => told.push([disabled, reason]),
  });
  const fail = async (count: number) => {
    await deliveries.backlog(endpointId, 1, time.clock());
    await deliveries.finished(count);
  };
  await fail(1);
  expect(await endpoint(endpointId)).toMatchObject({
    state: true,
    first_failure_at: new Date(time.clock()).toISOString(),
  });
  time.moveBy(5 * dayMs - secondMs);
  await fail(2);
  expect(await endpoint(endpointId)).toMatchObject({ state: true, disabled_reason: null });
  expect(told).toEqual([]);
  time.moveBy(secondMs);
  await fail(3);
  expect(await endpoint(endpointId)).toMatchObject({ state: false, disabled_reason: 'failing' });
  expect(told).toEqual([[{ tenantId: 0, id: endpointId, url: expect.stringContaining('http://') }, 'failing']]);
});

test('one success in five days keeps an endpoint on', async () => {
  const time = movableClock();
  const { endpointId, receiver } = await deliveries.subscribed(500);
  deliveries.working({ clock: time.clock, retryIntervalsMs: [] });
  for (const [day, status] of [500, 500, 200, 500, 500, 500].entries()) {
    receiver.answering = status;
    await deliveries.backlog(endpointId, 1, time.clock());
    await deliveries.finished(day + 1);
    time.moveBy(2 * dayMs);
  }
  expect(await endpoint(endpointId)).toMatchObject({ state: true, disabled_reason: null });
});

test('410 tells the owner too', async () => {
  const { endpointId } = await deliveries.subscribed(410);
  const told: unknown[] = [];
  deliveries.working({ onDisabled: ({ id }, reason) => told.push([id, reason]) });
  await deliveries.happened();
  await deliveries.finished(1);
  expect(told).toEqual([[endpointId, 'gone']]);
});

test("an attempt keeps the answer's address, headers and first 8 KiB, whatever bytes they are", async () => {
  const bytes = Buffer.concat([Buffer.from('a\0b\xff\xfe', 'latin1'), Buffer.alloc(20 * 1024, '.')]);
  await deliveries.subscribed((_received, _request, response) =>
    response.writeHead(500, { 'x-reason': 'böse', 'set-cookie': 'secret=1', 'x-twice': ['1', '2'] }).end(bytes),
  );
  deliveries.working();
  await deliveries.happened();
  const { id } = await deliveries.tried(1);
  const [attempt] = await deliveries.attemptsOf(id);
  expect(attempt).toMatchObject({ status: 500, outcome: 'http_status', address: '127.0.0.1' });
  expect(attempt?.response_body).toEqual(bytes.subarray(0, 8 * 1024));
  expect(attempt?.response_headers).toMatchObject({ 'x-reason': 'böse', 'x-twice': ['1', '2'] });
  expect(attempt?.response_headers).not.toHaveProperty('set-cookie');
});

test('an attempt without an answer keeps none', async () => {
  await deliveries.subscribed((_received, request) => request.socket.destroy());
  deliveries.working();
  await deliveries.happened();
  const { id } = await deliveries.tried(1);
  expect(await deliveries.attemptsOf(id)).toMatchObject([
    { outcome: 'reset', address: '127.0.0.1', response_headers: null, response_body: null },
  ]);
});

/** An endpoint on a receiver of its own that answers at once. */
async function well() {
  const receiver = await deliveries.receiving(200);
  return { receiver, endpointId: await deliveries.registered(receiver.url) };
}

async function claimsOf(endpointId: number): Promise<number> {
  const [row] = await db.query<{ claims: number }>(
    'select sum(claims)::int as claims from delivery where endpoint_id = $1',
    [endpointId],
  );
  return row?.claims ?? 0;
}

async function asideOf(endpointId: number): Promise<number> {
  const [row] = await db.query<{ aside: number }>(
    'select count(*)::int as aside from delivery where endpoint_id = $1 and aside',
    [endpointId],
  );
  return row?.aside ?? 0;
}

async function attempts(endpointId: number): Promise<number[]> {
  const rows = await db.query<{ attempts: number }>(
    'select attempts from delivery where endpoint_id = $1 order by attempts',
    [endpointId],
  );
  return rows.map((row) => row.attempts);
}

async function endpoint(endpointId: number) {
  const [row] = await db.query(
    'select state, disabled_reason, open_until, first_failure_at from webhook_endpoint where id = $1',
    [endpointId],
  );
  return row;
}
