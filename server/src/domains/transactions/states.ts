import type { EventType } from '../../vocabulary/event-types.ts';

export const transactionStatuses = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'REFUNDED', 'CANCELLED'] as const;
export type TransactionStatus = (typeof transactionStatuses)[number];

/**
 * The one table of transitions that a caller may ask for by update (decisions, Transactions). PROCESSING to CANCELLED
 * and everything into REFUNDED follow from what a provider or a refund says, never from an update.
 */
export const next: Record<TransactionStatus, readonly TransactionStatus[]> = {
  PENDING: ['PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED'],
  PROCESSING: ['SUCCESS', 'FAILED'],
  SUCCESS: [],
  FAILED: [],
  REFUNDED: [],
  CANCELLED: [],
};

/** From where a status can be reached: the same table, as the guard in SQL wants it. */
export function statusesBefore(to: TransactionStatus): TransactionStatus[] {
  return transactionStatuses.filter((from) => next[from].includes(to));
}

/** What is told when a payment arrives at a status. */
export const eventOfStatus: Record<TransactionStatus, EventType> = {
  PENDING: 'transaction.created',
  PROCESSING: 'transaction.processing',
  SUCCESS: 'transaction.succeeded',
  FAILED: 'transaction.failed',
  REFUNDED: 'transaction.refunded',
  CANCELLED: 'transaction.cancelled',
};
