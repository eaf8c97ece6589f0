import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { operationsNode } from '../../../../../tests/support/payments/operations-node.ts';
import { arrangeChannels, principalOf } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { checks } from '../../../../app/integrity.ts';
import { Refusal } from '../../../../core/errors.ts';
import { uuidOfPublicId } from '../../../../core/id.ts';
import { offendersOf } from '../../../../platform/postgres/check.ts';
import { balancesOf } from '../../ledger/balance.ts';
import { failure } from '../../providers/failures.ts';
import { recordOf } from '../../refunds/record.ts';
import { findRefund } from '../../refunds/statements.ts';
import { readTimeline } from '../../timeline/read.ts';
import type { FinalOutcome } from '../effect.ts';
import { Settler } from '../settle.ts';
import type { OperationRow } from '../statements.ts';

type Node = Awaited<ReturnType<typeof operationsNode>>;

let db: TestDatabase;
let nowMs: number;
let node: Node;
let other: Node;
const one = principalOf(1, 7);

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  await db.query(`update channel set provider = 'sandbox' where id = 21`);
  await db.query(`
    with owner as (
      insert into app_user (tenant_id, user_name, email, user_type, password_hash)
      values (1, 'one', 'one@example.com', 'MERCHANT_ADMIN', '') returning id
    )
    insert into webhook_endpoint (tenant_id, user_id, url, events, secret_sealed)
    select 1, id, 'http://127.0.0.1:9/', '{refund.*}', '' from owner`);
});

afterAll(() => db.drop());

beforeEach(async () => {
  nowMs = Date.parse('2026-11-21T12:00:00Z');
  node = await operationsNode(db, { clock: () => nowMs });
  other = await operationsNode(db, { clock: () => nowMs });
  node.dispatcher.start();
});

afterEach(async () => {
  await node.stop();
  await other.stop();
  expect(node.errors).toEqual([]);
  // These tests use a scripted provider under the sandbox's name, which keeps no books.
  for (const check of checks.filter(({ claim }) => !claim.includes('sandbox'))) {
    expect(await offendersOf(db.database, check, 10), check.claim).toEqual([]);
  }
});

const refundFailed: FinalOutcome = { kind: 'failed', failure: failure('refund_refused', 'expired_or_canceled_card') };
const succeeded: FinalOutcome = { kind: 'succeeded', reference: 're_1' };

async function paid(): Promise<string> {
  const id = await node.create({ amount: 1000, currency: 'USD', channelId: 21 }, one);
  await eventually('the payment succeeds', async () => (await node.find(id, one)).status === 'SUCCESS');
  return id;
}

async function refunded(transactionId: string, amount: number): Promise<{ id: string; operation: OperationRow }> {
  const { id } = await node.refund({ transactionId, amount }, one);
  await eventually('the refund ends', async () => {
    const { status } = (await db.database.run(findRefund, [[1], uuidOfPublicId('ref', id)]))[0] as { status: string };
    return status === 'SUCCESS' || status === 'FAILED' || status === 'CANCELLED';
  });
  const operation = (await node.operationsOf(1, transactionId)).find(
    ({ refund_id }) => refund_id === uuidOfPublicId('ref', id),
  );
  return { id, operation: operation as OperationRow };
}

const refundRecord = async (id: string) => {
  const [row] = await db.database.run(findRefund, [[1], uuidOfPublicId('ref', id)]);
  return recordOf(row as NonNullable<typeof row>);
};

const refundTransfers = (transactionId: string) =>
  db.query(
    `select source_id, leg, debit, credit, amount, channel_id from ledger_transfer
      where transaction_id = $1 and source_id <> transaction_id order by created_at, source_id, leg`,
    [uuidOfPublicId('txn', transactionId)],
  );

/** The events about a refund after it was created and, where it did, succeeded. */
const failuresOf = async (refundId: string) =>
  (await eventsAbout(refundId)).filter(({ type }) => type !== 'refund.created' && type !== 'refund.succeeded');

const eventsAbout = async (objectId: string) =>
  (
    await db.query<{ type: string; body: string; deliveries: number }>(
      `select type, body, (select count(*)::int from delivery where event_id = event.id) as deliveries
         from event where object_id = $1 order by id`,
      [objectId],
    )
  ).map(({ type, body, deliveries }) => ({ type, deliveries, object: JSON.parse(body).data.object }));

