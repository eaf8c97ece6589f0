/**
 * A CTE that counts the charges which end in a statement, by the channel that was tried and by what became of them: from
 * CTEs `finished` and `called_off` (tenant_id, kind, channel_id, currency, state, finished_at). It stands in the same
 * statement as their end, so that neither can be without the other: one row for each tenant, channel, currency and outcome
 * of a batch. `domains/statistics` folds and reads them.
 */
export const countChargesCte = `
  tallied as (
    insert into charge_total_delta (tenant_id, day, channel_id, currency, outcome, count)
    select tenant_id, (finished_at at time zone 'UTC')::date, channel_id, currency, state, count(*)
      from (
        select tenant_id, kind, channel_id, currency, state, finished_at from finished
         union all
        select tenant_id, kind, channel_id, currency, state, finished_at from called_off
      ) as ended
     where kind = 'CHARGE'
     group by 1, 2, 3, 4, 5
  )`;
