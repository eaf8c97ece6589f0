import type { Check } from '../../../platform/postgres/check.ts';
import { capturedAmount } from '../../payments/transactions/captured.ts';

const invoiceName = `format('tenant %s invoice %s', tenant_id, id)`;

/** Claims about invoices, their lines, payments, numbers and events. */
export const invoiceChecks: readonly Check[] = [
  {
    claim: 'The totals of every invoice equal its lines',
    offenders: `
      with summed as (
        select tenant_id, invoice_id as id, sum(amount) as subtotal, sum(tax_amount) as tax
          from invoice_line
         group by 1, 2
      )
      select ${invoiceName} as offender
        from invoice
        left join summed using (tenant_id, id)
       where (invoice.subtotal, invoice.tax) is distinct from (coalesce(summed.subtotal, 0), coalesce(summed.tax, 0))
          or invoice.total <> invoice.subtotal + invoice.tax`,
  },
  {
    claim:
      'The paid amount of every invoice equals its successful payments without what they took beyond its ' +
      'total and what disputes took back, and a paid invoice is paid exactly',
    offenders: `
      with summed as (
        select p.tenant_id, p.invoice_id as id,
               coalesce(sum(p.amount - excess - coalesce(disputed, 0))
                          filter (where state = 'SUCCEEDED' and applied_at is not null), 0)
               + coalesce(sum(t.amount_captured - excess) filter (where state = 'OPEN'), 0) as paid,
               count(*) as payments
          from invoice_payment p
          left join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
         group by 1, 2
      )
      select ${invoiceName} as offender
        from invoice i
        left join summed using (tenant_id, id)
       where (i.amount_paid, i.payments) is distinct from (coalesce(paid, 0), coalesce(summed.payments, 0))
          or (i.status = 'PAID') <> (i.number is not null and i.amount_paid = i.total)
          or (i.status in ('DRAFT', 'VOID') and i.amount_paid > 0)`,
  },
  {
    claim:
      'Every payment of an invoice has the state, amount and currency of its transaction, ' +
      'and took more than was left to pay only if it succeeded or was captured in part',
    offenders: `
      select format('tenant %s invoice %s payment %s', p.tenant_id, p.invoice_id, p.number) as offender
        from invoice_payment p
        join invoice i on i.tenant_id = p.tenant_id and i.id = p.invoice_id
        left join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
       where (p.excess > 0 and p.state <> 'SUCCEEDED' and coalesce(t.amount_captured, 0) = 0)
          or p.transaction_id is not null
         and (p.state, p.amount, i.currency, p.invoice_id)
             is distinct from (case when t.status in ('PENDING', 'PROCESSING') then 'OPEN'
                                    when t.status in ('SUCCESS', 'REFUNDED') then 'SUCCEEDED' else t.status end,
                               case when p.state = 'SUCCEEDED' then ${capturedAmount('t')} else t.amount end,
                               t.currency, t.invoice_id)`,
  },
  {
    claim: 'The invoice numbers of every tenant have no gaps, neither those of live nor those of test invoices',
    offenders: `
      select format('tenant %s %s: %s numbers up to %s, %s given out', tenant_id, series, count(number), max(number),
                    max(last)) as offender
        from (select tenant_id, series, number from invoice where number is not null) as numbered
        full join invoice_counter using (tenant_id, series)
       group by tenant_id, series
      having count(number) is distinct from max(number) or max(number) is distinct from max(last)
          or min(number) is distinct from 1`,
  },
  {
    claim:
      'Every invoice has one invoice.paid event for each time that it became PAID, every failed payment one ' +
      'invoice.payment_failed event, every other change at most one event, and there are no other events',
    // Invoices from before the other events existed can lack them (`events_complete`).
    offenders: `
      with events as (
        select tenant_id, object_id,
               count(*) filter (where type = 'invoice.paid') - count(*) filter (where type = 'invoice.reopened')
                   as paid,
               count(*) filter (where type = 'invoice.payment_failed') as failed,
               count(*) filter (where type = 'invoice.created') as created,
               count(*) filter (where type = 'invoice.finalized') as finalized,
               count(*) filter (where type = 'invoice.overdue') as overdue,
               count(*) filter (where type = 'invoice.voided') as voided
          from event
         where type like 'invoice.%'
         group by 1, 2
      ), failing as (
        select tenant_id, invoice_id as id, count(*) as failed
          from invoice_payment
         where state = 'FAILED' and applied_at is not null
         group by 1, 2
      ), known as (
        select tenant_id, 'inv_' || id as object_id, (status = 'PAID')::int as paid, coalesce(failed, 0) as failed,
               events_complete, (number is not null)::int as finalized, (overdue_at is not null)::int as overdue,
               (status = 'VOID')::int as voided
          from invoice
          left join failing using (tenant_id, id)
      )
      select format('tenant %s %s', tenant_id, object_id) as offender
        from events
        full join known using (tenant_id, object_id)
       where (coalesce(events.paid, 0), coalesce(events.failed, 0)) is distinct from (known.paid, known.failed)
          or greatest(events.created, events.finalized, events.overdue, events.voided) > 1
          or (events_complete
              and (events.created, events.finalized, events.overdue, events.voided)
                  is distinct from (1::bigint, known.finalized::bigint, known.overdue::bigint, known.voided::bigint))`,
  },
  {
    claim: 'The payments of every invoice have its mode, and so do its events',
    // Joins: a condition with `exists` for each invoice read its events and payments one invoice at a time.
    offenders: `
      select ${invoiceName} as offender
        from (select i.tenant_id, i.id
                from invoice i
                join invoice_payment p on p.tenant_id = i.tenant_id and p.invoice_id = i.id
                join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
               where t.livemode <> i.livemode
               union
              select i.tenant_id, i.id
                from invoice i
                join event on event.tenant_id = i.tenant_id and event.object_id = 'inv_' || i.id
               where event.type like 'invoice.%' and event.livemode <> i.livemode) as mistaken`,
  },
  {
    claim:
      'Every invoice has the customer, the due date, the seller and the texts that it was finalized with, ' +
      'as its event tells',
    offenders: `
      select format('tenant %s invoice %s', i.tenant_id, i.id) as offender
        from invoice i
        join event on event.tenant_id = i.tenant_id and event.object_id = 'inv_' || i.id
       where event.type = 'invoice.finalized'
         and (position(format('"customerId":%s,', i.customer_id) in event.body) = 0
              or position('"description":' || coalesce(to_json(i.description)::text, 'null') || ',' in event.body) = 0
              or position('"metadata":' || coalesce(i.metadata::text, 'null') || ',' in event.body) = 0
              or position('"seller":' || coalesce(i.seller::text, 'null') || ',' in event.body) = 0
              or position('"dueDate":' || coalesce(to_json(i.due_date)::text, 'null') || ',' in event.body) = 0
              or exists (
                select from invoice_line l
                 where l.tenant_id = i.tenant_id and l.invoice_id = i.id
                   and position('"description":' || to_json(l.description)::text in event.body) = 0))`,
  },
];
