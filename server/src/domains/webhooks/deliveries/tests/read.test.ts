import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makePayment,
  makeTenant,
} from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { aTime } from '../../../../../tests/support/shapes.ts';
import { type Receiver, startReceiver } from '../../../../../tests/support/webhooks/receiver.ts';
import { dayMs, utcDay } from '../../../../core/clock.ts';
import { uuidOfPublicId } from '../../../../core/id.ts';
import type { Principal } from '../../../../core/principal.ts';
import { scopes } from '../../../../core/scopes.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { readDelivery } from '../read.ts';
import { findDelivery } from '../statements.ts';

const secret = 'a secret both sides know';

let db: TestDatabase;
let florin: TestFlorin;
let receiver: Receiver;
let admin: string;
let as: string;
let tenantId: number;
let channelId: number;
let first: number;
let second: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_WEBHOOK_RETRY_INTERVALS: '0.02,0.02' });
  receiver = await startReceiver(({ path }, _request, response) => {
    const isRefusing = path === '/refusing';
    response.writeHead(isRefusing ? 422 : 200, { 'x-answered-by': 'the receiver', 'set-cookie': 'a=b' });
    response.end(isRefusing ? Buffer.from([0x6e, 0x6f, 0x00, 0xff, 0x21]) : 'thank you ☕');
  });
  admin = await administratorOf(florin);
  tenantId = await makeTenant(florin, admin);
  ({ as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId }));
  channelId = await makeChannel(florin, as);
  first = await registerEndpoint('/taking', ['*']);
  second = await registerEndpoint('/refusing', ['transaction.created']);
  const id = await makePayment(florin, as, channelId);
  dataOf(await florin.post('/api/transaction/update', { id, status: 'SUCCESS' }, as));
  await makePayment(florin, as, channelId);
  await eventually('all is over', async () => {
    const [row] = await db.query<{ count: number }>(`select count(*) as count from delivery where state = 'OPEN'`);
    return row?.count === 0;
  });
});

afterAll(async () => {
  await florin.stop();
  await receiver.close();
  await db.drop();
});

async function registerEndpoint(path: string, events: string[], who = as): Promise<number> {
  const hook = { url: receiver.url + path, events, secret };
  return dataOf(await florin.post('/api/webhook/register', hook, who)).id;
}

const list = async (query: object = {}, who = as) => {
  const { status, body } = await florin.get(`/api/webhook/delivery/list?${new URLSearchParams({ ...query })}`, who);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
};
/** Every page, one after the other. */
async function walk(query: object, who = as) {
  const pages = [await list(query, who)];
  for (let after = pages[0].pagination.next; after !== null; after = pages.at(-1).pagination.next) {
    pages.push(await list({ ...query, after }, who));
  }
  return pages;
}
const detail = async (id: string) => dataOf(await florin.get(`/api/webhook/delivery/detail?id=${id}`, as));

