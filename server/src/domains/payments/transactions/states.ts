import type { EventType } from '../../../core/event-types.ts';

export const transactionStatuses = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'REFUNDED', 'CANCELLED'] as const;
export type TransactionStatus = (typeof transactionStatuses)[number];

/** The one table of transitions (decisions, Transactions). What is not in it cannot happen, in code or in SQL. */
export const next: Record<TransactionStatus, readonly TransactionStatus[]> = {
  PENDING: ['PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED'],
  PROCESSING: ['SUCCESS', 'FAILED', 'CANCELLED'],
  SUCCESS: ['REFUNDED'],
  FAILED: [],
  // Back to SUCCESS: the last refund that stood has failed after it had succeeded.
  REFUNDED: ['REFUNDED', 'SUCCESS'],
  CANCELLED: [],
};

/**
 * What a caller may ask for by update. Where the channel names no provider the caller says what happened; where it does,
 * only the provider can, and all that can be asked is to call the payment off. Into REFUNDED only a refund leads.
 */
export const nextByUpdate = {
  withoutProvider: {
    PENDING: ['PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED'],
    PROCESSING: ['SUCCESS', 'FAILED'],
    SUCCESS: [],
    FAILED: [],
    REFUNDED: [],
    CANCELLED: [],
  },
  withProvider: {
    PENDING: ['CANCELLED'],
    PROCESSING: ['CANCELLED'],
    SUCCESS: [],
    FAILED: [],
    REFUNDED: [],
    CANCELLED: [],
  },
} satisfies Record<string, Record<TransactionStatus, readonly TransactionStatus[]>>;

/** A status from which no provider's word moves a payment any more. */
export function isFinal(status: TransactionStatus): boolean {
  return status !== 'PENDING' && status !== 'PROCESSING';
}

/** The table as the guard in SQL wants it; a payment that stays where it is only changes its words. */
export const permittedMoves: string = transactionStatuses
  .flatMap((from) => [...new Set([from, ...next[from]])].map((to) => `('${from}', '${to}')`))
  .join(', ');

/** What is told when a payment arrives at a status. */
export const eventOfStatus: Record<TransactionStatus, EventType> = {
  PENDING: 'transaction.created',
  PROCESSING: 'transaction.processing',
  SUCCESS: 'transaction.succeeded',
  FAILED: 'transaction.failed',
  REFUNDED: 'transaction.refunded',
  CANCELLED: 'transaction.cancelled',
};
