import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeMember,
  makePayment,
  makeTenant,
} from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { aRefusal } from '../../../../../tests/support/shapes.ts';
import { dayMs, minuteMs, secondMs } from '../../../../core/clock.ts';
import { firstUuidAt } from '../../../../core/id.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { replayWorker } from './worker.ts';

/** A node without workers takes the requests; the test performs replays with its own workers and sends nothing. */
let aheadMs = 0;
let isBehind = false;
const now = () => Date.now() + aheadMs;

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let channelId: number;
let endpointId: number;
let since: string;
const workers: ReturnType<typeof replayWorker>[] = [];

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_ROLE: 'api' }, now);
  const admin = await administratorOf(florin);
  const tenantId = await makeTenant(florin, admin);
  ({ as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId }));
  channelId = await makeChannel(florin, as);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

beforeEach(async () => {
  aheadMs += minuteMs;
  since = new Date(now()).toISOString();
  endpointId = await registerEndpoint();
});

afterEach(async () => {
  isBehind = false;
  for (const worker of workers.splice(0)) await worker.stop();
  await db.query(`update webhook_replay set state = 'STOPPED', finished_at = now() where state = 'RUNNING'`);
});

// Not `*`: the event that the endpoint was disabled would be missing as well.
async function registerEndpoint(events = ['transaction.*', 'invoice.*']): Promise<number> {
  const hook = { url: 'http://127.0.0.1:9/', events, secret: 'a secret of tests' };
  return dataOf(await florin.post('/api/webhook/register', hook, as)).id;
}

const replay = (input: object = {}) => florin.post('/api/webhook/replay', { endpointId, since, ...input }, as);
const modify = async (input: object) =>
  dataOf(await florin.post('/api/webhook/modify', { id: endpointId, ...input }, as));
const detailOf = async (id: string) => dataOf(await florin.get(`/api/webhook/replay/detail?id=${id}`, as));

async function pay(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => makePayment(florin, as, channelId)));
}

/** Finishes deliveries as the sender would. */
async function finishAll(state: 'SUCCEEDED' | 'FAILED' | 'CANCELLED', limit = 1_000): Promise<void> {
  await db.query(
    `update delivery set state = $2, finished_at = to_timestamp($3::float8 / 1000)
      where id in (select id from delivery where endpoint_id = $1 and state = 'OPEN' order by id limit $4)`,
    [endpointId, state, now(), limit],
  );
}

interface Row {
  event_id: string;
  state: string;
  replay_of: string | null;
}

const rows = () =>
  db.query<Row>('select event_id, state, replay_of from delivery where endpoint_id = $1 order by event_id', [
    endpointId,
  ]);
const open = async () => (await rows()).filter(({ state }) => state === 'OPEN');

function startWorker(database: Pick<Database, 'run' | 'transaction'> = db.database, batch = 3) {
  const worker = replayWorker({ database, clock: now, onError: () => {}, batch, isBehind: () => isBehind });
  workers.push(worker);
  worker.start();
  return worker;
}

async function untilClaimed(): Promise<void> {
  await eventually('it has been claimed', async () => {
    const [row] = await db.query<{ is_leased: boolean }>(
      'select lease is not null as is_leased from webhook_replay where endpoint_id = $1',
      [endpointId],
    );
    return row?.is_leased;
  });
}

/** Resolves when the replay is done, second pass included. */
async function untilDone(id: string) {
  await eventually('the first pass is over', async () => {
    const [row] = await db.query<{ late: boolean }>(
      'select due_at > until_at as late from webhook_replay where endpoint_id = $1 order by created_at desc limit 1',
      [endpointId],
    );
    return row?.late;
  });
  aheadMs += 20 * secondMs;
  for (const worker of workers) worker.wake();
  return eventually('the replay is done', async () => {
    const detail = await detailOf(id);
    return detail.state === 'DONE' && detail;
  });
}

