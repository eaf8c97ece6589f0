import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { operationsNode, ScriptedProvider } from '../../../../../tests/support/payments/operations-node.ts';
import { arrangeChannels, principalOf } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { uuidOfPublicId } from '../../../../core/id.ts';
import { failure } from '../../providers/failures.ts';
import type { Outcome } from '../../providers/outcome.ts';
import type { RefundRow } from '../../refunds/statements.ts';

let db: TestDatabase;
let nowMs: number;
let node: Awaited<ReturnType<typeof operationsNode>>;
const one = principalOf(1, 7);

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  await db.query(`update channel set provider = 'sandbox', fallback_channel_ids = '{10}' where id = 11`);
  await db.query(`update channel set provider = 'sandbox' where id in (10, 21)`);
});

afterAll(() => db.drop());

beforeEach(async () => {
  nowMs = Date.parse('2026-11-21T12:00:00Z');
  node = await operationsNode(db, { clock: () => nowMs });
  node.dispatcher.start();
});

afterEach(async () => {
  await node.stop();
  await db.query('delete from provider_operation');
  expect(node.errors).toEqual([]);
});

async function paid(channelId = 21): Promise<string> {
  const id = await node.create({ amount: 1000, currency: 'USD', channelId }, one);
  await eventually('the payment succeeds', async () => (await node.find(id, one)).status === 'SUCCESS');
  return id;
}

async function refundOf(id: string): Promise<RefundRow> {
  const [row] = await db.query<RefundRow>('select * from refund where id = $1', [uuidOfPublicId('ref', id)]);
  return row as RefundRow;
}

const finishedRefund = (id: string) =>
  eventually('the refund ends', async () => {
    const row = await refundOf(id);
    return row.status !== 'PENDING' && row.status !== 'PROCESSING' && row;
  });

const bookedRefunds = (id: string) =>
  db.query('select source_id, channel_id, amount from ledger_transfer where transaction_id = $1 and debit = $2', [
    uuidOfPublicId('txn', id),
    'REFUNDS',
  ]);

const refundedEvents = (id: string) =>
  db.query(`select id from event where object_id = $1 and type = 'transaction.refunded'`, [id]);

test('a refund is sent to the provider of the charge, with its reference and the reason', async () => {
  const transactionId = await paid();
  const { id, status } = await node.refund({ transactionId, amount: 400, reason: 'Broken' }, one);
  expect(status).toBe('PENDING');
  expect(await finishedRefund(id)).toMatchObject({ status: 'SUCCESS', provider_reference: `ref-${transactionId}-2` });
  expect(node.provider.requests.at(-1)).toMatchObject({
    verb: 'refund',
    operation: {
      kind: 'REFUND',
      key: `${transactionId}-2`,
      amount: 400,
      chargeReference: `ref-${transactionId}-1`,
      reason: 'Broken',
    },
  });
  expect(await node.find(transactionId, one)).toMatchObject({
    status: 'REFUNDED',
    amount_refunded: 400,
    amount_refund_held: 400,
  });
  expect(await bookedRefunds(transactionId)).toEqual([
    { source_id: uuidOfPublicId('ref', id), channel_id: 21, amount: 400 },
  ]);
  expect(await refundedEvents(transactionId)).toHaveLength(1);
});

test('a refund goes through the fallback channel that was charged, and is booked there', async () => {
  node.provider.answer = (_verb, { key }): Outcome =>
    key.endsWith('-1')
      ? { kind: 'failed', failure: failure('processing_error') }
      : { kind: 'succeeded', reference: key };
  const transactionId = await paid(11);
  const { id } = await node.refund({ transactionId }, one);
  expect(await finishedRefund(id)).toMatchObject({ status: 'SUCCESS', channel_id: 11 });
  expect(await node.operationsOf(1, transactionId)).toMatchObject([
    { kind: 'CHARGE', state: 'FAILED', operation_channel_id: 11 },
    { kind: 'CHARGE', state: 'SUCCEEDED', operation_channel_id: 10 },
    { kind: 'REFUND', state: 'SUCCEEDED', operation_channel_id: 10, charge_number: 2 },
  ]);
  expect(await bookedRefunds(transactionId)).toMatchObject([{ channel_id: 10, amount: 1000 }]);
});

test('while its outcome is unknown a refund reserves its amount, and only the rest can be refunded', async () => {
  const transactionId = await paid();
  const before = await node.find(transactionId, one);
  node.provider.answer = () => ({ kind: 'unknown', cause: new Error('no answer') });
  const { id } = await node.refund({ transactionId, amount: 900 }, one);
  await eventually('its outcome is unknown', async () => {
    const operations = await node.operationsOf(1, transactionId);
    return operations.at(-1)?.state === 'UNKNOWN';
  });
  expect((await refundOf(id)).status).toBe('PROCESSING');
  expect(await node.find(transactionId, one)).toMatchObject({
    status: 'SUCCESS',
    amount_refunded: 0,
    amount_refund_held: 900,
    version: before.version + 1,
  });
  await expect(node.refund({ transactionId, amount: 101 }, one)).rejects.toMatchObject({
    type: 'refund_exceeds_payment',
    details: { left: 100 },
  });
  expect(await refundedEvents(transactionId)).toEqual([]);
});

