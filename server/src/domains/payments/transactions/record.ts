import type { Static } from 'typebox';
import { publicId } from '../../../core/id.ts';
import type { transactionRecord } from './schema.ts';
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

/**
 * A payment as JSON, the same bytes in the response and in the event. Written out, because every create passes here: a
 * serializer made from the schema takes twice the time. Metadata that is JSON already need not be serialized again.
 */
export function recordJson(record: TransactionRecord, metadataJson = JSON.stringify(record.metadata)): string {
  const { description, failureCode, failureMessage, providerReference, nextAction } = record;
  return (
    `{"id":"${record.id}","livemode":${record.livemode},"amount":${record.amount},` +
    `"amountRefunded":${record.amountRefunded},"currency":"${record.currency}","status":"${record.status}",` +
    `"channelId":${record.channelId},"description":${jsonOf(description)},"metadata":${metadataJson},` +
    `"customerId":${record.customerId},"invoiceId":${record.invoiceId},"userId":${record.userId},` +
    `"failureCode":${jsonOf(failureCode)},"failureMessage":${jsonOf(failureMessage)},` +
    `"providerReference":${jsonOf(providerReference)},"nextAction":${jsonOf(nextAction)},"version":${record.version},` +
    `"createdTime":"${record.createdTime}","updatedTime":"${record.updatedTime}"}`
  );
}

/** A payment with the name of its channel as JSON: what the detail shows. */
export function detailJson(record: TransactionRecord, channelName: string): string {
  return `${recordJson(record).slice(0, -1)},"channelName":${JSON.stringify(channelName)}}`;
}

const jsonOf = (value: unknown) => (value === null ? 'null' : JSON.stringify(value));
