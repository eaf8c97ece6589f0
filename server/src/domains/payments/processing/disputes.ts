import type { Absent, Outcome } from '../providers/provider.ts';
import type { FinalOutcome } from './settlement.ts';
import type { OperationRow } from './statements.ts';

/**
 * A dispute is open when a provider says of an operation what cannot be true beside what stands (`contradiction`), or names
 * another amount or currency than was asked for (`mismatch`).
 */
export type DisputeKind = 'contradiction' | 'mismatch';

/** A cancellation moves no money: what is named with it is its charge's. */
export function differsInMoney(row: OperationRow, outcome: FinalOutcome): boolean {
  const { money } = outcome;
  if (money === undefined || row.kind === 'CANCEL') return false;
  return money.currency !== row.currency || (money.amount !== undefined && money.amount !== row.operation_amount);
}

/** Undefined: the answer decides nothing, and the provider is to be asked later. */
export type Verdict = 'agrees' | 'disagrees' | undefined;

/** What a provider's answer to a look-up means for an operation that has ended. */
export function verdictOf(row: OperationRow, answer: Outcome | Absent): Verdict {
  switch (answer.kind) {
    case 'succeeded':
      if (differsInMoney(row, answer)) return 'disagrees';
      return isTaken(row) ? 'agrees' : 'disagrees';
    case 'failed':
    case 'cancelled':
    case 'absent':
      return isUndone(row, answer.kind) ? 'agrees' : 'disagrees';
    case 'unknown':
      return answer.mismatch === undefined ? undefined : 'disagrees';
    default:
      return undefined;
  }
}

/** A charge that was made of a payment that is not paid is money that nobody has booked. */
function isTaken({ kind, state, status }: OperationRow): boolean {
  return state === 'SUCCEEDED' && (kind !== 'CHARGE' || status === 'SUCCESS' || status === 'REFUNDED');
}

/** A cancellation has succeeded when the charge is cancelled. */
function isUndone({ kind, state }: OperationRow, answer: 'failed' | 'cancelled' | 'absent'): boolean {
  if (kind === 'CANCEL') return (state === 'SUCCEEDED') === (answer === 'cancelled');
  return state === 'FAILED' || state === 'CANCELLED';
}
