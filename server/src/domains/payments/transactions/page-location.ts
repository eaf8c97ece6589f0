import { dayMs } from '../../../core/clock.ts';
import type { DayRange } from '../../../core/days.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/** What the list is narrowed to. 0 and '*' mean all, as in transaction_total. */
export interface Filter {
  tenantIds: number[];
  channelId: number;
  userId: number;
  status: string;
}

/** Where a page lies: stretches of time, one of each tenant, and how many of the rows in them come before the page. */
export interface PageLocation {
  /** Rows under the filter, wherever. */
  total: number;
  stretches: Stretch[];
  /** Rows under the filter in all the stretches together. */
  rows: number;
  /** Of these, the newer ones that come before the page. */
  skip: number;
  /** Of these, the page's own. */
  take: number;
  /** The days the stretches lie in. */
  firstDay: string;
  lastDay: string;
}

export interface Stretch {
  tenantId: number;
  fromMs: number;
  /** Exclusive. */
  toMs: number;
}

interface DaysRow {
  total: number;
  first_day: string | null;
  last_day: string | null;
  rows: number;
  skip: number;
}

/**
 * The total under a filter, and the days that hold rows $7 to $7 + $8 of it: how many rows they hold in all, and how
 * many of them come before the page. Folded and unfolded totals are added in one statement, so the sum is exact.
 */
const days = statement<DaysRow>(
  'transactions.locate_days',
  `with counted as (
     select day, sum(count) as count
       from (
         select day, count from transaction_total
          where tenant_id = any ($1::bigint[]) and channel_id = $2 and user_id = $3 and status = $4
            and day between $5::date and $6::date
         union all
         select (created_second at time zone 'UTC')::date, count from transaction_total_delta
          where tenant_id = any ($1::bigint[]) and ($2 = 0 or channel_id = $2) and ($3 = 0 or user_id = $3)
            and ($4 = '*' or status = $4)
            and (created_second at time zone 'UTC')::date between $5::date and $6::date
       ) as cell
      group by day
     having sum(count) > 0
   ),
   running as (
     select day, count, sum(count) over (order by day desc) - count as before, sum(count) over () as total from counted
   )
   select (select coalesce(sum(count), 0) from counted)::bigint as total, min(day) as first_day, max(day) as last_day,
          coalesce(sum(count), 0)::bigint as rows, ($7::bigint - coalesce(min(before), 0))::bigint as skip
     from running
    where before < $7::bigint + $8::bigint and before + count > $7::bigint`,
);

/** The place of rows `offset` to `offset` + `pageSize`, newest first, in whole days. */
export async function placeInDays(
  moment: Queryable,
  { tenantIds, channelId, userId, status }: Filter,
  { startDate, endDate }: DayRange,
  offset: number,
  pageSize: number,
): Promise<PageLocation> {
  const [row] = await moment.run(days, [tenantIds, channelId, userId, status, startDate, endDate, offset, pageSize]);
  const { total, first_day, last_day, rows, skip } = row as DaysRow;
  const [firstDay, lastDay] = [first_day ?? startDate, last_day ?? endDate];
  const [fromMs, toMs] = [Date.parse(firstDay), Date.parse(lastDay) + dayMs];
  const stretches = tenantIds.map((tenantId) => ({ tenantId, fromMs, toMs }));
  return { total, stretches, rows, skip, take: Math.min(pageSize, rows - skip), firstDay, lastDay };
}

interface StretchRow {
  tenant_id: number;
  from_time: string;
  to_time: string;
  rows: number;
  skip: number;
}

/**
 * Of days $5 to $6, the slices of each tenant that may hold rows $7 to $7 + $8. A day's first slice holds what the
 * others leave of its total; what has not been folded yet belongs to the latest slice that starts no later than its
 * second.
 *
 * Slices of several tenants overlap, so a slice has no place of its own in the list. Rows of slices that start where it
 * ends, or later, are surely newer than its own; rows of slices that end where it starts, or earlier, surely older. It
 * is left out when so many are newer that the page is over before it, or when all but the older ones come before the
 * page. What is left of a tenant is one stretch. A slice without rows belongs to the one before it.
 */
const slices = statement<StretchRow>(
  'transactions.locate_slices',
  `with slice as (
     select tenant_id, started_at, sum(count) as count,
            lead(started_at, 1, ($6::date + 1)::timestamp at time zone 'UTC')
              over (partition by tenant_id order by started_at) as ended_at
       from (
         select tenant_id, day::timestamp at time zone 'UTC' as started_at, count
           from transaction_total
          where tenant_id = any ($1::bigint[]) and channel_id = $2 and user_id = $3 and status = $4
            and day between $5::date and $6::date
         union all
         select tenant_id, side.started_at, side.sign * count
           from transaction_slice_total as later
          cross join lateral (
            values (later.started_at, 1), (date_trunc('day', later.started_at, 'UTC'), -1)
          ) as side (started_at, sign)
          where tenant_id = any ($1::bigint[]) and channel_id = $2 and user_id = $3 and status = $4
            and later.started_at >= $5::date::timestamp at time zone 'UTC'
            and later.started_at < ($6::date + 1)::timestamp at time zone 'UTC'
         union all
         select tenant_id,
                greatest(date_trunc('day', created_second, 'UTC'),
                         (select max(started_at) from transaction_slice
                           where tenant_id = change.tenant_id
                             and started_at between date_trunc('day', created_second, 'UTC') and created_second)),
                count
           from transaction_total_delta as change
          where tenant_id = any ($1::bigint[]) and ($2 = 0 or channel_id = $2) and ($3 = 0 or user_id = $3)
            and ($4 = '*' or status = $4)
            and (created_second at time zone 'UTC')::date between $5::date and $6::date
       ) as cell
      group by tenant_id, started_at
     having sum(count) > 0
   ),
   edge as (
     select *, started_at as at, count as started, 0 as ended from slice
     union all
     select *, ended_at, 0, count from slice
   ),
   placed as (
     select *, sum(started) over () - sum(ended) over (order by at) as not_older,
            sum(started) over (order by at desc) as newer
       from edge
   ),
   stretch as (
     select tenant_id, min(started_at) filter (where ended > 0 and newer < $7::bigint + $8::bigint) as from_time,
            max(ended_at) filter (where started > 0 and not_older > $7::bigint) as to_time,
            coalesce(sum(started) filter (where not_older <= $7::bigint), 0) as before,
            coalesce(sum(ended) filter (where newer >= $7::bigint + $8::bigint), 0) as after, sum(started) as rows
       from placed
      group by tenant_id
   ),
   summed as (
     select tenant_id, from_time, to_time,
            (sum(rows) over () - sum(before) over () - sum(after) over ())::bigint as rows,
            ($7::bigint - sum(before) over ())::bigint as skip
       from stretch
   )
   select * from summed where from_time < to_time`,
);

/** The same place, narrowed to slices of its days. */
export async function placeInSlices(
  moment: Queryable,
  { tenantIds, channelId, userId, status }: Filter,
  place: PageLocation,
): Promise<PageLocation> {
  const { firstDay, lastDay, skip, take } = place;
  const found = await moment.run(slices, [tenantIds, channelId, userId, status, firstDay, lastDay, skip, take]);
  const stretches = found.map((row) => ({
    tenantId: row.tenant_id,
    fromMs: Date.parse(row.from_time),
    toMs: Date.parse(row.to_time),
  }));
  const [first] = found as [StretchRow];
  return { ...place, stretches, rows: first.rows, skip: first.skip };
}
