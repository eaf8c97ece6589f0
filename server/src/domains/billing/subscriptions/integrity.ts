import type { Check } from '../../../platform/postgres/check.ts';

/** Claims about subscriptions, their periods, invoices, collections and events. */
export const subscriptionChecks: readonly Check[] = [
  {
    claim:
      'The periods of every subscription are contiguous: from its creation to the end of the current one, ' +
      'without gap or overlap',
    offenders: `
      with period as (
        select tenant_id, subscription_id as id, start_at, end_at,
               lag(end_at) over (partition by tenant_id, subscription_id order by start_at) as ended_at,
               lead(start_at) over (partition by tenant_id, subscription_id order by start_at) as next_at
          from subscription_period
      )
      select format('subscription %s', id) as offender
        from subscription s
        left join period p using (tenant_id, id)
       where p.start_at is null or p.start_at <> coalesce(p.ended_at, s.created_at)
          or (p.next_at is null and p.end_at <> s.period_end)`,
  },
  {
    claim: 'Every billed period has its own invoice with the same start and end, and no invoice is for another period',
    offenders: `
      with invoiced as (
        select tenant_id, subscription_id, period_start as start_at, id as invoice_id, period_end as end_at
          from invoice
         where period_start is not null
      ), charged as (
        select tenant_id, subscription_id, start_at, invoice_id, end_at from subscription_period where kind = 'BILLED'
      )
      select format('subscription %s at %s', subscription_id, start_at) as offender
        from invoiced
        full join charged using (tenant_id, subscription_id, start_at)
       where (invoiced.invoice_id, invoiced.end_at) is distinct from (charged.invoice_id, charged.end_at)`,
  },
  {
    claim: 'The credits and charges of subscriptions equal the lines on their invoices, to the minor unit',
    offenders: `
      with taken as (
        select tenant_id, invoice_id as id, sum(amount) as amount
          from subscription_line
         where invoice_id is not null
         group by 1, 2
      ), billed as (
        select tenant_id, invoice_id as id from subscription_period where kind = 'BILLED'
      )
      select format('invoice %s', id) as offender
        from taken
        join invoice i using (tenant_id, id)
        left join billed using (tenant_id, id)
        left join lateral (
          select amount from invoice_line l
           where l.tenant_id = i.tenant_id and l.invoice_id = i.id and l.number = 1
        ) as own on billed.id is not null
       where i.subtotal <> taken.amount + coalesce(own.amount, 0)`,
  },
  {
    claim: 'Every credit and charge of a subscription is taxed on its invoice at its own rate',
    offenders: `
      with taken as (
        select tenant_id, invoice_id, tax_rate, sum(amount) as amount
          from subscription_line
         where invoice_id is not null and tax_rate is not null
         group by 1, 2, 3
      ), billed as (
        select tenant_id, invoice_id from subscription_period where kind = 'BILLED'
      ), invoiced as (
        select l.tenant_id, l.invoice_id, l.tax_rate, sum(l.amount) as amount
          from invoice_line l
          join invoice i on i.tenant_id = l.tenant_id and i.id = l.invoice_id and i.subscription_id is not null
          left join billed on billed.tenant_id = l.tenant_id and billed.invoice_id = l.invoice_id
         where l.tax_rate is not null and (billed.invoice_id is null or l.number > 1)
         group by 1, 2, 3
      )
      select format('invoice %s', invoice_id) as offender
        from taken
        full join invoiced using (tenant_id, invoice_id, tax_rate)
       where coalesce(taken.amount, 0) <> coalesce(invoiced.amount, 0)`,
  },
  {
    claim: 'A running subscription is PAST_DUE exactly while one of its collections has failed',
    offenders: `
      select format('subscription %s', s.id) as offender
        from subscription s
       where s.state in ('TRIALING', 'ACTIVE', 'PAST_DUE')
         and (s.state = 'PAST_DUE') <> exists (
           select from invoice_collection c
            where c.tenant_id = s.tenant_id and c.subscription_id = s.id and c.state = 'FAILED')`,
  },
  {
    claim: 'A collection is settled exactly when its invoice is paid, void or uncollectible',
    offenders: `
      select format('invoice %s', c.invoice_id) as offender
        from invoice_collection c
        join invoice i on i.tenant_id = c.tenant_id and i.id = c.invoice_id
       where (c.state = 'SETTLED') = (i.status = 'OPEN') or i.subscription_id is distinct from c.subscription_id`,
  },
  {
    claim: 'The latest event of every subscription shows its current state, and each version has one event',
    offenders: `
      with events as (
        select tenant_id, object_id, (body::json #>> '{data,object,version}')::int as version,
               body::json #>> '{data,object,state}' as state
          from event
         where type like 'subscription.%'
      ), last as (
        select distinct on (tenant_id, object_id) tenant_id, object_id, version, state
          from events order by tenant_id, object_id, version desc
      )
      select format('subscription %s', s.id) as offender
        from subscription s
        left join last on last.tenant_id = s.tenant_id and last.object_id = 'sub_' || s.id
       where (last.version, last.state) is distinct from (s.version, s.state)
       union all
      select format('%s version %s', object_id, version)
        from events group by tenant_id, object_id, version having count(*) > 1`,
  },
];
