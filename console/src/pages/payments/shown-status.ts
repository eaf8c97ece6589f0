import type { TransactionListItem } from '../../../../sdk/src/generated/api.ts';

/**
 * The API calls a payment refunded from its first refund on. Operators need to see whether some of it is left; of one
 * that was captured in part, that is less than its amount.
 */
export function shownStatus(
  payment: Pick<TransactionListItem, 'status' | 'amount' | 'amountCaptured' | 'amountRefunded'>,
): string {
  const { status, amount, amountCaptured = amount, amountRefunded } = payment;
  return status === 'REFUNDED' && amountRefunded < amountCaptured ? 'PARTLY_REFUNDED' : status;
}
