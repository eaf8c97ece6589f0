import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  makeCustomer,
  makeDraft,
  makeInvoice,
  makePayingCustomer,
  paymentEventsOfInvoice,
  settledInvoice,
} from '../../../../../tests/support/billing/invoices.ts';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeMember,
  makePayment,
  makeTenant,
  memberPassword,
} from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin, untilTaken } from '../../../../../tests/support/service/florin.ts';
import { anInteger, aRefusal, aTime, aTransactionId } from '../../../../../tests/support/shapes.ts';
import { verify } from '../../../../app/integrity.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;
let sandboxId: number;
let customerId: number;
let testCustomerId: number;
let userId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  channelId = await makeChannel(florin, admin);
  sandboxId = await makeChannel(florin, admin, { provider: 'sandbox' });
  customerId = await makeCustomer(florin, admin);
  testCustomerId = await makeCustomer(florin, admin, { defaultChannelId: sandboxId });
  userId = dataOf(await florin.get('/api/user/info', admin)).userId;
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const post = (verb: string, body: object, as = admin) => florin.post(`/api/invoice/${verb}`, body, as);
const detail = async (id: number) => dataOf(await florin.get(`/api/invoice/detail?id=${id}`, admin));
const pay = (body: object, headers: Record<string, string> = {}) =>
  florin.call('POST', '/api/invoice/pay', { as: admin, body, headers });
const update = async (id: string, status: string) =>
  dataOf(await florin.post('/api/transaction/update', { id, status }, admin));
const settled = (id: number) => settledInvoice(florin, admin, id, db);

async function broken(): Promise<string[]> {
  const claims: string[] = [];
  await verify(db.database, ({ claim, offenders }) => {
    if (offenders.length > 0) claims.push(`${claim}: ${offenders.join(', ')}`);
  });
  return claims;
}

test('an invoice goes from DRAFT to PAID, and every answer shows its whole record', async () => {
  const lines = [
    { description: 'Bread', quantity: 3, unitAmount: 333, taxRate: 700 },
    { description: 'Coffee', quantity: 1, unitAmount: 450, taxRate: 1900 },
    { description: 'Voucher', quantity: 1, unitAmount: -100 },
  ];
  const input = { customerId, currency: 'USD', lines, description: 'Breakfast', metadata: { table: 4 }, channelId };
  const created = await post('create', { ...input, dueDate: '2026-12-31' });
  expect(created.body).toEqual({
    code: 200,
    message: 'Invoice created',
    data: {
      id: anInteger,
      livemode: true,
      number: null,
      customerId,
      status: 'DRAFT',
      currency: 'USD',
      subtotal: 1349,
      tax: 156,
      total: 1505,
      amountDue: 1505,
      amountPaid: 0,
      amountRemaining: 1505,
      amountUnderWay: 0,
      amountRefunded: 0,
      amountToReturn: 0,
      nextPaymentAttempt: null,
      seller: null,
      channelId,
      description: 'Breakfast',
      metadata: { table: 4 },
      dueDate: '2026-12-31',
      overdueTime: null,
      subscriptionId: null,
      periodStart: null,
      periodEnd: null,
      userId,
      version: 1,
      createdTime: aTime,
      finalizedTime: null,
      paidTime: null,
      closedTime: null,
      updatedTime: aTime,
      lines: [
        { description: 'Bread', quantity: 3, unitAmount: 333, amount: 999, taxRate: 700, taxAmount: 70 },
        { description: 'Coffee', quantity: 1, unitAmount: 450, amount: 450, taxRate: 1900, taxAmount: 86 },
        { description: 'Voucher', quantity: 1, unitAmount: -100, amount: -100, taxRate: null, taxAmount: 0 },
      ],
      payments: [],
    },
  });
  const { id } = created.body.data;
  expect(await detail(id)).toEqual(created.body.data);
  const finalized = dataOf(await post('finalize', { id }));
  expect(finalized).toMatchObject({ status: 'OPEN', number: 'INV-000001', finalizedTime: aTime, version: 2 });

  const paid = await pay({ id });
  expect(paid.body).toMatchObject({ message: 'Payment created', data: { transactionId: aTransactionId } });
  const { transactionId, invoice } = paid.body.data;
  expect(invoice).toMatchObject({ status: 'OPEN', amountPaid: 0, amountUnderWay: 1505, amountRemaining: 1505 });
  const payment = dataOf(await florin.get(`/api/transaction/detail?id=${transactionId}`, admin));
  expect(payment).toMatchObject({ amount: 1505, invoiceId: id, customerId, channelId, metadata: { table: 4 }, userId });
  await update(transactionId, 'SUCCESS');
  expect(await settled(id)).toMatchObject({
    status: 'PAID',
    amountPaid: 1505,
    amountRemaining: 0,
    amountUnderWay: 0,
    paidTime: aTime,
    payments: [{ transactionId, amount: 1505, state: 'SUCCEEDED', automatic: false, failureCode: null }],
  });
  expect(await paymentEventsOfInvoice(db, id)).toEqual(['invoice.paid']);
  expect(await broken()).toEqual([]);
});

