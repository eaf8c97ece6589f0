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
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, time.settings, time.clock);
  as = await administratorOf(florin);
  channelId = await makeChannel(florin, as, { provider: 'sandbox', webhookSecret: 'a secret between two' });
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

const pay = (word: string, changes: Fields = {}) =>
  makePayment(florin, as, channelId, { amount: 1000, metadata: { sandbox: word }, ...changes });
const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, as));
const disputesOf = async (id: string): Promise<Fields[]> =>
  dataOf(await florin.get(`/api/dispute/list?transactionId=${id}`, as));
const detail = async (id: unknown) => dataOf(await florin.get(`/api/dispute/detail?id=${id}`, as));

/** The dispute of a payment, once it is like this. */
const disputeOf = (id: string, like: Fields = {}): Promise<Fields> =>
  eventually(`a dispute is ${JSON.stringify(like)}`, async () => {
    const [one] = await disputesOf(id);
    return one !== undefined && Object.entries(like).every(([name, value]) => one[name] === value) && one;
  });

const eventTypes = async (id: unknown): Promise<string[]> => {
  const rows = await db.query<{ type: string }>('select type from event where object_id = $1 order by id', [id]);
  return rows.map(({ type }) => type.replace('dispute.', ''));
};

const booked = async (id: string) => {
  const entries = dataOf(await florin.get(`/api/ledger/entries?transactionId=${id}&account=DISPUTED`, as));
  return entries.map(({ amount, side, disputeId }: Fields) => ({ amount, side, disputeId })).toReversed();
};

const refund = (transactionId: string, input: Fields = {}) =>
  florin.post('/api/refund/create', { transactionId, ...input }, as);

describe('a dispute', () => {
  test('is recorded with its event, and its funds are booked and cannot be refunded', async () => {
    const id = await pay('dispute', { customerId: 42 });
    await passes();
    const dispute = await disputeOf(id);
    expect(dispute).toMatchObject({
      customerId: 42,
      ...{ transactionId: id, channelId, stage: 'CHARGEBACK', status: 'OPEN', amount: 1000, currency: 'USD' },
      ...{ amountWithdrawn: 1000, fee: { amount: 1500, currency: 'USD' }, reason: 'fraudulent' },
      ...{ actions: ['SUBMIT', 'ACCEPT'], livemode: false, closedTime: null, submittedTime: null },
    });
    expect(dispute.id).toMatch(/^dsp_[0-9a-f]{32}$/);
    expect(dispute.respondBy).toMatch(/^\d{4}-/);
    expect(await eventTypes(dispute.id)).toEqual(['created', 'funds_withdrawn']);
    const [event] = await db.query<{ body: string }>(
      `select body from event where type = 'dispute.created' and object_id = $1`,
      [dispute.id],
    );
    const { tenantId: _, customerId: _customer, ...shown } = dispute;
    expect(JSON.parse(event?.body ?? '').data.object).toEqual(shown);
    expect(await payment(id)).toMatchObject({ status: 'SUCCESS', amountDisputed: 1000 });
    expect(await booked(id)).toEqual([{ amount: 1000, side: 'DEBIT', disputeId: dispute.id }]);
    expect(await refund(id)).toMatchObject({ status: 409, body: { error: { type: 'payment_disputed' } } });
  });

  test('that is won gives the money back, which can then be refunded', async () => {
    const id = await pay('dispute:won');
    await passes();
    await disputeOf(id, { status: 'OPEN' });
    await passes();
    const dispute = await disputeOf(id, { status: 'WON' });
    expect(dispute).toMatchObject({ amountWithdrawn: 0, actions: [], closedTime: expect.any(String) });
    expect(await eventTypes(dispute.id)).toEqual(['created', 'funds_withdrawn', 'funds_reinstated', 'won']);
    expect(await booked(id)).toMatchObject([
      { amount: 1000, side: 'DEBIT' },
      { amount: 1000, side: 'CREDIT' },
    ]);
    expect(await payment(id)).toMatchObject({ amountDisputed: 0 });
    expect((await refund(id)).status).toBe(200);
  });

  test('that is lost keeps the money', async () => {
    const id = await pay('dispute:lost');
    await passes();
    await disputeOf(id, { status: 'OPEN' });
    await passes();
    const dispute = await disputeOf(id, { status: 'LOST' });
    expect(await eventTypes(dispute.id)).toEqual(['created', 'funds_withdrawn', 'lost']);
    expect(await payment(id)).toMatchObject({ status: 'SUCCESS', amountDisputed: 1000 });
  });

  test('that goes on after it was won is OPEN at the higher stage, and its funds are withdrawn again', async () => {
    const id = await pay('dispute:twice');
    for (const status of ['OPEN', 'WON']) {
      await passes();
      await disputeOf(id, { status });
    }
    await passes();
    const dispute = await disputeOf(id, { stage: 'PRE_ARBITRATION' });
    expect(dispute).toMatchObject({ status: 'OPEN', amountWithdrawn: 1000, closedTime: null });
    const moved = ['created', 'funds_withdrawn', 'funds_reinstated', 'won', 'funds_withdrawn', 'updated'];
    expect(await eventTypes(dispute.id)).toEqual(moved);
    expect(await booked(id)).toMatchObject([{ side: 'DEBIT' }, { side: 'CREDIT' }, { side: 'DEBIT' }]);
  });

  test('that is an inquiry withdraws nothing, and its payment can be refunded', async () => {
    const id = await pay('dispute:inquiry');
    await passes();
    const dispute = await disputeOf(id);
    expect(dispute).toMatchObject({ stage: 'INQUIRY', amountWithdrawn: 0, actions: ['SUBMIT'], fee: null });
    expect(await eventTypes(dispute.id)).toEqual(['created']);
    expect((await refund(id)).status).toBe(200);
  });

  test('after a refund takes the same money twice, which is booked and opens a discrepancy', async () => {
    const id = await pay('dispute:after-refund');
    await eventually('it is paid', async () => (await payment(id)).status === 'SUCCESS');
    dataOf(await refund(id));
    await passes();
    await disputeOf(id);
    expect(await payment(id)).toMatchObject({ status: 'REFUNDED', amountRefunded: 1000, amountDisputed: 1000 });
    const [discrepancy] = dataOf(await florin.get(`/api/discrepancy/list?transactionId=${id}`, as));
    expect(discrepancy).toMatchObject({ kind: 'OVERDRAWN', state: 'OPEN', amount: 1000, operation: null });
    expect(await eventTypes(discrepancy.id)).toEqual(['discrepancy.opened']);
    const closing = { id: discrepancy.id, note: 'Told the bank' };
    const closed = dataOf(await florin.post('/api/discrepancy/close', closing, as));
    expect(closed).toMatchObject({ ...closing, state: 'CLOSED' });
    expect(dataOf(await florin.get(`/api/discrepancy/detail?id=${discrepancy.id}`, as))).toEqual(closed);
    expect(await eventTypes(discrepancy.id)).toEqual(['discrepancy.opened', 'discrepancy.closed']);
  });
});

