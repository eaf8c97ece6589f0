import { dayMs } from '../../../core/clock.ts';
import { firstUuidAt } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { type TransactionStatus, transactionStatuses } from '../transactions/states.ts';

/** The filter of the figures. 0 and '*' mean all, as in transaction_total. */
export interface Filter {
  tenantIds: number[];
  livemode: boolean;
  channelId: number;
  userId: number;
  status: TransactionStatus | '*';
  currency: string;
  startDate: string;
  endDate: string;
}

/** What the figures are grouped by, besides currency. */
export interface Grouping {
  channel?: boolean;
  status?: boolean;
  day?: boolean;
}

/** The payments of one group. A field that is not grouped by has the value of the filter; `day` is then null. */
export interface CellRow {
  channel_id: number;
  status: TransactionStatus | '*';
  day: string | null;
  currency: string;
  count: number;
  /** Decimal digits: a sum may exceed 2^53. */
  amount: string;
}

/**
 * Totals of payments: rolled-up totals and deltas, added in one statement, so that they are exact. Values: tenants,
 * channel, user, statuses (`{*}`: not grouped), currency, first and last day, whether to group by channel, and by day,
 * mode.
 *
 * The key of a total begins with (tenant, mode, channel, user, status). Because all five are given, one range of days
 * is read for each combination. Grouped by channel, that is one range for each channel that the tenant can use: its own
 * and the platform's.
 */
const cells = statement<CellRow>(
  'statistics.cells',
  `with used_channel as (
     select tenant_id, used.channel_id
       from unnest($1::bigint[]) as tenant (tenant_id)
      cross join lateral (
        select id as channel_id from channel
         where $8::boolean and channel.tenant_id in (tenant.tenant_id, 0) and ($2::bigint = 0 or id = $2)
           and livemode = $10::boolean
         union all
        select $2 where not $8
      ) as used
   ), cell as (
     select channel_id, status, day, currency, count, amount
       from used_channel
      cross join unnest($4::text[]) as wanted (status)
       join transaction_total using (tenant_id, channel_id, status)
      where livemode = $10 and user_id = $3::bigint and day between $6::date and $7::date
          and ($5::text = '*' or currency = $5)
      union all
     select case when $8 then channel_id else $2 end, case when $4 = '{*}' then '*' else status end,
            (created_second at time zone 'UTC')::date, currency, count, amount
       from transaction_total_delta
      where tenant_id = any ($1::bigint[]) and livemode = $10
        and ($2 = 0 or channel_id = $2) and ($3 = 0 or user_id = $3)
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

export function findCells(snapshot: Queryable, filter: Filter, by: Grouping): Promise<CellRow[]> {
  const { tenantIds, livemode, channelId, userId, status, currency, startDate, endDate } = filter;
  const statuses = by.status && status === '*' ? [...transactionStatuses] : [status];
  return snapshot.run(cells, [
    tenantIds,
    channelId,
    userId,
    statuses,
    currency,
    startDate,
    endDate,
    by.channel ?? false,
    by.day ?? false,
    livemode,
  ]);
}

/** The ended charges of one group; 0 and null as in `CellRow`. */
export interface ChargeRow {
  channel_id: number;
  day: string | null;
  currency: string;
  outcome: 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  count: number;
}

/**
 * Results of charges: rolled-up totals and deltas, added in one statement. Values: tenants, channel, currency, first
 * and last day, whether to group by channel, and by day, mode.
 */
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
      and (select livemode from channel where channel.id = channel_id) = $8::boolean
      and ($2::bigint = 0 or channel_id = $2) and ($3::text = '*' or currency = $3)
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4`,
);

/** Null if the filter or the grouping is by user or payment status, by which charges are not counted. */
export async function findCharges(snapshot: Queryable, filter: Filter, by: Grouping): Promise<ChargeRow[] | null> {
  const { tenantIds, livemode, channelId, userId, status, currency, startDate, endDate } = filter;
  if (userId !== 0 || status !== '*' || by.status) return null;
  return snapshot.run(charges, [
    tenantIds,
    channelId,
    currency,
    startDate,
    endDate,
    by.channel ?? false,
    by.day ?? false,
    livemode,
  ]);
}

/** The charges of a channel that ended with an outcome, in the last 24 hours or before. */
export interface RecentChargeRow {
  channel_id: number;
  is_recent: boolean;
  outcome: ChargeRow['outcome'];
  count: number;
}

/**
 * Results of charges of some days, split at an hour. The days narrow the range of the key. Values: tenants,
 * mode, the first hour, and the first recent one, in ms.
 */
const recentCharges = statement<RecentChargeRow>(
  'statistics.recent_charges',
  `with limits as (
     select to_timestamp($3::float8 / 1000) at time zone 'UTC' as first_hour,
            to_timestamp($4::float8 / 1000) at time zone 'UTC' as recent_hour
   ), ended as (
     select tenant_id, day, hour, channel_id, outcome, count from charge_hour_total
      union all
     select tenant_id, day, hour, channel_id, outcome, count from charge_total_delta
   ), counted as (
     select channel_id, day + make_interval(hours => hour) >= recent_hour as is_recent, outcome,
            sum(count)::bigint as count
       from ended, limits
      where tenant_id = any ($1::bigint[]) and day >= (to_timestamp($3::float8 / 1000) at time zone 'UTC')::date
        and day + make_interval(hours => hour) >= first_hour
      group by 1, 2, 3
   )
   select channel_id, is_recent, outcome, count
     from counted
    where (select livemode from channel where channel.id = channel_id) = $2::boolean
    order by channel_id`,
);

export function findRecentCharges(
  database: Queryable,
  tenantIds: number[],
  livemode: boolean,
  { firstMs, recentMs }: { firstMs: number; recentMs: number },
): Promise<RecentChargeRow[]> {
  return database.run(recentCharges, [tenantIds, livemode, firstMs, recentMs]);
}

/** The disputes of a channel. */
export interface DisputesRow {
  channel_id: number;
  count: number;
}

/**
 * Disputes by channel, found by the time in their ids. Values: tenants, channel, currency, the first id and the id
 * after the last, mode.
 */
const disputes = statement<DisputesRow>(
  'statistics.disputes',
  `select d.channel_id, count(*) as count
     from dispute d
    where d.tenant_id = any ($1::bigint[]) and d.id >= $4::uuid and d.id < $5::uuid and d.livemode = $6::boolean
      and ($2::bigint = 0 or d.channel_id = $2) and ($3::text = '*' or d.currency = $3)
      and d.stage <> 'INQUIRY' and d.reason <> 'returned'
    group by 1`,
);

/** Null if the filter is by user or payment status. */
export async function findDisputes(snapshot: Queryable, filter: Filter): Promise<DisputesRow[] | null> {
  const { tenantIds, livemode, channelId, userId, status, currency, startDate, endDate } = filter;
  if (userId !== 0 || status !== '*') return null;
  const [from, to] = [firstUuidAt(Date.parse(startDate)), firstUuidAt(Date.parse(endDate) + dayMs)];
  return snapshot.run(disputes, [tenantIds, channelId, currency, from, to, livemode]);
}
