import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makePaid,
  makePayment,
  makeTenant,
} from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin, untilTaken } from '../../../../tests/support/service/florin.ts';
import { aRefundId, aRefusal, aText, aTime } from '../../../../tests/support/shapes.ts';
import { uuidOfPublicId } from '../../../core/id.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;
let userId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  channelId = await makeChannel(florin, admin);
  userId = dataOf(await florin.get('/api/user/info', admin)).userId;
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const refund = (body: object, headers: Record<string, string> = {}, as = admin) =>
  florin.call('POST', '/api/refund/create', { as, body, headers });
const detail = (id: string, as = admin) => florin.get(`/api/refund/detail?id=${id}`, as);
const list = (query = '', as = admin) => florin.get(`/api/refund/list?${query}`, as);
const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));

async function eventsOf(id: string): Promise<string[]> {
  const rows = await db.query<{ type: string }>('select type from event where object_id = $1 order by id', [id]);
  return rows.map(({ type }) => type);
}

async function entriesOf(id: string): Promise<{ debit: string; credit: string; amount: number }[]> {
  return db.query(
    'select debit, credit, amount from ledger_transfer where transaction_id = $1 order by created_at, source_id, leg',
    [uuidOfPublicId('txn', id)],
  );
}

describe('a refund on a channel without a provider', () => {
  test('of the whole payment succeeds at once, with its event and ledger transfer', async () => {
    const transactionId = await makePaid(florin, admin, channelId);
    const reply = await refund({ transactionId, reason: 'Sent back', metadata: { parcel: 'x1' } });
    expect({ status: reply.status, body: reply.body }).toEqual({
      status: 200,
      body: {
        code: 200,
        message: 'Refund created',
        data: {
          id: aRefundId,
          livemode: true,
          transactionId,
          amount: 1999,
          currency: 'USD',
          status: 'SUCCESS',
          reason: 'Sent back',
          metadata: { parcel: 'x1' },
          userId,
          origin: 'FLORIN',
          failureCode: null,
          failureMessage: null,
          providerReference: null,
          createdTime: aTime,
          updatedTime: aTime,
        },
      },
    });
    expect(await payment(transactionId)).toMatchObject({ status: 'REFUNDED', amountRefunded: 1999, version: 3 });
    expect(await eventsOf(transactionId)).toEqual([
      'transaction.created',
      'transaction.succeeded',
      'transaction.refunded',
    ]);
    expect(await entriesOf(transactionId)).toEqual([
      { debit: 'PROVIDER_RECEIVABLE', credit: 'MERCHANT_PAYABLE', amount: 1999 },
      { debit: 'REFUNDS', credit: 'PROVIDER_RECEIVABLE', amount: 1999 },
    ]);
    expect((await detail(reply.body.data.id)).body).toEqual({ code: 200, data: reply.body.data });
  });

  test('may be partial and repeated, each with its event, until nothing is left', async () => {
    const transactionId = await makePaid(florin, admin, channelId, { amount: 1000 });
    expect(dataOf(await refund({ transactionId, amount: 300 })).amount).toBe(300);
    expect(await payment(transactionId)).toMatchObject({ status: 'REFUNDED', amountRefunded: 300 });
    expect(dataOf(await refund({ transactionId, amount: 1 })).amount).toBe(1);
    expect((await refund({ transactionId, amount: 700 })).body).toEqual(
      aRefusal(409, { type: 'refund_exceeds_payment', field: 'amount', details: { left: 699 } }),
    );
    expect(dataOf(await refund({ transactionId })).amount).toBe(699);
    for (const body of [{ transactionId }, { transactionId, amount: 1 }]) {
      expect((await refund(body)).body).toEqual(
        aRefusal(409, { type: 'refund_exceeds_payment', field: 'amount', details: { left: 0 } }),
      );
    }
    expect(await payment(transactionId)).toMatchObject({ status: 'REFUNDED', amountRefunded: 1000 });
    expect((await eventsOf(transactionId)).filter((type) => type === 'transaction.refunded')).toHaveLength(3);
    expect(await entriesOf(transactionId)).toHaveLength(4);
  });

  test('keeps the largest amount exactly', async () => {
    const transactionId = await makePaid(florin, admin, channelId, { amount: Number.MAX_SAFE_INTEGER });
    expect(dataOf(await refund({ transactionId, amount: 1 })).amount).toBe(1);
    expect(dataOf(await refund({ transactionId })).amount).toBe(Number.MAX_SAFE_INTEGER - 1);
  });

  test('is possible after the channel was switched off', async () => {
    const id = await makeChannel(florin, admin, { code: 'soon-off' });
    const transactionId = await makePaid(florin, admin, id);
    const off = { id, name: 'Off', code: 'soon-off', type: 'ONLINE', currency: 'USD', country: 'US', state: false };
    dataOf(await florin.post('/api/channel/modify', off, admin));
    expect((await refund({ transactionId })).status).toBe(200);
  });
});