describe('the list of deliveries', () => {
  test('contains every delivery of the tenant, latest events first', async () => {
    const { data, pagination } = await list();
    expect(pagination).toEqual({ pageSize: 20, next: null, nextCursor: null });
    expect(data).toHaveLength(5);
    const events = data.map(({ eventId }: { eventId: string }) => eventId);
    expect(events).toEqual(events.toSorted().reverse());
    const { eventId, objectId } = data.find(({ eventType }: { eventType: string }) => eventType.endsWith('succeeded'));
    expect(data).toContainEqual({
      ...{ id: expect.stringMatching(/^dlv_[0-9a-f]{32}$/), sentAs: expect.stringMatching(/^dlv_/) },
      ...{ tenantId: String(tenantId), livemode: true, endpointId: first, url: `${receiver.url}/taking` },
      ...{ eventId, eventType: 'transaction.succeeded', objectId, state: 'SUCCEEDED' },
      ...{ attemptCount: 1, lastStatus: 200, lastOutcome: 'ok', nextAttemptTime: null },
      ...{ createdTime: aTime, finishedTime: aTime },
    });
  });

  test('can be filtered by endpoint, state, event type, event and days', async () => {
    const count = async (query: object) => (await list(query)).data.length;
    const [{ eventId }] = (await list({ state: 'FAILED' })).data;
    const today = utcDay(Date.now());
    const yesterday = utcDay(Date.now() - 2 * dayMs);
    expect(await count({ endpointId: first })).toBe(3);
    expect(await count({ endpointId: second })).toBe(2);
    expect(await count({ state: 'FAILED' })).toBe(2);
    expect(await count({ state: 'SUCCEEDED' })).toBe(3);
    expect(await count({ state: 'OPEN' })).toBe(0);
    expect(await count({ state: 'FAILED', endpointId: first })).toBe(0);
    expect(await count({ eventType: 'transaction.created' })).toBe(4);
    expect(await count({ eventType: 'webhook.ping' })).toBe(0);
    expect(await count({ eventId })).toBe(2);
    expect(await count({ eventId, endpointId: second })).toBe(1);
    expect(await count({ eventId: `evt_${'f'.repeat(32)}` })).toBe(0);
    expect(await count({ startDate: yesterday, endDate: today })).toBe(5);
    expect(await count({ endDate: yesterday })).toBe(0);
    expect(await count({ startDate: '0001-01-01', endDate: '9999-12-31' })).toBe(5);
    const { data, pagination } = await list({ pageSize: 4 });
    expect(await count({ cursor: pagination.nextCursor })).toBe(1);
    expect((await list({ search: data[0].id })).data).toEqual(data.slice(0, 1));
    expect(await count({ search: eventId })).toBe(2);
    expect(await count({ search: eventId, endpointId: second })).toBe(1);
  });

  test('continues where the last page ended and contains each delivery once', async () => {
    const pages = await walk({ pageSize: 2 });
    const seen = pages.flatMap(({ data }) => data.map(({ id }: { id: string }) => id));
    expect(pages).toHaveLength(3);
    expect(seen).toEqual((await list()).data.map(({ id }: { id: string }) => id));
  });

  test('finds matches behind tens of thousands of other deliveries, page by page', async () => {
    const tenant = await makeTenant(florin, admin);
    const { as: other } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: tenant });
    const [rare, busy] = [await registerEndpoint('/rare', ['*'], other), await registerEndpoint('/busy', ['*'], other)];
    await db.query(
      `with row as (
         select n, lpad(to_hex(1700000000000 + n), 12, '0') as moment from generate_series(1, 25000) as n
       ), event as (
         insert into event
         select $1, (left(moment, 8) || '-' || right(moment, 4) || '-7000-8000-000000000000')::uuid,
                'invoice.paid', 'inv_' || n, now(), '{}' from row
       )
       insert into delivery (tenant_id, id, event_id, endpoint_id, state, due_at, created_at, finished_at)
       select $1, (left(moment, 8) || '-' || right(moment, 4) || '-4000-8000-000000000000')::uuid,
              (left(moment, 8) || '-' || right(moment, 4) || '-7000-8000-000000000000')::uuid,
              case when n in (1, 2, 12000) then $2 else $3 end::bigint, 'SUCCEEDED', now(), now(), now()
         from row`,
      [tenant, rare, busy],
    );
    for (const who of [other, admin]) {
      const pages = await walk({ endpointId: rare }, who);
      const found = pages.flatMap(({ data }) => data.map(({ objectId }: { objectId: string }) => objectId));
      expect(found).toEqual(['inv_12000', 'inv_2', 'inv_1']);
      expect(pages.length).toBeGreaterThanOrEqual(3);
    }
    await db.query('delete from delivery where tenant_id = $1', [tenant]);
  });

  test('contains only deliveries to endpoints that the caller may manage', async () => {
    const { as: reader } = await makeKey(florin, as, 'transaction_read,webhook_read,webhook_write');
    const endpoints = (await list({}, reader)).data.map(({ endpointId }: { endpointId: number }) => endpointId);
    expect(new Set(endpoints)).toEqual(new Set([second]));
    const { as: nobody } = await makeKey(florin, as, 'user_read,webhook_read');
    expect((await list({}, nobody)).data).toEqual([]);
    const ids = (await list({}, admin)).data.map(({ id }: { id: string }) => id);
    for (const { id } of (await list()).data) expect(ids).toContain(id);
  });

  test.each([
    ['after=x', 'after'],
    ['search=txn_1', 'search'],
    ['cursor=x', 'cursor'],
    ['after=evt_00000000000000000000000000000000', 'after'],
    ['eventId=1', 'eventId'],
    ['state=DONE', 'state'],
    ['eventType=transaction.*', 'eventType'],
    ['endpointId=0', 'endpointId'],
    ['endpointId=1e3', 'endpointId'],
    ['pageSize=101', 'pageSize'],
    ['startDate=2026-02-30', 'startDate'],
    ['startDate=2026-02-02&endDate=2026-02-01', 'startDate'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await florin.get(`/api/webhook/delivery/list?${query}`, as);
    expect({ status, field: body.error.field }).toEqual({ status: 400, field });
  });
});

