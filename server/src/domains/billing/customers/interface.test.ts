import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  makeCustomer,
  makeInvoice,
  makePayingCustomer,
  replaceMethod,
  settledInvoice,
} from '../../../../tests/support/billing/invoices.ts';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makeTenant,
  unique,
} from '../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { anInteger, aRefusal, aTime } from '../../../../tests/support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let as: string;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  const tenantId = await makeTenant(florin, admin);
  as = (await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId })).as;
  channelId = await makeChannel(florin, as);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const modify = (body: object, by = as) => florin.post('/api/customer/modify', body, by);
const detail = (query: string, by = as) => florin.get(`/api/customer/detail?${query}`, by);

describe('a customer', () => {
  test('is created and updated with all fields', async () => {
    const externalId = unique('ext');
    const input = {
      name: 'Ελένη',
      email: 'eleni@example.com',
      phone: '+30 210 0000000',
      address: { line1: 'Odos 1', city: 'Athina', country: 'GR' },
      externalId,
      metadata: { since: 2020 },
      defaultChannelId: channelId,
    };
    const reply = await modify(input);
    expect(reply.body).toEqual({
      code: 200,
      message: 'Customer created',
      data: {
        id: anInteger,
        livemode: true,
        ...input,
        dueDays: null,
        defaultMethodId: null,
        clockId: null,
        createdTime: aTime,
        updatedTime: aTime,
      },
    });
    const { id } = reply.body.data;
    expect(dataOf(await detail(`id=${id}`))).toEqual(reply.body.data);
    expect(dataOf(await detail(`externalId=${externalId}`))).toEqual(reply.body.data);

    const changed = dataOf(await modify({ id, name: 'Eleni', email: null }));
    expect(changed).toMatchObject({ ...input, name: 'Eleni', email: null, updatedTime: aTime });
    const rest = { phone: null, address: null, externalId: null, defaultChannelId: null };
    expect(dataOf(await modify({ id, ...rest }))).toMatchObject({ name: 'Eleni', metadata: { since: 2020 }, ...rest });
    expect(dataOf(await modify({ name: 'Nobody', ...rest }))).toMatchObject(rest);
    expect(dataOf(await modify({ id, metadata: { vip: true, since: null } })).metadata).toEqual({ vip: true });
    expect(dataOf(await modify({ id, metadataReplace: {} })).metadata).toEqual({});
  });

  test('has an externalId that is unique in its tenant, even with concurrent requests', async () => {
    const externalId = unique('ext');
    const replies = await Promise.all(Array.from({ length: 10 }, () => modify({ name: 'One', externalId })));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { body } of replies.filter(({ status }) => status !== 200)) {
      expect(body).toEqual(aRefusal(409, { type: 'external_id_taken', field: 'externalId' }));
    }
    const other = await makeCustomer(florin, as);
    expect((await modify({ id: other, name: 'Two', externalId })).status).toBe(409);
    expect((await modify({ name: 'Of the platform', externalId }, admin)).status).toBe(200);
  });

  test('is not found by another tenant, and cannot name an unknown channel or a foreign clock', async () => {
    const foreign = await makeCustomer(florin, admin);
    const foreignChannel = await makeChannel(florin, admin, { state: true });
    expect((await detail(`id=${foreign}`)).body).toEqual(aRefusal(404, { type: 'record_not_found', field: 'id' }));
    expect((await modify({ id: foreign, name: 'Mine' })).status).toBe(404);
    expect((await modify({ name: 'x', defaultChannelId: 987_654 })).body).toEqual(
      aRefusal(404, { type: 'record_not_found', field: 'defaultChannelId' }),
    );
    // All tenants may use the channels of the platform.
    expect((await modify({ name: 'x', defaultChannelId: foreignChannel })).status).toBe(200);
    const clockId = dataOf(await florin.post('/api/clock/create', { name: 'x' }, admin)).id;
    expect((await modify({ name: 'x', clockId })).body).toEqual(
      aRefusal(404, { type: 'record_not_found', field: 'clockId' }),
    );
  });

  test.each(['', 'id=1&externalId=x'])('is found by exactly one id, not by "%s"', async (query) => {
    expect((await detail(query)).body).toEqual(aRefusal(400, { type: 'invalid_request', field: 'id' }));
  });

  test.each([
    ['name', { name: '' }],
    ['email', { email: 'nobody' }],
    ['address.country', { address: { country: 'Greece' } }],
    ['address.planet', { address: { planet: 'Earth' } }],
    ['externalId', { externalId: '' }],
    ['metadata', { metadata: [] }],
  ])('is refused with a bad %s', async (field, changes) => {
    expect((await modify({ name: 'x', ...changes })).body).toEqual(aRefusal(400, { type: 'invalid_request', field }));
  });
});

