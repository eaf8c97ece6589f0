import type { TransactionListItem } from '../../api/client.ts';

/** The API calls a payment refunded from its first refund on. Operators need to see whether some of it is left. */
export function shownStatus(payment: Pick<TransactionListItem, 'status' | 'amount' | 'amountRefunded'>): string {
  const { status, amount, amountRefunded } = payment;
  return status === 'REFUNDED' && amountRefunded < amount ? 'PARTLY_REFUNDED' : status;
}