const totalsOf = async (status: string) =>
  (
    await db.query<{ count: number; amount: number }>(
      `select coalesce(sum(count), 0)::int as count, coalesce(sum(amount), 0)::int as amount
         from (select count, amount from transaction_total where status = $1 and channel_id = 0 and user_id = 0
                union all select count, amount from transaction_total_delta where status = $1) as total`,
      [status],
    )
  )[0];

test('a refund that fails after its success is reversed in payment, ledger, totals and refund', async () => {
  const before = { success: await totalsOf('SUCCESS'), refunded: await totalsOf('REFUNDED') };
  const transactionId = await paid();
  const balances = await balancesOf(db.database, {}, one);
  const { id, operation } = await refunded(transactionId, 1000);
  expect((await node.find(transactionId, one)).status).toBe('REFUNDED');
  nowMs += 86_400_000;
  await node.settler.settle(operation, refundFailed, 'callback');

  const uuid = uuidOfPublicId('ref', id);
  expect(await node.find(transactionId, one)).toMatchObject({
    status: 'SUCCESS',
    amount_refunded: 0,
    amount_refund_held: 0,
  });
  expect(await refundRecord(id)).toMatchObject({
    status: 'FAILED',
    failureCode: 'refund_refused',
    failureMessage: refundFailed.kind === 'failed' && refundFailed.failure.message,
    providerReference: `ref-${transactionId}-2`,
    updatedTime: new Date(nowMs).toISOString(),
  });
  expect(await refundTransfers(transactionId)).toEqual([
    { source_id: uuid, leg: 1, debit: 'REFUNDS', credit: 'PROVIDER_RECEIVABLE', amount: 1000, channel_id: 21 },
    { source_id: uuid, leg: 2, debit: 'PROVIDER_RECEIVABLE', credit: 'REFUNDS', amount: 1000, channel_id: 21 },
  ]);
  const balance = (list: typeof balances) => list.map(({ account, balance }) => [account, balance]);
  expect(balance(await balancesOf(db.database, {}, one))).toEqual(balance(balances));
  expect({ success: await totalsOf('SUCCESS'), refunded: await totalsOf('REFUNDED') }).toEqual({
    success: { count: (before.success?.count ?? 0) + 1, amount: (before.success?.amount ?? 0) + 1000 },
    refunded: before.refunded,
  });
  expect(node.discrepancies).toEqual([]);
});

test('a reversal is announced once by refund.failed, and by no event of the payment', async () => {
  const transactionId = await paid();
  const { id, operation } = await refunded(transactionId, 1000);
  await node.settler.settle(operation, refundFailed, 'callback');
  expect(await failuresOf(id)).toEqual([{ type: 'refund.failed', deliveries: 1, object: await refundRecord(id) }]);
  expect((await eventsAbout(transactionId)).map(({ type }) => type)).toEqual([
    'transaction.created',
    'transaction.processing',
    'transaction.succeeded',
    'transaction.refunded',
  ]);
});

test('a refund that fails without a success is announced by refund.failed, and books nothing', async () => {
  const transactionId = await paid();
  node.provider.answer = () => refundFailed;
  const { id } = await refunded(transactionId, 400);
  expect(await failuresOf(id)).toEqual([{ type: 'refund.failed', deliveries: 1, object: await refundRecord(id) }]);
  expect(await refundRecord(id)).toMatchObject({ status: 'FAILED', failureCode: 'refund_refused' });
  expect(await refundTransfers(transactionId)).toEqual([]);
  expect((await node.find(transactionId, one)).status).toBe('SUCCESS');
});

test('a refund that the provider cancels is announced, and its amount can be refunded again', async () => {
  const transactionId = await paid();
  node.provider.answer = () => ({ kind: 'cancelled', reference: 're_1' });
  const { id } = await refunded(transactionId, 1000);
  expect(await failuresOf(id)).toEqual([{ type: 'refund.failed', deliveries: 1, object: await refundRecord(id) }]);
  expect(await refundRecord(id)).toMatchObject({ status: 'CANCELLED', failureCode: null, providerReference: 're_1' });
  expect(await refundTransfers(transactionId)).toEqual([]);
  node.provider.answer = () => succeeded;
  await refunded(transactionId, 1000);
  expect((await node.find(transactionId, one)).status).toBe('REFUNDED');
});