describe('a token of a customer', () => {
  let sandboxId: number;

  beforeAll(async () => {
    sandboxId = await makeChannel(florin, as, { provider: 'sandbox' });
  });

  const methods = async (id: number) => dataOf(await florin.get(`/api/payment-method/list?customerId=${id}`, as));
  const defaultOf = async (id: number) => dataOf(await detail(`id=${id}`)).defaultMethodId;
  const eventsOf = async (id: number) => {
    const rows = await db.query<{ type: string; body: string }>(
      'select type, body from event where object_id = $1 order by id',
      [`cus_${id}`],
    );
    return rows.map(({ type, body }) => [type, JSON.parse(body).data.object.defaultMethodId]);
  };

  test('is set up at the default channel, and the default once it is ACTIVE, with customer.updated', async () => {
    const consent = { ipAddress: '192.0.2.7', userAgent: 'A browser', acceptedTime: '2027-01-31T10:00:00.000Z' };
    const input = { name: 'Ada', defaultChannelId: sandboxId, paymentMethod: 'tok_secret', consent };
    const reply = await modify(input);
    expect(JSON.stringify(reply.body)).not.toContain('tok_secret');
    const { id, defaultMethodId } = dataOf(reply);
    expect(defaultMethodId).toBeNull();
    const methodId = await eventually('the method is the default', async () => (await defaultOf(id)) ?? false);
    expect(await methods(id)).toMatchObject([
      { id: methodId, status: 'ACTIVE', channelId: sandboxId, isDefault: true, customerId: id },
    ]);
    expect(await eventsOf(id)).toEqual([
      ['customer.created', null],
      ['customer.updated', methodId],
    ]);
    const [stored] = await db.query('select consent from payment_method where customer_id = $1', [id]);
    expect(stored).toEqual({ consent });
    const audit = await db.query<{ row: string }>('select row_to_json(a)::text as row from audit_entry a');
    expect(audit.map(({ row }) => row).join()).not.toContain('tok_secret');
  });

  test('replaces the default only once it is ACTIVE; one that fails leaves the former default', async () => {
    const id = await makePayingCustomer(florin, as, { defaultChannelId: sandboxId });
    const former = await defaultOf(id);
    dataOf(await modify({ id, paymentMethod: 'sandbox:setup:fail' }));
    await eventually('it has failed', async () => (await methods(id))[0].status === 'FAILED');
    expect(await defaultOf(id)).toBe(former);
    const later = await replaceMethod(florin, as, id, 'tok_other');
    expect((await methods(id)).map((one: { id: string; isDefault: boolean }) => [one.id, one.isDefault])).toEqual([
      [later, true],
      [expect.any(String), false],
      [former, false],
    ]);
  });

  test('null detaches the default, with one event, and does nothing where there is none', async () => {
    const id = await makePayingCustomer(florin, as, { defaultChannelId: sandboxId });
    const methodId = await defaultOf(id);
    expect(dataOf(await modify({ id, phone: '1', paymentMethod: null }))).toMatchObject({ defaultMethodId: null });
    expect(await methods(id)).toMatchObject([{ id: methodId, status: 'DETACHED' }]);
    const events = await eventsOf(id);
    expect(events.slice(1)).toEqual([
      ['customer.updated', methodId],
      ['customer.updated', null],
    ]);
    expect(dataOf(await modify({ id, paymentMethod: null })).defaultMethodId).toBeNull();
    expect(await eventsOf(id)).toHaveLength(events.length + 1);
  });

  test('null is refused while a living subscription names the default', async () => {
    const id = await makePayingCustomer(florin, as, { defaultChannelId: sandboxId });
    const methodId = await defaultOf(id);
    const plan = { name: 'Gold', amount: 100, currency: 'USD', interval: 'month', state: true, livemode: false };
    const planId = dataOf(await florin.post('/api/plan/modify', plan, as)).id;
    const subscription = { customerId: id, planId, methodId };
    const { id: subscriptionId } = dataOf(await florin.post('/api/subscription/create', subscription, as));
    const refused = await modify({ id, name: 'Eve', paymentMethod: null });
    expect(refused.body).toEqual(
      aRefusal(409, { type: 'payment_method_in_use', field: 'id', details: { subscriptionIds: [subscriptionId] } }),
    );
    expect(dataOf(await detail(`id=${id}`))).toMatchObject({ defaultMethodId: methodId });
  });

  test('needs a default channel whose provider keeps payment methods', async () => {
    const token = { name: 'Ada', paymentMethod: 'tok_visa' };
    expect((await modify(token)).body).toEqual(aRefusal(400, { type: 'invalid_request', field: 'defaultChannelId' }));
    const id = await makeCustomer(florin, as, { defaultChannelId: channelId });
    expect((await modify({ ...token, id })).body).toEqual(
      aRefusal(409, {
        type: 'channel_cannot',
        field: 'defaultChannelId',
        details: { provider: null, ability: 'methods' },
      }),
    );
    const off = await makeChannel(florin, as, { provider: 'sandbox', state: false });
    expect((await modify({ ...token, defaultChannelId: off })).body).toEqual(
      aRefusal(409, { type: 'channel_inactive', field: 'defaultChannelId' }),
    );
    const consent = { ipAddress: '192.0.2.7', userAgent: 'x', acceptedTime: '2027-01-31T10:00:00Z' };
    expect((await modify({ name: 'Ada', consent })).body).toEqual(
      aRefusal(400, { type: 'invalid_request', field: 'consent' }),
    );
    const [row] = await db.query('select count(*) as count from customer where name = $1', ['Ada']);
    expect(row).toEqual({ count: 1 });
  });
});

