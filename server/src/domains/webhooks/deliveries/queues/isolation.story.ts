import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import {
  heldAnswers,
  movableClock,
  type TestDeliveries,
  testDeliveries,
} from '../../../../../tests/support/webhooks/deliveries.ts';
import type { Answering } from '../../../../../tests/support/webhooks/receiver.ts';
import { dayMs, minuteMs, secondMs } from '../../../../core/clock.ts';
import { Database, type Queryable } from '../../../../platform/postgres/database.ts';

let deliveries: TestDeliveries;
let db: TestDatabase;

beforeAll(async () => {
  deliveries = await testDeliveries();
  db = deliveries.db;
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

/**
 * Longer than any test, so that requests hang to its end, and longer than a clock step of 31 s, so that leases last.
 */
const timeoutMs = minuteMs;

test('an endpoint that hangs has eight deliveries in flight, and twenty others get all of theirs', async () => {
  const held = heldAnswers();
  const { endpointId } = await deliveries.subscribe(held.answering);
  await deliveries.enqueue(endpointId, 3_000);
  deliveries.startWorker({ maxInFlight: 32, timeoutMs });
  await eventually('it hangs', () => held.waiting === 8);
  const healthy = await deliveries.startReceiver(200);
  for (let i = 0; i < 20; i++) await deliveries.enqueue(await deliveries.registerEndpoint(healthy.url), 10);
  await eventually('all of the others', () => healthy.received.length === 200);
  expect(held.waiting).toBe(8);
  expect(await claimsOf(endpointId)).toBe(8);
  held.answerAll(200);
});

test('deliveries that waited while their endpoint hung are sent when it answers again', async () => {
  const held = heldAnswers();
  const { endpointId } = await deliveries.subscribe(held.answering);
  await deliveries.enqueue(endpointId, 600);
  deliveries.startWorker({ maxInFlight: 64, timeoutMs });
  await eventually('it hangs', () => held.waiting === 8);
  held.answerAll(200);
  const done = await deliveries.untilFinished(600);
  expect(done.every(({ state, attempts, claims }) => state === 'SUCCEEDED' && attempts === 1 && claims === 1)).toBe(
    true,
  );
});

test('300 hanging endpoints with backlogs do not hide a healthy one', async () => {
  const held = heldAnswers();
  const { endpointIds } = await deliveries.subscribe(held.answering, { endpoints: 300 });
  await deliveries.enqueue(endpointIds, 10, Date.now() - minuteMs);
  deliveries.startWorker({ timeoutMs });
  await eventually('they hang', () => held.waiting > 0);
  const { endpointId, receiver } = await healthyEndpoint();
  for (let i = 1; i <= 5; i++) {
    await deliveries.enqueue(endpointId, 1);
    await eventually('the fresh delivery', () => receiver.received.length === i);
  }
  expect(held.waiting).toBeLessThanOrEqual(32);
  held.answerAll(200);
});

test('the endpoints of a hanging origin have 32 in flight together, and other origins are served', async () => {
  const held = heldAnswers();
  const { endpointIds } = await deliveries.subscribe(held.answering, { endpoints: 20 });
  await deliveries.enqueue(endpointIds, 20, Date.now() - minuteMs);
  const worker = deliveries.startWorker({ timeoutMs });
  await eventually('the origin has its share', () => held.waiting === 32);
  const { endpointId, receiver } = await healthyEndpoint();
  await deliveries.enqueue(endpointId, 50);
  await eventually('the other origin', () => receiver.received.length === 50);
  await eventually('nothing else is in flight', () => worker.inFlight === 32);
  expect(held.waiting).toBe(32);
  held.answerAll(200);
});

test('a new endpoint gets its first fresh delivery at once on a node full of hanging endpoints', async () => {
  const held = heldAnswers();
  // Each on its own origin, with 16 slots for all unproven endpoints.
  for (let i = 0; i < 20; i++) {
    const receiver = await deliveries.startReceiver(held.answering);
    await deliveries.enqueue(await deliveries.registerEndpoint(receiver.url), 20, Date.now() - minuteMs);
  }
  deliveries.startWorker({ maxInFlight: 64, timeoutMs });
  await eventually('their share is full', () => held.waiting === 16);
  const { endpointId, receiver } = await healthyEndpoint();
  await deliveries.enqueue(endpointId, 30);
  await eventually('the fresh deliveries', () => receiver.received.length === 30);
  expect(held.waiting).toBe(16);
});

test('a slow endpoint does not delay another one of the same origin', async () => {
  const held = heldAnswers();
  const slow = { path: '' };
  let answered = 0;
  const answering: Answering = (received, request, response) => {
    if (received.path === slow.path) return held.answering(received, request, response);
    answered++;
    response.writeHead(200).end();
  };
  const { endpointIds } = await deliveries.subscribe(answering, { endpoints: 2 });
  const [slowId = 0, promptId = 0] = endpointIds;
  slow.path = `/${slowId}`;
  await deliveries.enqueue(slowId, 100);
  await deliveries.enqueue(promptId, 300);
  deliveries.startWorker({ timeoutMs });
  await eventually('all of the prompt one', () => answered === 300);
  expect(held.waiting).toBe(8);
  held.answerAll(200);
  await deliveries.untilFinished(400);
});

test('a prompt endpoint may use four fifths of the slots, and leaves the rest to others when it hangs', async () => {
  // An endpoint is prompt that answers within a second; on a busy machine this one may take twenty, until it hangs.
  const realNow = performance.now.bind(performance);
  let [measuredMs, realMs, speed] = [realNow(), realNow(), 1 / 20];
  const measuring = vi.spyOn(performance, 'now').mockImplementation(() => {
    const nowMs = realNow();
    measuredMs += (nowMs - realMs) * speed;
    realMs = nowMs;
    return measuredMs;
  });
  onTestFinished(() => measuring.mockRestore());
  const time = movableClock();
  const held = heldAnswers();
  let arrived = 0;
  // Hangs from a request of its own on: a test that polls for the number of answers can be late, when none is left to
  // hold.
  const { endpointId } = await deliveries.subscribe((...request) => {
    if (++arrived === 301) held.hold();
    held.answering(...request);
  });
  await deliveries.enqueue(endpointId, 1_000);
  held.answerAll(200);
  deliveries.startWorker({ maxInFlight: 100, timeoutMs, clock: time.clock });
  await deliveries.untilFinished(300);
  await eventually('four fifths', () => held.waiting === 80);
  // The worker looks for further endpoints once a second of this time.
  speed = 1;
  const { endpointId: otherId, receiver } = await healthyEndpoint();
  await deliveries.enqueue(otherId, 100, time.clock());
  await eventually('the others are served', () => receiver.received.length === 100);
  expect(held.waiting).toBe(80);
  // Silent for more than a second, it is unproven and gets no more while it uses more than its limit.
  time.moveBy(2 * secondMs);
  await deliveries.enqueue(otherId, 100, time.clock());
  await eventually('the others are served', () => receiver.received.length === 200);
  expect(held.waiting).toBe(80);
  held.answerAll(200);
  await deliveries.untilFinished(1_200);
});

test("the endpoint's own limit holds however promptly it answers", async () => {
  let current = 0;
  let most = 0;
  const { endpointId } = await deliveries.subscribe(
    (_received, _request, response) => {
      most = Math.max(most, ++current);
      setTimeout(() => {
        current--;
        response.writeHead(200).end();
      }, 5);
    },
    { maxInFlight: 3 },
  );
  await deliveries.enqueue(endpointId, 100);
  deliveries.startWorker();
  await deliveries.untilFinished(100);
  expect(most).toBe(3);
});

test('five failures in a row pause an endpoint; one trial follows, whose success releases the rest', async () => {
  const time = movableClock();
  const { receiver, endpointId } = await deliveries.subscribe(503, { maxInFlight: 1 });
  await deliveries.enqueue(endpointId, 20);
  let paused = 0;
  const told: object[] = [];
  const observer = {
    onPaused: () => paused++,
    onFailing: (endpoint: object) => told.push({ failing: endpoint }),
    onAnswering: (endpoint: object) => told.push({ answering: endpoint }),
  };
  deliveries.startWorker({ timeoutMs, clock: time.clock, observer });
  const other = await healthyEndpoint();
  /** Resolves when another endpoint's delivery has arrived: everything that could be claimed has been. */
  const untilClaimed = async () => {
    const before = other.receiver.received.length;
    await deliveries.enqueue(other.endpointId, 1, time.clock());
    await eventually('the other one', () => other.receiver.received.length === before + 1);
  };

  // An endpoint is paused when its answer arrives, shortly before the attempt is recorded.
  const untilRecorded = (count: number) =>
    eventually('the attempts', async () => (await attempts(endpointId)).filter((n) => n > 0).length >= count);

  await eventually('the pause', () => paused === 1);
  await untilClaimed();
  await untilRecorded(5);
  expect(receiver.received).toHaveLength(5);
  expect(await attempts(endpointId)).toEqual([...Array(15).fill(0), ...Array(5).fill(1)]);

  time.moveBy(31 * secondMs);
  await eventually('the trial fails', () => paused === 2);
  await untilClaimed();
  await untilRecorded(6);
  expect(receiver.received).toHaveLength(6);
  expect(await attempts(endpointId)).toEqual([...Array(14).fill(0), ...Array(6).fill(1)]);

  receiver.answering = 200;
  await untilClaimed();
  expect(receiver.received).toHaveLength(6);
  time.moveBy(2 * minuteMs);
  await deliveries.untilFinished(22);
  expect(paused).toBe(2);
  // Told once, not for each trial.
  const named = { endpointId, tenantId: 0, url: expect.stringMatching(/^http:[^?]*$/) };
  expect(told).toEqual([
    { failing: { ...named, outcome: 'http_status', status: 503, waiting: 20 } },
    { answering: named },
  ]);
  expect(await endpoint(endpointId)).toMatchObject({ state: true, open_until: null, first_failure_at: null });
});

test('a pause holds on every node, and only one node sends the trial', async () => {
  const time = movableClock();
  const held = heldAnswers();
  const { endpointId, receiver } = await deliveries.subscribe(503, { maxInFlight: 1 });
  await deliveries.enqueue(endpointId, 20);
  let paused = 0;
  deliveries.startWorker({ timeoutMs, clock: time.clock, observer: { onPaused: () => paused++ } });
  await eventually('the pause', () => paused === 1);
  const second = new Database({ connection: db.connection, connections: 3, name: 'second', plans: 'indexed' });
  deliveries.onClean(() => second.close());
  deliveries.startWorker({ timeoutMs, clock: time.clock, database: second });
  receiver.answering = held.answering;
  const other = await healthyEndpoint();
  await deliveries.enqueue(other.endpointId, 50, time.clock());
  await eventually('both nodes have claimed', () => other.receiver.received.length === 50);
  expect(receiver.received).toHaveLength(5);
  time.moveBy(31 * secondMs);
  await eventually('the trial', () => held.waiting === 1);
  await deliveries.enqueue(other.endpointId, 50, time.clock());
  await eventually('both nodes have claimed', () => other.receiver.received.length === 100);
  expect(held.waiting).toBe(1);
  held.answerAll(200);
  time.moveBy(2 * minuteMs);
  await deliveries.untilFinished(120);
});

test('a trial whose delivery another node has locked is returned: another trial is sent at once', async () => {
  const time = movableClock();
  const { endpointId, receiver } = await deliveries.subscribe(200);
  await db.query('update webhook_endpoint set open_until = to_timestamp($2::float8 / 1000) where id = $1', [
    endpointId,
    time.clock() - secondMs,
  ]);
  await deliveries.enqueue(endpointId, 1);
  let returned = 0;
  const watched: Queryable = {
    run: async (statement, values) => {
      if (statement.name === 'webhooks.release_trials') returned++;
      return db.database.run(statement, values);
    },
  };
  await db.database.transaction(async (transaction) => {
    const lock = { name: '', text: 'select from delivery where endpoint_id = $1 for update' };
    await transaction.run(lock, [endpointId]);
    deliveries.startWorker({ database: watched, clock: time.clock });
    await eventually('the trial is returned', () => returned > 0);
  });
  await deliveries.untilFinished(1);
  expect(receiver.received).toHaveLength(1);
  expect(await endpoint(endpointId)).toMatchObject({ open_until: null });
});

test('a trial claimed again before its result is written is returned: the others follow', async () => {
  const time = movableClock();
  const held = heldAnswers();
  const { endpointId, receiver } = await deliveries.subscribe(held.answering);
  await db.query('update webhook_endpoint set open_until = to_timestamp($2::float8 / 1000) where id = $1', [
    endpointId,
    time.clock() - secondMs,
  ]);
  await deliveries.enqueue(endpointId, 1, time.clock() - secondMs);
  await deliveries.enqueue(endpointId, 1, time.clock());
  const claimed: number[] = [];
  let write = () => {};
  const mayWrite = new Promise<void>((resolve) => {
    write = resolve;
  });
  const watched: Queryable = {
    run: async (statement, values) => {
      if (statement.name === 'deliveries.record_results') await mayWrite;
      const rows = await db.database.run(statement, values);
      if (statement.name === 'deliveries.claim_deliveries' && rows.length > 0) claimed.push(rows.length);
      return rows;
    },
  };
  deliveries.startWorker({ database: watched, clock: time.clock, timeoutMs });
  await eventually('the trial', () => held.waiting === 1);
  // Its lease runs out, so that it may be claimed again; the result is written under the newer lease.
  time.moveBy(2 * minuteMs);
  held.answerAll(200);
  await eventually('it is claimed again', () => claimed.length > 1);
  write();
  await deliveries.untilFinished(2);
  expect(receiver.received).toHaveLength(2);
});

test("a trial is not reserved while its endpoint's rate is used up, and sent as soon as it allows", async () => {
  const time = movableClock();
  const { endpointId, receiver } = await deliveries.subscribe(200, { ratePerS: 1 });
  const openUntil = new Date(time.clock() - secondMs).toISOString();
  await db.query('update webhook_endpoint set open_until = $2 where id = $1', [endpointId, openUntil]);
  await db.query('insert into endpoint_rate (endpoint_id, rate_per_s, used_until_ms, granted) values ($1, 1, $2, 0)', [
    endpointId,
    time.clock() + secondMs,
  ]);
  await deliveries.enqueue(endpointId, 1, time.clock());
  let refused = 0;
  const watched: Queryable = {
    run: async (statement, values) => {
      const rows = await db.database.run(statement, values);
      const isRefused = statement.name === 'deliveries.take_rate' && (rows[0] as { granted: number }).granted === 0;
      if (isRefused) refused++;
      return rows;
    },
  };
  deliveries.startWorker({ database: watched, clock: time.clock });
  await eventually('the rate is used up', () => refused > 0);
  const other = await healthyEndpoint();
  await deliveries.enqueue(other.endpointId, 1, time.clock());
  await eventually('a later claim', () => other.receiver.received.length === 1);
  expect(await endpoint(endpointId)).toMatchObject({ open_until: openUntil });
  time.moveBy(2 * secondMs);
  await deliveries.untilFinished(2);
  expect(receiver.received).toHaveLength(1);
  expect(await endpoint(endpointId)).toMatchObject({ open_until: null });
});

test('an endpoint that refuses its deliveries with 4xx is not paused', async () => {
  const { receiver, endpointId } = await deliveries.subscribe(404);
  await deliveries.enqueue(endpointId, 20);
  deliveries.startWorker();
  await eventually('all were sent', () => receiver.received.length === 20);
  expect(await endpoint(endpointId)).toMatchObject({ open_until: null });
});

test('an endpoint gets no more than its rate from all nodes together, and waiting costs no attempt', async () => {
  const time = movableClock();
  const { receiver, endpointId } = await deliveries.subscribe(200, { ratePerS: 20 });
  await deliveries.enqueue(endpointId, 12);
  const second = new Database({ connection: db.connection, connections: 3, name: 'second', plans: 'indexed' });
  deliveries.onClean(() => second.close());
  deliveries.startWorker({ clock: time.clock });
  deliveries.startWorker({ clock: time.clock, database: second });
  const other = await healthyEndpoint();
  for (const expected of [5, 10, 12]) {
    await eventually(` requests`, () => receiver.received.length >= expected);
    const before = other.receiver.received.length;
    await deliveries.enqueue(other.endpointId, 20, time.clock());
    await eventually('both nodes have claimed', () => other.receiver.received.length === before + 20);
    expect(receiver.received).toHaveLength(expected);
    time.moveBy(secondMs / 4);
  }
  expect(
    (await deliveries.untilFinished(72)).every((delivery) => delivery.attempts === 1 && delivery.claims === 1),
  ).toBe(true);
});

test('an endpoint that fails for five days is switched off, and its administrators are mailed', async () => {
  const time = movableClock();
  const { endpointId } = await deliveries.subscribe(500);
  deliveries.startWorker({ clock: time.clock, retryIntervalsMs: [] });
  const fail = async (count: number) => {
    await deliveries.enqueue(endpointId, 1, time.clock());
    await deliveries.untilFinished(count);
  };
  await fail(1);
  expect(await endpoint(endpointId)).toMatchObject({
    state: true,
    first_failure_at: new Date(time.clock()).toISOString(),
  });
  time.moveBy(5 * dayMs - secondMs);
  await fail(2);
  expect(await endpoint(endpointId)).toMatchObject({ state: true, disabled_reason: null });
  expect(await mailsAbout(endpointId)).toEqual([]);
  time.moveBy(secondMs);
  await fail(3);
  expect(await endpoint(endpointId)).toMatchObject({ state: false, disabled_reason: 'failing' });
  expect(await mailsAbout(endpointId)).toEqual(await mailsToAdministrators());
});

test('one success within five days keeps an endpoint active', async () => {
  const time = movableClock();
  const { endpointId, receiver } = await deliveries.subscribe(500);
  deliveries.startWorker({ clock: time.clock, retryIntervalsMs: [] });
  for (const [day, status] of [500, 500, 200, 500, 500, 500].entries()) {
    receiver.answering = status;
    await deliveries.enqueue(endpointId, 1, time.clock());
    await deliveries.untilFinished(day + 1);
    time.moveBy(2 * dayMs);
  }
  expect(await endpoint(endpointId)).toMatchObject({ state: true, disabled_reason: null });
});

test('410 queues a mail to the administrators', async () => {
  const { endpointId } = await deliveries.subscribe(410);
  deliveries.startWorker();
  await deliveries.appendEvent();
  await deliveries.untilFinished(1);
  expect(await mailsAbout(endpointId)).toEqual(await mailsToAdministrators());
});

const mailsAbout = (endpointId: number) =>
  deliveries.db.query('select user_id, kind from user_mail where record_id = $1 order by user_id', [endpointId]);

/** One to each, and there is at least one. */
async function mailsToAdministrators() {
  const mails = await deliveries.db.query(
    `select id as user_id, 'WEBHOOK_DISABLED' as kind from app_user
      where user_type = 'PLATFORM_ADMIN' and tenant_id = 0 and state order by id`,
  );
  expect(mails).not.toEqual([]);
  return mails;
}

test('an attempt stores address, headers and the first 8 KiB of the answer, whatever bytes they are', async () => {
  const bytes = Buffer.concat([Buffer.from('a\0b\xff\xfe', 'latin1'), Buffer.alloc(20 * 1024, '.')]);
  await deliveries.subscribe((_received, _request, response) =>
    response.writeHead(500, { 'x-reason': 'böse', 'set-cookie': 'secret=1', 'x-twice': ['1', '2'] }).end(bytes),
  );
  deliveries.startWorker();
  await deliveries.appendEvent();
  const { id } = await deliveries.untilAttempted(1);
  const [attempt] = await deliveries.attemptsOf(id);
  expect(attempt).toMatchObject({ status: 500, outcome: 'http_status', address: '127.0.0.1' });
  expect(attempt?.response_body).toEqual(bytes.subarray(0, 8 * 1024));
  expect(attempt?.response_headers).toMatchObject({ 'x-reason': 'böse', 'x-twice': ['1', '2'] });
  expect(attempt?.response_headers).not.toHaveProperty('set-cookie');
});

test('an attempt without an answer stores none', async () => {
  await deliveries.subscribe((_received, request) => request.socket.destroy());
  deliveries.startWorker();
  await deliveries.appendEvent();
  const { id } = await deliveries.untilAttempted(1);
  expect(await deliveries.attemptsOf(id)).toMatchObject([
    { outcome: 'reset', address: '127.0.0.1', response_headers: null, response_body: null },
  ]);
});

/** An endpoint with its own receiver that answers at once. */
async function healthyEndpoint() {
  const receiver = await deliveries.startReceiver(200);
  return { receiver, endpointId: await deliveries.registerEndpoint(receiver.url) };
}

async function claimsOf(endpointId: number): Promise<number> {
  const [row] = await db.query<{ claims: number }>(
    'select sum(claims)::int as claims from delivery where endpoint_id = $1',
    [endpointId],
  );
  return row?.claims ?? 0;
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