describe('payments of an invoice', () => {
  const open = (changes: object = {}) => makeInvoice(florin, admin, customerId, { channelId, ...changes });

  test('created with its invoiceId settle it; partial payments add up to one invoice.paid event', async () => {
    const id = await open();
    const parts = [
      await makePayment(florin, admin, channelId, { amount: 300, invoiceId: id }),
      await makePayment(florin, admin, channelId, { amount: 700, invoiceId: id }),
    ];
    expect(await detail(id)).toMatchObject({ status: 'OPEN', amountPaid: 0, amountUnderWay: 1000 });
    await update(parts[0] as string, 'SUCCESS');
    expect(await settled(id)).toMatchObject({ status: 'OPEN', amountPaid: 300, amountUnderWay: 700 });
    expect(await paymentEventsOfInvoice(db, id)).toEqual([]);
    await update(parts[1] as string, 'SUCCESS');
    expect(await settled(id)).toMatchObject({ status: 'PAID', amountPaid: 1000, amountRemaining: 0 });
    expect(await paymentEventsOfInvoice(db, id)).toEqual(['invoice.paid']);
  });

  test('are refused when they exceed it, have another currency, or the invoice is not OPEN', async () => {
    const id = await open();
    const create = (changes: object) =>
      florin.post(
        '/api/transaction/create',
        { amount: 1, currency: 'USD', channelId, invoiceId: id, ...changes },
        admin,
      );
    expect((await create({ amount: 1001 })).body).toEqual(
      aRefusal(409, { type: 'payment_exceeds_invoice', field: 'amount', details: { left: 1000 } }),
    );
    expect((await create({ currency: 'EUR' })).body).toEqual(
      aRefusal(400, { type: 'invalid_request', field: 'currency' }),
    );
    const draft = await makeDraft(florin, admin, customerId);
    expect((await create({ invoiceId: draft })).body).toEqual(
      aRefusal(409, { type: 'invoice_not_payable', field: 'invoiceId', details: { status: 'DRAFT' } }),
    );
    expect((await pay({ id: draft })).body).toEqual(
      aRefusal(409, { type: 'invoice_not_payable', field: 'id', details: { status: 'DRAFT' } }),
    );
    expect((await pay({ id, amount: 1001 })).body).toMatchObject({ error: { type: 'payment_exceeds_invoice' } });
    expect(await detail(id)).toMatchObject({ amountUnderWay: 0, version: 2, payments: [] });
  });

  test('may name an invoice id of another system, which is stored unchanged', async () => {
    const transactionId = await makePayment(florin, admin, channelId, { invoiceId: 987_654_321 });
    await update(transactionId, 'SUCCESS');
    const payment = dataOf(await florin.get(`/api/transaction/detail?id=${transactionId}`, admin));
    expect(payment).toMatchObject({ invoiceId: 987_654_321, status: 'SUCCESS' });
    expect(
      await db.query('select 1 from invoice_payment where transaction_id is null or invoice_id = 987654321'),
    ).toEqual([]);
  });

  test('that fail emit one event each, and a cancelled one none', async () => {
    const id = await open();
    for (let attempts = 1; attempts <= 3; attempts++) {
      const { transactionId } = dataOf(await pay({ id }));
      const failed = { id: transactionId, status: 'FAILED', failureCode: 'expired_card', failureMessage: 'Expired.' };
      dataOf(await florin.post('/api/transaction/update', failed, admin));
      const invoice = await settled(id);
      expect(invoice).toMatchObject({ status: 'OPEN', amountPaid: 0, amountUnderWay: 0 });
      expect(invoice.payments[0]).toMatchObject({ state: 'FAILED', failureCode: 'expired_card' });
      expect(invoice.payments).toHaveLength(attempts);
      expect(await paymentEventsOfInvoice(db, id)).toEqual(
        Array.from({ length: attempts }, () => 'invoice.payment_failed'),
      );
    }
    const [event] = await db.query<{ body: string }>(
      `select body from event where object_id = $1 and type = 'invoice.payment_failed' limit 1`,
      [`inv_${id}`],
    );
    expect(JSON.parse(event?.body ?? '').data.object).toMatchObject({
      id,
      status: 'OPEN',
      transactionId: aTransactionId,
      failureCode: 'expired_card',
      failureMessage: 'Expired.',
    });
    const { transactionId } = dataOf(await pay({ id }));
    await update(transactionId, 'CANCELLED');
    expect(await settled(id)).toMatchObject({ status: 'OPEN', amountUnderWay: 0 });
    expect(await paymentEventsOfInvoice(db, id)).toHaveLength(3);
  });

  test("through a provider use the customer's payment method and settle the invoice by its result", async () => {
    const poor = await makePayingCustomer(florin, admin, {
      defaultChannelId: sandboxId,
      paymentMethod: 'sandbox:decline:insufficient_funds',
    });
    const id = await makeInvoice(florin, admin, poor);
    const { transactionId } = dataOf(await pay({ id }));
    await eventually('it is declined', async () => (await detail(id)).payments[0].state === 'FAILED');
    expect((await settled(id)).payments).toMatchObject([{ transactionId, failureCode: 'insufficient_funds' }]);
    dataOf(await pay({ id, paymentMethod: 'pm_good' }));
    await eventually('it is paid', async () => (await detail(id)).status === 'PAID');
    expect(await paymentEventsOfInvoice(db, id)).toEqual(['invoice.payment_failed', 'invoice.paid']);
  });

  test('with an Idempotency-Key are created once, and a repeat gets the first answer', async () => {
    const open = () => makeInvoice(florin, admin, testCustomerId);
    const id = await open();
    const pending = { channelId: sandboxId, paymentMethod: 'sandbox:pending' };
    const payWithKey = () => pay({ id, amount: 400, ...pending }, { 'idempotency-key': 'pay-1' });
    const answers = await Promise.all(Array.from({ length: 20 }, payWithKey));
    expect(new Set(answers.map((answer) => dataOf(answer).transactionId)).size).toBe(1);
    expect(await detail(id)).toMatchObject({ amountUnderWay: 400 });
    const create = () =>
      florin.call('POST', '/api/transaction/create', {
        as: admin,
        body: { amount: 600, currency: 'USD', ...pending, invoiceId: id },
        headers: { 'idempotency-key': 'pay-2' },
      });
    const made = await Promise.all(Array.from({ length: 20 }, create));
    expect(new Set(made.map((answer) => dataOf(answer).id)).size).toBe(1);
    expect(await detail(id)).toMatchObject({ amountUnderWay: 1000 });
    const other = await open();
    const reused = await florin.call('POST', '/api/transaction/create', {
      as: admin,
      body: { amount: 600, currency: 'USD', ...pending, invoiceId: other },
      headers: { 'idempotency-key': 'pay-2' },
    });
    expect(reused.body).toEqual(aRefusal(422, { type: 'idempotency_mismatch', field: 'Idempotency-Key' }));
    expect(await detail(other)).toMatchObject({ amountUnderWay: 0, payments: [] });
  });

  test('are refused without a channel or on a channel that does not accept them, and reserve nothing', async () => {
    const id = await makeInvoice(florin, admin, customerId);
    expect((await pay({ id })).body).toEqual(aRefusal(400, { type: 'invalid_request', field: 'channelId' }));
    const euros = await makeChannel(florin, admin, { currency: 'EUR' });
    expect((await pay({ id, channelId: euros })).body).toMatchObject({ error: { type: 'currency_not_supported' } });
    const off = await makeChannel(florin, admin, { state: false });
    expect((await pay({ id, channelId: off })).body).toMatchObject({ error: { type: 'channel_inactive' } });
    expect(await detail(id)).toMatchObject({ amountUnderWay: 0, payments: [] });
  });

  test('that are refunded do not reopen it', async () => {
    const id = await open();
    const { transactionId } = dataOf(await pay({ id }));
    await update(transactionId, 'SUCCESS');
    expect(await settled(id)).toMatchObject({ status: 'PAID' });
    dataOf(await florin.post('/api/refund/create', { transactionId }, admin));
    expect(await settled(id)).toMatchObject({ status: 'PAID', amountPaid: 1000 });
    expect(await paymentEventsOfInvoice(db, id)).toEqual(['invoice.paid']);
  });
});

