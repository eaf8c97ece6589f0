import { statement } from '../../../platform/postgres/statement.ts';

interface CurrencyRow {
  currency: string;
  active: number;
  monthly_amount: string;
  begun: number;
  ended: number;
}

/** What a period of each unit is of a month: a year has 12 months, 52.1786 weeks and 365.25 days. */
const monthsOfPeriod = `plan.interval_count * case plan.interval_unit
    when 'day' then 12 / 365.25 when 'week' then 84 / 365.25 when 'month' then 1 else 12 end`;

/**
 * By currency: subscriptions that are paid for now, what their prices are in a month (rounded for each subscription,
 * without tax), and how many began and ended between two times. Values: tenants, mode, customer or null, from and to in
 * ms.
 */
export const summarize = statement<CurrencyRow>(
  'subscriptions.summarize',
  `select s.currency,
          count(*) filter (where s.state in ('ACTIVE', 'PAST_DUE'))::int as active,
          coalesce(sum(round(s.unit_amount::numeric * s.quantity / (${monthsOfPeriod})))
            filter (where s.state in ('ACTIVE', 'PAST_DUE')), 0)::text as monthly_amount,
          count(*) filter (where s.created_at >= to_timestamp($4::float8 / 1000)
                             and s.created_at < to_timestamp($5::float8 / 1000))::int as begun,
          count(*) filter (where s.ended_at >= to_timestamp($4::float8 / 1000)
                             and s.ended_at < to_timestamp($5::float8 / 1000))::int as ended
     from subscription s
     join plan on plan.tenant_id = s.tenant_id and plan.id = s.plan_id
    where s.tenant_id = any ($1::bigint[]) and s.livemode = $2 and ($3::bigint is null or s.customer_id = $3)
    group by s.currency
    order by active desc, s.currency`,
);