describe('a refund is refused', () => {
  test.each(['PENDING', 'PROCESSING', 'FAILED', 'CANCELLED'])('of a payment that is %s', async (status) => {
    const transactionId = await makePayment(florin, admin, channelId);
    if (status !== 'PENDING') {
      dataOf(await florin.post('/api/transaction/update', { id: transactionId, status }, admin));
    }
    expect((await refund({ transactionId })).body).toEqual(
      aRefusal(409, { type: 'not_refundable', field: 'transactionId', details: { status } }),
    );
    expect((await list(`transactionId=${transactionId}`)).body.data).toEqual([]);
  });

  test('of a payment that does not exist, or whose id is malformed', async () => {
    for (const transactionId of ['txn_0198a5b87c1f7000800000000000dead', 'ref_1', 'no id']) {
      expect((await refund({ transactionId })).body).toEqual(
        aRefusal(404, { type: 'record_not_found', field: 'transactionId' }),
      );
    }
  });

  test.each([
    ['amount', { amount: 0 }],
    ['amount', { amount: '5' }],
    ['amount', { amount: 1.5 }],
    ['reason', { reason: '' }],
    ['reason', { reason: 'r'.repeat(1001) }],
    ['metadata', { metadata: { text: 'x'.repeat(17_000) } }],
    ['note', { note: 'unknown' }],
  ])('for an invalid %s: %j', async (field, invalid) => {
    const transactionId = await makePaid(florin, admin, channelId);
    expect((await refund({ transactionId, ...invalid })).body).toEqual(
      aRefusal(400, { type: 'invalid_request', field }),
    );
  });

  test('to a key without transaction_refund; with transaction_read it may read refunds', async () => {
    const transactionId = await makePaid(florin, admin, channelId);
    const { id } = dataOf(await refund({ transactionId, amount: 1 }));
    const { as } = await makeKey(florin, admin, 'transaction_read,transaction_write');
    expect((await refund({ transactionId }, {}, as)).status).toBe(403);
    expect((await detail(id, as)).status).toBe(200);
  });

  test('to another tenant is not found; a platform administrator may refund', async () => {
    const tenant = (id: number) => makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: id });
    const [one, two] = [await tenant(await makeTenant(florin, admin)), await tenant(await makeTenant(florin, admin))];
    const transactionId = await makePaid(florin, one.as, await makeChannel(florin, one.as));
    const { id } = dataOf(await refund({ transactionId, amount: 5 }, {}, one.as));
    expect((await refund({ transactionId }, {}, two.as)).status).toBe(404);
    expect((await detail(id, two.as)).status).toBe(404);
    for (const query of ['', `transactionId=${transactionId}`]) {
      expect((await list(query, two.as)).body).toEqual({
        code: 200,
        data: [],
        pagination: { page: 1, pageSize: 20, total: 0, totalPages: 0, nextCursor: null },
      });
    }
    expect(dataOf(await refund({ transactionId, amount: 6 }))).toMatchObject({ amount: 6, userId });
    expect(dataOf(await list('', one.as)).map(({ amount }: { amount: number }) => amount)).toEqual([6, 5]);
    expect(dataOf(await detail(id)).id).toBe(id);
  });
});

