import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  call,
  captureOf,
  chargeOf,
  credentials,
  refundOf,
  sandboxDelayMs,
  sandboxOn,
} from '../../../../../tests/support/payments/sandbox.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { type FailureCode, failureCodes } from '../failures.ts';
import type { Absent, Outcome } from '../outcome.ts';
import type { Call, CaptureOperation, ChargeOperation, RefundOperation } from '../provider.ts';
import type { Behaviour } from './behaviour.ts';
import { behaviourOf, behaviours, callbackIntervalMs, succeed } from './behaviours.ts';
import { disputeReferenceOf } from './dispute-script.ts';

/** Expected results of a behaviour: the answer, a look-up at once, the callbacks in order, and a look-up at the end. */
type Expected = [answer: string, lookUp: string, callbacks: string[], end: string];

const expected: Record<string, Expected> = {
  succeed: ['succeeded', 'succeeded', [], 'succeeded'],
  ...Object.fromEntries(
    Object.keys(failureCodes).map((code) => [
      `decline:${code}`,
      [`failed ${code}`, `failed ${code}`, [], `failed ${code}`],
    ]),
  ),
  slow: ['succeeded', 'succeeded', [], 'succeeded'],
  'timeout:before': ['unknown', 'absent', [], 'absent'],
  'timeout:after': ['unknown', 'succeeded', [], 'succeeded'],
  'error:before': ['unknown', 'absent', [], 'absent'],
  'error:after': ['unknown', 'succeeded', [], 'succeeded'],
  silent: ['unknown', 'unknown', [], 'unknown'],
  late: ['pending', 'pending', ['succeeded'], 'succeeded'],
  'late:decline': ['pending', 'pending', ['failed card_declined'], 'failed card_declined'],
  'debit:late': ['pending', 'pending', ['succeeded'], 'succeeded'],
  'debit:late-fail': ['pending', 'pending', ['failed insufficient_funds'], 'failed insufficient_funds'],
  'callback:twice': ['pending', 'pending', ['succeeded', 'succeeded'], 'succeeded'],
  'callback:disorder': ['pending', 'pending', ['succeeded', 'pending', 'pending'], 'succeeded'],
  'callback:contradiction': ['pending', 'pending', ['succeeded', 'failed card_declined'], 'succeeded'],
  pending: ['pending', 'pending', [], 'pending'],
  'pending:<n>': ['pending', 'pending', [], 'pending'],
  payer: ['needs_payer', 'needs_payer', [], 'needs_payer'],
  'fee:<n>': ['succeeded fee 30 USD', 'succeeded fee 30 USD', [], 'succeeded fee 30 USD'],
  'refund:fail': ['failed refund_refused', 'failed refund_refused', [], 'failed refund_refused'],
  'refund:late': ['pending', 'pending', ['succeeded'], 'succeeded'],
  'refund:late-fail': ['pending', 'pending', ['failed refund_refused'], 'failed refund_refused'],
  'refund:timeout:before': ['unknown', 'absent', [], 'absent'],
  'refund:timeout:after': ['unknown', 'succeeded', [], 'succeeded'],
  'refund:returned': ['succeeded', 'succeeded', ['failed refund_refused'], 'failed refund_refused'],
  authorize: ['authorized', 'authorized', [], 'authorized'],
  'authorize:less': ['authorized', 'authorized', [], 'authorized'],
  'authorize:expires': ['authorized', 'authorized', ['cancelled'], 'cancelled'],
  'capture:late': ['pending', 'pending', ['succeeded'], 'succeeded'],
  'capture:fail': ['failed capture_failed', 'failed capture_failed', [], 'failed capture_failed'],
  'capture:fail-later': ['succeeded', 'succeeded', ['dispute'], 'succeeded'],
  'debit:returned': ['succeeded', 'succeeded', ['dispute'], 'succeeded'],
  dispute: ['succeeded', 'succeeded', ['dispute'], 'succeeded'],
  'dispute:won': ['succeeded', 'succeeded', ['dispute', 'dispute'], 'succeeded'],
  'dispute:lost': ['succeeded', 'succeeded', ['dispute', 'dispute'], 'succeeded'],
  'dispute:inquiry': ['succeeded', 'succeeded', ['dispute'], 'succeeded'],
  'dispute:twice': ['succeeded', 'succeeded', ['dispute', 'dispute', 'dispute'], 'succeeded'],
  'dispute:after-refund': ['succeeded', 'succeeded', ['dispute'], 'succeeded'],
  'fraud-warning': ['succeeded', 'succeeded', ['warning'], 'succeeded'],
};

const never = new Set(behaviours.filter(({ answer }) => answer === 'never').map(({ word }) => word));
const observed = new Map<string, Expected>();
let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
  const byWord = behaviours.map(
    (behaviour) =>
      [
        `${behaviour.word} by word`,
        behaviour,
        {
          metadata: { sandbox: exampleWord(behaviour) },
        },
      ] as const,
  );
  const byAmount = behaviours.map(
    (behaviour) =>
      [
        `${behaviour.word} by amount`,
        behaviour,
        {
          amount: behaviour.amount ?? 1999,
        },
      ] as const,
  );
  await runCases([...byWord, ...byAmount]);
});

afterAll(() => db.drop());

test('this test covers every behaviour of the table', () => {
  expect(Object.keys(expected)).toEqual(behaviours.map(({ word }) => word));
});

test.each(behaviours.map(({ word }) => word))('%s has the expected results, selected by word and by amount', (word) => {
  expect(observed.get(`${word} by word`)).toEqual(expected[word]);
  expect(observed.get(`${word} by amount`)).toEqual(expected[word]);
});

