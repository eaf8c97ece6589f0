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
 * | a payment succeeds, or some of it is captured by a request | PROVIDER_RECEIVABLE | MERCHANT_PAYABLE |
 * | with a fee | PROVIDER_FEES | PROVIDER_RECEIVABLE |
 * | a refund succeeds | REFUNDS | PROVIDER_RECEIVABLE |
 * | and returns money that paid nothing | UNAPPLIED | MERCHANT_PAYABLE |
 * | a refund fails after it had succeeded | PROVIDER_RECEIVABLE | REFUNDS |
 * | which had returned money that paid nothing | MERCHANT_PAYABLE | UNAPPLIED |
 *
 * A payment that returns from REFUNDED to SUCCESS is not booked as a success again. Legs 2 and 4 of a refund are its
 * reversal; the primary key ensures that they are booked only once. Refunds return money that paid nothing
 * (`bookUnapplied`) before any other of the payment.
 *
 * `capturedApart`: of payments that are captured by requests, each capture is booked instead of the success, with the
 * capture as its source. `moved` then has `capture_method`, `captured_now` and `capture_id`.
 */
export const bookTransfers = (moved: Moved, { capturedApart }: { capturedApart: boolean }) => `
  transfer as (
    select tenant_id, livemode, id as source_id, 1 as leg, id as transaction_id, booked_channel_id as channel_id,
           'PROVIDER_RECEIVABLE' as debit, 'MERCHANT_PAYABLE' as credit, currency, amount, at
      from ${moved.name} where ${succeeds(capturedApart)}
    union all
    select tenant_id, livemode, id, 2, id, booked_channel_id, 'PROVIDER_FEES', 'PROVIDER_RECEIVABLE', currency, fee, at
      from ${moved.name} where ${succeeds(capturedApart)} and fee > 0
    union all${capturedApart ? captures(moved) : ''}
    select tenant_id, livemode, refund_id, 1, id, booked_channel_id, 'REFUNDS', 'PROVIDER_RECEIVABLE', currency,
        refunded, at
      from ${moved.name} where refunded > 0
    union all
    select tenant_id, livemode, refund_id, 2, id, booked_channel_id, 'PROVIDER_RECEIVABLE', 'REFUNDS', currency,
        -refunded, at
      from ${moved.name} where refunded < 0
    union all
    select tenant_id, livemode, refund_id, 3, id, booked_channel_id, 'UNAPPLIED', 'MERCHANT_PAYABLE', currency,
        least(refunded, unapplied.amount), at
      from ${moved.name} cross join lateral (${unappliedOf(moved.name)}) as unapplied
     where refunded > 0 and unapplied.amount > 0
    union all
    select moved.tenant_id, livemode, refund_id, 4, moved.id, booked_channel_id, 'MERCHANT_PAYABLE', 'UNAPPLIED',
        moved.currency, l.amount, at
      from ${moved.name} as moved
      join ledger_transfer l on l.tenant_id = moved.tenant_id and l.source_id = moved.refund_id and l.leg = 3
     where refunded < 0
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

const succeeds = (capturedApart: boolean) =>
  `to_status = 'SUCCESS' and from_status in ('PENDING', 'PROCESSING')` +
  (capturedApart ? ' and capture_method is null' : '');

const captures = (moved: Moved) => `
    select tenant_id, livemode, capture_id, 1, id, booked_channel_id, 'PROVIDER_RECEIVABLE', 'MERCHANT_PAYABLE',
        currency, captured_now, at
      from ${moved.name} where captured_now > 0
    union all
    select tenant_id, livemode, capture_id, 2, id, booked_channel_id, 'PROVIDER_FEES', 'PROVIDER_RECEIVABLE', currency,
        fee, at
      from ${moved.name} where captured_now > 0 and fee > 0
    union all`;

/** What a payment took and nothing has returned yet of what paid nothing. */
const unappliedOf = (moved: string) => `
        select coalesce(sum(case when credit = 'UNAPPLIED' then amount else -amount end), 0)::bigint as amount
          from (${unappliedEntriesOf(`${moved}.tenant_id`, `${moved}.id`)}) as entry`;

/** The transfers of a payment to and from UNAPPLIED. They are found by the key and by its refunds. */
export function unappliedEntriesOf(tenant: string, payment: string): string {
  return `select source_id, leg, debit, credit, amount from ledger_transfer
           where tenant_id = ${tenant} and source_id = ${payment} and leg >= 3 and 'UNAPPLIED' in (debit, credit)
           union all
          select source_id, leg, debit, credit, amount from ledger_transfer
           where tenant_id = ${tenant} and transaction_id = ${payment} and source_id <> transaction_id
             and leg in (3, 4) and 'UNAPPLIED' in (debit, credit)`;
}