test('while another refund stands the payment stays REFUNDED; the reversed amount can be refunded again', async () => {
  const transactionId = await paid();
  const first = await refunded(transactionId, 600);
  const second = await refunded(transactionId, 400);
  await node.settler.settle(first.operation, refundFailed, 'callback');
  expect(await node.find(transactionId, one)).toMatchObject({
    status: 'REFUNDED',
    amount_refunded: 400,
    amount_refund_held: 400,
  });
  const again = await refunded(transactionId, 600);
  expect((await refundRecord(again.id)).status).toBe('SUCCESS');
  await node.settler.settle(second.operation, refundFailed, 'look_up');
  await node.settler.settle(again.operation, refundFailed, 'look_up');
  expect(await node.find(transactionId, one)).toMatchObject({ status: 'SUCCESS', amount_refunded: 0 });
  for (const { id } of [first, second, again]) expect(await failuresOf(id)).toHaveLength(1);
});

test('a refund that the provider cancels after it had succeeded has failed', async () => {
  const transactionId = await paid();
  const { id, operation } = await refunded(transactionId, 1000);
  await node.settler.settle(operation, { kind: 'cancelled' }, 'callback');
  expect(await refundRecord(id)).toMatchObject({ status: 'FAILED', failureCode: 'refund_refused' });
  expect(await failuresOf(id)).toHaveLength(1);
  expect((await node.find(transactionId, one)).amount_refunded).toBe(0);
});

test('a success reported after the reversal is a contradiction, and is not booked', async () => {
  const transactionId = await paid();
  const { id, operation } = await refunded(transactionId, 1000);
  await node.settler.settle(operation, refundFailed, 'callback');
  const [, reversed] = await node.operationsOf(1, transactionId);
  await node.settler.settle(reversed as OperationRow, succeeded, 'callback');
  expect(node.discrepancies).toEqual(['FAILED succeeded']);
  expect(await refundRecord(id)).toMatchObject({ status: 'FAILED' });
  expect(await refundTransfers(transactionId)).toHaveLength(2);
  expect(await failuresOf(id)).toHaveLength(1);
});

test('a failed answer to a call does not reverse a success recorded meanwhile: it is a contradiction', async () => {
  const transactionId = await paid();
  const { id, operation } = await refunded(transactionId, 1000);
  await node.settler.settle(operation, refundFailed, 'answer', { calls: 1 });
  expect(node.discrepancies).toEqual(['SUCCEEDED failed']);
  expect(await refundRecord(id)).toMatchObject({ status: 'SUCCESS' });
  expect(await failuresOf(id)).toEqual([]);
});

test('the timeline shows the success, the later failure, and the status after each', async () => {
  const transactionId = await paid();
  const { operation } = await refunded(transactionId, 600);
  const second = await refunded(transactionId, 400);
  nowMs += 86_400_000;
  await node.settler.settle(operation, refundFailed, 'callback');
  nowMs += 1000;
  await node.settler.settle(second.operation, refundFailed, 'look_up');
  const deps = { database: db.database, payments: { find: node.find }, channels: node.channels };
  const steps = await readTimeline(transactionId, one, deps);
  const ofRefunds = steps.filter(({ type }) => /^refund_(called|succeeded|failed)/.test(type));
  expect(ofRefunds.map(({ type, status }) => [type, status])).toEqual([
    ['refund_called', undefined],
    ['refund_succeeded', 'REFUNDED'],
    ['refund_called', undefined],
    ['refund_succeeded', 'REFUNDED'],
    ['refund_failed', 'REFUNDED'],
    ['refund_failed', 'SUCCESS'],
  ]);
  expect(steps.at(-2)).toMatchObject({ failureCode: 'refund_refused', providerCode: 'expired_or_canceled_card' });
});

