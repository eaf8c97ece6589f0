import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { type TransactionStatus, transactionStatuses } from '../transactions/states.ts';

/** What the figures are narrowed to. 0 and '*' mean all, as in transaction_total. */
export interface Filter {
  tenantIds: number[];
  channelId: number;
  userId: number;
  status: TransactionStatus | '*';
  currency: string;
  startDate: string;
  endDate: string;
}

/** By what the figures are told apart, besides currency. */
export interface Grouping {
  channel?: boolean;
  status?: boolean;
  day?: boolean;
}

/** Payments that have something in common. What is not grouped by is 0, '*' or null, or what the filter says. */
export interface CellRow {
  channel_id: number;
  status: TransactionStatus | '*';
  day: string | null;
  currency: string;
  count: number;
  /** Digits: a sum may exceed 2^53. */
  amount: string;
}

/**
 * Totals of payments, folded and not yet folded in one statement, so that they are exact. Values: tenants, channel, user,
 * statuses (`{*}`: not told apart), currency, first and last day, whether by channel and by day.
 *
 * A total stands under (tenant, channel, user, status): naming all four, one range of days each is read from the key. By
 * channel that is one for each channel that the tenant can use, its own and the platform's.
 */
const cells = statement<CellRow>(
  'statistics.cells',
  `with seen as (
     select tenant_id, used.channel_id
       from unnest($1::bigint[]) as tenant (tenant_id)
      cross join lateral (
        select id as channel_id from channel
         where $8::boolean and channel.tenant_id in (tenant.tenant_id, 0) and ($2::bigint = 0 or id = $2)
         union all
        select $2 where not $8
      ) as used
   ), cell as (
     select channel_id, status, day, currency, count, amount
       from seen
      cross join unnest($4::text[]) as wanted (status)
       join transaction_total using (tenant_id, channel_id, status)
      where user_id = $3::bigint and day between $6::date and $7::date and ($5::text = '*' or currency = $5)
      union all
     select case when $8 then channel_id else $2 end, case when $4 = '{*}' then '*' else status end,
            (created_second at time zone 'UTC')::date, currency, count, amount
       from transaction_total_delta
      where tenant_id = any ($1::bigint[]) and ($2 = 0 or channel_id = $2) and ($3 = 0 or user_id = $3)
        and ($4 = '{*}' or status = any ($4)) and ($5 = '*' or currency = $5)
        and (created_second at time zone 'UTC')::date between $6::date and $7::date
   )
   select channel_id, status, case when $9::boolean then day end as day, currency, sum(count)::bigint as count,
          sum(amount)::text as amount
     from cell
    group by 1, 2, 3, 4
   having sum(count) <> 0
    order by 1, 2, 3, 4`,
);

export function findCells(moment: Queryable, filter: Filter, by: Grouping): Promise<CellRow[]> {
  const { tenantIds, channelId, userId, status, currency, startDate, endDate } = filter;
  const statuses = by.status && status === '*' ? [...transactionStatuses] : [status];
  return moment.run(cells, [
    tenantIds,
    channelId,
    userId,
    statuses,
    currency,
    startDate,
    endDate,
    by.channel ?? false,
    by.day ?? false,
  ]);
}

/** Charges that have something in common; 0 and null as above. */
export interface ChargeRow {
  channel_id: number;
  day: string | null;
  currency: string;
  outcome: 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  count: number;
}

/** What became of charges, likewise exact. Values: tenants, channel, currency, first and last day, whether by channel and by day. */
const charges = statement<ChargeRow>(
  'statistics.charges',
  `with ended as (
     select tenant_id, day, channel_id, currency, outcome, count from charge_total
      union all
     select tenant_id, day, channel_id, currency, outcome, count from charge_total_delta
   )
   select case when $6::boolean then channel_id else 0 end as channel_id, case when $7::boolean then day end as day,
          currency, outcome, sum(count)::bigint as count
     from ended
    where tenant_id = any ($1::bigint[]) and day between $4::date and $5::date
      and ($2::bigint = 0 or channel_id = $2) and ($3::text = '*' or currency = $3)
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4`,
);

/** Charges are counted neither by user nor by the status of their payment: null where they are asked for by either. */
export async function findCharges(moment: Queryable, filter: Filter, by: Grouping): Promise<ChargeRow[] | null> {
  const { tenantIds, channelId, userId, status, currency, startDate, endDate } = filter;
  if (userId !== 0 || status !== '*' || by.status) return null;
  return moment.run(charges, [
    tenantIds,
    channelId,
    currency,
    startDate,
    endDate,
    by.channel ?? false,
    by.day ?? false,
  ]);
}
