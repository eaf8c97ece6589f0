import fastJsonStringify from 'fast-json-stringify';
import type { Static } from 'typebox';
import { publicId } from '../../../core/id.ts';
import { transactionRecord } from './schema.ts';
import type { TransactionRow } from './statements.ts';

export type TransactionRecord = Static<typeof transactionRecord>;

export function recordOf(row: TransactionRow): TransactionRecord {
  return {
    id: publicId('txn', row.id),
    livemode: row.livemode,
    amount: row.amount,
    amountRefunded: row.amount_refunded,
    currency: row.currency,
    status: row.status,
    channelId: row.channel_id,
    description: row.description,
    metadata: row.metadata,
    customerId: row.customer_id,
    invoiceId: row.invoice_id,
    userId: row.user_id,
    failureCode: row.failure_code,
    failureMessage: row.failure_message,
    providerReference: row.provider_reference,
    nextAction: row.next_action as TransactionRecord['nextAction'],
    version: row.version,
    createdTime: row.created_at,
    updatedTime: row.updated_at,
  };
}

/** A payment as JSON, the same bytes in the response and in the event. */
export const recordJson: (record: TransactionRecord) => string = fastJsonStringify(transactionRecord as never);
