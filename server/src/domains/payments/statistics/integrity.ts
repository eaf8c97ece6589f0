import type { Check } from '../../../platform/postgres/check.ts';

/** Claims about the totals of charges. */
export const statisticsChecks: readonly Check[] = [
  {
    claim: 'The totals of charges equal a recount of those that have ended',
    offenders: `
      with recount as (
        select o.tenant_id, (o.finished_at at time zone 'UTC')::date as day, o.channel_id, t.currency,
               o.state as outcome, count(*) as count
          from provider_operation o
          join transaction t on t.tenant_id = o.tenant_id and t.id = o.transaction_id
         where o.kind = 'CHARGE' and o.finished_at is not null
         group by 1, 2, 3, 4, 5
      ), stored as (
        select tenant_id, day, channel_id, currency, outcome, sum(count) as count
          from (
            select tenant_id, day, channel_id, currency, outcome, count from charge_total
             union all
            select tenant_id, day, channel_id, currency, outcome, count from charge_total_delta
          ) as total
         group by 1, 2, 3, 4, 5
      )
      select format('tenant %s %s channel %s %s %s', tenant_id, day, channel_id, currency, outcome) as offender
        from recount
        full join stored using (tenant_id, day, channel_id, currency, outcome)
       where recount.count is distinct from stored.count`,
  },
];
