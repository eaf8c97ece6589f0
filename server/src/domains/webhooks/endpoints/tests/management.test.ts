import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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
import { anInteger, aRefusal, aTime } from '../../../../../tests/support/shapes.ts';
import { type Receiver, startReceiver } from '../../../../../tests/support/webhooks/receiver.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let db: TestDatabase;
let florin: TestFlorin;
let receiver: Receiver;
let admin: string;
let tenantId: number;
let as: string;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  receiver = await startReceiver();
  admin = await administratorOf(florin);
});

afterAll(async () => {
  await florin.stop();
  await receiver.close();
  await db.drop();
});

beforeEach(async () => {
  tenantId = await makeTenant(florin, admin);
  ({ as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId }));
  channelId = await makeChannel(florin, as);
  receiver.received.length = 0;
  receiver.answering = 200;
});

const post = (path: string, body: object, who = as) => florin.post(`/api/webhook/${path}`, body, who);
const saved = async (path: string, body: object) => dataOf(await post(path, body));
const registered = async (body: object = {}): Promise<number> =>
  (await saved('register', { url: `${receiver.url}/hook`, events: ['*'], secret, ...body })).id;
const listed = async (who = as) => dataOf(await florin.get('/api/webhook/list', who));
const arrived = (count: number) =>
  eventually(`${count} deliveries arrive`, () => receiver.received.length >= count && [...receiver.received]);

describe('list', () => {
  test('shows endpoints without their secrets, newest first, in pages', async () => {
    const first = await registered({ events: ['invoice.paid'] });
    const second = await registered();
    await saved('rotate', { id: second, secret: 'the next one of them' });
    const reply = await florin.get('/api/webhook/list', as);
    expect(reply.body.pagination).toEqual({ page: 1, pageSize: 20, total: 2, totalPages: 1 });
    const untroubled = { disabledReason: null, failingSince: null, pausedUntil: null };
    expect(reply.body.data).toEqual([
      {
        ...untroubled,
        ...{
          id: second,
          livemode: true,
          tenantId: String(tenantId),
          url: `${receiver.url}/hook`,
          events: ['*'],
          state: true,
        },
        ...{ maxInFlight: null, ratePerSecond: null, nextSecret: true, promoteAt: null },
        ...{ createdTime: aTime, updatedTime: aTime },
      },
      expect.objectContaining({
        id: first,
        events: ['invoice.paid'],
        nextSecret: false,
        updatedTime: expect.any(String),
      }),
    ]);
    expect((await florin.get('/api/webhook/list?page=2&pageSize=1', as)).body).toMatchObject({
      data: [{ id: first }],
      pagination: { page: 2, pageSize: 1, total: 2, totalPages: 2 },
    });
    expect(JSON.stringify(reply.body)).not.toMatch(/whsec_|sealed|the next one/);
  });

  test('shows endpoints of the caller’s tenant whose events the caller may all read', async () => {
    const payments = await registered({ events: ['transaction.*'] });
    await registered({ events: ['transaction.created', 'invoice.paid'] });
    await registered({ events: ['*'] });
    const { as: reader } = await makeKey(florin, as, 'transaction_read,webhook_read,webhook_write');
    const { as: nobody } = await makeKey(florin, as, 'channel_write,webhook_read');
    const other = await makeTenant(florin, admin);
    const { as: stranger } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: other });
    expect((await listed(reader)).map(({ id }: { id: number }) => id)).toEqual([payments]);
    expect(await listed(nobody)).toEqual([]);
    expect(await listed(stranger)).toEqual([]);
    expect(await listed()).toHaveLength(3);
    expect((await listed(admin)).length).toBeGreaterThanOrEqual(3);
  });
});

