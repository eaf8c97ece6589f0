import type { Static } from 'typebox';
import { publicId } from '../../../core/id.ts';
import type { Failure } from '../providers/failures.ts';
import type { refundRecord } from './schema.ts';
import type { RefundRow } from './statements.ts';

export type RefundRecord = Static<typeof refundRecord>;

export function recordOf(row: RefundRow): RefundRecord {
  return {
    id: publicId('ref', row.id),
    livemode: row.livemode,
    transactionId: publicId('txn', row.transaction_id),
    amount: row.amount,
    currency: row.currency,
    status: row.status,
    reason: row.reason,
    metadata: row.metadata,
    userId: row.user_id,
    origin: row.origin ?? 'FLORIN',
    failureCode: row.failure_code,
    failureMessage: row.failure_message,
    providerReference: row.provider_reference,
    createdTime: row.created_at,
    updatedTime: row.updated_at,
  };
}

/** The refund after its outcome, exactly as the settling statement writes it, for its event. */
export function refundAfterOutcome(
  refund: RefundRow,
  {
    status,
    failure,
    reference,
  }: { status: 'SUCCESS' | 'FAILED' | 'CANCELLED'; failure: Failure | null; reference?: string | undefined },
  atMs: number,
): RefundRecord {
  const time = new Date(atMs).toISOString();
  return recordOf({
    ...refund,
    status,
    failure_code: failure?.code ?? null,
    failure_message: failure?.message ?? null,
    provider_reference: reference ?? refund.provider_reference,
    updated_at: time > refund.updated_at ? time : refund.updated_at,
  });
}