describe('an Idempotency-Key', () => {
  test('gets the first answer again, even when nothing is left to refund; another body is refused', async () => {
    const transactionId = await makePaid(florin, admin, channelId, { amount: 500 });
    const key = { 'idempotency-key': 'refund-1' };
    const first = await refund({ transactionId, amount: 400 }, key);
    const again = await refund({ amount: 400, transactionId }, key);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect((await refund({ transactionId, amount: 1 }, key)).body).toEqual(
      aRefusal(422, { type: 'idempotency_mismatch', field: 'Idempotency-Key' }),
    );
    expect(await payment(transactionId)).toMatchObject({ amountRefunded: 400 });
  });

  test('is not used up by a refusal; a hundred concurrent requests refund once', async () => {
    const transactionId = await makePayment(florin, admin, channelId, { amount: 500 });
    const send = () => refund({ transactionId, amount: 100 }, { 'idempotency-key': 'refund-2' });
    expect((await send()).body.error.type).toBe('not_refundable');
    dataOf(await florin.post('/api/transaction/update', { id: transactionId, status: 'SUCCESS' }, admin));
    const answers = await Promise.all(Array.from({ length: 100 }, () => untilTaken(send)));
    expect(new Set(answers.map((answer) => dataOf(answer).id)).size).toBe(1);
    expect(await payment(transactionId)).toMatchObject({ amountRefunded: 100 });
  });

  test.each(['', 'k'.repeat(256)])('of invalid length is refused', async (key) => {
    const transactionId = await makePaid(florin, admin, channelId);
    expect((await refund({ transactionId }, { 'idempotency-key': key })).body).toEqual(
      aRefusal(400, { type: 'invalid_request', field: 'Idempotency-Key' }),
    );
  });
});

test('fifty concurrent refunds on two nodes never exceed the payment', async () => {
  const other = await florinOn(db);
  try {
    const transactionId = await makePaid(florin, admin, channelId, { amount: 1000 });
    const as = await administratorOf(other);
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        untilTaken(() =>
          i % 2 === 0
            ? refund({ transactionId, amount: 70 })
            : other.call('POST', '/api/refund/create', { as, body: { transactionId, amount: 70 } }),
        ),
      ),
    );
    const taken = replies.filter(({ status }) => status === 200);
    const refused = replies.filter(({ status }) => status === 409);
    expect([taken.length, refused.length]).toEqual([14, 36]);
    for (const { body } of refused) expect(body.error).toMatchObject({ details: { left: 20 } });
    expect(await payment(transactionId)).toMatchObject({ status: 'REFUNDED', amountRefunded: 980, version: 16 });
    expect((await eventsOf(transactionId)).filter((type) => type === 'transaction.refunded')).toHaveLength(14);
    expect(await entriesOf(transactionId)).toHaveLength(15);
  } finally {
    await other.stop();
  }
});

test('the database refuses amounts held or refunded that exceed the payment', async () => {
  const id = uuidOfPublicId('txn', await makePaid(florin, admin, channelId, { amount: 1000 }));
  for (const set of [
    'amount_refund_held = 1001',
    'amount_refunded = 1',
    'amount_refund_held = 1001, amount_refunded = 1001',
    'amount_refund_held = -1',
  ]) {
    await expect(db.query(`update transaction set ${set} where id = $1`, [id])).rejects.toMatchObject({
      code: '23514',
    });
  }
});

