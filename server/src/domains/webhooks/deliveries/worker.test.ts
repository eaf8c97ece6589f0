import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { minuteMs, secondMs } from '../../../core/clock.ts';
import { publicId } from '../../../core/id.ts';
import { Database, type Queryable } from '../../../platform/postgres/database.ts';
import { administer } from '../../../testing/administer.ts';
import { eventually, type TestDatabase } from '../../../testing/database.ts';
import {
  endpointSecret,
  holdingAnswers,
  movableClock,
  type TestDeliveries,
  testDeliveries,
} from '../../../testing/deliveries.ts';
import { type Receiver, startReceiver } from '../../../testing/receiver.ts';
import { AddressGuard } from '../endpoints/address-guard.ts';

let deliveries: TestDeliveries;
let db: TestDatabase;
let subscribed: TestDeliveries['subscribed'];
let registered: TestDeliveries['registered'];
let working: TestDeliveries['working'];
let happened: TestDeliveries['happened'];
let happenedOften: TestDeliveries['happenedOften'];
let finished: TestDeliveries['finished'];
let tried: TestDeliveries['tried'];
let attemptsOf: TestDeliveries['attemptsOf'];

beforeAll(async () => {
  deliveries = await testDeliveries();
  ({ db, subscribed, registered, working, happened, happenedOften, finished, tried, attemptsOf } = deliveries);
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

test('a delivery arrives once, with the headers of the interface and both signatures, unicode and all', async () => {
  const { receiver } = await subscribed(200);
  working();
  const { body, eventId } = await happened('transaction.created', { description: 'Grüße, 東京 🎌' });
  const [delivery] = await finished(1);
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

test('500, 500, 200: three attempts under one id with one body', async () => {
  const time = movableClock();
  const { receiver } = await subscribed(({ connection: _ }, __, response) => {
    response.writeHead(receiver.received.length < 3 ? 500 : 200).end();
  });
  working({ clock: time.clock });
  await happened();
  await tried(1);
  time.moveBy(minuteMs);
  await tried(2);
  time.moveBy(5 * minuteMs);
  const [delivery] = await finished(1);
  expect(delivery).toMatchObject({ state: 'SUCCEEDED', attempts: 3 });
  expect(receiver.received).toHaveLength(3);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
  expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
  expect((await attemptsOf(delivery?.id)).map(({ status }) => status)).toEqual([500, 500, 200]);
});

test('always 500: exactly four posts, 1, 5 and 30 minutes after the failure before, then FAILED and kept', async () => {
  const time = movableClock();
  const { receiver } = await subscribed(500);
  working({ clock: time.clock });
  await happened();
  for (const [attempt, minutes] of [
    [1, 1],
    [2, 5],
    [3, 30],
  ] as const) {
    const delivery = await tried(attempt);
    expect(Date.parse(delivery.due_at) - time.clock()).toBe(minutes * minuteMs);
    expect(receiver.received).toHaveLength(attempt);
    time.moveBy(minutes * minuteMs);
  }
  const [delivery] = await finished(1);
  expect(delivery).toMatchObject({ state: 'FAILED', attempts: 4 });
  expect(receiver.received).toHaveLength(4);
});

test.each([
  ['90', 90],
  ['99999', 120],
  ['junk', 60],
])('429 with Retry-After %s is tried again after %i s', async (retryAfter, seconds) => {
  const time = movableClock();
  await subscribed((_received, _request, response) => response.writeHead(429, { 'retry-after': retryAfter }).end());
  working({ clock: time.clock });
  await happened();
  const delivery = await tried(1);
  expect(Date.parse(delivery.due_at) - time.clock()).toBe(seconds * secondMs);
});

test('an answer that never comes is recorded as a timeout', async () => {
  await subscribed(() => {});
  working({ timeoutMs: 100 });
  await happened();
  const delivery = await tried(1);
  expect(delivery.state).toBe('OPEN');
  expect(await attemptsOf(delivery.id)).toMatchObject([{ status: null, outcome: 'timeout' }]);
});

test('an endpoint hears what it asked for, and only of its own tenant', async () => {
  const { receiver } = await subscribed(200, { events: ['transaction.created'] });
  await db.query(`insert into tenant (id, name) values (77, 'Other') on conflict do nothing`);
  const other = await startReceiver(200);
  deliveries.onClean(other.close);
  await registered(other.url, { tenantId: 77 });
  working();
  await happened('transaction.failed');
  const { eventId } = await happened('transaction.created');
  await finished(1);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([publicId('evt', eventId)]);
  expect(other.received).toHaveLength(0);
});

test('410 switches the endpoint off; what is still open for it is not sent, and not lost', async () => {
  const { receiver, endpointId } = await subscribed(410);
  const worker = working();
  await happened();
  await finished(1);
  const [endpoint] = await db.query('select state, disabled_reason from webhook_endpoint where id = $1', [endpointId]);
  expect(endpoint).toEqual({ state: false, disabled_reason: 'gone' });
  // As if it had been written just before.
  await db.query('update webhook_endpoint set state = true where id = $1', [endpointId]);
  await happened();
  await db.query('update webhook_endpoint set state = false where id = $1', [endpointId]);
  worker.wake();
  const deliveries = await finished(2);
  expect(deliveries.map(({ state, attempts }) => ({ state, attempts }))).toEqual([
    { state: 'FAILED', attempts: 1 },
    { state: 'CANCELLED', attempts: 0 },
  ]);
  expect(receiver.received).toHaveLength(1);
});

test('two senders on one queue of 2,000 deliveries make exactly 2,000 posts', async () => {
  const { receiver, endpointId } = await subscribed(200);
  await deliveries.backlog(endpointId, 2_000);
  const second = new Database({ connection: db.connection, connections: 2, name: 'second' });
  deliveries.onClean(() => second.close());
  working();
  working({ database: second });
  await finished(2_000);
  expect(receiver.received).toHaveLength(2_000);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(2_000);
});

test('a result under a lease that another sender has taken does not count, and its neighbours do', async () => {
  const held = holdingAnswers();
  await subscribed(held.answering);
  let discarded = 0;
  working({ observer: { onDiscarded: (count) => (discarded += count) } });
  await happenedOften(3);
  await eventually('three posts', () => held.waiting === 3);
  const [stolen] = await db.query<{ id: string }>(
    `update delivery set lease = gen_random_uuid() where id = (select id from delivery where state = 'OPEN' limit 1)
     returning id`,
  );
  held.answer(200);
  await finished(2);
  await eventually('the loss is told', () => discarded === 1);
  const [delivery] = await db.query('select state, attempts from delivery where id = $1', [stolen?.id]);
  expect(delivery).toEqual({ state: 'OPEN', attempts: 0 });
});

test('a sender that was frozen beyond its lease cannot overwrite what its successor recorded', async () => {
  const held = holdingAnswers();
  const { receiver } = await subscribed(held.answering);
  let discarded = 0;
  working({ observer: { onDiscarded: (count) => (discarded += count) } });
  await happened();
  await eventually('the first post', () => held.waiting === 1);
  receiver.answering = 200;
  const later = movableClock();
  later.moveBy(31 * secondMs);
  working({ clock: later.clock });
  await finished(1);
  held.answer(500);
  await eventually('the late result is refused', () => discarded === 1);
  const [delivery] = await finished(1);
  expect(delivery).toMatchObject({ state: 'SUCCEEDED', attempts: 1, claims: 2 });
  expect(receiver.received.map(({ headers }) => headers['x-service-delivery'])).toEqual(
    Array(2).fill(publicId('dlv', delivery?.id ?? '')),
  );
});

test('after a crash between the answer and its record, the same bytes go out again under the same ids', async () => {
  const { receiver } = await subscribed(200);
  let crashed = false;
  const dying: Queryable = {
    run: async (statement, values) => {
      if (statement.name === 'deliveries.record_results') crashed = true;
      if (crashed) throw new Error('The process has died.');
      return db.database.run(statement, values);
    },
  };
  const time = movableClock();
  working({ database: dying, clock: time.clock });
  await happened();
  await eventually('the crash', () => crashed);
  time.moveBy(31 * secondMs);
  working({ clock: time.clock });
  const [delivery] = await finished(1);
  expect(delivery).toMatchObject({ state: 'SUCCEEDED', attempts: 1, claims: 2 });
  const [first, second] = receiver.received;
  expect(receiver.received).toHaveLength(2);
  expect(second?.body).toEqual(first?.body);
  expect(second?.headers['x-service-delivery']).toBe(first?.headers['x-service-delivery']);
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
});

test('what was claimed and not yet sent is given back when the sender stops', async () => {
  const { receiver } = await subscribed(200);
  const claims: (() => void)[] = [];
  const slow: Queryable = {
    run: async (statement, values) => {
      const rows = await db.database.run(statement, values);
      if (statement.name === 'deliveries.claim_deliveries') await new Promise<void>((go) => claims.push(go));
      return rows;
    },
  };
  await happenedOften(3);
  const worker = working({ database: slow });
  await eventually('the claim', () => claims.length === 1);
  expect(await db.query(`select id from delivery where state = 'OPEN' and lease is not null`)).toHaveLength(3);
  const stopping = worker.stop();
  claims[0]?.();
  await stopping;
  const open = await db.query(`select lease, leased_until, attempts from delivery where state = 'OPEN'`);
  expect(open).toEqual(Array(3).fill({ lease: null, leased_until: null, attempts: 0 }));
  expect(receiver.received).toHaveLength(0);
});

test('stopping waits for what is in flight, and records it', async () => {
  const held = holdingAnswers();
  await subscribed(held.answering);
  const worker = working();
  await happened();
  await eventually('the post', () => held.waiting === 1);
  const stopping = worker.stop();
  held.answer(200);
  await stopping;
  expect(worker.inFlight).toBe(0);
  expect(await finished(1)).toMatchObject([{ state: 'SUCCEEDED', attempts: 1 }]);
});

test('nothing is sent when too little of the lease is left for an attempt', async () => {
  const { receiver } = await subscribed(200);
  const time = movableClock();
  let claims = 0;
  const freezing: Queryable = {
    run: async (statement, values) => {
      const rows = await db.database.run(statement, values);
      // The process stands still between the first claim and the post.
      if (statement.name === 'deliveries.claim_deliveries' && rows.length > 0 && ++claims === 1)
        time.moveBy(19 * secondMs);
      return rows;
    },
  };
  working({ database: freezing, clock: time.clock });
  await happened();
  const [delivery] = await finished(1);
  expect(delivery).toMatchObject({ state: 'SUCCEEDED', attempts: 1, claims: 2 });
  expect(receiver.received).toHaveLength(1);
});

test('no more are in flight than there are slots, and a busy process keeps some', async () => {
  const held = holdingAnswers();
  // One endpoint alone never gets all the slots: a hundred that answer promptly do.
  await subscribed(held.answering, { endpoints: 100 });
  const time = movableClock();
  let isShedding = false;
  const worker = working({ maxInFlight: 150, isShedding: () => isShedding, clock: time.clock });
  held.answerAll(200);
  await happenedOften(1, time.clock());
  await finished(100);
  isShedding = true;
  held.hold();
  await happenedOften(2, time.clock());
  await eventually('the slots of a busy process', () => held.waiting === 100);
  expect(worker.inFlight).toBe(100);
  isShedding = false;
  await eventually('all slots', () => held.waiting === 150);
  expect(worker.inFlight).toBe(150);
  held.answerAll(200);
  await finished(300);
});

test('a forbidden address gets no connection, and the attempt says why', async () => {
  const { receiver } = await subscribed(200);
  await registered(receiver.url.replace('127.0.0.1', 'localhost'));
  working({ guard: new AddressGuard({ standalone: false, allowTargets: [] }) });
  await happened();
  const deliveries = await eventually('two attempts', async () => {
    const rows = await db.query<{ outcome: string }>(
      `select outcome from delivery_attempt join delivery on delivery.id = delivery_id where state = 'OPEN'`,
    );
    return rows.length === 2 && rows;
  });
  expect(deliveries.map(({ outcome }) => outcome)).toEqual(['forbidden_address', 'forbidden_address']);
  expect(receiver.connections).toBe(0);
});

test('the database may go away: it is told once, and deliveries go on when it is back', async () => {
  const { receiver } = await subscribed(200);
  const own = new Database({ connection: db.connection, connections: 2, name: 'own' });
  const told: string[] = [];
  const worker = working({
    database: own,
    onError: () => told.push('trouble'),
    onRecovered: () => told.push('recovered'),
  });
  deliveries.onCleanFirst(() => own.close());
  await happened();
  await finished(1);
  await administer(inject('postgres'), `alter database ${db.connection.database} with allow_connections false`);
  await administer(
    inject('postgres'),
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${db.connection.database}'`,
  );
  await eventually('trouble', () => told.length > 0);
  for (let i = 0; i < 20; i++) worker.wake();
  await administer(inject('postgres'), `alter database ${db.connection.database} with allow_connections true`);
  await happened();
  await finished(2);
  expect(receiver.received).toHaveLength(2);
  expect(told).toEqual(['trouble', 'recovered']);
});

function only({ received }: Receiver) {
  const [first] = received;
  if (first === undefined) throw new Error('Nothing was received.');
  return first;
}
