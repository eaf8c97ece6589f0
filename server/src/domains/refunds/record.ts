import type { Static } from 'typebox';
import { publicId } from '../../vocabulary/id.ts';
import type { refundRecord } from './schema.ts';
import type { RefundRow } from './sql.ts';

export type RefundRecord = Static<typeof refundRecord>;

export function recordOf(row: RefundRow): RefundRecord {
  return {
    id: publicId('ref', row.id),
    transactionId: publicId('txn', row.transaction_id),
    amount: row.amount,
    currency: row.currency,
    status: row.status,
    reason: row.reason,
    metadata: row.metadata,
    userId: row.user_id,
    failureCode: row.failure_code,
    failureMessage: row.failure_message,
    providerReference: row.provider_reference,
    createdTime: row.created_at,
    updatedTime: row.updated_at,
  };
}
