import type { Check } from '../../../platform/postgres/check.ts';

const payment = (id: string) => `'txn_' || replace(${id}::text, '-', '')`;
const capture = (id: string) => `'cap_' || replace(${id}::text, '-', '')`;

/** Claims about captures, their payments, their operations, their ledger transfers and their events. */
export const captureChecks: readonly Check[] = [
  {
    claim: 'A payment has captured the sum of its captures that succeeded, and never more than was authorized',
    offenders: `
      with taken as (
        select tenant_id, transaction_id as id, sum(amount) filter (where status = 'SUCCESS') as captured
          from capture
         group by 1, 2
      )
      select ${payment('id')} as offender
        from taken
        full join (select * from transaction where capture_method is not null) as t using (tenant_id, id)
       where t.status is null or coalesce(t.amount_captured, 0) <> coalesce(taken.captured, 0)
          or coalesce(t.amount_captured, 0) + coalesce(t.amount_capturable, 0) > t.amount
          or (t.status in ('SUCCESS', 'REFUNDED') and coalesce(t.amount_captured, 0) = 0)
          or (t.status in ('FAILED', 'CANCELLED') and coalesce(t.amount_captured, 0) > 0)
          or (t.status not in ('PENDING', 'PROCESSING') and coalesce(t.amount_capturable, 0) > 0)`,
  },
  {
    claim: 'Only a payment that is captured by requests has the amounts of an authorization',
    offenders: `
      select ${payment('id')} as offender
        from transaction
       where capture_method is null and (amount_capturable, amount_captured, capture_before) is distinct from
             (null::bigint, null::bigint, null::timestamptz)`,
  },
  {
    claim: 'A payment has reserved what its capture or release under way is about, and after a final capture the rest',
    offenders: `
      with under_way as (
        select tenant_id, transaction_id as id, sum(amount) as amount, count(*) as count
          from provider_operation
         where kind in ('CAPTURE', 'RELEASE') and finished_at is null
         group by 1, 2
      ), ended as (
        select tenant_id, transaction_id as id from capture where final and status = 'SUCCESS' group by 1, 2
      )
      select ${payment('t.id')} as offender
        from transaction t
        left join under_way using (tenant_id, id)
        left join ended using (tenant_id, id)
       where t.amount_capturable is not null and t.status = 'PROCESSING'
         and (under_way.count > 1
              or t.amount - t.amount_captured - t.amount_capturable
                 <> case when ended.id is null then coalesce(under_way.amount, 0)
                          else t.amount - t.amount_captured end)`,
  },
  {
    claim: 'A provider is asked for a capture by one operation, of the same amount and with the same outcome',
    offenders: `
      with requested as (
        select tenant_id, capture_id as id, transaction_id, count(*) as count, min(amount) as amount,
               min(state) as state, bool_and(is_final) as final
          from provider_operation
         where kind = 'CAPTURE'
         group by 1, 2, 3
      )
      select ${capture('id')} as offender
        from requested
        full join capture using (tenant_id, id)
       where (requested.transaction_id, requested.count, requested.amount, requested.final)
             is distinct from (capture.transaction_id, 1, capture.amount, capture.final)
          or case requested.state when 'SUCCEEDED' then status <> 'SUCCESS'
                                  when 'FAILED' then status <> 'FAILED'
                                  when 'CANCELLED' then status <> 'FAILED'
                                  else status not in ('PENDING', 'PROCESSING') end`,
  },
  {
    claim: 'Every capture that took money is booked once, for its amount, and no other capture is booked',
    offenders: `
      with booked as (
        select tenant_id, source_id as id, min(transaction_id::text) as transaction_id,
               min(amount) filter (where leg = 1) as amount, min(currency) as currency,
               max(currency) as other_currency,
               count(*) filter (where leg = 1 and debit = 'PROVIDER_RECEIVABLE' and credit = 'MERCHANT_PAYABLE')
                   as captures,
               count(*) filter (where leg = 2 and debit = 'PROVIDER_FEES' and credit = 'PROVIDER_RECEIVABLE') as fees,
               count(*) as transfers
          from ledger_transfer
         where source_id <> transaction_id and dispute_id is null
           and (debit = 'PROVIDER_FEES' or (debit = 'PROVIDER_RECEIVABLE' and credit = 'MERCHANT_PAYABLE'))
         group by 1, 2
      ), taken as (
        select c.tenant_id, c.id, c.transaction_id::text as transaction_id, c.amount, t.currency
          from capture c
          join transaction t on t.tenant_id = c.tenant_id and t.id = c.transaction_id
         where c.status = 'SUCCESS'
      )
      select ${capture('id')} as offender
        from booked
        full join taken using (tenant_id, id)
       where (booked.transaction_id, booked.captures, booked.amount, booked.currency, booked.other_currency,
              booked.transfers)
             is distinct from (taken.transaction_id, 1, taken.amount, taken.currency, taken.currency, 1 + booked.fees)`,
  },
  {
    claim: 'Every authorization and every result of a capture has exactly one event',
    offenders: `
      with event_count as (
        select tenant_id, object_id, count(*) filter (where type = 'transaction.authorized') as authorized,
               count(*) filter (where type = 'transaction.captured') as captured,
               count(*) filter (where type = 'transaction.capture_failed') as failed,
               count(*) filter (where type = 'transaction.authorization_expiring') as expiring
          from event
         where type in ('transaction.authorized', 'transaction.captured', 'transaction.capture_failed',
                        'transaction.authorization_expiring')
         group by 1, 2
      ), expected as (
        select t.tenant_id, ${payment('t.id')} as object_id, (t.amount_capturable is not null)::int as authorized,
               count(c.id) filter (where c.status = 'SUCCESS') as captured,
               count(c.id) filter (where c.status = 'FAILED') as failed
          from transaction t
          left join capture c on c.tenant_id = t.tenant_id and c.transaction_id = t.id
         where t.capture_method is not null
         group by t.tenant_id, t.id
      )
      select object_id as offender
        from event_count
        full join expected using (tenant_id, object_id)
       where (coalesce(event_count.authorized, 0), coalesce(event_count.captured, 0), coalesce(event_count.failed, 0))
             is distinct from (coalesce(expected.authorized, 0)::bigint, coalesce(expected.captured, 0),
                               coalesce(expected.failed, 0))
          or coalesce(event_count.expiring, 0) > coalesce(expected.authorized, 0)`,
  },
];
