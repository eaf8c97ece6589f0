import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../../../../../tests/support/factories.ts';
import { sandboxTime } from '../../../../../tests/support/payments/sandbox.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

const time = sandboxTime();
const passes = () => time.pass(db);

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
/** Captures several times. */
let channelId: number;
/** Captures once. */
let singleId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, time.settings, time.clock);
  as = await administratorOf(florin);
  const sandbox = { provider: 'sandbox', webhookSecret: 'a secret between two' };
  channelId = await makeChannel(florin, as, { ...sandbox, capture: 'MULTIPLE' });
  singleId = await makeChannel(florin, as, sandbox);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

// Runs before the one above.
afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
});

type Fields = Record<string, unknown>;

const detail = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, as));
const capture = (input: Fields) => florin.post('/api/transaction/capture', input, as);
const release = (id: string) => florin.post('/api/transaction/release', { id }, as);
const cancel = (id: string) => florin.post('/api/transaction/update', { id, status: 'CANCELLED' }, as);
const untilPayment = (id: string, what: string, holds: (payment: Fields) => boolean): Promise<Fields> =>
  eventually(what, async () => {
    const payment = await detail(id);
    return holds(payment) && payment;
  });
const untilStatus = (id: string, status: string) => untilPayment(id, `is ${status}`, (one) => one.status === status);

const create = (changes: Fields = {}) =>
  makePayment(florin, as, (changes.channelId as number) ?? channelId, {
    amount: 1000,
    captureMethod: 'MANUAL',
    ...changes,
  });

/** Creates a payment and waits until it is authorized. */
async function authorized(changes: Fields = {}): Promise<string> {
  const id = await create(changes);
  await untilPayment(id, 'is authorized', ({ amountAuthorized }) => amountAuthorized === 1000);
  return id;
}

/** Captures, and waits until the capture has ended. */
async function captured(id: string, input: Fields = {}): Promise<Fields> {
  const { id: captureId } = dataOf(await capture({ id, ...input }));
  return untilCaptured(id, captureId);
}

const untilCaptured = (id: string, captureId: string): Promise<Fields> =>
  eventually('the capture has ended', async () => {
    const payment = await detail(id);
    const one = payment.captures.find((each: Fields) => each.id === captureId);
    return (one.status === 'SUCCESS' || one.status === 'FAILED') && one;
  });

const eventTypes = async (id: string): Promise<string[]> => {
  const rows = await db.query<{ type: string }>('select type from event where object_id = $1 order by id', [id]);
  return rows.map(({ type }) => type.replace('transaction.', ''));
};

const booked = async (id: string) => {
  const entries = dataOf(await florin.get(`/api/ledger/entries?transactionId=${id}&account=MERCHANT_PAYABLE`, as));
  return entries.map(({ amount, captureId }: Fields) => ({ amount, captureId }));
};

