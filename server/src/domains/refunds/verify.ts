import type { Check } from '../../platform/postgres/check.ts';

const payment = (id: string) => `'txn_' || replace(${id}::text, '-', '')`;
const refund = (id: string) => `'ref_' || replace(${id}::text, '-', '')`;

/** What must be true of refunds, of the payments they give back, and of what they have booked and told. */
export const refundChecks: readonly Check[] = [
  {
    claim: 'A payment holds and has given back what its refunds say, in its currency and never more than its amount',
    offenders: `
      with given as (
        select tenant_id, transaction_id as id, min(currency) as currency, max(currency) as other_currency,
               coalesce(sum(amount) filter (where status = 'SUCCESS'), 0) as refunded,
               coalesce(sum(amount) filter (where status not in ('FAILED', 'CANCELLED')), 0) as held
          from refund
         group by 1, 2
      )
      select ${payment('id')} as offender
        from given
        full join transaction t using (tenant_id, id)
       where t.status is null or t.amount_refunded <> coalesce(refunded, 0) or t.amount_refund_held <> coalesce(held, 0)
          or t.amount_refund_held > t.amount or (t.status = 'REFUNDED') <> (t.amount_refunded > 0)
          or given.currency <> t.currency or given.other_currency <> t.currency`,
  },
  {
    claim: 'Every refund that succeeded is booked once, for its amount, and no other is booked',
    offenders: `
      with booked as (
        select tenant_id, source_id as id, transaction_id, leg, debit, credit, currency, amount
          from ledger_transfer
         where source_id <> transaction_id
      ), succeeded as (
        select tenant_id, id, transaction_id, currency, amount from refund where status = 'SUCCESS'
      )
      select ${refund('id')} as offender
        from booked
        full join succeeded using (tenant_id, id)
       where (booked.transaction_id, leg, debit, credit, booked.currency, booked.amount)
             is distinct from (succeeded.transaction_id, 1, 'REFUNDS', 'PROVIDER_RECEIVABLE', succeeded.currency,
                               succeeded.amount)`,
  },
  {
    claim: 'Every refund that succeeded has its event, and there is no other transaction.refunded',
    offenders: `
      with told as (
        select tenant_id, object_id, count(*) as count from event where type = 'transaction.refunded' group by 1, 2
      ), succeeded as (
        select tenant_id, ${payment('transaction_id')} as object_id, count(*) as count
          from refund
         where status = 'SUCCESS'
         group by 1, 2
      )
      select object_id as offender
        from told
        full join succeeded using (tenant_id, object_id)
       where told.count is distinct from succeeded.count`,
  },
];
