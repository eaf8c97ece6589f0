import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { operationsNode } from '../../../../../tests/support/payments/operations-node.ts';
import { arrangeChannels, plainSecrets, principalOf } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { secondMs } from '../../../../core/clock.ts';
import { uuidOfPublicId } from '../../../../core/id.ts';
import { noFailPoint } from '../../../../platform/process/fail-point.ts';
import type { ProviderDispute, SubmitEvidenceOperation } from '../../providers/dispute.ts';
import { failure } from '../../providers/failures.ts';
import type { Outcome } from '../../providers/outcome.ts';
import { openAnswer } from '../answer-statements.ts';
import { answerWorker } from '../answer-worker.ts';
import { DisputeNotices } from '../notices.ts';
import { findOfPayment } from '../statements.ts';

/** Answers to disputes whose provider loses answers, refuses, or goes on meanwhile. */
let db: TestDatabase;
let nowMs: number;
let node: Awaited<ReturnType<typeof operationsNode>>;
let notices: DisputeNotices;
let worker: ReturnType<typeof answerWorker>;
let atProvider: ProviderDispute;
let sent: SubmitEvidenceOperation[];
let answer: (operation: SubmitEvidenceOperation) => Outcome;
const one = principalOf(1, 7);
const channelId = 21;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  await db.query(`update channel set provider = 'sandbox' where id in (10, 21)`);
});

afterAll(() => db.drop());

beforeEach(async () => {
  nowMs = Date.parse('2026-11-21T12:00:00Z');
  sent = [];
  node = await operationsNode(db, { clock: () => nowMs });
  node.dispatcher.start();
  const disputes = {
    read: async () => ({ kind: 'read', dispute: atProvider }),
    answers: {
      submit: async (operation: SubmitEvidenceOperation) => {
        sent.push(operation);
        return answer(operation);
      },
    },
  };
  const deps = {
    ...node,
    ...plainSecrets,
    database: db.database,
    providers: { of: async () => ({ disputes }) },
    methodCustomers: { lock: async () => {} },
    invoicePayments: {},
    observeDispute: () => {},
    onOverdrawn: () => {},
    onOtherCurrency: () => {},
    operatorWarnings: { failed: async () => {} },
    clock: () => nowMs,
    timeoutMs: 1000,
    failPoint: noFailPoint,
    onError: (error: unknown) => node.errors.push(error),
  } as never;
  notices = new DisputeNotices(deps);
  worker = answerWorker({
    ...(deps as object),
    notices,
    rawBodies: { readWhole: async () => Buffer.alloc(0) },
  } as never);
  worker.start();
});

afterEach(async () => {
  await worker.stop();
  await node.stop();
  expect(node.errors).toEqual([]);
});

const disputeRow = async (id: string) => {
  const [row] = await db.database.run(findOfPayment, [1, uuidOfPublicId('txn', id)]);
  if (row === undefined) throw new Error('There is no dispute.');
  return row;
};
const operations = (disputeId: string) =>
  db.query<{ number: number; state: string }>(
    'select number, state from dispute_operation where dispute_id = $1 order by number',
    [disputeId],
  );

/** A payment with an OPEN dispute, whose evidence is to be submitted. */
async function disputed(): Promise<string> {
  const id = await node.create({ amount: 1000, currency: 'USD', channelId }, one);
  await eventually('the payment succeeds', async () => (await node.find(id, one)).status === 'SUCCESS');
  atProvider = {
    ...{ reference: `dp-${id}`, chargeReference: `ref-${id}-1`, stage: 'CHARGEBACK', status: 'OPEN', amount: 1000 },
    ...{ currency: 'USD', fee: null, reason: 'fraudulent', providerReason: null, actions: ['SUBMIT'] },
    ...{ respondBy: '2026-12-01T00:00:00.000Z', evidenceFields: [], defenseReasons: [], movements: [] },
  };
  await notices.apply(channelId, atProvider, nowMs);
  return id;
}

async function submit(id: string): Promise<void> {
  const { id: disputeId, stage } = await disputeRow(id);
  const evidence = JSON.stringify({ explanation: 'It was delivered' });
  await db.database.run(openAnswer, [1, disputeId, 'SUBMIT', stage, channelId, 'sandbox', evidence, null, 7, nowMs]);
  worker.wake();
}

const untilStates = async (id: string, states: string[]) => {
  const { id: disputeId } = await disputeRow(id);
  await eventually(`the answers are ${states}`, async () => {
    const found = (await operations(disputeId)).map(({ state }) => state);
    return found.join() === states.join();
  });
};

/** The next look-up is due. */
function later(): void {
  nowMs += 6 * secondMs;
  worker.wake();
}

const lost = { kind: 'unknown', cause: new Error('The answer is lost.') } as const;

test('an answer that was lost although it was carried out is not sent again', async () => {
  const id = await disputed();
  answer = () => {
    atProvider = { ...atProvider, status: 'SUBMITTED' };
    return lost;
  };
  await submit(id);
  await untilStates(id, ['UNKNOWN']);
  later();
  await untilStates(id, ['SUCCEEDED']);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({ kind: 'SUBMIT', texts: [{ name: 'explanation', text: 'It was delivered' }] });
  expect(await disputeRow(id)).toMatchObject({ status: 'SUBMITTED', submitted_at: expect.any(String) });
});

test('an answer that was lost and not carried out is sent again under the same key', async () => {
  const id = await disputed();
  answer = () => (sent.length === 1 ? lost : { kind: 'succeeded', reference: atProvider.reference });
  await submit(id);
  await untilStates(id, ['UNKNOWN']);
  later();
  await untilStates(id, ['SUCCEEDED']);
  expect(sent.map(({ key }) => key)).toEqual([sent[0]?.key, sent[0]?.key]);
  expect(sent[0]?.key).toMatch(/^dsp_[0-9a-f]{32}-1$/);
});

test('an answer that is refused leaves the dispute OPEN, and may be sent again', async () => {
  const id = await disputed();
  answer = () => ({ kind: 'failed', failure: failure('invalid_operation', 'too_large') });
  await submit(id);
  await untilStates(id, ['FAILED']);
  expect(await disputeRow(id)).toMatchObject({ status: 'OPEN', failure_code: 'invalid_operation' });
  answer = () => ({ kind: 'succeeded', reference: atProvider.reference });
  await submit(id);
  await untilStates(id, ['FAILED', 'SUCCEEDED']);
  expect(await disputeRow(id)).toMatchObject({ status: 'SUBMITTED', failure_code: null });
  expect(sent.map(({ key }) => key.slice(-1))).toEqual(['1', '2']);
});

test('an answer whose dispute goes on meanwhile is cancelled, and the next stage has a draft of its own', async () => {
  const id = await disputed();
  answer = () => {
    atProvider = { ...atProvider, stage: 'ARBITRATION' };
    return lost;
  };
  await submit(id);
  await untilStates(id, ['UNKNOWN']);
  later();
  await untilStates(id, ['CANCELLED']);
  nowMs += secondMs;
  await notices.apply(channelId, atProvider, nowMs);
  expect(await disputeRow(id)).toMatchObject({ stage: 'ARBITRATION', status: 'OPEN', evidence: {} });
});