describe('void', () => {
  const open = () => makeInvoice(florin, admin, customerId, { channelId });

  test('makes an invoice final: it can neither be paid nor change its status', async () => {
    const id = await open();
    expect((await post('void', { id })).body).toMatchObject({
      message: 'Invoice made void',
      data: {
        status: 'VOID',
        number: expect.stringMatching(/^INV-/),
        amountDue: 0,
        amountRemaining: 0,
        closedTime: aTime,
      },
    });
    expect((await pay({ id })).body).toMatchObject({ error: { type: 'invoice_not_payable' } });
    for (const [verb, to] of [
      ['void', 'VOID'],
      ['finalize', 'OPEN'],
    ] as const) {
      expect((await post(verb, { id })).body).toEqual(
        aRefusal(409, { type: 'illegal_transition', field: 'id', details: { from: 'VOID', to, allowed: [] } }),
      );
    }
    const draft = await makeDraft(florin, admin, customerId);
    expect(dataOf(await post('void', { id: draft }))).toMatchObject({ status: 'VOID', number: null });
  });

  test('is refused while a payment is in progress, and after a partial payment', async () => {
    const id = await makeInvoice(florin, admin, testCustomerId);
    const pending = { channelId: sandboxId, paymentMethod: 'sandbox:pending' };
    const inProgress = dataOf(await pay({ id, amount: 400, ...pending })).transactionId;
    for (const body of [{ id }, { id, uncollectible: true }]) {
      expect((await post('void', body)).body).toEqual(
        aRefusal(409, { type: 'invoice_payment_under_way', field: 'id', details: { underWay: 400 } }),
      );
    }
    await update(inProgress, 'CANCELLED');
    await eventually('it is cancelled', async () => (await detail(id)).payments[0].state === 'CANCELLED');
    const byHand = await makeChannel(florin, admin, { livemode: false });
    const { transactionId } = dataOf(await pay({ id, amount: 400, channelId: byHand }));
    await update(transactionId, 'SUCCESS');
    expect((await post('void', { id })).body).toMatchObject({ error: { type: 'illegal_transition' } });
    expect((await post('void', { id, uncollectible: true })).body).toMatchObject({
      message: 'Invoice given up',
      data: { status: 'UNCOLLECTIBLE', amountPaid: 400, amountRemaining: 600 },
    });
    const late = dataOf(await pay({ id, channelId: byHand })).transactionId;
    await update(late, 'SUCCESS');
    expect(await settled(id)).toMatchObject({ status: 'PAID', amountPaid: 1000 });
  });
});

