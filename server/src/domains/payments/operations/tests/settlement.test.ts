import { describe, expect, test } from 'vitest';
import { failure } from '../../providers/failures.ts';
import type { RefundRow } from '../../refunds/statements.ts';
import type { TransactionStatus } from '../../transactions/states.ts';
import type { FinalOutcome } from '../effect.ts';
import { contradicts, reverses, settlementOf } from '../settlement.ts';
import type { OperationRow } from '../statements.ts';
import type { OperationKind, OperationState } from '../states.ts';

const succeeded: FinalOutcome = { kind: 'succeeded', reference: 'r' };
const failed: FinalOutcome = { kind: 'failed', failure: failure('card_declined') };
const cancelled: FinalOutcome = { kind: 'cancelled' };

const nextAction = { type: 'redirect', url: 'https://pay.example.com/1' };
const operation = (facts: Partial<OperationRow>) =>
  ({
    number: 2,
    kind: 'CHARGE',
    state: 'CALLING',
    status: 'PROCESSING',
    channel_id: 11,
    operation_channel_id: 10,
    operation_amount: 400,
    amount_refunded: 0,
    amount_capturable: null,
    amount_captured: null,
    currency: 'USD',
    next_action: nextAction,
    refund_id: '0198a5b8-7c1f-7000-8000-00000000dead',
    ...facts,
  }) as OperationRow;
const refund = {
  id: '0198a5b8-7c1f-7000-8000-00000000dead',
  transaction_id: '0198a5b8-7c1f-7000-8000-00000000cafe',
  updated_at: '2026-11-21T12:00:00.000Z',
} as RefundRow;
const settle = (row: OperationRow, outcome: FinalOutcome, facts = {}) =>
  settlementOf({ row, outcome, by: 'look_up', refund, atMs: Date.parse('2026-11-22T12:00:00Z'), ...facts });

test.each<[OperationKind, TransactionStatus, FinalOutcome, OperationState, TransactionStatus, boolean]>([
  ['CHARGE', 'PROCESSING', succeeded, 'SUCCEEDED', 'SUCCESS', true],
  ['CHARGE', 'PROCESSING', failed, 'FAILED', 'FAILED', true],
  ['CHARGE', 'PROCESSING', cancelled, 'CANCELLED', 'CANCELLED', true],
  ['CHARGE', 'PENDING', cancelled, 'CANCELLED', 'CANCELLED', true],
  // A payment that has ended stays as it is.
  ['CHARGE', 'CANCELLED', succeeded, 'SUCCEEDED', 'CANCELLED', false],
  ['CHARGE', 'CANCELLED', failed, 'FAILED', 'CANCELLED', false],
  ['CHARGE', 'SUCCESS', cancelled, 'CANCELLED', 'SUCCESS', false],
  ['REFUND', 'SUCCESS', succeeded, 'SUCCEEDED', 'REFUNDED', true],
  ['REFUND', 'REFUNDED', succeeded, 'SUCCEEDED', 'REFUNDED', true],
  ['REFUND', 'SUCCESS', failed, 'FAILED', 'SUCCESS', false],
  ['REFUND', 'REFUNDED', cancelled, 'CANCELLED', 'REFUNDED', false],
  ['CANCEL', 'PROCESSING', succeeded, 'SUCCEEDED', 'CANCELLED', true],
  ['CANCEL', 'PROCESSING', cancelled, 'SUCCEEDED', 'CANCELLED', true],
  ['CANCEL', 'PROCESSING', failed, 'FAILED', 'PROCESSING', false],
  ['CANCEL', 'SUCCESS', succeeded, 'SUCCEEDED', 'SUCCESS', false],
])(
  '%s of a %s payment, outcome %j: operation %s, payment %s, event %s',
  (kind, status, outcome, state, to, hasEvent) => {
    const settlement = settle(operation({ kind, status }), outcome);
    expect(settlement).toMatchObject({ state, reverses: false, transition: { to } });
    expect(settlement.transition.writesEvent ?? false).toBe(hasEvent);
  },
);

