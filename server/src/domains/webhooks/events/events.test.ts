import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makePayment,
  makeTenant,
} from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { aTime } from '../../../../tests/support/shapes.ts';
import { dayMs, utcDay } from '../../../core/clock.ts';
import { firstUuidAt } from '../../../core/id.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let as: string;
let tenantId: number;
let payments: string[];

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  tenantId = await makeTenant(florin, admin);
  ({ as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId }));
  const channelId = await makeChannel(florin, as);
  payments = [];
  for (const status of ['PROCESSING', 'SUCCESS', 'FAILED']) {
    const id = await makePayment(florin, as, channelId, { description: 'Zwei Kaffee ☕', metadata: { b: 1, a: [2] } });
    payments.push(id);
    dataOf(await florin.post('/api/transaction/update', { id, status }, as));
  }
  await db.query(`insert into event select $1, $2::uuid, 'invoice.paid', 'inv_1', now(), '{"id":"evt_x"}'`, [
    tenantId,
    // Time-ordered like the id of every event; a random id would sometimes sort before the payments.
    firstUuidAt(Date.now() + 1),
  ]);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const list = (query: object = {}, who = as) => florin.get(`/api/event/list?${new URLSearchParams({ ...query })}`, who);
const typesOf = async (query: object, who = as): Promise<string[]> =>
  dataOf(await list(query, who)).map(({ type }: { type: string }) => type);

test('the list shows events, newest first', async () => {
  const { body } = await list({ type: 'transaction.created' });
  expect(body.pagination).toEqual({ pageSize: 20, next: null, nextCursor: null });
  expect(body.data.map(({ objectId }: { objectId: string }) => objectId)).toEqual(payments.toReversed());
  expect(body.data[0]).toEqual({
    ...{ id: expect.stringMatching(/^evt_[0-9a-f]{32}$/), tenantId: String(tenantId), type: 'transaction.created' },
    livemode: true,
    ...{ objectId: payments[2], createdTime: aTime },
  });
  expect(await typesOf({})).toHaveLength(7);
});

test('the list can be filtered by type, record and days', async () => {
  const [first, second] = payments as [string, string];
  expect(await typesOf({ objectId: first })).toEqual(['transaction.processing', 'transaction.created']);
  expect(await typesOf({ objectId: second, type: 'transaction.succeeded' })).toEqual(['transaction.succeeded']);
  expect(await typesOf({ objectId: second, type: 'transaction.created' })).toEqual(['transaction.created']);
  expect(await typesOf({ objectId: first, pageSize: 1 })).toEqual(['transaction.processing']);
  expect(await typesOf({ objectId: 'inv_1' })).toEqual(['invoice.paid']);
  expect(await typesOf({ objectId: 'txn_none' })).toEqual([]);
  expect(await typesOf({ type: 'transaction.failed', startDate: utcDay(Date.now() - dayMs) })).toHaveLength(1);
  expect(await typesOf({ type: 'transaction.failed', endDate: '2020-01-01' })).toEqual([]);
});

test('a page continues where the previous page ended', async () => {
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const { body }: Awaited<ReturnType<typeof list>> = await list({ pageSize: 3, ...(after && { after }) });
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    after = body.pagination.next;
  } while (after !== null);
  expect(seen).toHaveLength(7);
  expect(new Set(seen).size).toBe(7);
  const first = (await list({ pageSize: 3, type: 'transaction.created' })).body.pagination;
  expect(first).toEqual({ pageSize: 3, next: null, nextCursor: null });
  const { nextCursor: cursor } = (await list({ pageSize: 4 })).body.pagination;
  expect(dataOf(await list({ cursor })).map(({ id }: { id: string }) => id)).toEqual(seen.slice(4));
  expect((await list({ cursor, type: 'transaction.created' })).body.error).toMatchObject({ field: 'cursor' });
  const ofOne = await list({ objectId: payments[0], pageSize: 1 });
  const rest = await typesOf({ objectId: payments[0], pageSize: 1, after: ofOne.body.pagination.next });
  expect(rest).toEqual(['transaction.created']);
});

test('a search finds an event and the events of a record; payloads come on request', async () => {
  const [{ id }] = dataOf(await list({ type: 'transaction.failed' }));
  const [found, ...others] = dataOf(await list({ search: id, fields: 'payload' }));
  expect(others).toEqual([]);
  expect(found).toMatchObject({ id, payload: { id, type: 'transaction.failed' } });
  expect(await typesOf({ search: payments[0] })).toEqual(['transaction.processing', 'transaction.created']);
  expect(await typesOf({ search: 'evt_00000000000000000000000000000000' })).toEqual([]);
  expect(dataOf(await list({ search: payments[0] }))[0]).not.toHaveProperty('payload');
});

test('only a platform administrator lists the events of a tenant', async () => {
  expect(await typesOf({ tenantId }, admin)).toHaveLength(7);
  expect(await typesOf({ tenantId: 0 }, admin)).toEqual([]);
  expect((await list({ tenantId })).body.error).toMatchObject({ type: 'role_missing', field: 'tenantId' });
});

test('the detail contains the exact payload of the deliveries', async () => {
  const [{ id }] = dataOf(await list({ objectId: payments[1], type: 'transaction.succeeded' }));
  const response = await fetch(`${florin.address}/api/event/detail?id=${id}`, { headers: { authorization: as } });
  const text = await response.text();
  const [row] = await db.query<{ body: string }>(`select body from event where type = 'transaction.succeeded'`);
  expect(text).toContain(`"payload":${row?.body}`);
  const { data } = JSON.parse(text);
  expect(data).toMatchObject({ id, type: 'transaction.succeeded', objectId: payments[1], createdTime: aTime });
  expect(data.payload).toMatchObject({ id, data: { object: { id: payments[1], status: 'SUCCESS' } } });
});

test('a caller sees only events of its own tenant, and only types whose read scope it holds', async () => {
  const { as: reader } = await makeKey(florin, as, 'transaction_read');
  const { as: invoices } = await makeKey(florin, as, 'invoice_read');
  const { as: nobody } = await makeKey(florin, as, 'transaction_write');
  expect(await typesOf({}, invoices)).toEqual(['invoice.paid']);
  expect(await typesOf({}, reader)).not.toContain('invoice.paid');
  expect(await typesOf({ objectId: payments[0] }, invoices)).toEqual([]);
  expect(await typesOf({}, nobody)).toEqual([]);
  const other = await makeTenant(florin, admin);
  const { as: stranger } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: other });
  expect(await typesOf({}, stranger)).toEqual([]);
  expect(await typesOf({ objectId: payments[0] }, stranger)).toEqual([]);
  expect(await typesOf({}, admin)).toHaveLength(7);

  const [{ id }] = dataOf(await list({ type: 'transaction.created' }));
  const detail = async (who: string) => (await florin.get(`/api/event/detail?id=${id}`, who)).status;
  expect([await detail(as), await detail(admin), await detail(reader)]).toEqual([200, 200, 200]);
  expect([await detail(invoices), await detail(stranger)]).toEqual([403, 404]);
});

test.each([
  ['list?after=x', 400],
  ['list?after=dlv_00000000000000000000000000000000', 400],
  ['list?type=webhook.ping', 400],
  ['list?type=*', 400],
  ['list?pageSize=0', 400],
  ['list?objectId=%00', 400],
  ['detail', 400],
  ['detail?id=x', 404],
  ['detail?id=evt_00000000000000000000000000000000', 404],
])('GET /api/event/%s is refused', async (path, status) => {
  expect((await florin.get(`/api/event/${path}`, as)).status).toBe(status);
});
