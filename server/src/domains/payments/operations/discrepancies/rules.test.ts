import { describe, expect, test } from 'vitest';
import { failure } from '../../providers/failures.ts';
import type { Outcome } from '../../providers/outcome.ts';
import type { OperationRow } from '../statements.ts';
import { differenceOf, verdictOf } from './rules.ts';

const operation = (facts: Partial<OperationRow>) =>
  ({
    kind: 'CHARGE',
    state: 'SUCCEEDED',
    status: 'SUCCESS',
    operation_amount: 1999,
    currency: 'USD',
    livemode: true,
    ...facts,
  }) as OperationRow;

const succeeded = { kind: 'succeeded', reference: 'r' } as const;
const failed = { kind: 'failed', failure: failure('card_declined') } as const;
const cancelled = { kind: 'cancelled' } as const;
const absent = { kind: 'absent' } as const;
const unknown = { kind: 'unknown', cause: 'silence' } as const;
const of = (amount: number | null | undefined, currency = 'USD') => ({
  ...succeeded,
  money: { ...(amount !== undefined && { amount }), currency },
});

test.each([
  ['succeeded', { reference: 'r' }],
  ['failed', { failure: failed.failure }],
  ['cancelled', {}],
  ['pending', {}],
  ['needs_payer', { reference: 'r', nextAction: { type: 'redirect', url: null } }],
] as const)('%s in the other mode differs, whatever the operation, and the provider disagrees', (kind, facts) => {
  for (const livemode of [true, false]) {
    const answer = { kind, ...facts, livemode } as Outcome;
    expect(differenceOf(operation({}), answer)).toBe(livemode ? undefined : 'mode_mismatch');
    expect(differenceOf(operation({ kind: 'CANCEL' }), answer)).toBe(livemode ? undefined : 'mode_mismatch');
    if (!livemode) expect(verdictOf(operation({ state: 'FAILED' }), answer)).toBe('disagrees');
  }
});

test('a provider that has forgotten an operation agrees with nothing but that it was not carried out', () => {
  const forgotten: Outcome = { kind: 'unknown', cause: 'forgotten', isForgotten: true };
  expect(verdictOf(operation({ state: 'UNKNOWN' }), forgotten)).toBeUndefined();
  expect(verdictOf(operation({}), forgotten)).toBeUndefined();
  expect(verdictOf(operation({ state: 'CANCELLED' }), forgotten)).toBe('agrees');
});

test.each([
  [succeeded, false],
  [of(1999), false],
  [of(undefined), false],
  [of(1998), true],
  [of(2000), true],
  [of(null), true],
  [of(1999, 'EUR'), true],
  [of(undefined, 'EUR'), true],
])('%j differs from 1999 USD: %s', (outcome, differs) => {
  expect(differenceOf(operation({}), outcome)).toBe(differs ? 'mismatch' : undefined);
  expect(differenceOf(operation({ kind: 'REFUND' }), outcome)).toBe(differs ? 'mismatch' : undefined);
  // The amount named with a cancellation is that of its charge.
  expect(differenceOf(operation({ kind: 'CANCEL' }), outcome)).toBeUndefined();
});

describe('the verdict of a look-up', () => {
  const paid = operation({});
  const declined = operation({ state: 'FAILED', status: 'FAILED' });
  const chargedAfterCancellation = operation({ state: 'SUCCEEDED', status: 'CANCELLED' });
  const refunded = operation({ kind: 'REFUND', status: 'REFUNDED' });
  const refused = operation({ kind: 'REFUND', state: 'FAILED' });
  const cancellation = operation({ kind: 'CANCEL', status: 'CANCELLED' });
  const lateCancellation = operation({ kind: 'CANCEL', state: 'FAILED' });
  const open = operation({ state: 'UNKNOWN', status: 'PROCESSING' });

  test.each<[string, OperationRow, Outcome | typeof absent, string | undefined]>([
    ['a charge', paid, succeeded, 'agrees'],
    ['a charge', paid, of(1999), 'agrees'],
    ['a charge', paid, of(1000), 'disagrees'],
    ['a charge', paid, failed, 'disagrees'],
    ['a charge', paid, cancelled, 'disagrees'],
    ['a charge', paid, absent, 'disagrees'],
    ['a charge', paid, unknown, undefined],
    ['a charge', paid, { ...unknown, mismatch: of(5) }, 'disagrees'],
    ['a charge', paid, { kind: 'pending' }, undefined],
    ['a declined charge', declined, failed, 'agrees'],
    ['a declined charge', declined, absent, 'agrees'],
    ['a declined charge', declined, cancelled, 'agrees'],
    ['a declined charge', declined, succeeded, 'disagrees'],
    ['a charge of a cancelled payment', chargedAfterCancellation, succeeded, 'disagrees'],
    ['a refund', refunded, succeeded, 'agrees'],
    ['a refund', refunded, failed, 'disagrees'],
    ['a refused refund', refused, failed, 'agrees'],
    ['a refused refund', refused, succeeded, 'disagrees'],
    ['a cancellation', cancellation, cancelled, 'agrees'],
    ['a cancellation', cancellation, failed, 'disagrees'],
    ['a cancellation that came too late', lateCancellation, failed, 'agrees'],
    ['a cancellation that came too late', lateCancellation, cancelled, 'disagrees'],
    ['an open charge', open, of(1000), 'disagrees'],
    ['an open charge', open, unknown, undefined],
  ])('on %s (%#)', (_, row, answer, verdict) => {
    expect(verdictOf(row, answer)).toBe(verdict);
  });
});
