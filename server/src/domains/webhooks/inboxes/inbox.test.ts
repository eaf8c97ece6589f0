import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makePayment,
  makeTenant,
} from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { anInteger, aRefusal, aTime } from '../../../../tests/support/shapes.ts';
import { dayMs } from '../../../core/clock.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { deleteExpiredInboxes } from './statements.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let aheadMs = 0;
const now = () => Date.now() + aheadMs;

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let as: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_PUBLIC_URL: 'https://pay.example' }, now);
  admin = await administratorOf(florin);
});

beforeEach(async () => {
  const tenantId = await makeTenant(florin, admin);
  ({ as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId }));
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const create = async (input: object = {}) => dataOf(await florin.post('/api/inbox/create', input, as));
const messages = async (id: number, more = '') => dataOf(await florin.get(`/api/inbox/messages?id=${id}${more}`, as));

async function send(token: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await fetch(`${florin.address}/inbox/${token}`, { method: 'POST', headers, body });
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its expectations what the body holds
  const answer: any = await response.json();
  return { status: response.status, headers: response.headers, body: answer };
}

test('a key sees the inboxes of its mode alone, a session both', async () => {
  const [live, tests] = [await create(), await create({ livemode: false })];
  const { as: key } = await makeKey(florin, as, '*');
  const listed = async (caller: string, query = '') =>
    dataOf(await florin.get(`/api/inbox/list${query}`, caller)).map(({ id }: { id: number }) => id);
  expect(await listed(key)).toEqual([live.id]);
  expect(await listed(as)).toEqual([tests.id, live.id]);
  expect(await listed(as, '?livemode=false')).toEqual([tests.id]);
  expect((await florin.get(`/api/inbox/messages?id=${tests.id}`, key)).status).toBe(404);
});

test('deliveries arrive with two signatures that verify', async () => {
  const inbox = await create({ secret });
  expect(inbox).toEqual({
    ...{ id: anInteger, livemode: true, hasSecret: true, createdTime: aTime, expiresTime: aTime },
    ...{ token: expect.stringMatching(/^[A-Za-z0-9]{32}$/), url: `https://pay.example/inbox/${inbox.token}` },
  });
  const url = `${florin.address}/inbox/${inbox.token}`;
  const { id } = dataOf(await florin.post('/api/webhook/register', { url, events: ['*'], secret }, as));
  const payment = await makePayment(florin, as, await makeChannel(florin, as));
  const [message] = await eventually('the delivery arrives', async () => {
    const all = await messages(inbox.id);
    return all.length > 0 && all;
  });
  expect(message).toMatchObject({
    ...{ id: expect.stringMatching(/^msg_/), receivedTime: aTime },
    ...{ serviceSignature: 'VERIFIED', standardSignature: 'VERIFIED' },
    headers: { 'x-service-event': 'transaction.created', 'content-type': 'application/json' },
  });
  expect(JSON.parse(message.body).data.object.id).toBe(payment);
  // The answer recorded with the attempt contains the same verdicts.
  const [delivery] = await eventually('the attempt is recorded', async () => {
    const all = dataOf(await florin.get(`/api/webhook/delivery/list?endpointId=${id}&state=SUCCEEDED`, as));
    return all.length > 0 && all;
  });
  const { attempts } = dataOf(await florin.get(`/api/webhook/delivery/detail?id=${delivery.id}`, as));
  expect(JSON.parse(attempts[0].responseBody).data).toEqual({
    serviceSignature: 'VERIFIED',
    standardSignature: 'VERIFIED',
  });
});

test('a staged secret verifies as soon as it signs beside the present one', async () => {
  const next = 'the next one of them';
  const inbox = await create({ secret: next });
  const hook = { url: `${florin.address}/inbox/${inbox.token}`, events: ['*'], secret };
  const { id } = dataOf(await florin.post('/api/webhook/register', hook, as));
  const ping = async (count: number) => {
    dataOf(await florin.post('/api/webhook/test', { id }, as));
    const [{ serviceSignature, standardSignature }] = await eventually('the ping arrives', async () => {
      const all = await messages(inbox.id);
      return all.length === count && all;
    });
    return [serviceSignature, standardSignature];
  };
  expect(await ping(1)).toEqual(['WRONG', 'WRONG']);
  dataOf(await florin.post('/api/webhook/rotate', { id, secret: next }, as));
  expect(await ping(2)).toEqual(['WRONG', 'VERIFIED']);
  dataOf(await florin.post('/api/webhook/rotate', { id, promote: true }, as));
  expect(await ping(3)).toEqual(['VERIFIED', 'VERIFIED']);
});

test('an inbox of a disabled tenant takes no messages, and takes them again when the tenant is enabled', async () => {
  const tenantId = await makeTenant(florin, admin);
  const owner = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const { token } = dataOf(await florin.post('/api/inbox/create', {}, owner.as));
  const statuses = [];
  for (const state of [true, false, true]) {
    dataOf(await florin.post('/api/tenant/modify', { id: tenantId, state }, admin));
    statuses.push((await send(token, 'x')).status);
  }
  expect(statuses).toEqual([200, 404, 200]);
});

test('unsigned and wrongly signed messages are stored with their verdicts, without credentials', async () => {
  const inbox = await create({ secret });
  const bytes = new Uint8Array([0, 255, 1]);
  expect((await send(inbox.token, bytes)).body).toMatchObject({
    code: 200,
    data: { serviceSignature: 'ABSENT', standardSignature: 'ABSENT' },
  });
  const forged = { 'x-service-signature': 'ff', 'webhook-signature': 'v1,AAAA', 'content-type': 'text/plain' };
  expect((await send(inbox.token, 'x', forged)).body.data).toEqual({
    serviceSignature: 'WRONG',
    standardSignature: 'WRONG',
  });
  const credentials = {
    ...{ authorization: 'Bearer of nothing', cookie: 'a=b', 'proxy-authorization': 'Basic x', 'x-api-key': 'key' },
    ...{ 'x-auth-token': 'token', apikey: 'key', 'x-access-token': 'token', 'x-client-secret': 'secret' },
  };
  await send(inbox.token, '', { ...credentials, 'x-other': 'kept' });
  const kept = await messages(inbox.id);
  expect(kept.map(({ body }: { body: string }) => body)).toEqual(['', 'x', '\0\ufffd\u0001']);
  expect(kept[0].headers).toMatchObject({ 'x-other': 'kept' });
  for (const name of Object.keys(credentials)) expect(kept[0].headers).not.toHaveProperty(name);
  const without = await create();
  expect((await send(without.token, 'x', forged)).body.data).toEqual({
    serviceSignature: null,
    standardSignature: null,
  });
});

test('messages of up to 64 KiB are accepted', async () => {
  const { id, token } = await create();
  expect((await send(token, 'x'.repeat(65_536))).status).toBe(200);
  const { status, body } = await send(token, 'x'.repeat(65_537));
  expect({ status, body }).toEqual({ status: 413, body: aRefusal(413, { type: 'body_too_large' }) });
  expect(await messages(id)).toHaveLength(1);
});

test('the last hundred messages are stored, and at most a hundred per second accepted', async () => {
  const { id, token } = await create();
  await db.query(
    `insert into inbox_message (inbox_id, id, received_at, headers, body)
     select $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, now() - interval '1 hour', '{}',
            convert_to(n::text, 'UTF8')
       from generate_series(1, 99) as n`,
    [id],
  );
  for (let i = 100; i <= 102; i++) expect((await send(token, String(i))).status).toBe(200);
  const bodies = (await messages(id, '&pageSize=100')).map(({ body }: { body: string }) => Number(body));
  expect(bodies).toEqual(Array.from({ length: 100 }, (_, i) => 102 - i));
  const page = await florin.get(`/api/inbox/messages?id=${id}&pageSize=99`, as);
  expect(await messages(id, `&after=${page.body.pagination.next}`)).toMatchObject([{ body: '3' }]);

  const { token: flooded } = await create();
  const nowMs = now();
  await db.query(
    `insert into inbox_message (inbox_id, id, received_at, headers, body)
     select (select max(id) from inbox), gen_random_uuid(), to_timestamp($1::float8 / 1000), '{}', ''
         from generate_series(1, 100)`,
    [nowMs + 60_000],
  );
  const { status, headers, body } = await send(flooded, 'one too many');
  expect({ status, body }).toEqual({ status: 429, body: aRefusal(429, { type: 'too_many_requests' }) });
  expect(headers.get('retry-after')).toBe('1');
});

test('the twenty-first inbox of a tenant replaces the oldest', async () => {
  const first = await create();
  for (let i = 0; i < 19; i++) await create();
  expect((await send(first.token, 'x')).status).toBe(200);
  await create();
  expect((await send(first.token, 'x')).status).toBe(404);
  const listed = dataOf(await florin.get('/api/inbox/list', as));
  expect(listed).toHaveLength(20);
  expect(listed[0]).toEqual({
    ...{ id: anInteger, livemode: true, hasSecret: false, createdTime: aTime, expiresTime: aTime, messageCount: 0 },
  });
});

test('an inbox expires after seven days, and the sweep deletes it with its messages', async () => {
  const { id, token } = await create();
  await send(token, 'x');
  aheadMs += 7 * dayMs;
  // The previous session has expired too.
  admin = await administratorOf(florin);
  expect((await send(token, 'x')).status).toBe(404);
  expect((await florin.get(`/api/inbox/messages?id=${id}`, admin)).status).toBe(404);
  await deleteInBatches(db.database, deleteExpiredInboxes, [now()]);
  expect(await db.query('select id from inbox where id = $1', [id])).toEqual([]);
  expect(await db.query('select id from inbox_message where inbox_id = $1', [id])).toEqual([]);
});

test('an inbox belongs to its tenant, and reading it requires the read scope of every event type', async () => {
  const { id, token } = await create({ secret });
  await send(token, 'x');
  const other = await makeTenant(florin, admin);
  const { as: stranger } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: other });
  const { as: reader } = await makeKey(florin, as, 'transaction_read,webhook_read,webhook_write');
  const path = `/api/inbox/messages?id=${id}`;
  expect((await florin.get(path, stranger)).status).toBe(404);
  expect(dataOf(await florin.get('/api/inbox/list', stranger))).toEqual([]);
  for (const reply of [
    await florin.get(path, reader),
    await florin.get('/api/inbox/list', reader),
    await florin.post('/api/inbox/create', {}, reader),
  ]) {
    expect({ status: reply.status, type: reply.body.error.type }).toEqual({ status: 403, type: 'scope_missing' });
  }
  const [row] = await db.query<Record<string, Buffer>>('select token_hash, secret_sealed from inbox where id = $1', [
    id,
  ]);
  const stored = Buffer.concat(Object.values(row ?? {})).toString('latin1');
  expect(stored).not.toContain(token);
  expect(stored).not.toContain(secret);
});

