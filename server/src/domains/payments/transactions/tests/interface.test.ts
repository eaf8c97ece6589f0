import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { administratorOf, dataOf, makeChannel, makeKey, makePayment } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin, untilTaken } from '../../../../../tests/support/service/florin.ts';
import { aRefusal, aText, aTime, aTransactionId } from '../../../../../tests/support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;
let userId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  channelId = await makeChannel(florin, admin, { name: 'Visa and others', currency: 'USD,JPY' });
  userId = dataOf(await florin.get('/api/user/info', admin)).userId;
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const create = (body: object, headers: Record<string, string> = {}) =>
  florin.call('POST', '/api/transaction/create', { as: admin, body, headers });
const update = (body: object) => florin.post('/api/transaction/update', body, admin);
const detail = (id: string) => florin.get(`/api/transaction/detail?id=${id}`, admin);
const list = (query = '') => florin.get(`/api/transaction/list${query}`, admin);
const payment = (changes: object = {}) => ({ amount: 1999, currency: 'USD', channelId, ...changes });

/** A new payment of 19.99 without optional fields. */
const newPayment = () => ({
  id: aTransactionId,
  livemode: true,
  amount: 1999,
  amountRefunded: 0,
  amountDisputed: 0,
  captureMethod: 'AUTOMATIC',
  amountAuthorized: 0,
  amountCapturable: 0,
  amountCaptured: 0,
  captureBefore: null,
  currency: 'USD',
  status: 'PENDING',
  channelId,
  description: null,
  metadata: null,
  customerId: null,
  invoiceId: null,
  userId,
  methodId: null,
  initiator: 'PAYER',
  statementDescriptor: null,
  failureCode: null,
  failureMessage: null,
  fallback: null,
  retry: null,
  providerReference: null,
  nextAction: null,
  waitingFor: null,
  fraudWarningTime: null,
  version: 1,
  createdTime: aTime,
  updatedTime: aTime,
});

describe('create', () => {
  test('returns the payment as PENDING', async () => {
    const { status, body } = await create(payment());
    expect({ status, body }).toEqual({
      status: 200,
      body: { code: 200, message: 'Transaction created', data: newPayment() },
    });
  });

  test('accepts every optional field and returns it unchanged', async () => {
    const given = {
      description: 'Two coffees — “to go” ☕️\n\t\\ "quoted" \u{1F600}',
      metadata: { order: 17, nested: { list: [1, 'two', null, true, { deep: [] }] }, '': 'empty', toString: 'own' },
      customerId: Number.MAX_SAFE_INTEGER,
      invoiceId: 1,
    };
    const { body } = await create(payment(given));
    expect(body.data).toEqual({ ...newPayment(), ...given });
    expect((await detail(body.data.id)).body.data).toMatchObject(given);
  });

  test.each(['usd', 'XXX', 'US', '€'])('refuses the currency %s, naming the field', async (currency) => {
    const { status, body } = await create(payment({ currency }));
    expect({ status, body }).toEqual({
      status: 400,
      body: aRefusal(400, { type: 'invalid_request', field: 'currency' }),
    });
  });

  test.each([1, 2 ** 31, Number.MAX_SAFE_INTEGER])('keeps the amount %d exactly', async (amount) => {
    const { id } = dataOf(await create(payment({ amount })));
    expect(dataOf(await detail(id)).amount).toBe(amount);
  });

  test('accepts metadata of up to 50 keys, 8 levels and 16 KiB', async () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
    const levels = (count: number): object => (count === 1 ? {} : { in: levels(count - 1) });
    const bytes = (count: number) => ({ text: 'x'.repeat(count - '{"text":""}'.length) });
    for (const [fits, exceeds] of [
      [keys(50), keys(51)],
      [levels(8), levels(9)],
      [bytes(16 * 1024), bytes(16 * 1024 + 1)],
    ]) {
      expect((await create(payment({ metadata: fits }))).status).toBe(200);
      expect((await create(payment({ metadata: exceeds }))).body).toEqual(
        aRefusal(400, { type: 'invalid_request', field: 'metadata' }),
      );
    }
  });

  test('refuses a currency that the channel does not support, an unknown channel and an inactive one', async () => {
    expect((await create(payment({ currency: 'EUR' }))).body).toEqual(
      aRefusal(400, {
        type: 'currency_not_supported',
        field: 'currency',
        details: { currencies: ['USD', 'JPY'] },
      }),
    );
    expect((await create(payment({ channelId: 987_654 }))).body).toEqual(
      aRefusal(404, { type: 'record_not_found', field: 'channelId' }),
    );
    const off = await makeChannel(florin, admin, { state: false });
    expect((await create(payment({ channelId: off }))).body).toEqual(
      aRefusal(409, { type: 'channel_inactive', field: 'channelId' }),
    );
  });
});