test.each([
  ['FAILED', { kind: 'failed', failure: failure('refund_refused', 'too_old') }, 'refund_refused'],
  ['CANCELLED', { kind: 'cancelled' }, null],
] as const)(
  'a refund that is %s releases its reservation, books nothing and leaves its payment unchanged',
  async (status, outcome, code) => {
    const transactionId = await paid();
    node.provider.answer = () => outcome;
    const { id } = await node.refund({ transactionId, amount: 900 }, one);
    expect(await finishedRefund(id)).toMatchObject({ status, failure_code: code });
    expect(await node.find(transactionId, one)).toMatchObject({
      status: 'SUCCESS',
      amount_refunded: 0,
      amount_refund_held: 0,
    });
    expect(await bookedRefunds(transactionId)).toEqual([]);
    expect(await refundedEvents(transactionId)).toEqual([]);
    node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
    const again = await node.refund({ transactionId }, one);
    expect(await finishedRefund(again.id)).toMatchObject({ status: 'SUCCESS', amount: 1000 });
  },
);

test('concurrent refunds have keys of their own, and their sum never exceeds the payment', async () => {
  const transactionId = await paid();
  const requested = await Promise.allSettled(
    Array.from({ length: 50 }, () => node.refund({ transactionId, amount: 70 }, one)),
  );
  const accepted = requested.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value.id);
  expect(accepted).toHaveLength(14);
  for (const id of accepted) expect((await finishedRefund(id)).status).toBe('SUCCESS');
  const keys = node.provider.requests.filter(({ verb }) => verb === 'refund').map(({ operation }) => operation.key);
  expect(new Set(keys).size).toBe(14);
  expect(await node.find(transactionId, one)).toMatchObject({ amount_refunded: 980, amount_refund_held: 980 });
  expect(await bookedRefunds(transactionId)).toHaveLength(14);
  expect(await refundedEvents(transactionId)).toHaveLength(14);
});

test('40 refunds of one payment that are answered at the same moment are all settled', async () => {
  const transactionId = await paid();
  let answerAll = () => {};
  const allCalled = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  const called = new Set<string>();
  node.provider.answer = async (_verb, { key }) => {
    if (called.add(key).size === 40) answerAll();
    await allCalled;
    return { kind: 'succeeded', reference: key };
  };
  // All are written before the first is sent, so that none of them waits for the last one beyond its deadline. One
  // after the other: each locks the payment, and on a slow machine the last of forty would wait too long for a
  // connection.
  await node.dispatcher.stop();
  const ids: string[] = [];
  for (let i = 0; i < 40; i++) ids.push((await node.refund({ transactionId, amount: 25 }, one)).id);
  node.dispatcher.start();
  for (const id of ids) expect((await finishedRefund(id)).status).toBe('SUCCESS');
  expect(await node.find(transactionId, one)).toMatchObject({ amount_refunded: 1000, amount_refund_held: 1000 });
  expect(await bookedRefunds(transactionId)).toHaveLength(40);
});

test('a refund whose node died while calling is looked up by the next one, and refunded once', async () => {
  const transactionId = await paid();
  await node.stop();
  const died = await operationsNode(db, {
    clock: () => nowMs,
    failPoint: (place) => {
      if (place === 'calling') throw new Error('the process ends here');
    },
  });
  died.dispatcher.start();
  const { id } = await died.refund({ transactionId }, one);
  await eventually('the node dies before the call', () => died.errors.length === 1);
  await died.stop();
  expect(await died.operationsOf(1, transactionId)).toMatchObject([{ kind: 'CHARGE' }, { state: 'CALLING' }]);
  expect(died.provider.requests).toEqual([]);

  nowMs += 60_000;
  const provider = new ScriptedProvider();
  provider.answer = (verb, { key }) =>
    verb === 'look_up' ? { kind: 'absent' } : { kind: 'succeeded', reference: key };
  node = await operationsNode(db, { clock: () => nowMs, provider });
  node.dispatcher.start();
  expect((await finishedRefund(id)).status).toBe('SUCCESS');
  expect(provider.verbs()).toEqual(['look_up', 'refund']);
  expect(await bookedRefunds(transactionId)).toHaveLength(1);
});

test('while the breaker is open a refund waits, even if the channel has a fallback', async () => {
  const transactionId = await paid(11);
  node.provider.answer = (_verb, { key }) =>
    key.startsWith(transactionId)
      ? { kind: 'succeeded', reference: key }
      : { kind: 'unknown', cause: new Error('no answer') };
  for (let i = 0; i < 5; i++) {
    const silent = await node.create({ amount: 1, currency: 'USD', channelId: 11 }, one);
    await eventually('its outcome is unknown', async () => {
      const [charge] = await node.operationsOf(1, silent);
      return charge?.state === 'UNKNOWN';
    });
  }
  const { id } = await node.refund({ transactionId }, one);
  await eventually('the refund is postponed', async () => {
    const [row] = await db.query<{ due_ms: number }>(
      `select (extract(epoch from due_at) * 1000)::float8 as due_ms from provider_operation where kind = 'REFUND'`,
    );
    return row !== undefined && row.due_ms > nowMs;
  });
  expect((await node.operationsOf(1, transactionId)).at(-1)).toMatchObject({ kind: 'REFUND', state: 'READY' });
  nowMs += 31_000;
  node.dispatcher.wake();
  expect(await finishedRefund(id)).toMatchObject({ status: 'SUCCESS' });
});