describe('the detail of a delivery', () => {
  test('shows every attempt with its answer', async () => {
    const [{ id }] = (await list({ state: 'FAILED' })).data;
    const { attempts, ...delivery } = await detail(id);
    expect(delivery).toMatchObject({
      id,
      sentAs: id,
      state: 'FAILED',
      attemptCount: 3,
      runs: [{ id, state: 'FAILED' }],
    });
    expect(attempts).toHaveLength(3);
    expect(attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3]);
    expect(attempts[0]).toEqual({
      ...{ number: 1, time: aTime, durationMs: expect.any(Number), status: 422, outcome: 'http_status' },
      ...{ resent: false, address: expect.stringContaining('127.0.0.1'), responseBody: 'no\0\ufffd!' },
      responseHeaders: expect.objectContaining({ 'x-answered-by': 'the receiver' }),
    });
    expect(attempts[0].responseHeaders).not.toHaveProperty('set-cookie');
    const [{ id: good }] = (await list({ state: 'SUCCEEDED' })).data;
    expect((await detail(good)).attempts).toMatchObject([{ status: 200, outcome: 'ok', responseBody: 'thank you ☕' }]);
  });

  test('is of one moment: an attempt that is recorded meanwhile is in none of it', async () => {
    const [{ id }] = (await list({ endpointId: first })).data;
    const uuid = uuidOfPublicId('dlv', id) as string;
    const recordAttempt = async () => {
      await db.query(
        `insert into delivery_attempt (tenant_id, delivery_id, number, attempted_at, duration_ms, outcome)
         values ($1, $2, 2, now(), 1, 'ok')`,
        [tenantId, uuid],
      );
      await db.query('update delivery set attempts = 2 where id = $1', [uuid]);
    };
    const meanwhile: Pick<Database, 'snapshot'> = {
      snapshot: (work) =>
        db.database.snapshot((snapshot) =>
          work({
            copyOut: (text) => snapshot.copyOut(text),
            run: async (statement, values) => {
              const rows = await snapshot.run(statement, values);
              if ((statement as unknown) === findDelivery) await recordAttempt();
              return rows;
            },
          }),
        ),
    };
    const principal = { userType: 'MERCHANT_ADMIN', tenantId, scopes: new Set(scopes) } as unknown as Principal;
    const read = await readDelivery(meanwhile, id, principal, { keepsAnswersOf: () => true });
    expect([read.attemptCount, read.attempts.length]).toEqual([1, 1]);
    await db.query('delete from delivery_attempt where delivery_id = $1 and number = 2', [uuid]);
    await db.query('update delivery set attempts = 1 where id = $1', [uuid]);
  });

  test.each(['dlv_x', `dlv_${'0'.repeat(32)}`, `evt_${'0'.repeat(32)}`, 'x'])('of %s is not found', async (id) => {
    expect((await florin.get(`/api/webhook/delivery/detail?id=${id}`, as)).status).toBe(404);
  });

  test('needs the permissions to manage the endpoint', async () => {
    const [{ id }] = (await list({ endpointId: first })).data;
    const { as: reader } = await makeKey(florin, as, 'transaction_read,webhook_read,webhook_write');
    expect((await florin.get(`/api/webhook/delivery/detail?id=${id}`, reader)).status).toBe(403);
  });
});

test('deliveries of types no longer subscribed are shown to callers who may read those types', async () => {
  const narrowed = await registerEndpoint('/taking', ['*']);
  await makePayment(florin, as, channelId);
  const [{ id, eventId }] = await eventually('it is sent', async () => {
    const { data } = await list({ endpointId: narrowed, state: 'SUCCEEDED' });
    return data.length > 0 && data;
  });
  await db.query(`update event set type = 'invoice.paid' where 'evt_' || replace(id::text, '-', '') = $1`, [eventId]);
  dataOf(await florin.post('/api/webhook/modify', { id: narrowed, events: ['transaction.created'] }, as));
  const { as: reader } = await makeKey(florin, as, 'transaction_read,webhook_read,webhook_write');
  expect((await list({ endpointId: narrowed }, reader)).data).toEqual([]);
  expect((await list({ endpointId: narrowed })).data).toMatchObject([{ id, eventType: 'invoice.paid' }]);
  const refusal = { status: 403, body: { error: { type: 'scope_missing', details: { scope: 'invoice_read' } } } };
  expect(await florin.get(`/api/webhook/delivery/detail?id=${id}`, reader)).toMatchObject(refusal);
  expect(await florin.post('/api/webhook/replay', { deliveryId: id }, reader)).toMatchObject(refusal);
  expect((await detail(id)).state).toBe('SUCCEEDED');
});