describe('modify', () => {
  test('changes the given fields and keeps the others', async () => {
    const id = await registered();
    const url = `${receiver.url}/elsewhere`;
    expect(await saved('modify', { id, url, maxInFlight: 3, ratePerSecond: 50 })).toMatchObject({
      ...{ id, url, events: ['*'], state: true, maxInFlight: 3, ratePerSecond: 50, updatedTime: aTime },
    });
    expect(await saved('modify', { id, events: ['invoice.*', 'invoice.*'], maxInFlight: null })).toMatchObject({
      ...{ url, events: ['invoice.*'], maxInFlight: null, ratePerSecond: 50 },
    });
    expect(await saved('modify', { id, state: false })).toMatchObject({ url, events: ['invoice.*'], state: false });
    expect(await listed()).toMatchObject([{ id, url, events: ['invoice.*'], state: false }]);
  });

  test('affects the next event', async () => {
    const id = await registered();
    await saved('modify', { id, url: `${receiver.url}/new` });
    await makePayment(florin, as, channelId);
    expect((await arrived(1)).map(({ path }) => path)).toEqual(['/new']);
    await saved('modify', { id, state: false });
    await makePayment(florin, as, channelId);
    await saved('modify', { id, state: true });
    const last = await makePayment(florin, as, channelId);
    const [, second] = await arrived(2);
    expect(JSON.parse(String(second?.body)).data.object.id).toBe(last);
  });

  test('enables an endpoint that Florin disabled, and clears its failures', async () => {
    const id = await registered();
    receiver.answering = 410;
    await makePayment(florin, as, channelId);
    await eventually('it is disabled', async () => (await listed())[0].state === false);
    expect(await listed()).toMatchObject([{ id, state: false, disabledReason: 'gone' }]);
    receiver.answering = 200;
    expect(await saved('modify', { id, state: true })).toMatchObject({
      ...{ state: true, disabledReason: null, failingSince: null, pausedUntil: null },
    });
    await makePayment(florin, as, channelId);
    await arrived(2);
  });

  test('refuses invalid input naming the field', async () => {
    const id = await registered();
    for (const [wrong, type, field] of [
      [{}, 'invalid_request', 'id'],
      [{ url: 'ftp://example.com' }, 'invalid_request', 'url'],
      [{ url: 'http://a:b@example.com' }, 'invalid_request', 'url'],
      [{ url: 'http://169.254.169.254/' }, 'webhook_address_forbidden', 'url'],
      [{ events: [] }, 'invalid_request', 'events'],
      [{ events: ['webhook.ping'] }, 'invalid_request', 'events.0'],
      [{ secret: 'does not belong here' }, 'invalid_request', 'secret'],
      [{ state: 'off' }, 'invalid_request', 'state'],
      [{ maxInFlight: 0 }, 'invalid_request', 'maxInFlight'],
      [{ maxInFlight: 10_001 }, 'invalid_request', 'maxInFlight'],
      [{ ratePerSecond: 1.5 }, 'invalid_request', 'ratePerSecond'],
    ] as const) {
      const { status, body } = await post('modify', { id, ...wrong });
      expect({ wrong, status, body }).toEqual({ wrong, status: 400, body: aRefusal(400, { type, field }) });
    }
  });

  test('refuses subscriptions and URLs from callers who may not read the events', async () => {
    const payments = await registered({ events: ['transaction.*'] });
    const everything = await registered();
    const { as: reader } = await makeKey(florin, as, 'transaction_read,webhook_read,webhook_write');
    expect(await post('modify', { id: payments, events: ['invoice.paid'] }, reader)).toMatchObject({
      status: 403,
      body: { error: { type: 'scope_missing', details: { scope: 'invoice_read' } } },
    });
    expect((await post('modify', { id: everything, url: `${receiver.url}/mine` }, reader)).status).toBe(403);
    expect((await post('modify', { id: payments, url: `${receiver.url}/mine` }, reader)).status).toBe(200);
  });

  test('refuses a new URL from a caller who may not read the events of open deliveries', async () => {
    receiver.answering = 500;
    const narrowed = await registered();
    await makePayment(florin, as, channelId);
    await arrived(1);
    await db.query(
      `update event set type = 'invoice.paid' where (tenant_id, id) in (
         select tenant_id, event_id from delivery where endpoint_id = $1)`,
      [narrowed],
    );
    await saved('modify', { id: narrowed, events: ['transaction.created'] });
    const { as: reader } = await makeKey(florin, as, 'transaction_read,webhook_read,webhook_write');
    expect(await post('modify', { id: narrowed, url: `${receiver.url}/mine` }, reader)).toMatchObject({
      status: 403,
      body: { error: { type: 'scope_missing', details: { scope: 'invoice_read' } } },
    });
    expect((await post('modify', { id: narrowed, url: `${receiver.url}/ours` })).status).toBe(200);
  });
});