test('a replay since a time enqueues each event once under its former id, also those never sent', async () => {
  await pay(4);
  await finishAll('SUCCEEDED');
  await modify({ state: false });
  await pay(5);
  await modify({ state: true });
  const { replayId } = dataOf(await replay());
  startWorker();
  const detail = await untilDone(replayId);
  expect(detail).toMatchObject({ endpointId, since, state: 'DONE', deliveryCount: 9 });
  expect(detail.reachedTime).toBe(detail.until);
  const again = await open();
  expect(new Set(again.map(({ event_id }) => event_id)).size).toBe(9);
  const originals = await db.query<{ id: string; event_id: string }>(
    `select id, event_id from delivery where endpoint_id = $1 and state = 'SUCCEEDED'`,
    [endpointId],
  );
  expect(originals).toHaveLength(4);
  for (const { event_id, replay_of } of again) {
    expect(replay_of).toBe(originals.find((one) => one.event_id === event_id)?.id ?? null);
  }
});

test.each([
  [['FAILED'], 2],
  [['MISSING'], 4],
  [['SUCCEEDED', 'CANCELLED'], 4],
  [['CANCELLED', 'FAILED', 'MISSING'], 7],
])('a replay of the states %j contains only those', async (states, count) => {
  await pay(6);
  await finishAll('SUCCEEDED', 3);
  await finishAll('FAILED', 2);
  await finishAll('CANCELLED');
  await modify({ state: false });
  await pay(4);
  await modify({ state: true });
  const { replayId } = dataOf(await replay({ states }));
  startWorker();
  expect(await untilDone(replayId)).toMatchObject({ deliveryCount: count, states: expect.arrayContaining(states) });
  expect(await open()).toHaveLength(count);
});

test('a replay enqueues nothing while work of this machine waits, and goes on afterwards', async () => {
  await pay(3);
  await finishAll('SUCCEEDED');
  isBehind = true;
  await replay();
  startWorker();
  await untilClaimed();
  expect(await rows()).toHaveLength(3);
  isBehind = false;
  await eventually('all are enqueued again', async () => (await rows()).length === 6);
});

test('a replay has no more than 500 deliveries of its endpoint waiting', async () => {
  await pay(2);
  await finishAll('SUCCEEDED');
  await db.query(
    `insert into delivery (tenant_id, id, event_id, endpoint_id, due_at, created_at)
     select tenant_id, gen_random_uuid(), event_id, endpoint_id, due_at, created_at
       from delivery, generate_series(1, 250) where endpoint_id = $1`,
    [endpointId],
  );
  await replay();
  startWorker();
  await untilClaimed();
  expect(await rows()).toHaveLength(502);
  await finishAll('SUCCEEDED', 250);
  await eventually('it goes on', async () => {
    const [row] = await db.query<{ looked: number }>('select looked from webhook_replay where endpoint_id = $1', [
      endpointId,
    ]);
    return row?.looked === 2;
  });
});

test('open deliveries and those that end during the replay are not sent twice', async () => {
  await pay(3);
  await finishAll('FAILED');
  await pay(2);
  const { replayId } = dataOf(await replay());
  aheadMs += secondMs;
  await finishAll('SUCCEEDED', 1);
  startWorker();
  expect(await untilDone(replayId)).toMatchObject({ deliveryCount: 3 });
  expect((await rows()).filter(({ replay_of }) => replay_of !== null)).toHaveLength(3);
});

test('a replay contains only subscribed types, only events before its end, and no pings', async () => {
  await pay(2);
  endpointId = await registerEndpoint(['transaction.created']);
  dataOf(await florin.post('/api/webhook/test', { id: endpointId }, as));
  const id = await makePayment(florin, as, channelId);
  dataOf(await florin.post('/api/transaction/update', { id, status: 'SUCCESS' }, as));
  await finishAll('SUCCEEDED');
  aheadMs += secondMs;
  const until = new Date(now()).toISOString();
  aheadMs += secondMs;
  await pay(2);
  await finishAll('SUCCEEDED');
  const { replayId } = dataOf(await replay({ until }));
  startWorker();
  expect(await untilDone(replayId)).toMatchObject({ until, deliveryCount: 3 });
  expect(await open()).toHaveLength(3);
});