test('money that comes back is a dispute that is LOST at once, without a form', async () => {
  const id = await pay('debit:returned');
  await passes();
  const dispute = await disputeOf(id);
  expect(dispute).toMatchObject({
    ...{ reason: 'returned', stage: 'CHARGEBACK', status: 'LOST', respondBy: null, actions: [], evidenceFields: [] },
    ...{ amountWithdrawn: 1000, fee: null },
  });
  expect(await eventTypes(dispute.id)).toEqual(['created', 'funds_withdrawn', 'lost']);
  expect(await payment(id)).toMatchObject({ status: 'SUCCESS', amountDisputed: 1000 });
});

test('the dispute rate of a channel counts disputes, and neither inquiries nor money that comes back', async () => {
  const other = await makeChannel(florin, as, { provider: 'sandbox', webhookSecret: 'a secret between two' });
  const words = ['dispute', 'dispute:inquiry', 'debit:returned'];
  const ids = await Promise.all(words.map((word) => pay(word, { channelId: other })));
  await passes();
  for (const id of ids) await disputeOf(id);
  const { channels } = dataOf(await florin.get(`/api/statistics/summary?livemode=false&channelId=${other}`, as));
  expect(channels).toMatchObject([{ charges: { succeeded: 3 }, disputes: 1, disputeRate: 0.3333 }]);
});

test('a warning of fraud is shown and told, and changes nothing else', async () => {
  const id = await pay('fraud-warning');
  await passes();
  const warned = await eventually('it is warned', async () => {
    const one = await payment(id);
    return one.fraudWarningTime !== null && one;
  });
  expect(warned).toMatchObject({ status: 'SUCCESS', amountDisputed: 0 });
  const [event] = await db.query<{ body: string }>(
    `select body from event where object_id = $1 and type = 'transaction.fraud_warning'`,
    [id],
  );
  expect(JSON.parse(event?.body ?? '').data.object).toMatchObject({ id, fraudWarningTime: warned.fraudWarningTime });
  expect(await disputesOf(id)).toEqual([]);
});

describe('evidence', () => {
  const evidence = (id: unknown, texts: Fields) => florin.post('/api/dispute/evidence', { id, evidence: texts }, as);
  const submit = (id: unknown) => florin.post('/api/dispute/submit', { id }, as);

  test('is drafted, submitted once, and wins', async () => {
    const id = await pay('dispute');
    await passes();
    const { id: disputeId } = await disputeOf(id);
    const missing = await submit(disputeId);
    expect(missing).toMatchObject({ status: 400, body: { message: expect.stringContaining('explanation') } });
    dataOf(await evidence(disputeId, { explanation: 'It was delivered', customer_email: 'a@example.com' }));
    const draft = dataOf(await evidence(disputeId, { explanation: 'winning_evidence', customer_email: null }));
    expect(draft.evidence).toEqual({ texts: { explanation: 'winning_evidence' }, files: [] });
    expect((await evidence(disputeId, { other: 'x' })).status).toBe(400);
    const asked = dataOf(await submit(disputeId));
    expect(asked).toMatchObject({ status: 'OPEN', answers: [{ kind: 'SUBMIT', state: 'READY' }] });
    const submitted = await disputeOf(id, { status: 'SUBMITTED' });
    expect(submitted).toMatchObject({ actions: [], submittedTime: expect.any(String) });
    expect(await submit(disputeId)).toMatchObject({ status: 409, body: { error: { type: 'dispute_not_answerable' } } });
    await passes();
    await disputeOf(id, { status: 'WON' });
    expect(await eventTypes(disputeId)).toEqual(['created', 'funds_withdrawn', 'updated', 'funds_reinstated', 'won']);
    const [answer] = (await detail(disputeId)).answers;
    const sent = { texts: { explanation: 'winning_evidence' }, files: [] };
    expect(answer).toMatchObject({ kind: 'SUBMIT', state: 'SUCCEEDED', evidence: sent });
  });

  test('is not needed to accept a dispute, which is then lost', async () => {
    const id = await pay('dispute');
    await passes();
    const { id: disputeId } = await disputeOf(id);
    dataOf(await florin.post('/api/dispute/accept', { id: disputeId }, as));
    await disputeOf(id, { status: 'ACCEPTED' });
    await passes();
    await disputeOf(id, { status: 'LOST' });
    expect(await eventTypes(disputeId)).toEqual(['created', 'funds_withdrawn', 'updated', 'lost']);
  });
});