describe('a payment that is captured by requests', () => {
  test('is authorized first, and takes its money with the capture', async () => {
    const id = await create();
    const held = await untilPayment(id, 'is authorized', ({ amountAuthorized }) => amountAuthorized === 1000);
    const amounts = { captureMethod: 'MANUAL', amountAuthorized: 1000, amountCapturable: 1000, amountCaptured: 0 };
    expect(held).toMatchObject({ ...amounts, status: 'PROCESSING', waitingFor: null, captures: [] });
    expect(held.captureBefore).toMatch(/^\d{4}-/);
    expect(await booked(id)).toEqual([]);

    const reply = dataOf(await capture({ id }));
    expect(reply).toMatchObject({ transactionId: id, amount: 1000, final: true, status: 'PENDING', failureCode: null });
    const paid = await untilStatus(id, 'SUCCESS');
    expect(paid).toMatchObject({ amountAuthorized: 1000, amountCapturable: 0, amountCaptured: 1000 });
    expect(paid.captures).toMatchObject([{ id: reply.id, status: 'SUCCESS', amount: 1000, final: true }]);
    expect(await eventTypes(id)).toEqual(['created', 'processing', 'authorized', 'captured', 'succeeded']);
    expect(await booked(id)).toEqual([{ amount: 1000, captureId: reply.id }]);
  });

  test('has in a list, on request, what was captured of it', async () => {
    const id = await authorized();
    await captured(id, { amount: 600, final: true });
    await untilStatus(id, 'SUCCESS');
    const listed = async (query: string) =>
      dataOf(await florin.get(`/api/transaction/list?livemode=false&pageSize=1${query}`, as))[0];
    expect(await listed('&fields=amountCaptured')).toMatchObject({ id, amount: 1000, amountCaptured: 600 });
    expect(await listed('')).not.toHaveProperty('amountCaptured');
  });

  test('tells the capture in the events about it', async () => {
    const id = await authorized();
    const { id: captureId } = await captured(id);
    const [event] = await db.query<{ body: string }>(
      `select body from event where object_id = $1 and type = 'transaction.captured'`,
      [id],
    );
    const { object } = JSON.parse(event?.body ?? '').data;
    expect(object).toMatchObject({ id, status: 'SUCCESS', amountCaptured: 1000 });
    expect(object.capture).toEqual((await detail(id)).captures[0]);
    expect(object.capture.id).toBe(captureId);
  });

  test('is captured in several parts, the last of which ends it', async () => {
    const id = await authorized();
    await captured(id, { amount: 300, final: false });
    expect(await detail(id)).toMatchObject({ status: 'PROCESSING', amountCapturable: 700, amountCaptured: 300 });
    await captured(id, { amount: 100, final: false });
    // A capture of all that is left is final whatever is said.
    expect(await captured(id, { amount: 600, final: false })).toMatchObject({ final: true });
    expect(await untilStatus(id, 'SUCCESS')).toMatchObject({ amountCapturable: 0, amountCaptured: 1000 });
    const events = ['created', 'processing', 'authorized', 'captured', 'captured', 'captured', 'succeeded'];
    expect(await eventTypes(id)).toEqual(events);
    expect((await booked(id)).map(({ amount }: Fields) => amount)).toEqual([600, 100, 300]);
  });

  test('releases the rest with a final capture of a part', async () => {
    const id = await authorized();
    await captured(id, { amount: 400 });
    expect(await untilStatus(id, 'SUCCESS')).toMatchObject({ amountCapturable: 0, amountCaptured: 400 });
  });

  test('waits for the release of the rest where the provider confirms it later', async () => {
    const id = await authorized({ metadata: { sandbox: 'capture:late' } });
    const { id: captureId } = dataOf(await capture({ id, amount: 400 }));
    await passes();
    await untilCaptured(id, captureId);
    const waiting = { status: 'PROCESSING', amountCapturable: 0, amountCaptured: 400, waitingFor: 'PROVIDER' };
    expect(await detail(id)).toMatchObject(waiting);
    const refused = await capture({ id, amount: 1 });
    expect(refused).toMatchObject({ status: 409, body: { error: { type: 'capture_under_way' } } });
    await passes();
    expect(await untilStatus(id, 'SUCCESS')).toMatchObject({ amountCaptured: 400 });
    expect((await eventTypes(id)).slice(-2)).toEqual(['captured', 'succeeded']);
  });

  test('ends with the release of the rest after a capture', async () => {
    const id = await authorized();
    expect(await release(id)).toMatchObject({ status: 409, body: { error: { type: 'not_capturable' } } });
    await captured(id, { amount: 300, final: false });
    expect(dataOf(await release(id))).toMatchObject({ id, status: 'PROCESSING', amountCapturable: 0 });
    expect(await untilStatus(id, 'SUCCESS')).toMatchObject({ amountCapturable: 0, amountCaptured: 300 });
    expect(await eventTypes(id)).toEqual(['created', 'processing', 'authorized', 'captured', 'succeeded']);
  });

  test('can be captured again after a capture has failed', async () => {
    const id = await authorized({ metadata: { sandbox: 'capture:fail' } });
    expect(await captured(id, { amount: 600 })).toMatchObject({ status: 'FAILED', failureCode: 'capture_failed' });
    expect(await detail(id)).toMatchObject({ status: 'PROCESSING', amountCapturable: 1000, amountCaptured: 0 });
    expect((await eventTypes(id)).at(-1)).toBe('capture_failed');
    expect(await booked(id)).toEqual([]);
    dataOf(await cancel(id));
    expect(await untilStatus(id, 'CANCELLED')).toMatchObject({ amountCapturable: 0, failureCode: null });
    expect((await eventTypes(id)).at(-1)).toBe('cancelled');
  });

  test('is cancelled as a whole, and not after a capture', async () => {
    const id = await authorized();
    dataOf(await cancel(id));
    await untilStatus(id, 'CANCELLED');
    expect(await capture({ id })).toMatchObject({ status: 409, body: { error: { type: 'not_capturable' } } });
    const partly = await authorized();
    await captured(partly, { amount: 300, final: false });
    expect(await cancel(partly)).toMatchObject({ status: 409, body: { error: { type: 'illegal_transition' } } });
  });

  test('is cancelled when its authorization expires, without a failed payment', async () => {
    const id = await create({ metadata: { sandbox: 'authorize:expires' } });
    await passes();
    const ended = await untilStatus(id, 'CANCELLED');
    expect(ended).toMatchObject({ failureCode: 'authorization_expired', retry: 'NEVER', amountCapturable: 0 });
    const types = await eventTypes(id);
    expect(types.filter((type) => type !== 'authorization_expiring')).toEqual([
      'created',
      'processing',
      'authorized',
      'cancelled',
    ]);
  });

  test('succeeds with what was captured before its authorization expires', async () => {
    const id = await authorized({ metadata: { sandbox: 'authorize:expires' } });
    await captured(id, { amount: 300, final: false });
    await passes();
    expect(await untilStatus(id, 'SUCCESS')).toMatchObject({ amountCaptured: 300, amountCapturable: 0 });
    expect(await eventTypes(id)).not.toContain('cancelled');
  });

  test('fails when less than its amount is authorized', async () => {
    const id = await create({ metadata: { sandbox: 'authorize:less' } });
    const failed = await untilStatus(id, 'FAILED');
    expect(failed).toMatchObject({ failureCode: 'insufficient_funds', amountAuthorized: 0, amountCaptured: 0 });
    expect(await eventTypes(id)).toEqual(['created', 'processing', 'failed']);
  });

  test('announces the end of its authorization once', async () => {
    const id = await create({ metadata: { sandbox: 'authorize:expires' } });
    const announced = async () => (await eventTypes(id)).filter((type) => type === 'authorization_expiring');
    await eventually('it is announced', async () => (await announced()).length > 0);
    await passes();
    await untilStatus(id, 'CANCELLED');
    expect(await announced()).toHaveLength(1);
  });

  test('whose captures the scheme rejects later is not capturable again, and its money is disputed', async () => {
    const id = await authorized({ metadata: { sandbox: 'capture:fail-later' } });
    const disputed = (amount: number) =>
      untilPayment(id, `${amount} came back`, ({ amountDisputed }) => amountDisputed === amount);
    await captured(id, { amount: 400, final: false });
    await passes();
    const held = await disputed(400);
    expect(held).toMatchObject({ status: 'PROCESSING', amountCaptured: 400, amountCapturable: 600 });
    await captured(id);
    await passes();
    const ended = await disputed(1000);
    expect(ended).toMatchObject({ status: 'SUCCESS', amountCaptured: 1000, amountCapturable: 0 });
    const disputes = dataOf(await florin.get(`/api/dispute/list?transactionId=${id}`, as));
    expect(disputes.map(({ amount }: Fields) => amount).sort()).toEqual([400, 600]);
    for (const one of disputes) expect(one).toMatchObject({ reason: 'returned', status: 'LOST', actions: [] });
    const refund = await florin.post('/api/refund/create', { transactionId: id, amount: 1 }, as);
    expect(refund).toMatchObject({ status: 409, body: { error: { type: 'payment_disputed' } } });
  });

  test('refunds what was captured, and no more', async () => {
    const id = await authorized();
    const early = await florin.post('/api/refund/create', { transactionId: id }, as);
    expect(early).toMatchObject({ status: 409, body: { error: { type: 'not_refundable' } } });
    await captured(id, { amount: 400 });
    await untilStatus(id, 'SUCCESS');
    const tooMuch = await florin.post('/api/refund/create', { transactionId: id, amount: 401 }, as);
    expect(tooMuch).toMatchObject({ status: 409, body: { error: { type: 'refund_exceeds_payment' } } });
    expect(dataOf(await florin.post('/api/refund/create', { transactionId: id }, as))).toMatchObject({ amount: 400 });
    expect(await untilStatus(id, 'REFUNDED')).toMatchObject({ amountRefunded: 400, amountCaptured: 400 });
  });
});