describe('remove', () => {
  test('removes an endpoint, cancels its open deliveries, and keeps its delivery history', async () => {
    const id = await registered();
    await makePayment(florin, as, channelId);
    await arrived(1);
    receiver.answering = 500;
    await makePayment(florin, as, channelId);
    await arrived(2);
    const deliveries = async () => dataOf(await florin.get(`/api/webhook/delivery/list?endpointId=${id}`, as));
    await eventually('the failure is recorded', async () => (await deliveries())[0].attemptCount === 1);
    expect(await saved('remove', { id })).toMatchObject({ id, state: false });
    expect((await deliveries()).map(({ state }: { state: string }) => state)).toEqual(['CANCELLED', 'SUCCEEDED']);
    expect(await listed()).toEqual([]);
    await makePayment(florin, as, channelId);
    expect(await deliveries()).toHaveLength(2);
    for (const [path, body] of [
      ['modify', { id, state: true }],
      ['rotate', { id, secret: 'the next one of them' }],
      ['test', { id }],
    ] as const) {
      expect((await post(path, body)).status).toBe(404);
    }
    expect((await post('replay', { endpointId: id, since: '2026-01-01T00:00:00Z' })).status).toBe(404);
    expect(await saved('remove', { id })).toMatchObject({ id, state: false });
  });
});

describe('test', () => {
  test('sends a ping to that endpoint only, and lists its delivery like any other', async () => {
    const id = await registered({ events: ['invoice.paid'] });
    await registered({ url: `${receiver.url}/other` });
    const { deliveryId } = await saved('test', { id });
    const [ping] = await arrived(1);
    expect(ping).toMatchObject({
      path: '/hook',
      headers: { 'x-service-event': 'webhook.ping', 'x-service-delivery': deliveryId },
    });
    expect(JSON.parse(String(ping?.body))).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'webhook.ping',
      created: anInteger,
      apiVersion: '1.0.1',
      livemode: true,
      data: { object: { id, events: ['invoice.paid'], createdTime: aTime } },
    });
    const detail = () => florin.get(`/api/webhook/delivery/detail?id=${deliveryId}`, as);
    await eventually('the attempt is recorded', async () => (await detail()).body.data.state === 'SUCCEEDED');
    expect((await detail()).body.data).toMatchObject({ eventType: 'webhook.ping', endpointId: id, attemptCount: 1 });
    // A ping is not listed among the events.
    expect(dataOf(await florin.get('/api/event/list', as))).toEqual([]);
    await saved('test', { id });
    await arrived(2);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook']);
  });

  test('goes before what waits, also to an endpoint that is paused, and takes no attempt of the others', async () => {
    const id = await registered({ events: ['customer.created'] });
    receiver.answering = 500;
    await db.query(
      `update webhook_endpoint set open_until = now() + interval '1 hour', first_failure_at = now() where id = $1`,
      [id],
    );
    for (const name of ['Ada', 'Grace', 'Hedy']) await florin.post('/api/customer/modify', { name }, as);
    const { deliveryId } = await saved('test', { id });
    const delivery = async () => dataOf(await florin.get(`/api/webhook/delivery/detail?id=${deliveryId}`, as));
    await eventually('the ping is answered', async () => (await delivery()).attemptCount === 1);
    expect(await delivery()).toMatchObject({ state: 'OPEN', lastStatus: 500 });
    const others = dataOf(await florin.get('/api/webhook/delivery/list?eventType=customer.created', as));
    expect(others.map(({ attemptCount }: { attemptCount: number }) => attemptCount)).toEqual([0, 0, 0]);
    expect((await listed())[0].pausedUntil).toEqual(aTime);
  });

  test('is refused for a disabled endpoint', async () => {
    const id = await registered();
    await saved('modify', { id, state: false });
    const { status, body } = await post('test', { id });
    expect({ status, body }).toEqual({
      status: 409,
      body: aRefusal(409, { type: 'webhook_inactive', details: { id } }),
    });
  });
});