describe('an Idempotency-Key', () => {
  const key = (text: string) => ({ 'idempotency-key': text });

  test('returns the first answer to a repeat, marked as replayed', async () => {
    const first = await create(payment({ metadata: { b: 1, a: 2 } }), key('once'));
    const again = await create({ channelId, metadata: { a: 2, b: 1 }, currency: 'USD', amount: 1999 }, key('once'));
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    await update({ id: first.body.data.id, status: 'SUCCESS' });
    expect((await create(payment({ metadata: { b: 1, a: 2 } }), key('once'))).body).toEqual(first.body);
  });

  test('returns an answer of an earlier version as it was, without fields that are newer', async () => {
    const created = dataOf(await create(payment(), key('earlier')));
    const updating = { id: created.id, description: 'Paid' };
    const request = { as: admin, body: updating, headers: key('earlier') };
    const updated = dataOf(await florin.call('POST', '/api/transaction/update', request));
    await db.query(`update event set body = replace(body, '"version":1,', '') where object_id = $1`, [created.id]);
    await db.query(`update idempotency_record set answer = (answer::jsonb - 'version')::json where key = 'earlier'`);

    const createdAgain = await create(payment(), key('earlier'));
    const updatedAgain = await florin.call('POST', '/api/transaction/update', request);
    const { version: _first, ...createdThen } = created;
    const { version: _second, ...updatedThen } = updated;
    expect([createdAgain.status, createdAgain.body.data]).toEqual([200, createdThen]);
    expect([updatedAgain.status, updatedAgain.body.data]).toEqual([200, updatedThen]);
  });

  test('is refused with another body', async () => {
    await create(payment(), key('twice'));
    const { status, body } = await create(payment({ amount: 2000 }), key('twice'));
    expect({ status, body }).toEqual({
      status: 422,
      body: aRefusal(422, { type: 'idempotency_mismatch', field: 'Idempotency-Key' }),
    });
  });

  test('is not used up by a refusal', async () => {
    expect((await create(payment({ amount: 0 }), key('corrected'))).status).toBe(400);
    expect((await create(payment({ currency: 'EUR' }), key('corrected'))).status).toBe(400);
    const { status, headers } = await create(payment(), key('corrected'));
    expect({ status, replayed: headers.get('idempotency-replayed') }).toEqual({ status: 200, replayed: null });
  });

  test('shared by 100 concurrent requests creates one payment', async () => {
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => untilTaken(() => create(payment(), key('crowd')))),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1);
    expect(replies.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
  });

  test('must have 1 to 255 characters', async () => {
    expect((await create(payment(), key('k'.repeat(255)))).status).toBe(200);
    for (const text of ['', 'k'.repeat(256)]) {
      expect((await create(payment(), key(text))).body).toEqual(
        aRefusal(400, { type: 'invalid_request', field: 'Idempotency-Key' }),
      );
    }
  });

  test('replays the first answer even when the channel no longer accepts payments', async () => {
    const code = 'closing';
    const closing = await makeChannel(florin, admin, { code });
    const first = await create(payment({ channelId: closing }), key('before closing'));
    const off = { id: closing, name: 'Cards', code, type: 'ONLINE', currency: 'USD', country: 'US', state: false };
    dataOf(await florin.post('/api/channel/modify', off, admin));
    const again = await create(payment({ channelId: closing }), key('before closing'));
    expect(again.body).toEqual(first.body);
  });
});

describe('detail', () => {
  test('returns the payment with the name of its channel', async () => {
    const id = await makePayment(florin, admin, channelId);
    const { status, body } = await detail(id);
    expect({ status, body }).toEqual({
      status: 200,
      body: { code: 200, data: { ...newPayment(), id, channelName: 'Visa and others', captures: [] } },
    });
  });

  test.each([
    'txn_0198a5b87c1f7000800000000000dead',
    'txn_',
    'TXN_0198a5b87c1f7000800000000000dead',
    '1',
    "' or 1=1 --",
    '☕',
  ])('refuses %s as not found', async (id) => {
    const { status, body } = await detail(encodeURIComponent(id));
    expect({ status, body }).toEqual({ status: 404, body: aRefusal(404, { type: 'record_not_found', field: 'id' }) });
  });

  test('requires an id', async () => {
    const { status, body } = await florin.get('/api/transaction/detail', admin);
    expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request', field: 'id' }) });
  });
});