test('20 concurrent callbacks and look-ups on two nodes reverse a refund exactly once', async () => {
  const transactionId = await paid();
  const { id, operation } = await refunded(transactionId, 1000);
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      (i % 2 === 0 ? node : other).settler.settle(operation, refundFailed, i % 5 === 0 ? 'look_up' : 'callback'),
    ),
  );
  expect(await refundTransfers(transactionId)).toHaveLength(2);
  expect(await failuresOf(id)).toHaveLength(1);
  expect(await node.find(transactionId, one)).toMatchObject({ status: 'SUCCESS', amount_refund_held: 0 });
});

test('a reversal whose commit was not acknowledged is made once, with one delivery', async () => {
  const transactionId = await paid();
  const { id, operation } = await refunded(transactionId, 1000);
  const lost: unknown[] = [];
  const settler = new Settler({
    database: {
      transaction: (work) => db.database.transaction(work),
      run: async (statement, values) => {
        const rows = await db.database.run(statement, values);
        if (statement.name !== 'operations.settle' || lost.push(statement) > 1) return rows;
        throw new Refusal('database_unavailable', 'The connection was cut before the answer came.');
      },
    },
    channels: node.channels,
    chargeMethods: node.chargeMethods,
    clock: () => nowMs,
    generateUuid: node.generateUuid,
    payments: node.payments,
    onDiscrepancy: () => {},
    operatorWarnings: { failed: async () => {} },
  });
  await settler.settle(operation, refundFailed, 'callback');
  await settler.drained();
  expect(lost).toHaveLength(2);
  expect(await refundTransfers(transactionId)).toHaveLength(2);
  expect(await failuresOf(id)).toEqual([{ type: 'refund.failed', deliveries: 1, object: await refundRecord(id) }]);
});

test('a failure that races with the successful answer leaves nothing refunded, and is announced once', async () => {
  for (let round = 0; round < 10; round++) {
    const transactionId = await paid();
    let racing: Promise<unknown> | undefined;
    node.provider.answer = async () => {
      const operation = (await node.operationsOf(1, transactionId)).at(-1);
      racing = other.settler.settle(operation as OperationRow, refundFailed, 'callback');
      return succeeded;
    };
    const { id } = await node.refund({ transactionId }, one);
    await eventually('the refund has failed', async () => (await refundRecord(id)).status === 'FAILED');
    node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: `ref-${key}` });
    await racing;
    await node.settler.drained();
    expect(await failuresOf(id)).toHaveLength(1);
    expect((await refundTransfers(transactionId)).length % 2).toBe(0);
    expect(await node.find(transactionId, one)).toMatchObject({ status: 'SUCCESS', amount_refunded: 0 });
  }
});

test('any sequence of outcomes of several refunds leaves exact sums and events', async () => {
  const report = fc.record({
    refund: fc.integer({ min: 0, max: 2 }),
    outcome: fc.constantFrom<FinalOutcome>(refundFailed, succeeded, { kind: 'cancelled' }),
    onOther: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(report, { maxLength: 12 }), async (reports) => {
      const transactionId = await paid();
      const refunds: { amount: number; id: string; operation: OperationRow }[] = [];
      for (const amount of [100, 300, 600]) refunds.push({ amount, ...(await refunded(transactionId, amount)) });
      await Promise.all(
        reports.map(({ refund, outcome, onOther }) =>
          (onOther ? other : node).settler.settle(
            (refunds[refund] as { operation: OperationRow }).operation,
            outcome,
            'callback',
          ),
        ),
      );
      const failed = new Set(reports.filter(({ outcome }) => outcome.kind !== 'succeeded').map(({ refund }) => refund));
      const left = refunds.filter((_, i) => !failed.has(i)).reduce((sum, { amount }) => sum + amount, 0);
      expect(await node.find(transactionId, one)).toMatchObject({
        status: left === 0 ? 'SUCCESS' : 'REFUNDED',
        amount_refunded: left,
        amount_refund_held: left,
      });
      expect(await refundTransfers(transactionId)).toHaveLength(3 + failed.size);
      for (const [i, { id }] of refunds.entries()) expect(await failuresOf(id)).toHaveLength(failed.has(i) ? 1 : 0);
    }),
    { numRuns: 15 },
  );
});