test('an invoice with a total of 0 becomes PAID when it is finalized, with its event', async () => {
  const lines = [
    { description: 'Bread', quantity: 1, unitAmount: 500 },
    { description: 'Voucher', quantity: 1, unitAmount: -500 },
  ];
  const id = await makeDraft(florin, admin, customerId, { lines });
  expect(dataOf(await post('finalize', { id }))).toMatchObject({ status: 'PAID', total: 0, paidTime: aTime });
  expect(await paymentEventsOfInvoice(db, id)).toEqual(['invoice.paid']);
});

test('fifty concurrent payments at a provider on two nodes never exceed the invoice', async () => {
  const other = await florinOn(db);
  try {
    const id = await makeInvoice(florin, admin, testCustomerId);
    const as = await administratorOf(other);
    const pending = { channelId: sandboxId, paymentMethod: 'sandbox:pending:1' };
    const body = { amount: 70, currency: 'USD', ...pending, invoiceId: id };
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        untilTaken(() =>
          i % 2 === 0
            ? florin.post('/api/transaction/create', body, admin)
            : other.post('/api/invoice/pay', { id, amount: 70, ...pending }, as),
        ),
      ),
    );
    const accepted = replies.filter(({ status }) => status === 200);
    expect([accepted.length, replies.filter(({ status }) => status === 409).length]).toEqual([14, 36]);
    const { amountUnderWay, amountPaid } = await detail(id);
    expect(amountUnderWay + amountPaid).toBe(980);
    dataOf(await other.post('/api/invoice/pay', { id, ...pending }, as));
    await eventually('all are paid', async () => {
      // Looked up now instead of after 5 s.
      await db.query(`update provider_operation set due_at = now() where state = 'WAITING'`);
      return (await detail(id)).status === 'PAID';
    });
    expect(await detail(id)).toMatchObject({ amountPaid: 1000, amountUnderWay: 0, amountToReturn: 0 });
    expect(await paymentEventsOfInvoice(db, id)).toEqual(['invoice.paid']);
  } finally {
    await other.stop();
  }
});

