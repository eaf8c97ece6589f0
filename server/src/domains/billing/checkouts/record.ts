import type { Static } from 'typebox';
import { publicId } from '../../../core/id.ts';
import { holds, type Principal } from '../../../core/principal.ts';
import type { BillingApp } from '../app.ts';
import { shownAddressOf } from './links.ts';
import { statusOf } from './rules.ts';
import type { checkoutRecord } from './schema.ts';
import type { CheckoutRow } from './statements.ts';

export type CheckoutRecord = Static<typeof checkoutRecord>;

/**
 * The record for a caller. Without `transaction_write` it has no URL, because payments can be made and given up on the
 * page.
 */
export function recordFor(principal: Principal, row: CheckoutRow, nowMs: number, app: BillingApp): CheckoutRecord {
  const record = recordOf(row, nowMs, app);
  return holds(principal, 'transaction_write') ? record : { ...record, url: null };
}

export function recordOf(row: CheckoutRow, nowMs: number, app: BillingApp): CheckoutRecord {
  const status = statusOf(row, nowMs);
  return {
    id: row.id,
    livemode: row.livemode,
    status,
    url: shownAddressOf(row, status, app),
    amount: row.amount,
    currency: row.currency,
    invoiceId: row.invoice_id,
    channelIds: row.channel_ids,
    captureMethod: row.capture_method ?? 'AUTOMATIC',
    customerId: row.customer_id,
    description: row.description,
    metadata: row.metadata,
    returnUrl: row.return_url,
    transactionId: row.transaction_id === null ? null : publicId('txn', row.transaction_id),
    amountToReturn: row.amount_to_return,
    userId: row.user_id,
    expiresTime: row.expires_at,
    createdTime: row.created_at,
    updatedTime: row.updated_at,
  };
}
