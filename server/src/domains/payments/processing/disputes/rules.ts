import type { Absent, Outcome } from '../../providers/provider.ts';
import type { FinalOutcome } from '../settlement.ts';
import type { OperationRow } from '../statements.ts';

/**
 * Why a dispute is opened: the provider reported an outcome that cannot be true together with the settled one
 * (`contradiction`), or another amount or currency than the operation's (`mismatch`).
 */
export type DisputeKind = 'contradiction' | 'mismatch';

/** A cancellation moves no money: the amount named with it is that of its charge. */
export function differsInMoney(row: OperationRow, { money }: FinalOutcome): boolean {
  if (money === undefined || row.kind === 'CANCEL') return false;
  return money.currency !== row.currency || (money.amount !== undefined && money.amount !== row.operation_amount);
}

/** Whether the provider agrees with what is settled. Undefined: the answer decides nothing; look up again later. */
export type Verdict = 'agrees' | 'disagrees' | undefined;

/**
 * | Answer to the look-up               | agrees if                                          |
 * | ----------------------------------- | -------------------------------------------------- |
 * | succeeded, of this amount           | the operation is settled as succeeded (`isSettled`) |
 * | succeeded, of another amount        | never                                              |
 * | failed, cancelled, absent           | the operation is settled as undone (`isUndone`)    |
 * | unknown, with another amount        | never                                              |
 * | unknown, pending, needs_payer       | no verdict                                         |
 * | rate_limited                        | no verdict                                         |
 */
export function verdictOf(row: OperationRow, answer: Outcome | Absent): Verdict {
  switch (answer.kind) {
    case 'succeeded':
      return !differsInMoney(row, answer) && isSettled(row) ? 'agrees' : 'disagrees';
    case 'failed':
    case 'cancelled':
    case 'absent':
      return isUndone(row, answer.kind) ? 'agrees' : 'disagrees';
    case 'unknown':
      return answer.mismatch === undefined ? undefined : 'disagrees';
    case 'pending':
    case 'needs_payer':
    case 'rate_limited':
      return undefined;
  }
}

/** A charge that succeeded while its payment is not paid is money that no booking shows. */
function isSettled({ kind, state, status }: OperationRow): boolean {
  return state === 'SUCCEEDED' && (kind !== 'CHARGE' || status === 'SUCCESS' || status === 'REFUNDED');
}

/** A cancellation succeeds by cancelling the charge: its look-up then answers `cancelled`. */
function isUndone({ kind, state }: OperationRow, answer: 'failed' | 'cancelled' | 'absent'): boolean {
  if (kind === 'CANCEL') return (state === 'SUCCEEDED') === (answer === 'cancelled');
  return state === 'FAILED' || state === 'CANCELLED';
}