test('the numbers of a tenant have no gaps, even when two nodes finalize concurrently', async () => {
  const other = await florinOn(db);
  try {
    const tenantId = await makeTenant(florin, admin);
    const { as, userName } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const asThere = await other.login(userName, memberPassword);
    const mine = await makeCustomer(florin, as);
    const drafts = await Promise.all(Array.from({ length: 40 }, () => makeDraft(florin, as, mine)));
    const finalize = (id: number, i: number) =>
      untilTaken(() =>
        i % 2 === 0
          ? florin.post('/api/invoice/finalize', { id }, as)
          : other.post('/api/invoice/finalize', { id }, asThere),
      );
    // Each draft is finalized twice: one of the two requests is refused and uses no number.
    const replies = await Promise.all([...drafts, ...drafts.toReversed()].map(finalize));
    const numbers = replies.flatMap((reply) => (reply.status === 200 ? [dataOf(reply).number] : []));
    const wanted = Array.from({ length: 40 }, (_, i) => `INV-${String(i + 1).padStart(6, '0')}`);
    expect(numbers.toSorted()).toEqual(wanted);
  } finally {
    await other.stop();
  }
});

describe('invoice/create refuses', () => {
  const line = { description: 'Bread', quantity: 1, unitAmount: 100 };
  test.each([
    ['customerId', { customerId: 987_654 }, 404],
    ['channelId', { channelId: 987_654 }, 404],
    ['currency', { currency: 'XXX' }, 400],
    ['lines', { lines: [] }, 400],
    ['lines', { lines: [{ ...line, unitAmount: -1 }] }, 400],
    ['lines', { lines: [{ ...line, quantity: 1_000_000_000, unitAmount: Number.MAX_SAFE_INTEGER }] }, 400],
    ['lines.0.quantity', { lines: [{ ...line, quantity: 0 }] }, 400],
    ['lines.0.unitAmount', { lines: [{ ...line, unitAmount: 0.5 }] }, 400],
    ['lines.0.taxRate', { lines: [{ ...line, taxRate: 10_001 }] }, 400],
    ['lines.0.taxAmount', { lines: [{ ...line, taxRate: 1, taxAmount: 1 }] }, 400],
    ['dueDate', { dueDate: '2026-02-30' }, 400],
    ['metadata', { metadata: { long: 'x'.repeat(17_000) } }, 400],
  ])('a bad %s: %j', async (field, changes, status) => {
    const reply = await post('create', { customerId, currency: 'USD', lines: [line], ...changes });
    expect(reply.body).toMatchObject({ code: status, error: { field } });
  });
});