test('words and amounts are unique, and the amounts are unusual', () => {
  expect(new Set(behaviours.map(({ word }) => word)).size).toBe(behaviours.length);
  expect(new Set(behaviours.map(({ amount }) => amount)).size).toBe(behaviours.length);
  for (const { amount } of behaviours) expect(String(amount ?? 7_319_000)).toMatch(/^73190\d\d$/);
});

test('a word carries its number, and other words are unknown', () => {
  const selected = (sandbox: unknown) => behaviourOf(chargeOf({ metadata: { sandbox } }));
  expect(selected('fee:7')).toMatchObject({ word: 'fee:7', fee: 7 });
  expect(selected('pending:12')).toMatchObject({ word: 'pending:12', succeedsAtLookUp: 12 });
  for (const word of [
    'fee:0',
    'fee:-1',
    'fee:1.5',
    'fee:1e3',
    'fee:',
    'fee:<n>',
    'pending:1234567890',
    'Succeed',
    '',
    1,
  ]) {
    expect(selected(word), String(word)).toBeUndefined();
  }
  for (const word of [null, {}, ['late'], '__proto__', 'constructor', 'late\0']) expect(selected(word)).toBeUndefined();
});

test('a word takes precedence over an amount, and a charge ignores words for refunds', () => {
  expect(behaviourOf(chargeOf({ amount: 7_319_002, metadata: { sandbox: 'succeed' } }))).toBe(succeed);
  expect(behaviourOf(chargeOf({ metadata: { sandbox: 'refund:fail' } }))).toBe(succeed);
  expect(behaviourOf(chargeOf({ amount: 7_319_070 }))).toBe(succeed);
  const charge = chargeOf({ metadata: { sandbox: 'late' } });
  expect(behaviourOf(refundOf(charge))).toBe(succeed);
});

/** Runs all cases at once: calls, looks up, advances the clock until no callback is left, and looks up again. */
async function runCases(cases: (readonly [string, Behaviour, Partial<ChargeOperation>])[]): Promise<void> {
  const node = sandboxOn(db);
  const { sandbox } = node;
  const results = await Promise.all(
    cases.map(async ([name, { word, kind }, changes]) => {
      const isManual = kind === 'CAPTURE' || word.startsWith('authorize');
      const charge = chargeOf({ ...changes, ...(isManual && { captureMethod: 'MANUAL' }) });
      if (kind !== 'CHARGE')
        expect((await sandbox.charge(charge, call())).kind).toBe(isManual ? 'authorized' : 'succeeded');
      const operation = kind === 'REFUND' ? refundOf(charge) : kind === 'CAPTURE' ? captureOf(charge) : charge;
      const ask = (calling: Call) => {
        if (operation.kind === 'CHARGE') return sandbox.charge(operation, calling);
        return operation.kind === 'REFUND'
          ? sandbox.refund(operation, calling)
          : sandbox.captures.capture(operation, calling);
      };
      const answer = textOf(await (never.has(word) ? node.cutOff(ask) : ask(call({ timeoutMs: 20 }))));
      return { name, word, operation, answer, lookUp: await lookedUp(operation, word) };
    }),
  );
  node.sender.start();
  node.moveBy(sandboxDelayMs);
  while ((await countCallbacks('true')) > 0) {
    // A callback with a later due time is in flight, under its lease.
    await eventually('no callback is due or in flight', async () => {
      const soonMs = node.now() + sandboxDelayMs;
      return (await countCallbacks('(callback_due_at <= $1 or callback_due_at > $2)', node.now(), soonMs)) === 0;
    });
    node.moveBy(callbackIntervalMs);
  }
  await node.sender.stop();
  for (const { name, word, operation, answer, lookUp } of results) {
    const callbacks: string[] = [];
    for (const { headers, body } of node.delivered) {
      const callback = sandbox.readCallback({ headers, query: {}, body, receivedMs: 0 }, credentials);
      const { notice, disputeNotice, fraudWarning } = await callback;
      if (disputeNotice?.reference === disputeReferenceOf(operation.key)) callbacks.push('dispute');
      if (fraudWarning?.reference.endsWith(operation.key)) callbacks.push('warning');
      if (notice?.key === operation.key && notice.outcome !== undefined) callbacks.push(textOf(notice.outcome));
    }
    observed.set(name, [answer, lookUp, callbacks, await lookedUp(operation, word)]);
  }

  async function lookedUp(
    operation: ChargeOperation | RefundOperation | CaptureOperation,
    word: string,
  ): Promise<string> {
    const ask = (calling: Call) => sandbox.lookUp(operation, calling);
    return textOf(await (word === 'silent' ? node.cutOff(ask) : ask(call())));
  }
}

async function countCallbacks(condition: string, ...timesMs: number[]): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from sandbox_operation where callback_due_at is not null and ${condition}`,
    timesMs.map((ms) => new Date(ms)),
  );
  return row?.count ?? 0;
}

const exampleWord = ({ word, fee, succeedsAtLookUp }: Behaviour) =>
  word.replace('<n>', String(fee ?? succeedsAtLookUp));

function textOf(outcome: Outcome | Absent): string {
  if (outcome.kind === 'failed') return `failed ${outcome.failure.code satisfies FailureCode}`;
  if (outcome.kind === 'succeeded' && outcome.fee) return `succeeded fee ${outcome.fee.amount} ${outcome.fee.currency}`;
  return outcome.kind;
}