test('unknown and malformed tokens are refused', async () => {
  for (const token of ['x', 'A'.repeat(32), 'A'.repeat(5_000), '%00', '%E2%98%95', "';--"]) {
    const { status, body } = await send(token, 'x');
    expect([404, 400, 414]).toContain(status);
    expect(body.data).toBeNull();
  }
});

test('invalid queries are refused naming the field', async () => {
  for (const [query, field] of [
    ['id=0', 'id'],
    ['id=x', 'id'],
    ['', 'id'],
    ['id=1&pageSize=101', 'pageSize'],
  ] as const) {
    const { status, body } = await florin.get(`/api/inbox/messages?${query}`, as);
    expect({ query, status, field: body.error.field }).toEqual({ query, status: 400, field });
  }
});

test('a message to an inbox that is deleted while it arrives is refused like one to an unknown inbox', async () => {
  const { id, token } = await create();
  let sent: ReturnType<typeof send> | undefined;
  await db.database.transaction(async (transaction) => {
    await transaction.run({ name: '', text: 'delete from inbox where id = $1' }, [id]);
    sent = send(token, '{}');
    await eventually('the message waits for the deletion', async () => {
      const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%inbox_message%'";
      return (await db.query(waiting)).length > 0;
    });
  });
  expect(await sent).toMatchObject({ status: 404, body: { error: { type: 'record_not_found', field: 'token' } } });
});