describe('a capture is refused', () => {
  test.each([
    ['above what is authorized', { amount: 1001 }, 'capture_exceeds_authorization'],
    ['of another channel that captures once, unless it is final', { amount: 300, final: false }, 'channel_cannot'],
  ])('%s', async (_what, input, type) => {
    const id = await authorized({ channelId: singleId });
    const { status, body } = await capture({ id, ...input });
    expect({ status, type: body.error.type }).toEqual({ status: 409, type });
    if (type === 'channel_cannot') {
      expect(body.error.details).toMatchObject({ provider: 'sandbox', ability: 'capture:MULTIPLE' });
    }
    expect(await detail(id)).toMatchObject({ amountCapturable: 1000, captures: [] });
  });

  test('while another one is under way', async () => {
    const id = await authorized({ metadata: { sandbox: 'capture:late' } });
    dataOf(await capture({ id, amount: 300, final: false }));
    expect(await capture({ id, amount: 300 })).toMatchObject({ body: { error: { type: 'capture_under_way' } } });
    expect(await release(id)).toMatchObject({ body: { error: { type: 'capture_under_way' } } });
    expect(await cancel(id)).toMatchObject({ body: { error: { type: 'capture_under_way' } } });
  });

  test('for a payment that is captured automatically', async () => {
    const id = await makePayment(florin, as, channelId);
    expect(await capture({ id })).toMatchObject({ status: 409, body: { error: { type: 'not_capturable' } } });
    const paid = await untilStatus(id, 'SUCCESS');
    const amounts = { amountAuthorized: 1999, amountCapturable: 0, amountCaptured: 1999 };
    expect(paid).toMatchObject({ captureMethod: 'AUTOMATIC', captureBefore: null, captures: [], ...amounts });
    expect(await eventTypes(id)).toEqual(['created', 'processing', 'succeeded']);
  });
});