describe('a charge', () => {
  test('that succeeds is booked on the channel that was called, with the fee in the currency of the payment', () => {
    const fee = (currency: string) => ({ ...succeeded, fee: { amount: 59, currency } });
    expect(settle(operation({}), fee('USD')).transition).toMatchObject({
      channelId: 10,
      fee: 59,
      providerReference: 'r',
    });
    expect(settle(operation({}), fee('EUR')).transition).not.toHaveProperty('fee');
  });

  test('that fails with a next channel leaves the payment as it is', () => {
    const nextChannel = { id: 12, provider: 'stripe' };
    const settlement = settle(operation({}), failed, { nextChannel });
    expect(settlement).toMatchObject({ state: 'FAILED', nextChannel, transition: { to: 'PROCESSING' } });
    expect(settlement.transition).not.toHaveProperty('writesEvent');
  });
});

describe('a refund', () => {
  const refundOf = (facts: Partial<OperationRow>) => operation({ kind: 'REFUND', status: 'SUCCESS', ...facts });

  test.each([
    [succeeded, 'SUCCESS', { refundedChange: 400, channelId: 10, refundEvent: { type: 'refund.succeeded' } }],
    [failed, 'FAILED', { heldChange: -400, refundEvent: { type: 'refund.failed' } }],
    [cancelled, 'CANCELLED', { heldChange: -400, refundEvent: { type: 'refund.failed' } }],
  ])('with the outcome %j is %s', (outcome, refundStatus, transition) => {
    expect(settle(refundOf({}), outcome)).toMatchObject({ refundStatus, transition });
  });

  test.each([
    ['SUCCESS', failed, 400],
    ['REFUNDED', failed, 1000],
    ['SUCCESS', cancelled, 400],
    ['REFUNDED', cancelled, 1000],
  ] as const)(
    'that had succeeded is reversed: the payment is %s after %j, with %s refunded',
    (to, outcome, refunded) => {
      const row = refundOf({ state: 'SUCCEEDED', status: 'REFUNDED', amount_refunded: refunded });
      expect(settle(row, outcome)).toMatchObject({
        state: 'FAILED',
        refundStatus: 'FAILED',
        reverses: true,
        transition: {
          to,
          heldChange: -400,
          refundedChange: -400,
          channelId: 10,
          refundEvent: { type: 'refund.failed' },
        },
      });
    },
  );
});

test('a cancellation that fails leaves the next action of the payer; one that succeeds clears it', () => {
  const row = operation({ kind: 'CANCEL' });
  expect(settle(row, failed).transition.nextAction).toEqual(nextAction);
  expect(settle(row, cancelled).transition.nextAction).toBeUndefined();
});

test.each<[Partial<OperationRow>, FinalOutcome, number, boolean, boolean]>([
  // The same outcome again.
  [{ state: 'SUCCEEDED', status: 'SUCCESS' }, succeeded, 0, false, false],
  [{ state: 'FAILED', status: 'FAILED' }, failed, 0, false, false],
  [{ state: 'CANCELLED', status: 'CANCELLED' }, failed, 0, false, false],
  // The opposite outcome.
  [{ state: 'SUCCEEDED', status: 'SUCCESS' }, failed, 0, true, false],
  [{ state: 'FAILED', status: 'FAILED' }, succeeded, 0, true, false],
  [{ kind: 'REFUND', state: 'FAILED', status: 'SUCCESS' }, succeeded, 0, true, false],
  // An open charge of a payment that has ended.
  [{ state: 'UNKNOWN', status: 'CANCELLED' }, succeeded, 0, true, false],
  [{ state: 'UNKNOWN', status: 'CANCELLED' }, failed, 0, false, false],
  [{ state: 'UNKNOWN', status: 'PROCESSING' }, succeeded, 0, false, false],
  // A refund that fails after it had succeeded, reported by a callback or look-up, or by the answer to a call.
  [{ kind: 'REFUND', state: 'SUCCEEDED', status: 'REFUNDED' }, failed, 0, false, true],
  [{ kind: 'REFUND', state: 'SUCCEEDED', status: 'REFUNDED' }, cancelled, 0, false, true],
  [{ kind: 'REFUND', state: 'SUCCEEDED', status: 'REFUNDED' }, failed, 1, true, false],
])(
  '%j, then %j after %s calls: contradiction %s, reversal %s',
  (facts, outcome, calls, isContradiction, isReversal) => {
    const row = operation(facts);
    expect(contradicts(row, outcome, calls)).toBe(isContradiction);
    expect(reverses(row, outcome, calls)).toBe(isReversal);
  },
);