describe('list', () => {
  test('returns pages, newest first, with the exact total, under every filter', async () => {
    const tenantId = await makeTenant(florin, admin);
    const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const channels = [await makeChannel(florin, as), await makeChannel(florin, as)] as const;
    const payments = [await makePaid(florin, as, channels[0]), await makePaid(florin, as, channels[1])] as const;
    const made: string[] = [];
    for (let i = 0; i < 7; i++) {
      made.unshift(dataOf(await refund({ transactionId: payments[i % 2 === 0 ? 0 : 1], amount: 10 + i }, {}, as)).id);
    }
    const idsOf = async (query: string) => {
      const { body } = await list(query, as);
      return { ids: body.data.map(({ id }: { id: string }) => id), ...body.pagination };
    };
    expect(await idsOf('')).toMatchObject({ ids: made, page: 1, pageSize: 20, total: 7, totalPages: 1 });
    expect(await idsOf('page=2&pageSize=3')).toMatchObject({
      ids: made.slice(3, 6),
      page: 2,
      pageSize: 3,
      total: 7,
      totalPages: 3,
    });
    const even = made.filter((_, i) => i % 2 === 0);
    expect(await idsOf(`transactionId=${payments[0]}`)).toMatchObject({ ids: even, total: 4 });
    expect(await idsOf(`channelId=${channels[0]}`)).toMatchObject({ ids: even, total: 4 });
    expect(await idsOf(`channelId=${channels[0]}&page=9`)).toMatchObject({ ids: [], total: 4 });
    expect(await idsOf('status=SUCCESS')).toMatchObject({ total: 7 });
    expect(await idsOf('status=FAILED')).toMatchObject({ ids: [], total: 0, totalPages: 0 });
    const today = new Date().toISOString().slice(0, 10);
    expect(await idsOf(`startDate=${today}`)).toMatchObject({ total: 7 });
    expect(await idsOf('endDate=2020-01-01')).toMatchObject({ total: 0 });
  });

  test('finds refunds by customer, invoice, amount, metadata and search, and walks them by cursor', async () => {
    const tenantId = await makeTenant(florin, admin);
    const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const own = await makeChannel(florin, as);
    const [first, second] = [
      await makePaid(florin, as, own, { customerId: 71, invoiceId: 72 }),
      await makePaid(florin, as, own, { customerId: 73 }),
    ] as const;
    const made: string[] = [];
    for (let i = 0; i < 4; i++) {
      const input = {
        transactionId: i < 2 ? first : second,
        amount: 10 + i,
        reason: `Reason ${i}`,
        metadata: { case: `C-${i}` },
      };
      made.push(dataOf(await refund(input, {}, as)).id);
    }
    const [a, b, c, d] = made;
    const idsOf = async (query: string) => (await list(query, as)).body.data.map(({ id }: { id: string }) => id);
    expect(await idsOf('customerId=71')).toEqual([b, a]);
    expect(await idsOf('customerId=71&amountTo=10')).toEqual([a]);
    expect(await idsOf('invoiceId=72&currency=USD')).toEqual([b, a]);
    expect(await idsOf('invoiceId=99')).toEqual([]);
    expect(await idsOf('amountFrom=12&amountTo=12')).toEqual([c]);
    expect(await idsOf('metadata[case]=C-3')).toEqual([d]);
    expect(await idsOf(`search=${c}`)).toEqual([c]);
    expect(await idsOf(`search=${second}`)).toEqual([d, c]);
    expect(await idsOf('search=reason 1')).toEqual([b]);
    expect(await idsOf('search=Reas_n')).toEqual([]);
    expect(await idsOf('providerReference=re_none')).toEqual([]);
    expect((await list('amountFrom=12&amountTo=11', as)).body).toEqual(
      aRefusal(400, { type: 'invalid_request', field: 'amountFrom' }),
    );
    const page = (await list('pageSize=3&currency=USD', as)).body;
    expect(page.pagination).toEqual({ pageSize: 3, nextCursor: aText });
    expect(await idsOf(`pageSize=3&currency=USD&cursor=${page.pagination.nextCursor}`)).toEqual([a]);
    const [row] = (await list('pageSize=1', as)).body.data;
    expect(row).toMatchObject({ channelId: own, customerId: 73 });
    expect(row).not.toHaveProperty('tenantId');
    expect((await list(`tenantId=${tenantId}`, as)).status).toBe(403);
    const ofTenant = (await list(`tenantId=${tenantId}`)).body;
    expect(ofTenant.data.map(({ tenantId: id }: { tenantId: string }) => id)).toEqual(Array(4).fill(String(tenantId)));
  });

  test.each([
    ['status', 'status=DONE'],
    ['transactionId', 'transactionId=5'],
    ['channelId', 'channelId=0'],
    ['pageSize', 'pageSize=101'],
    ['startDate', 'startDate=2026-02-30'],
    ['startDate', 'startDate=2026-02-02&endDate=2026-02-01'],
  ])('refuses an invalid %s: %s', async (field, query) => {
    expect((await list(query)).body).toEqual(aRefusal(400, { type: 'invalid_request', field }));
  });

  test.each(['ref_1', 'txn_0198a5b87c1f7000800000000000dead', 'x'])('detail of %s is not found', async (id) => {
    expect((await detail(id)).body).toEqual(aRefusal(404, { type: 'record_not_found', field: 'id' }));
  });
});