describe('update', () => {
  /** The updates that bring a new payment to each status. */
  const pathsTo: Record<string, string[]> = {
    PENDING: [],
    PROCESSING: ['PROCESSING'],
    SUCCESS: ['SUCCESS'],
    FAILED: ['FAILED'],
    CANCELLED: ['CANCELLED'],
  };
  const allowed: Record<string, string[]> = {
    PENDING: ['PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED'],
    PROCESSING: ['SUCCESS', 'FAILED'],
    SUCCESS: [],
    FAILED: [],
    CANCELLED: [],
  };
  const statuses = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'REFUNDED', 'CANCELLED'];
  const pairs = Object.keys(pathsTo).flatMap((from) => statuses.map((to) => [from, to] as const));

  test.each(pairs)('from %s to %s follows the transition table', async (from, to) => {
    const id = await makePayment(florin, admin, channelId);
    for (const status of pathsTo[from] as string[]) dataOf(await update({ id, status }));
    const { status, body } = await update({ id, status: to });
    if (allowed[from]?.includes(to)) {
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          code: 200,
          message: 'Transaction updated',
          data: {
            ...newPayment(),
            ...(to === 'SUCCESS' && { amountAuthorized: 1999, amountCaptured: 1999 }),
            id,
            status: to,
            version: (pathsTo[from]?.length ?? 0) + 2,
          },
        },
      });
    } else {
      const details = { from, to, allowed: allowed[from] };
      expect({ status, body }).toEqual({
        status: 409,
        body: aRefusal(409, { type: 'illegal_transition', field: 'status', details }),
      });
      expect(dataOf(await detail(id)).status).toBe(from);
    }
  });

  test('changes only the fields that it names', async () => {
    const id = await makePayment(florin, admin, channelId, { description: 'one', metadata: { a: 1 } });
    const { body } = await update({ id, description: 'two' });
    expect(body.data).toEqual({ ...newPayment(), id, description: 'two', metadata: { a: 1 }, version: 2 });
    expect(dataOf(await update({ id, metadata: { b: 2 } })).metadata).toEqual({ a: 1, b: 2 });
    expect(dataOf(await update({ id, metadata: { a: null } })).metadata).toEqual({ b: 2 });
    expect(dataOf(await update({ id, metadataReplace: { c: 3 } })).metadata).toEqual({ c: 3 });
    expect((await update({ id, metadata: {}, metadataReplace: {} })).body.error.field).toBe('metadataReplace');
  });

  test('accepts a failure code and message only with FAILED', async () => {
    const id = await makePayment(florin, admin, channelId);
    const reason = { failureCode: 'card_declined', failureMessage: 'Not enough money.' };
    expect((await update({ id, ...reason })).body).toEqual(
      aRefusal(400, { type: 'invalid_request', field: 'failureCode' }),
    );
    expect((await update({ id, status: 'SUCCESS', failureMessage: 'x' })).body.error.field).toBe('failureMessage');
    expect(dataOf(await update({ id, status: 'FAILED', ...reason }))).toMatchObject({ status: 'FAILED', ...reason });
  });

  test('requires at least one change', async () => {
    const id = await makePayment(florin, admin, channelId);
    expect((await update({ id })).body).toEqual(aRefusal(400, { type: 'invalid_request' }));
  });

  test('applies one of twenty concurrent updates to a final status', async () => {
    const id = await makePayment(florin, admin, channelId);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => update({ id, status: i % 2 ? 'SUCCESS' : 'FAILED' })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)]);
    expect(dataOf(await detail(id)).version).toBe(2);
  });
});

