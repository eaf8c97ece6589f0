/**
 * A CTE that counts the charges that end in a statement, by channel and outcome: one delta row for each tenant, channel,
 * currency and outcome of the batch. Reads CTEs `finished` and `cancelled_operation` (tenant_id, kind, channel_id, currency,
 * state, finished_at). It is part of the statement that ends the charges, so that the totals are exact. The statistics
 * module rolls the deltas up.
 */
export const countChargesCte = `
  tallied as (
    insert into charge_total_delta (tenant_id, day, channel_id, currency, outcome, count)
    select tenant_id, (finished_at at time zone 'UTC')::date, channel_id, currency, state, count(*)
      from (
        select tenant_id, kind, channel_id, currency, state, finished_at from finished
         union all
        select tenant_id, kind, channel_id, currency, state, finished_at from cancelled_operation
      ) as ended
     where kind = 'CHARGE'
     group by 1, 2, 3, 4, 5
  )`;
