import type { Check } from '../../../platform/postgres/check.ts';
import { capturedAmount } from '../transactions/captured.ts';

const payment = (id: string) => `'txn_' || replace(${id}::text, '-', '')`;
const refund = (id: string) => `'ref_' || replace(${id}::text, '-', '')`;

/** Claims about refunds, their payments, their ledger transfers and their events. */
export const refundChecks: readonly Check[] = [
  {
    claim:
      'A payment holds and has given back the sums of its refunds, in its currency, and Florin never more than was ' +
      'captured',
    offenders: `
      with given as (
        select tenant_id, transaction_id as id, min(currency) as currency, max(currency) as other_currency,
               coalesce(sum(amount) filter (where status = 'SUCCESS'), 0) as refunded,
               coalesce(sum(amount) filter (where status not in ('FAILED', 'CANCELLED')), 0) as held,
               coalesce(sum(amount) filter (where status not in ('FAILED', 'CANCELLED') and origin = 'PROVIDER'), 0)
                   as elsewhere
          from refund
         group by 1, 2
      )
      select ${payment('id')} as offender
        from given
        full join transaction t using (tenant_id, id)
       where t.status is null or t.amount_refunded <> coalesce(refunded, 0) or t.amount_refund_held <> coalesce(held, 0)
          or coalesce(t.amount_refund_elsewhere, 0) <> coalesce(elsewhere, 0)
          or t.amount_refund_held - coalesce(t.amount_refund_elsewhere, 0) > ${capturedAmount('t')}
          or (t.status = 'REFUNDED') <> (t.amount_refunded > 0)
          or given.currency <> t.currency or given.other_currency <> t.currency`,
  },
  {
    claim:
      'Every refund that succeeded is booked once for its amount, one that failed afterwards is reversed ' +
      'once, and no other refund is booked',
    offenders: `
      with booked as (
        select tenant_id, source_id as id, transaction_id, leg, debit, credit, currency, amount
          from ledger_transfer
         where source_id <> transaction_id and 'REFUNDS' in (debit, credit)
      ), expected as (
        select tenant_id, id, transaction_id, 1::smallint as leg, 'REFUNDS' as debit, 'PROVIDER_RECEIVABLE' as credit,
               currency, amount
          from refund
         where status = 'SUCCESS' or reversed_at is not null
         union all
        select tenant_id, id, transaction_id, 2, 'PROVIDER_RECEIVABLE', 'REFUNDS', currency, amount
          from refund
         where reversed_at is not null
      )
      select ${refund('id')} as offender
        from booked
        full join expected using (tenant_id, id, leg)
       where (booked.transaction_id, booked.debit, booked.credit, booked.currency, booked.amount)
             is distinct from (expected.transaction_id, expected.debit, expected.credit, expected.currency,
                               expected.amount)`,
  },
  {
    claim:
      'Every refund that succeeded, even if it failed afterwards, has its event, ' +
      'and there is no other transaction.refunded',
    offenders: `
      with event_count as (
        select tenant_id, object_id, count(*) as count from event where type = 'transaction.refunded' group by 1, 2
      ), succeeded as (
        select tenant_id, ${payment('transaction_id')} as object_id, count(*) as count
          from refund
         where status = 'SUCCESS' or reversed_at is not null
         group by 1, 2
      )
      select object_id as offender
        from event_count
        full join succeeded using (tenant_id, object_id)
       where event_count.count is distinct from succeeded.count`,
  },
  {
    claim:
      'Every refund has exactly one refund.created event, and a refund.succeeded event if and only if it succeeded',
    // Refunds from before these events have at most one of each (`events_complete`).
    offenders: `
      with event_count as (
        select tenant_id, object_id, count(*) filter (where type = 'refund.created') as created,
               count(*) filter (where type = 'refund.succeeded') as succeeded
          from event
         where type in ('refund.created', 'refund.succeeded')
         group by 1, 2
      ), known as (
        select tenant_id, ${refund('id')} as object_id, (status = 'SUCCESS' or reversed_at is not null)::int
            as succeeded,
               events_complete
          from refund
      )
      select object_id as offender
        from event_count
        full join known using (tenant_id, object_id)
       where known.succeeded is null or event_count.created > 1 or event_count.succeeded > known.succeeded
          or (events_complete
              and (event_count.created, event_count.succeeded) is distinct from (1::bigint, known.succeeded::bigint))`,
  },
  {
    claim: 'Every refund that failed or was cancelled has exactly one refund.failed event, and no other refund has one',
    // Refunds that ended before this event was sent for them have none (`failure_untold`).
    offenders: `
      with event_count as (
        select tenant_id, object_id, count(*) as count from event where type = 'refund.failed' group by 1, 2
      ), failed as (
        select tenant_id, ${refund('id')} as object_id from refund 
         where status in ('FAILED', 'CANCELLED') and not failure_untold
      )
      select object_id as offender
        from event_count
        full join failed using (tenant_id, object_id)
       where event_count.count is distinct from 1 or failed.object_id is null`,
  },
  {
    claim:
      'Every refund has the payment, the amount, the reason, the metadata, the user and the time that its ' +
      'created event tells',
    offenders: `
      select ${refund('r.id')} as offender
        from refund r
        join event on event.tenant_id = r.tenant_id and event.object_id = ${refund('r.id')}
       where event.type = 'refund.created'
         and (position(format('"transactionId":"%s","amount":%s,"currency":"%s",', ${payment('r.transaction_id')},
             r.amount,
                              r.currency) in event.body) = 0
              or position('"reason":' || coalesce(to_json(r.reason)::text, 'null') || ',' in event.body) = 0
              or position('"metadata":' || coalesce(r.metadata::text, 'null') || ',' in event.body) = 0
              or position(format('"userId":%s,', coalesce(r.user_id::text, 'null')) in event.body) = 0
              or position(format('"createdTime":"%s"', to_char(r.created_at at time zone 'UTC',
                                 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) in event.body) = 0)`,
  },
];
