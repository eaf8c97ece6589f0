import type { Relation } from '../../../platform/postgres/relation.ts';

/** Payments after their transitions. */
type Moved = Relation<
  | 'tenant_id'
  | 'id'
  | 'livemode'
  | 'booked_channel_id'
  | 'currency'
  | 'amount'
  | 'from_status'
  | 'to_status'
  | 'refunded'
  | 'refund_id'
  | 'fee'
  | 'at'
>;

/**
 * CTEs that book the transfers of transitions in the statement that applies them, so that both are written or neither.
 *
 * | Transition | Debit | Credit |
 * |---|---|---|
 * | a payment succeeds | PROVIDER_RECEIVABLE | MERCHANT_PAYABLE |
 * | with a fee | PROVIDER_FEES | PROVIDER_RECEIVABLE |
 * | a refund succeeds | REFUNDS | PROVIDER_RECEIVABLE |
 * | a refund fails after it had succeeded | PROVIDER_RECEIVABLE | REFUNDS |
 *
 * A payment that returns from REFUNDED to SUCCESS is not booked as a success again. Leg 2 of a refund is its reversal;
 * the primary key ensures that it is booked only once.
 */
export const bookTransfers = (moved: Moved) => `
  transfer as (
    select tenant_id, livemode, id as source_id, 1 as leg, id as transaction_id, booked_channel_id as channel_id,
           'PROVIDER_RECEIVABLE' as debit, 'MERCHANT_PAYABLE' as credit, currency, amount, at
      from ${moved.name} where to_status = 'SUCCESS' and from_status in ('PENDING', 'PROCESSING')
    union all
    select tenant_id, livemode, id, 2, id, booked_channel_id, 'PROVIDER_FEES', 'PROVIDER_RECEIVABLE', currency, fee, at
      from ${moved.name} where to_status = 'SUCCESS' and from_status in ('PENDING', 'PROCESSING') and fee > 0
    union all
    select tenant_id, livemode, refund_id, 1, id, booked_channel_id, 'REFUNDS', 'PROVIDER_RECEIVABLE', currency,
        refunded, at
      from ${moved.name} where refunded > 0
    union all
    select tenant_id, livemode, refund_id, 2, id, booked_channel_id, 'PROVIDER_RECEIVABLE', 'REFUNDS', currency,
        -refunded, at
      from ${moved.name} where refunded < 0
  ),
  booked as (
    insert into ledger_transfer (tenant_id, source_id, leg, transaction_id, channel_id, debit, credit, currency, amount,
                                 created_at)
    select tenant_id, source_id, leg, transaction_id, channel_id, debit, credit, currency, amount, at from transfer
  ),
  summed as (
    insert into ledger_total_delta (tenant_id, livemode, debit, credit, currency, day, count, amount)
    select tenant_id, livemode, debit, credit, currency, (at at time zone 'UTC')::date, count(*), sum(amount)
      from transfer
     group by 1, 2, 3, 4, 5, 6
  )`;
