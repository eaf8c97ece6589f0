import { Type } from 'typebox';
import type { EventType } from '../../../core/event-types.ts';

export const transactionStatuses = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'REFUNDED', 'CANCELLED'] as const;
export type TransactionStatus = (typeof transactionStatuses)[number];
export const transactionStatus = Type.Enum([...transactionStatuses], { $id: 'TransactionStatus' });

/** The transition table. The guard of the statement that applies transitions is generated from it. */
export const next: Record<TransactionStatus, readonly TransactionStatus[]> = {
  PENDING: ['PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED'],
  PROCESSING: ['SUCCESS', 'FAILED', 'CANCELLED'],
  SUCCESS: ['REFUNDED'],
  FAILED: [],
  // Back to SUCCESS: the only refund left failed after it had succeeded.
  REFUNDED: ['REFUNDED', 'SUCCESS'],
  CANCELLED: [],
};

/**
 * The statuses that an update may set. Without a provider, the caller reports what happened. With a provider, only the
 * provider does, and a caller can only cancel. REFUNDED is set by refunds alone.
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

/** Whether a provider result can no longer change the payment. */
export function isFinal(status: TransactionStatus): boolean {
  return status !== 'PENDING' && status !== 'PROCESSING';
}

/** The transition table as SQL pairs (from, to), with (status, status) for changes that keep the status. */
export const permittedTransitions: string = transactionStatuses
  .flatMap((from) => [...new Set([from, ...next[from]])].map((to) => `('${from}', '${to}')`))
  .join(', ');

/** The event of a payment that reaches a status. */
export const eventOfStatus: Record<TransactionStatus, EventType> = {
  PENDING: 'transaction.created',
  PROCESSING: 'transaction.processing',
  SUCCESS: 'transaction.succeeded',
  FAILED: 'transaction.failed',
  REFUNDED: 'transaction.refunded',
  CANCELLED: 'transaction.cancelled',
};
