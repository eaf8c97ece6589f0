import { statement } from '../../../platform/postgres/statement.ts';
import type { PaymentRow } from './record.ts';
import { paymentColumns } from './statements.ts';

/**
 * Adds what a dispute has withdrawn from a locked payment, or less what it has reinstated. Values: tenant, payment, the
 * change, now in ms.
 */
export const changeDisputedAmount = statement<{ id: string }>(
  'transactions.change_disputed_amount',
  `update transaction
      set amount_disputed = coalesce(amount_disputed, 0) + $3, version = version + 1,
          updated_at = greatest(to_timestamp($4::float8 / 1000), updated_at)
    where tenant_id = $1 and id = $2
   returning id`,
);

/**
 * Counts what refunds made elsewhere take of a locked payment, before they are reserved, or less of it after they have
 * failed. Values: tenant, payment, the change.
 */
export const changeElsewhereAmount = statement(
  'transactions.change_elsewhere_amount',
  `update transaction set amount_refund_elsewhere = coalesce(amount_refund_elsewhere, 0) + $3
    where tenant_id = $1 and id = $2`,
);

/** Records the first warning of fraud about a payment. Values: tenant, payment, when it came and now, both in ms. */
export const recordFraudWarning = statement<PaymentRow>(
  'transactions.record_fraud_warning',
  `update transaction t
      set fraud_warned_at = to_timestamp($3::float8 / 1000), version = t.version + 1,
          updated_at = greatest(to_timestamp($4::float8 / 1000), t.updated_at)
    where t.tenant_id = $1 and t.id = $2 and t.fraud_warned_at is null
   returning ${paymentColumns}`,
);