test('`retry` ends a pause, and what waits for its next try is sent now', async () => {
  receiver.answering = 500;
  const id = await registered({ events: ['transaction.created'] });
  const other = await registered({ url: `${receiver.url}/other`, events: ['transaction.created'] });
  await makePayment(florin, as, channelId);
  const waiting = async (endpointId: number) => {
    const query = `endpointId=${endpointId}&state=OPEN`;
    return dataOf(await florin.get(`/api/webhook/delivery/list?${query}`, as))[0];
  };
  const tried = (delivery?: { attemptCount: number }) => delivery !== undefined && delivery.attemptCount > 0;
  await eventually('both are tried', async () => tried(await waiting(id)) && tried(await waiting(other)));
  await db.query(`update webhook_endpoint set open_until = now() + interval '1 hour' where id = any ($1)`, [
    [id, other],
  ]);
  receiver.answering = 200;
  receiver.received.length = 0;

  expect(await saved('modify', { id, retry: true })).toMatchObject({ pausedUntil: null, state: true });
  await arrived(1);
  await eventually('it has succeeded', async () => (await waiting(id)) === undefined);
  expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
  expect((await waiting(other)).attemptCount).toBe(1);
  expect(await post('modify', { id, retry: false })).toMatchObject({
    status: 400,
    body: { error: { type: 'invalid_request', field: 'id' } },
  });
});

test('an endpoint of another tenant and an absent endpoint get the same 404', async () => {
  const id = await registered();
  const deliveryId = (await saved('test', { id })).deliveryId;
  const other = await makeTenant(florin, admin);
  const { as: stranger } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: other });
  const absent = 987_654;
  const nowhere = `dlv_${'0'.repeat(32)}`;
  const seen = async (
    path: string,
    body: (id: number | string) => object,
    mine: number | string,
    none: number | string,
  ) => {
    const replies = await Promise.all([mine, none].map((one) => post(path, body(one), stranger)));
    const [foreign, missing] = replies.map(({ status, body: answer }) => {
      const text = JSON.stringify({ ...answer, error: { ...answer.error, requestId: '' } });
      return { status, text: text.replaceAll(String(mine), 'ID').replaceAll(String(none), 'ID') };
    });
    expect(foreign).toEqual(missing);
    expect(foreign?.status).toBe(404);
  };
  await seen('modify', (one) => ({ id: one, state: false }), id, absent);
  await seen('remove', (one) => ({ id: one }), id, absent);
  await seen('rotate', (one) => ({ id: one, secret: 'the next one of them' }), id, absent);
  await seen('test', (one) => ({ id: one }), id, absent);
  await seen('replay', (one) => ({ endpointId: one, since: '2026-01-01T00:00:00Z' }), id, absent);
  await seen('replay', (one) => ({ deliveryId: one }), deliveryId, nowhere);
  for (const address of [`delivery/detail?id=${deliveryId}`, `delivery/list?endpointId=${id}`]) {
    expect((await florin.get(`/api/webhook/${address}`, stranger)).status).toBe(404);
  }
});
