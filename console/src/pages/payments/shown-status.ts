import type { TransactionListItem } from '../../api/client.ts';

/** The API calls a payment refunded from its first refund on. Whether some of it is left is what operators look for. */
export function shownStatus(payment: Pick<TransactionListItem, 'status' | 'amount' | 'amountRefunded'>): string {
  const { status, amount, amountRefunded } = payment;
  return status === 'REFUNDED' && amountRefunded < amount ? 'PARTLY_REFUNDED' : status;
}