test('the list is newest first, paged, filtered, and has an exact total', async () => {
  const tenantId = await makeTenant(florin, admin);
  const member = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const made: number[] = [];
  for (const [name, email, externalId] of [
    ['Anna', 'anna@example.com', 'a'],
    ['Hannah', 'Anna@Example.com', 'b'],
    ['Otto', 'otto@example.com', 'c'],
  ]) {
    made.unshift(await makeCustomer(florin, member.as, { name, email, externalId }));
  }
  const list = async (query: string) => {
    const { body } = await florin.get(`/api/customer/list?${query}`, member.as);
    return { ids: body.data.map(({ id }: { id: number }) => id), total: body.pagination.total };
  };
  expect(await list('')).toEqual({ ids: made, total: 3 });
  expect(await list('page=2&pageSize=2')).toEqual({ ids: made.slice(2), total: 3 });
  expect(await list('email=anna@example.COM')).toEqual({ ids: made.slice(1), total: 2 });
  expect(await list('name=ann')).toEqual({ ids: made.slice(1), total: undefined });
  expect(await list('externalId=c')).toEqual({ ids: made.slice(0, 1), total: 1 });
  expect(await list('name=%25')).toEqual({ ids: [], total: undefined });
  expect(await list('search=ann')).toEqual({ ids: made.slice(2), total: 1 });
  expect(await list(`ids=${made[2]},1,${made[0]}`)).toEqual({ ids: [made[0], made[2]], total: 2 });
  expect(await list(`ids=${made[0]}&search=ann`)).toEqual({ ids: [], total: 0 });
  const stranger = (
    await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: await makeTenant(florin, admin) })
  ).as;
  expect((await florin.get(`/api/customer/list?ids=${made[0]}`, stranger)).body.data).toEqual([]);
  for (const wrong of ['', '0', '1,', 'a', Array(101).fill('1').join()]) {
    const { body } = await florin.get(`/api/customer/list?ids=${wrong}`, member.as);
    expect(body).toEqual(aRefusal(400, { type: 'invalid_request', field: 'ids' }));
  }
  expect(await list('search=anna@example.com')).toEqual({ ids: made.slice(1), total: 2 });
  expect(await list(`search=${made[0]}`)).toEqual({ ids: made.slice(0, 1), total: 1 });
  expect(await list('search=an_')).toEqual({ ids: [], total: 0 });
  expect(await list('startDate=2020-01-01&endDate=2020-01-02')).toEqual({ ids: [], total: 0 });
  await modify({ id: made[1], name: 'Hannah', metadata: { tier: 2 } }, member.as);
  expect(await list('metadata[tier]=2')).toEqual({ ids: [made[1]], total: undefined });
  expect((await florin.get('/api/customer/list?metadata=2', member.as)).body).toEqual({
    ...aRefusal(400, { type: 'invalid_request', field: 'metadata' }),
    message: 'metadata must be given by key, such as metadata[order]=7.',
  });
  const { body } = await florin.get('/api/customer/list?pageSize=2', member.as);
  const rest = await florin.get(`/api/customer/list?pageSize=2&cursor=${body.pagination.nextCursor}`, member.as);
  expect(rest.body).toMatchObject({ data: [{ id: made[2] }], pagination: { pageSize: 2, nextCursor: null } });
});