test('after a node dies during a replay, another continues after its last batch and sends nothing twice', async () => {
  await pay(10);
  await finishAll('SUCCEEDED');
  const { replayId } = dataOf(await replay());
  let batches = 0;
  const { database } = db;
  const dying = startWorker({
    run: (statement, values) => database.run(statement, values),
    transaction: async (work) => {
      // Two batches are committed; the node dies in the third, after all statements and before the commit.
      if (++batches > 3) return new Promise(() => {});
      return database.transaction(async (transaction) => {
        const result = await work(transaction);
        if (batches === 3) throw new Error('killed');
        return result;
      });
    },
  });
  await eventually('it is dead', () => batches === 3);
  await dying.stop();
  expect(await detailOf(replayId)).toMatchObject({ state: 'RUNNING', eventCount: 6, deliveryCount: 6 });
  expect(await open()).toHaveLength(6);

  const idle = startWorker();
  idle.wake();
  expect(await detailOf(replayId)).toMatchObject({ eventCount: 6 });
  aheadMs += 31 * secondMs;
  idle.wake();
  expect(
    await eventually('it is done', async () => {
      const detail = await detailOf(replayId);
      return detail.state === 'DONE' && detail;
    }),
  ).toMatchObject({ eventCount: 10, deliveryCount: 10 });
  expect(new Set((await open()).map(({ event_id }) => event_id)).size).toBe(10);
  expect(await open()).toHaveLength(10);
});

test('an event that becomes visible after the replay has passed its id is found by the second pass', async () => {
  await modify({ state: false });
  await pay(1);
  const late = firstUuidAt(now());
  const { database } = db;
  let commit = () => {};
  const inserted = database.transaction(async (transaction) => {
    const text = `insert into event select tenant_id, $2, 'invoice.paid', 'inv_1', now(), '{}' from webhook_endpoint
           where id = $1`;
    await transaction.run({ name: '', text }, [endpointId, late]);
    await new Promise<void>((resolve) => {
      commit = resolve;
    });
  });
  aheadMs += 1;
  await modify({ state: true });
  const { replayId } = dataOf(await replay());
  startWorker();
  await eventually('the first pass is over', async () => (await open()).length === 1);
  commit();
  await inserted;
  expect(await untilDone(replayId)).toMatchObject({ state: 'DONE', deliveryCount: 2 });
  expect((await open()).map(({ event_id }) => event_id)).toContain(late);
});

test('a replay stops when its endpoint is switched off', async () => {
  await pay(2);
  await finishAll('SUCCEEDED');
  const { replayId } = dataOf(await replay());
  await modify({ state: false });
  startWorker();
  await eventually('it has stopped', async () => (await detailOf(replayId)).state === 'STOPPED');
  expect(await open()).toEqual([]);
});

test('the same request while a replay is running returns that replay; a different one is refused', async () => {
  const { replayId } = dataOf(await replay());
  expect(dataOf(await replay()).replayId).toBe(replayId);
  const { status, body } = await replay({ states: ['FAILED'] });
  expect({ status, body }).toEqual({
    status: 409,
    body: aRefusal(409, { type: 'replay_running', field: 'endpointId', details: { replayId } }),
  });
});