describe('list', () => {
  test('returns exactly the fields of a listed payment, newest first', async () => {
    const older = await makePayment(florin, admin, channelId, { description: 'older' });
    const newer = await makePayment(florin, admin, channelId);
    const { data } = (await list('?pageSize=2')).body;
    const row = {
      id: newer,
      livemode: true,
      amount: 1999,
      amountRefunded: 0,
      currency: 'USD',
      status: 'PENDING',
      channelId,
      channelName: 'Visa and others',
      description: null,
      customerId: null,
      invoiceId: null,
      userId,
      tenantId: null,
      providerReference: null,
      failureCode: null,
      createdTime: aTime,
    };
    expect(data).toEqual([row, { ...row, id: older, description: 'older' }]);
  });

  test('returns page 1 with 20 rows by default, and at most 100 rows', async () => {
    const own = await makeChannel(florin, admin);
    await Promise.all(Array.from({ length: 21 }, () => makePayment(florin, admin, own)));
    const of = async (query: string) => (await list(`?channelId=${own}${query}`)).body;
    const first = await of('');
    expect(first.data).toHaveLength(20);
    expect(first.pagination).toEqual({ page: 1, pageSize: 20, total: 21, totalPages: 2, nextCursor: aText });
    expect((await of('&page=2')).data).toHaveLength(1);
    expect(await of('&page=3')).toMatchObject({
      data: [],
      pagination: { page: 3, pageSize: 20, total: 21, totalPages: 2 },
    });
    expect((await of('&pageSize=100')).pagination).toEqual({
      page: 1,
      pageSize: 100,
      total: 21,
      totalPages: 1,
      nextCursor: null,
    });
    const tooMany = await list('?pageSize=101');
    expect({ status: tooMany.status, body: tooMany.body }).toEqual({
      status: 400,
      body: aRefusal(400, { type: 'invalid_request', field: 'pageSize' }),
    });
  });

  test('filters by status, channel and user together', async () => {
    const own = await makeChannel(florin, admin);
    const paid = await makePayment(florin, admin, own);
    await makePayment(florin, admin, own);
    await update({ id: paid, status: 'SUCCESS' });
    const { body } = await list(`?status=SUCCESS&channelId=${own}&userId=${userId}`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([paid]);
    expect(body.pagination.total).toBe(1);
    expect((await list(`?channelId=${own}&userId=987654`)).body.pagination.total).toBe(0);
  });

  test('lists a payment created with a key under the owner of the key', async () => {
    const own = await makeChannel(florin, admin);
    const key = await makeKey(florin, admin);
    const id = await makePayment(florin, key.as, own);
    const { body } = await list(`?channelId=${own}&userId=${userId}`);
    expect(body.data.map((row: { id: string }) => row.id)).toEqual([id]);
  });

  test('filters by whole UTC days, both inclusive', async () => {
    const own = await makeChannel(florin, admin);
    const { createdTime } = dataOf(await create(payment({ channelId: own })));
    const today = createdTime.slice(0, 10);
    const shifted = (days: number) => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10);
    const total = async (query: string) => (await list(`?channelId=${own}${query}`)).body.pagination.total;
    expect(await total(`&startDate=${today}&endDate=${today}`)).toBe(1);
    expect(await total(`&startDate=${shifted(-1)}&endDate=${today}`)).toBe(1);
    expect(await total(`&startDate=${today}`)).toBe(1);
    expect(await total(`&endDate=${today}`)).toBe(1);
    expect(await total(`&startDate=${shifted(1)}`)).toBe(0);
    expect(await total(`&endDate=${shifted(-1)}`)).toBe(0);
  });

  test.each([
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=one', 'page'],
    ['page=', 'page'],
    ['page=1&page=2', 'page'],
    ['page=2147483648', 'page'],
    ['pageSize=0', 'pageSize'],
    ['pageSize=1e1x', 'pageSize'],
    ['status=pending', 'status'],
    ['status=', 'status'],
    ['channelId=0', 'channelId'],
    ['channelId=9007199254740993', 'channelId'],
    ['channelId=9007199254740991.4', 'channelId'],
    ['channelId=1e400', 'channelId'],
    ['channelId=0x10', 'channelId'],
    ['userId=NaN', 'userId'],
    ['startDate=2026-1-1', 'startDate'],
    ['startDate=2026-02-30', 'startDate'],
    ['startDate=2026-01-01T00:00:00', 'startDate'],
    ['endDate=2026-02-30T00:00:00Z', 'endDate'],
    ['timeZone=Mars/Base', 'timeZone'],
    ['timeZone=%2B01:00', 'timeZone'],
    ['currency=usd', 'currency'],
    ['amountFrom=0', 'amountFrom'],
    ['metadata=7', 'metadata'],
    ['fields=secret', 'fields'],
    ['search=ab', 'search'],
    ['cursor=x', 'cursor'],
    ['page=2&currency=USD', 'page'],
    ['endDate=yesterday', 'endDate'],
    ['startDate=2026-02-02&endDate=2026-02-01', 'startDate'],
    ['status=PENDING%00', 'status'],
  ])('refuses %s, naming %s', async (query, field) => {
    const { status, body } = await list(`?${query}`);
    expect({ status, body }).toEqual({ status: 400, body: aRefusal(400, { type: 'invalid_request', field }) });
  });
});
