import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { administer } from '../../../../tests/support/postgres/administer.ts';
import { eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import {
  endpointSecret,
  heldAnswers,
  movableClock,
  type TestDeliveries,
  testDeliveries,
} from '../../../../tests/support/webhooks/deliveries.ts';
import { type Receiver, startReceiver } from '../../../../tests/support/webhooks/receiver.ts';
import { minuteMs, secondMs } from '../../../core/clock.ts';
import { publicId } from '../../../core/id.ts';
import { Database, type Queryable } from '../../../platform/postgres/database.ts';
import { AddressGuard } from '../endpoints/address-guard.ts';

let deliveries: TestDeliveries;
let db: TestDatabase;
let subscribe: TestDeliveries['subscribe'];
let registerEndpoint: TestDeliveries['registerEndpoint'];
let startWorker: TestDeliveries['startWorker'];
let appendEvent: TestDeliveries['appendEvent'];
let appendEvents: TestDeliveries['appendEvents'];
let untilFinished: TestDeliveries['untilFinished'];
let untilAttempted: TestDeliveries['untilAttempted'];
let attemptsOf: TestDeliveries['attemptsOf'];

beforeAll(async () => {
  deliveries = await testDeliveries();
  ({
    db,
    subscribe,
    registerEndpoint,
    startWorker,
    appendEvent,
    appendEvents,
    untilFinished,
    untilAttempted,
    attemptsOf,
  } = deliveries);
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

test('a delivery arrives once, with the documented headers, both signatures and intact Unicode', async () => {
  const { receiver } = await subscribe(200);
  startWorker();
  const { body, eventId } = await appendEvent('transaction.created', { description: 'Grüße, 東京 🎌' });
  const [delivery] = await untilFinished(1);
  expect(delivery).toMatchObject({ state: 'SUCCEEDED', attempts: 1, claims: 1, lease: null });
  expect(receiver.received).toHaveLength(1);
  const { headers, body: bytes } = only(receiver);
  expect(bytes.toString()).toBe(body);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-service-event': 'transaction.created',
    'x-service-delivery': publicId('dlv', delivery?.id ?? ''),
    'x-service-signature': createHmac('sha256', endpointSecret).update(bytes).digest('hex'),
    'webhook-id': publicId('evt', eventId),
  });
  const verifier = new Webhook(endpointSecret, { format: 'raw' });
  expect(verifier.verify(bytes.toString(), headers as Record<string, string>)).toEqual(JSON.parse(body));
  const attempts = await attemptsOf(delivery?.id);
  expect(attempts).toMatchObject([{ number: 1, status: 200, outcome: 'ok', resent: false }]);
});

test('answers 500, 500, 200 make three attempts with the same id and body', async () => {
  const time = movableClock();
  const { receiver } = await subscribe(({ connection: _ }, __, response) => {
    response.writeHead(receiver.received.length < 3 ? 500 : 200).end();
  });
  startWorker({ clock: time.clock });
  await appendEvent();
  await untilAttempted(1);
  time.moveBy(minuteMs);
  await untilAttempted(2);
  time.moveBy(5 * minuteMs);
  const [delivery] = await untilFinished(1);
  expect(delivery).toMatchObject({ state: 'SUCCEEDED', attempts: 3 });
  expect(receiver.received).toHaveLength(3);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
  expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
  expect((await attemptsOf(delivery?.id)).map(({ status }) => status)).toEqual([500, 500, 200]);
});

test('an endpoint that answers 500 gets four requests, 1, 5 and 30 minutes apart; then it is FAILED', async () => {
  const time = movableClock();
  const { receiver } = await subscribe(500);
  startWorker({ clock: time.clock });
  await appendEvent();
  for (const [attempt, minutes] of [
    [1, 1],
    [2, 5],
    [3, 30],
  ] as const) {
    const delivery = await untilAttempted(attempt);
    expect(Date.parse(delivery.due_at) - time.clock()).toBe(minutes * minuteMs);
    expect(receiver.received).toHaveLength(attempt);
    time.moveBy(minutes * minuteMs);
  }
  const [delivery] = await untilFinished(1);
  expect(delivery).toMatchObject({ state: 'FAILED', attempts: 4 });
  expect(receiver.received).toHaveLength(4);
});

test.each([
  ['90', 90],
  ['99999', 120],
  ['junk', 60],
])('429 with Retry-After %s is retried after %i s', async (retryAfter, seconds) => {
  const time = movableClock();
  await subscribe((_received, _request, response) => response.writeHead(429, { 'retry-after': retryAfter }).end());
  startWorker({ clock: time.clock });
  await appendEvent();
  const delivery = await untilAttempted(1);
  expect(Date.parse(delivery.due_at) - time.clock()).toBe(seconds * secondMs);
});

test('a missing answer is recorded as a timeout', async () => {
  await subscribe(() => {});
  startWorker({ timeoutMs: 100 });
  await appendEvent();
  const delivery = await untilAttempted(1);
  expect(delivery.state).toBe('OPEN');
  expect(await attemptsOf(delivery.id)).toMatchObject([{ status: null, outcome: 'timeout' }]);
});

test('an endpoint receives the types it subscribes to, and only events of its own tenant', async () => {
  const { receiver } = await subscribe(200, { events: ['transaction.created'] });
  await db.query(`insert into tenant (id, name) values (77, 'Other') on conflict do nothing`);
  const other = await startReceiver(200);
  deliveries.onClean(other.close);
  await registerEndpoint(other.url, { tenantId: 77 });
  startWorker();
  await appendEvent('transaction.failed');
  const { eventId } = await appendEvent('transaction.created');
  await untilFinished(1);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([publicId('evt', eventId)]);
  expect(other.received).toHaveLength(0);
});

test('410 switches the endpoint off; its open deliveries are cancelled and kept', async () => {
  const { receiver, endpointId } = await subscribe(410);
  const worker = startWorker();
  await appendEvent();
  await untilFinished(1);
  const [endpoint] = await db.query('select state, disabled_reason from webhook_endpoint where id = $1', [endpointId]);
  expect(endpoint).toEqual({ state: false, disabled_reason: 'gone' });
  // As if the delivery had been enqueued just before.
  await db.query('update webhook_endpoint set state = true where id = $1', [endpointId]);
  await appendEvent();
  await db.query('update webhook_endpoint set state = false where id = $1', [endpointId]);
  worker.wake();
  const deliveries = await untilFinished(2);
  expect(deliveries.map(({ state, attempts }) => ({ state, attempts }))).toEqual([
    { state: 'FAILED', attempts: 1 },
    { state: 'CANCELLED', attempts: 0 },
  ]);
  expect(receiver.received).toHaveLength(1);
});

test('two senders on one queue of 2,000 deliveries make exactly 2,000 requests', async () => {
  const { receiver, endpointId } = await subscribe(200);
  await deliveries.enqueue(endpointId, 2_000);
  const second = new Database({ connection: db.connection, connections: 2, name: 'second' });
  deliveries.onClean(() => second.close());
  startWorker();
  startWorker({ database: second });
  await untilFinished(2_000, 100_000);
  expect(receiver.received).toHaveLength(2_000);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(2_000);
}, 120_000);

test('a result whose lease was taken over is discarded, and the others of its batch are recorded', async () => {
  const held = heldAnswers();
  await subscribe(held.answering);
  let discarded = 0;
  startWorker({ observer: { onDiscarded: (count) => (discarded += count) } });
  await appendEvents(3);
  await eventually('three requests', () => held.waiting === 3);
  const [stolen] = await db.query<{ id: string }>(
    `update delivery set lease = gen_random_uuid() where id = (select id from delivery where state = 'OPEN' limit 1)
     returning id`,
  );
  held.answer(200);
  await untilFinished(2);
  await eventually('the result is discarded', () => discarded === 1);
  const [delivery] = await db.query('select state, attempts from delivery where id = $1', [stolen?.id]);
  expect(delivery).toEqual({ state: 'OPEN', attempts: 0 });
});

test("a sender that was frozen beyond its lease cannot overwrite its successor's result", async () => {
  const held = heldAnswers();
  const { receiver } = await subscribe(held.answering);
  let discarded = 0;
  startWorker({ observer: { onDiscarded: (count) => (discarded += count) } });
  await appendEvent();
  await eventually('the first request', () => held.waiting === 1);
  receiver.answering = 200;
  const later = movableClock();
  later.moveBy(31 * secondMs);
  startWorker({ clock: later.clock });
  await untilFinished(1);
  held.answer(500);
  await eventually('the late result is discarded', () => discarded === 1);
  const [delivery] = await untilFinished(1);
  expect(delivery).toMatchObject({ state: 'SUCCEEDED', attempts: 1, claims: 2 });
  expect(receiver.received.map(({ headers }) => headers['x-service-delivery'])).toEqual(
    Array(2).fill(publicId('dlv', delivery?.id ?? '')),
  );
});

test('after a crash between the answer and its record, the same bytes are sent again under the same ids', async () => {
  const { receiver } = await subscribe(200);
  let crashed = false;
  const dying: Queryable = {
    run: async (statement, values) => {
      if (statement.name === 'deliveries.record_results') crashed = true;
      if (crashed) throw new Error('The process has died.');
      return db.database.run(statement, values);
    },
  };
  const time = movableClock();
  startWorker({ database: dying, clock: time.clock });
  await appendEvent();
  await eventually('the crash', () => crashed);
  time.moveBy(31 * secondMs);
  startWorker({ clock: time.clock });
  const [delivery] = await untilFinished(1);
  expect(delivery).toMatchObject({ state: 'SUCCEEDED', attempts: 1, claims: 2 });
  const [first, second] = receiver.received;
  expect(receiver.received).toHaveLength(2);
  expect(second?.body).toEqual(first?.body);
  expect(second?.headers['x-service-delivery']).toBe(first?.headers['x-service-delivery']);
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
});

test('a sender that stops releases claimed deliveries that are not yet sent', async () => {
  const { receiver } = await subscribe(200);
  const claims: (() => void)[] = [];
  const slow: Queryable = {
    run: async (statement, values) => {
      const rows = await db.database.run(statement, values);
      if (statement.name === 'deliveries.claim_deliveries') await new Promise<void>((go) => claims.push(go));
      return rows;
    },
  };
  await appendEvents(3);
  const worker = startWorker({ database: slow });
  await eventually('the claim', () => claims.length === 1);
  expect(await db.query(`select id from delivery where state = 'OPEN' and lease is not null`)).toHaveLength(3);
  const stopping = worker.stop();
  claims[0]?.();
  await stopping;
  const open = await db.query(`select lease, leased_until, attempts from delivery where state = 'OPEN'`);
  expect(open).toEqual(Array(3).fill({ lease: null, leased_until: null, attempts: 0 }));
  expect(receiver.received).toHaveLength(0);
});

test('stopping waits for deliveries in flight and records them', async () => {
  const held = heldAnswers();
  await subscribe(held.answering);
  const worker = startWorker();
  await appendEvent();
  await eventually('the request', () => held.waiting === 1);
  const stopping = worker.stop();
  held.answer(200);
  await stopping;
  expect(worker.inFlight).toBe(0);
  expect(await untilFinished(1)).toMatchObject([{ state: 'SUCCEEDED', attempts: 1 }]);
});

test('nothing is sent when the rest of the lease is too short for an attempt', async () => {
  const { receiver } = await subscribe(200);
  const time = movableClock();
  let claims = 0;
  const freezing: Queryable = {
    run: async (statement, values) => {
      const rows = await db.database.run(statement, values);
      // The process freezes between the first claim and the request.
      if (statement.name === 'deliveries.claim_deliveries' && rows.length > 0 && ++claims === 1)
        time.moveBy(19 * secondMs);
      return rows;
    },
  };
  startWorker({ database: freezing, clock: time.clock });
  await appendEvent();
  const [delivery] = await untilFinished(1);
  expect(delivery).toMatchObject({ state: 'SUCCEEDED', attempts: 1, claims: 2 });
  expect(receiver.received).toHaveLength(1);
});

test('deliveries in flight never exceed the slots', async () => {
  const held = heldAnswers();
  // One endpoint never gets all slots; a hundred prompt ones do.
  await subscribe(held.answering, { endpoints: 100 });
  const time = movableClock();
  const worker = startWorker({ maxInFlight: 150, clock: time.clock });
  held.answerAll(200);
  await appendEvents(1, time.clock());
  await untilFinished(100);
  held.hold();
  await appendEvents(2, time.clock());
  await eventually('all slots', () => held.waiting === 150);
  expect(worker.inFlight).toBe(150);
  held.answerAll(200);
  await untilFinished(300);
});

test('a forbidden address gets no connection, and the attempt records the reason', async () => {
  const { receiver } = await subscribe(200);
  await registerEndpoint(receiver.url.replace('127.0.0.1', 'localhost'));
  startWorker({ guard: new AddressGuard({ allowsPrivate: false, allowTargets: [] }) });
  await appendEvent();
  const deliveries = await eventually('two attempts', async () => {
    const rows = await db.query<{ outcome: string }>(
      `select outcome from delivery_attempt join delivery on delivery.id = delivery_id where state = 'OPEN'`,
    );
    return rows.length === 2 && rows;
  });
  expect(deliveries.map(({ outcome }) => outcome)).toEqual(['forbidden_address', 'forbidden_address']);
  expect(receiver.connections).toBe(0);
});

test('a database failure is reported once, and deliveries continue when the database is back', async () => {
  const { receiver } = await subscribe(200);
  const own = new Database({ connection: db.connection, connections: 2, name: 'own' });
  const reports: string[] = [];
  const worker = startWorker({
    database: own,
    onError: () => reports.push('error'),
    onRecovered: () => reports.push('recovered'),
  });
  deliveries.onCleanFirst(() => own.close());
  await appendEvent();
  await untilFinished(1);
  await administer(inject('administrator'), `alter database ${db.connection.database} with allow_connections false`);
  await administer(
    inject('administrator'),
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${db.connection.database}'`,
  );
  await eventually('error', () => reports.length > 0);
  for (let i = 0; i < 20; i++) worker.wake();
  await administer(inject('administrator'), `alter database ${db.connection.database} with allow_connections true`);
  await appendEvent();
  await untilFinished(2);
  expect(receiver.received).toHaveLength(2);
  expect(reports).toEqual(['error', 'recovered']);
});

function only({ received }: Receiver) {
  const [first] = received;
  if (first === undefined) throw new Error('Nothing was received.');
  return first;
}
