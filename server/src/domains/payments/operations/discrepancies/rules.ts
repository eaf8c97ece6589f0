import type { Absent, NamedMode, NamedMoney, Outcome } from '../../providers/outcome.ts';
import { capturedAmountOf, isAuthorized } from '../../transactions/captured.ts';
import type { OperationRow } from '../statements.ts';
import { isFinished } from '../states.ts';

/**
 * What a provider reports about an operation, as far as it is compared; `kind` is null if it can no longer say
 * anything.
 */
export interface Report extends NamedMode {
  kind: Outcome['kind'] | 'changed' | null;
  reference?: string | null;
  money?: NamedMoney | undefined;
}

/**
 * Why a discrepancy is opened: the provider reported an outcome that cannot be true together with the settled one
 * (`contradiction`), another amount or currency than the operation's (`mismatch`), a payment or refund of the other
 * mode (`mode_mismatch`), or that it can no longer say what became of the operation (`forgotten`).
 */
export const discrepancyKinds = ['contradiction', 'mismatch', 'mode_mismatch', 'forgotten'] as const;
export type DiscrepancyKind = (typeof discrepancyKinds)[number];

/** What shows that the report is about another payment or refund, which is never booked. Undefined: nothing does. */
export function differenceOf(row: OperationRow, report: Report): 'mismatch' | 'mode_mismatch' | undefined {
  if (report.livemode !== undefined && report.livemode !== row.livemode) return 'mode_mismatch';
  return differsInMoney(row, report) ? 'mismatch' : undefined;
}

/** A cancellation and a release move no money: the amount named with them is that of their charge. */
function differsInMoney(row: OperationRow, { kind, money }: Report): boolean {
  if (row.kind === 'CANCEL' || row.kind === 'RELEASE') return false;
  if (isManualCharge(row)) return differsFromCaptured(row, { kind, money });
  if (money === undefined) return false;
  return money.currency !== row.currency || (money.amount !== undefined && money.amount !== row.operation_amount);
}

/**
 * A charge that is captured by requests has succeeded with what was captured in all. It may be authorized for less than
 * it should: then it is cancelled.
 */
function differsFromCaptured(row: OperationRow, { kind, money }: Pick<Report, 'kind' | 'money'>): boolean {
  const { amount = row.operation_amount, currency = row.currency } = money ?? {};
  if (currency !== row.currency) return true;
  if (kind === 'succeeded') return amount !== capturedAmountOf(row);
  return kind === 'authorized' && (amount === null || amount > row.operation_amount);
}

/** Whether the operation is a charge that only authorizes, and is captured by further operations. */
export function isManualCharge({ kind, capture_method }: Pick<OperationRow, 'kind' | 'capture_method'>): boolean {
  return kind === 'CHARGE' && capture_method === 'MANUAL';
}

/** Whether the provider agrees with what is settled. Undefined: the answer decides nothing; look up again later. */
export type Verdict = 'agrees' | 'disagrees' | undefined;

/**
 * | Answer to the look-up               | agrees if                                          |
 * | ----------------------------------- | -------------------------------------------------- |
 * | succeeded, of this amount           | the operation is settled as succeeded (`isSettled`) |
 * | succeeded, of another amount        | never                                              |
 * | failed, cancelled, absent           | the operation is settled as undone (`isUndone`)    |
 * | authorized                          | the payment is authorized and has not ended        |
 * | any, of the other mode              | never                                              |
 * | unknown, with another amount        | never                                              |
 * | unknown, because it was forgotten   | the operation is settled as undone; else no verdict |
 * | unknown, pending, needs_payer       | no verdict                                         |
 * | rate_limited                        | no verdict                                         |
 */
export function verdictOf(row: OperationRow, answer: Outcome | Absent): Verdict {
  const difference = answer.kind === 'absent' ? undefined : differenceOf(row, answer);
  if (difference === 'mode_mismatch') return 'disagrees';
  switch (answer.kind) {
    case 'succeeded':
      return difference === undefined && isSettled(row) ? 'agrees' : 'disagrees';
    case 'failed':
    case 'cancelled':
    case 'absent':
      return isUndone(row, answer.kind) ? 'agrees' : 'disagrees';
    case 'unknown':
      if (answer.isForgotten) return isUndone(row, 'absent') ? 'agrees' : undefined;
      return answer.mismatch === undefined ? undefined : 'disagrees';
    case 'authorized':
      if (difference !== undefined || isFinished(row.state)) return 'disagrees';
      return isAuthorized(row) ? 'agrees' : undefined;
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