describe('a test clock', () => {
  const create = (body: object) => florin.post('/api/clock/create', body, as);
  const advance = (id: number, toTime: string) => florin.post('/api/clock/advance', { id, toTime }, as);

  test('only has customers of its mode, and is not found by a key of the other mode', async () => {
    const { id: clockId } = dataOf(await create({ name: 'Test' }));
    expect(dataOf(await modify({ name: 'x', clockId }))).toMatchObject({ livemode: false, clockId });
    expect((await modify({ name: 'x', clockId, livemode: true })).body).toEqual(
      aRefusal(409, { type: 'livemode_mismatch', field: 'clockId' }),
    );
    const { as: key } = await makeKey(florin, as, '*');
    const { id: live } = dataOf(await florin.post('/api/clock/create', { name: 'Live' }, key));
    const listed = async (caller: string) =>
      dataOf(await florin.get('/api/clock/list', caller)).map(({ id }: { id: number }) => id);
    expect(await listed(key)).toEqual([live]);
    expect(await listed(as)).toEqual(expect.arrayContaining([live, clockId]));
    expect((await florin.get(`/api/clock/detail?id=${clockId}`, key)).status).toBe(404);
  });

  test('starts at its initial time, advances, and sets the time of its customers', async () => {
    const clock = dataOf(await create({ name: 'A year', nowTime: '2027-01-31T10:00:00Z', livemode: true }));
    expect(clock).toEqual({
      id: anInteger,
      livemode: true,
      name: 'A year',
      nowTime: '2027-01-31T10:00:00.000Z',
      state: 'READY',
      toTime: null,
      createdTime: aTime,
      updatedTime: aTime,
    });
    const customerId = await makeCustomer(florin, as, { clockId: clock.id });
    const id = await makeInvoice(florin, as, customerId, { channelId });
    const drafted = dataOf(await florin.get(`/api/invoice/detail?id=${id}`, as));
    expect(drafted).toMatchObject({ createdTime: clock.nowTime, finalizedTime: clock.nowTime, dueDate: '2027-01-31' });

    const later = '2028-02-29T00:00:00.000Z';
    expect(dataOf(await advance(clock.id, later))).toMatchObject({ state: 'READY', nowTime: later, toTime: null });
    const { transactionId } = dataOf(await florin.post('/api/invoice/pay', { id }, as));
    dataOf(await florin.post('/api/transaction/update', { id: transactionId, status: 'SUCCESS' }, as));
    expect(await settledInvoice(florin, as, id, db)).toMatchObject({ status: 'PAID', paidTime: later });
    expect(dataOf(await florin.get('/api/clock/list', as))[0]).toMatchObject({ id: clock.id, nowTime: later });
  });

  test('never goes back or advances more than ten years at once; a customer cannot change its clock', async () => {
    const { id } = dataOf(await create({ name: 'x', nowTime: '2027-01-31T10:00:00Z' }));
    for (const toTime of ['2027-01-31T09:59:59Z', '2047-01-31T10:00:00Z', '0000-01-01T00:00:00Z', 'tomorrow']) {
      expect((await advance(id, toTime)).body).toEqual(aRefusal(400, { type: 'invalid_request', field: 'toTime' }));
    }
    // A double of seconds cannot represent milliseconds of later times.
    for (const nowTime of ['1969-12-31T23:59:59Z', '2553-04-03T01:02:03.815Z', '9990-01-01T00:00:00Z']) {
      expect((await create({ name: 'x', nowTime })).body).toEqual(
        aRefusal(400, { type: 'invalid_request', field: 'nowTime' }),
      );
    }
    expect((await advance(987_654, '2027-02-01T00:00:00Z')).status).toBe(404);
    const customerId = await makeCustomer(florin, as, { clockId: id });
    expect((await modify({ id: customerId, name: 'x', clockId: null })).body).toEqual(
      aRefusal(400, { type: 'invalid_request', field: 'clockId' }),
    );
  });

  test.each(['2199-12-30T23:59:59.999Z', '2163-02-28T01:02:03.815Z'])(
    'arrives to the millisecond in the far future, %s',
    async (nowTime) => {
      const clock = dataOf(await create({ name: 'x', nowTime }));
      const toTime = new Date(Date.parse(nowTime) + 123).toISOString();
      expect([clock.nowTime, dataOf(await advance(clock.id, toTime)).nowTime]).toEqual([nowTime, toTime]);
    },
  );

  test('waits until payments in progress are settled, and refuses a second advance', async () => {
    const sandbox = await makeChannel(florin, as, { provider: 'sandbox' });
    const { id: clockId } = dataOf(await create({ name: 'x', nowTime: '2027-01-31T10:00:00Z' }));
    const customerId = await makeCustomer(florin, as, { clockId, defaultChannelId: sandbox });
    const id = await makeInvoice(florin, as, customerId);
    dataOf(await florin.post('/api/invoice/pay', { id }, as));
    const moved = await advance(clockId, '2027-02-01T00:00:00Z');
    expect(dataOf(moved)).toMatchObject({ state: 'READY' });
    const invoice = dataOf(await florin.get(`/api/invoice/detail?id=${id}`, as));
    expect(invoice).toMatchObject({ status: 'PAID', paidTime: '2027-01-31T10:00:00.000Z' });
    await db.query("update clock set target_at = now_at + interval '1 day' where id = $1", [clockId]);
    expect([200, 409]).toContain((await advance(clockId, '2027-02-03T00:00:00Z')).status);
  });

  test('is not offered outside STANDALONE mode', async () => {
    const node = await florinOn(db, {
      APP_DEPLOYMENT_MODE: 'CLUSTER',
      APP_JWT_KEYS: `k1:${'A'.repeat(43)}`,
    });
    try {
      const there = await administratorOf(node);
      for (const [path, body] of [
        ['/api/clock/create', { name: 'x' }],
        ['/api/clock/advance', { id: 1, toTime: '2027-02-01T00:00:00Z' }],
      ] as const) {
        expect((await node.post(path, body, there)).body).toEqual(aRefusal(403, { type: 'clocks_not_offered' }));
      }
      expect((await node.post('/api/customer/modify', { name: 'x', clockId: 1 }, there)).body).toEqual(
        aRefusal(403, { type: 'clocks_not_offered', field: 'clockId' }),
      );
    } finally {
      await node.stop();
    }
  });
});