test('a channel that cannot authorize refuses the payment before any call, naming provider and ability', async () => {
  const wire = await makeChannel(florin, as, { type: 'OFFLINE' });
  const input = { amount: 1000, currency: 'USD', channelId: wire, captureMethod: 'MANUAL' };
  const refused = await florin.post('/api/transaction/create', input, as);
  const details = { provider: null, ability: 'capture' };
  expect(refused).toMatchObject({ status: 409, body: { error: { type: 'channel_cannot', details } } });
  const none = await makeChannel(florin, as, { provider: 'sandbox', capture: 'NONE' });
  const alsoRefused = await florin.post('/api/transaction/create', { ...input, channelId: none }, as);
  expect(alsoRefused.body.error).toMatchObject({ type: 'channel_cannot', details: { provider: 'sandbox' } });
});

test('captures and releases are in the audit log', async () => {
  const id = await authorized();
  const { id: captureId } = await captured(id, { amount: 300, final: false });
  dataOf(await release(id));
  const { body } = await florin.get('/api/audit/list?pageSize=5', as);
  const entries = body.data.map(({ action, recordId }: Fields) => `${action} ${recordId}`);
  expect(entries).toEqual(expect.arrayContaining([`transaction.capture ${captureId}`, `transaction.release ${id}`]));
  await untilStatus(id, 'SUCCESS');
});

test('a capture that is sent again with its idempotency key is made once', async () => {
  const id = await authorized();
  const send = () =>
    florin.call('POST', '/api/transaction/capture', {
      as,
      body: { id, amount: 300, final: false },
      headers: { 'idempotency-key': `capture-${id}` },
    });
  const [first, second] = await Promise.all([send(), send()]);
  expect(dataOf(second)).toEqual(dataOf(first));
  expect((await detail(id)).captures).toHaveLength(1);
});

test('of many captures at once, one begins', async () => {
  const id = await authorized();
  const replies = await Promise.all(Array.from({ length: 20 }, () => capture({ id, amount: 100, final: false })));
  const types = replies.map(({ status, body }) => (status === 200 ? 'taken' : body.error.type));
  expect(types.filter((type) => type !== 'taken').every((type) => type === 'capture_under_way')).toBe(true);
  const taken = types.filter((type) => type === 'taken').length;
  await untilPayment(id, 'has captured', ({ amountCaptured }) => amountCaptured === 100 * taken);
});

test('the statistics of success count what was captured', async () => {
  const own = await makeChannel(florin, as, { provider: 'sandbox' });
  const id = await authorized({ channelId: own });
  await captured(id, { amount: 400 });
  await untilStatus(id, 'SUCCESS');
  const { statuses } = dataOf(await florin.get(`/api/statistics/summary?channelId=${own}&livemode=false`, as));
  expect(statuses).toMatchObject([{ status: 'SUCCESS', count: 1, amounts: [{ currency: 'USD', amount: '400' }] }]);
});

test('the timeline shows the authorization and each capture', async () => {
  const id = await authorized();
  await captured(id, { amount: 300, final: false });
  await captured(id, { amount: 700 });
  const steps = dataOf(await florin.get(`/api/transaction/timeline?id=${id}`, as));
  expect(steps.map(({ type, status }: Fields) => (status ? `${type} ${status}` : type))).toEqual([
    'created PENDING',
    'charge_called PROCESSING',
    'charge_authorized',
    'capture_called',
    'capture_succeeded',
    'capture_called',
    'capture_succeeded SUCCESS',
  ]);
});