test('a draft cannot name a channel that does not accept its currency', async () => {
  const input = { customerId, currency: 'CHF', lines: [{ description: 'Bread', quantity: 1, unitAmount: 500 }] };
  expect((await post('create', { ...input, channelId })).body).toEqual(
    aRefusal(400, { type: 'currency_not_supported', field: 'currency', details: { currencies: ['USD', 'EUR'] } }),
  );
  expect((await post('create', input)).status).toBe(200);
});

test('the list is newest first, paged, filtered, and has an exact total', async () => {
  const tenantId = await makeTenant(florin, admin);
  const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const customers = [await makeCustomer(florin, as), await makeCustomer(florin, as)] as const;
  const made: number[] = [];
  for (let i = 0; i < 7; i++) made.unshift(await makeDraft(florin, as, customers[i % 2 === 0 ? 0 : 1]));
  dataOf(await post('finalize', { id: made[0] }, as));
  const list = async (query: string) => {
    const { body } = await florin.get(`/api/invoice/list?${query}`, as);
    return { ids: body.data.map(({ id }: { id: number }) => id), ...body.pagination };
  };
  expect(await list('')).toEqual({ ids: made, page: 1, pageSize: 20, total: 7, totalPages: 1, nextCursor: null });
  expect(await list('page=2&pageSize=3')).toMatchObject({ ids: made.slice(3, 6), total: 7, totalPages: 3 });
  expect(await list('status=OPEN')).toMatchObject({ ids: made.slice(0, 1), total: 1 });
  expect(await list(`customerId=${customers[1]}`)).toMatchObject({ total: 3 });
  expect(await list('subscriptionId=5')).toMatchObject({ ids: [], total: 0 });
  expect(await list('search=INV-000001')).toMatchObject({ ids: [made[0]], total: 1 });
  expect(await list(`search=${made[3]}`)).toMatchObject({ ids: [made[3]], total: 1 });
  const { nextCursor } = await list('pageSize=5&currency=USD');
  expect(await list(`pageSize=5&currency=USD&cursor=${nextCursor}`)).toEqual({
    ids: made.slice(5),
    pageSize: 5,
    nextCursor: null,
  });
  expect(await list('amountFrom=9007199254740991')).toMatchObject({ ids: [] });
  expect(await list(`startDate=${new Date().toISOString().slice(0, 10)}`)).toMatchObject({ total: 7 });
  expect(await list('endDate=2020-01-01T00:00:00Z')).toMatchObject({ total: 0 });
});

test('after all tests of this file, every integrity claim holds', async () => {
  const unsettled = await db.query<{ invoice_id: number }>('select distinct invoice_id from invoice_payment');
  for (const { invoice_id } of unsettled) await settled(invoice_id);
  expect(await broken()).toEqual([]);
});