test('a tenant has one replay since a time at once, also when several start together', async () => {
  const endpoints = [endpointId, await registerEndpoint(), await registerEndpoint()];
  const started = await Promise.all(endpoints.map((id) => replay({ endpointId: id })));
  expect(started.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  const [first] = started.filter(({ status }) => status === 200).map((reply) => dataOf(reply).replayId);
  for (const { body } of started.filter(({ status }) => status === 409)) {
    expect(body.error).toMatchObject({ type: 'replay_running', field: 'endpointId', details: { replayId: first } });
  }
  const admin = await administratorOf(florin);
  const { as: other } = await makeMember(florin, admin, {
    userType: 'MERCHANT_ADMIN',
    tenantId: await makeTenant(florin, admin),
  });
  const hook = { url: 'http://127.0.0.1:9/', events: ['transaction.*'], secret: 'a secret of tests' };
  const { id } = dataOf(await florin.post('/api/webhook/register', hook, other));
  expect((await florin.post('/api/webhook/replay', { endpointId: id, since }, other)).status).toBe(200);
});

test('one delivery is replayed under its own id with its own retries; a repeated request sends it once', async () => {
  await pay(1);
  const [automatic] = dataOf(await florin.get(`/api/webhook/delivery/list?endpointId=${endpointId}`, as));
  const again = async (deliveryId: string) =>
    dataOf(await florin.post('/api/webhook/replay', { deliveryId }, as)).deliveryId;
  expect(await again(automatic.id)).toBe(automatic.id);
  await finishAll('FAILED');
  const [second, third] = await Promise.all([again(automatic.id), again(automatic.id)]);
  expect(second).toBe(third);
  expect(second).not.toBe(automatic.id);
  const detail = dataOf(await florin.get(`/api/webhook/delivery/detail?id=${second}`, as));
  expect(detail).toMatchObject({ id: second, sentAs: automatic.id, state: 'OPEN', attemptCount: 0, attempts: [] });
  expect(detail.runs).toMatchObject([
    { id: automatic.id, state: 'FAILED' },
    { id: second, state: 'OPEN' },
  ]);
  await finishAll('SUCCEEDED');
  const fourth = await again(second);
  expect([automatic.id, second]).not.toContain(fourth);
  expect(dataOf(await florin.get(`/api/webhook/delivery/detail?id=${fourth}`, as))).toMatchObject({
    sentAs: automatic.id,
  });
});

test('a replay cannot start before the time from which deliveries are kept', async () => {
  const forgetful = await florinOn(db, { APP_ROLE: 'api', APP_WEBHOOK_KEEP_DELIVERIES: '2d' }, now);
  try {
    const daysAgo = (days: number) => new Date(now() - days * dayMs).toISOString();
    const replaySince = (days: number) =>
      forgetful.post('/api/webhook/replay', { endpointId, since: daysAgo(days) }, admin);
    const admin = await administratorOf(forgetful);
    const { status, body } = await replaySince(3);
    expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request', field: 'since' }) });
    expect((await replaySince(1)).status).toBe(200);
  } finally {
    await forgetful.stop();
  }
});

test('a replay to an inactive endpoint is refused', async () => {
  await pay(1);
  const [delivery] = dataOf(await florin.get(`/api/webhook/delivery/list?endpointId=${endpointId}`, as));
  await modify({ state: false });
  for (const input of [{ endpointId, since }, { deliveryId: delivery.id }]) {
    const { status, body } = await florin.post('/api/webhook/replay', input, as);
    expect({ status, type: body.error.type }).toEqual({ status: 409, type: 'webhook_inactive' });
  }
});

test('invalid requests are refused with the name of the field', async () => {
  const deliveryId = `dlv_${'0'.repeat(32)}`;
  const later = '2999-01-01T00:00:00Z';
  for (const [input, status, field] of [
    [{}, 400, 'deliveryId'],
    [{ endpointId }, 400, 'since'],
    [{ endpointId, since: 'yesterday' }, 400, 'since'],
    [{ endpointId, since: '2026-01-01' }, 400, 'since'],
    [{ endpointId, since: '2026-01-01T00:00:00' }, 400, 'since'],
    [{ endpointId, since: later }, 400, 'since'],
    [{ endpointId, since, until: later }, 400, 'until'],
    [{ endpointId, since, until: since }, 400, 'since'],
    [{ endpointId, since, states: [] }, 400, 'states'],
    [{ endpointId, since, states: ['OPEN'] }, 400, 'states.0'],
    [{ endpointId, deliveryId }, 400, 'endpointId'],
    [{ deliveryId, since }, 400, 'since'],
    [{ deliveryId }, 404, 'deliveryId'],
    [{ deliveryId: 'dlv_x' }, 404, 'deliveryId'],
    [{ deliveryId: 7 }, 400, 'deliveryId'],
    [{ endpointId: 987_654, since }, 404, 'endpointId'],
  ] as const) {
    const { status: answered, body } = await florin.post('/api/webhook/replay', input, as);
    expect({ input, answered, field: body.error.field }).toEqual({ input, answered: status, field });
  }
  for (const id of ['rpl_x', `rpl_${'0'.repeat(32)}`]) {
    expect((await florin.get(`/api/webhook/replay/detail?id=${id}`, as)).status).toBe(404);
  }
});