test('on a channel with a provider a refund is PENDING until the sandbox reports its result', async () => {
  const sandbox = await makeChannel(florin, admin, { provider: 'sandbox' });
  const paid = async (changes: object = {}) => {
    const id = await makePayment(florin, admin, sandbox, { ...changes });
    await eventually('the payment succeeds', async () => (await payment(id)).status === 'SUCCESS');
    return id;
  };
  const ended = (id: string) =>
    eventually('the refund ends', async () => {
      const record = dataOf(await detail(id));
      return record.status !== 'PENDING' && record.status !== 'PROCESSING' && record;
    });

  const good = await paid();
  const created = dataOf(await refund({ transactionId: good, amount: 500, reason: 'Broken' }));
  expect(created).toMatchObject({ status: 'PENDING', amount: 500, reason: 'Broken' });
  expect(await ended(created.id)).toMatchObject({ status: 'SUCCESS', providerReference: expect.stringMatching(/./) });
  expect(await payment(good)).toMatchObject({ status: 'REFUNDED', amountRefunded: 500 });

  const stubborn = await paid({ metadata: { sandbox: 'refund:fail' } });
  const refused = dataOf(await refund({ transactionId: stubborn }));
  expect(await ended(refused.id)).toMatchObject({ status: 'FAILED', failureCode: 'refund_refused' });
  expect(await payment(stubborn)).toMatchObject({ status: 'SUCCESS', amountRefunded: 0 });
  // The amount of a failed refund can be refunded again.
  expect(dataOf(await refund({ transactionId: stubborn })).amount).toBe(1999);
});

test('a payment with 9,999 requests to its provider is not refunded there, and nothing is reserved', async () => {
  const sandbox = await makeChannel(florin, admin, { provider: 'sandbox' });
  const transactionId = await makePayment(florin, admin, sandbox);
  await eventually('the payment succeeds', async () => (await payment(transactionId)).status === 'SUCCESS');
  await db.query('update provider_operation set number = 9998 where transaction_id = $1', [
    uuidOfPublicId('txn', transactionId),
  ]);
  const { id } = dataOf(await refund({ transactionId, amount: 2 }));
  await eventually('the last one succeeds', async () => dataOf(await detail(id)).status === 'SUCCESS');
  const refused = await refund({ transactionId, amount: 1 });
  expect(refused.body).toEqual(
    aRefusal(409, { type: 'not_refundable', field: 'transactionId', details: { status: 'REFUNDED' } }),
  );
  expect(refused.body.message).toContain('9999');
  expect(dataOf(await list(`transactionId=${transactionId}`))).toHaveLength(1);
});
